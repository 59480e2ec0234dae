"""Pending requests of our own, from the envelope to its answer, directly or by a proposal (§3.1, §3.2).

`Requests.take` gets every envelope that arrives and settles the requests that it answers, refuses, rejects or fulfils.
Nothing here sends; `_outgoing_requests` does. Which envelope is about which request is decided by `tracked`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES

from .guests import Guests
from .rpc import INTERNAL_ERROR, ToolError, is_notification
from .tracked import SentEnvelope, TrackedEnvelope, removal_in

Until: TypeAlias = Literal["taken", "answered"]

ID_TAKEN = "duplicate_id"
_OF_SOME = ("participant_not_found", "request_target_left")  # which name those of `to` that they are about


class Refused(MewError):
    """The gateway refused the request, or it came to nothing. `code` is one of `protocol.codes.ERRORS`."""

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details or {}


class ProposalRejected(MewError):
    """Our proposal was rejected (§3.3.2) by `by`, with a `reason` and a `message` if given."""

    def __init__(self, by: str, reason: str | None, message: str | None = None) -> None:
        why = " – ".join(one for one in (reason, message) if one)
        super().__init__(f"{by} rejected the proposal{f': {why}' if why else ''}.")
        self.by = by
        self.reason = reason
        self.message = message


class TimedOut(MewError, TimeoutError):
    """No answer came in time. The request was withdrawn or cancelled, but may have been carried out."""


class PendingRequest:
    """One envelope of ours that waits for its answer. `answer` is a future that gives it or raises.

    The answer to a request or proposal is the JSON-RPC result; to a `stream/request` it is the `stream/open`. With
    `until` *taken* it is the envelope's id, once the gateway has accepted the envelope. A notification has no answer:
    None.

    `tracked` is what the space has shown of the envelope.
    """

    def __init__(self, tracked: TrackedEnvelope, *, until: Until) -> None:
        self.tracked = tracked
        self.until = until
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    @property
    def asked(self) -> SentEnvelope:
        """The envelope that was sent."""
        return self.tracked.asked

    @property
    def fulfilled(self) -> bool:
        """True if the proposal has been fulfilled by a request."""
        return self.tracked.fulfilment is not None

    def settle(self, value: Any) -> None:
        """Set the answer. Later answers are ignored."""
        if not self.answer.done():
            self.answer.set_result(value)

    def fail(self, error: Exception) -> None:
        """Set an error: there will be no answer."""
        if not self.answer.done():
            self.answer.set_exception(error)

    def reject(self, rejection: ProposalRejected) -> None:
        """Note a rejection. It counts unless the proposal was fulfilled before."""
        if not self.fulfilled:
            self.fail(rejection)


class Requests:
    """All pending requests. `take` must get every envelope that arrives; nothing here sends."""

    def __init__(self) -> None:
        self._exchanges: dict[str, PendingRequest] = {}
        self._fulfilled: dict[str, PendingRequest] = {}  # proposals, by the id of the request that carries one out

    def open(self, asked: SentEnvelope, *, me: str, until: Until, invitations: Mapping[str, str]) -> PendingRequest:
        """Register a request, before its envelope is sent. `invitations`: which guests it is sent to, by name."""
        tracked = TrackedEnvelope(asked, me=me, invitations=invitations)
        exchange = self._exchanges[asked.id] = PendingRequest(tracked, until=until)
        return exchange

    def close(self, exchange: PendingRequest) -> None:
        """Remove a request that no caller waits for."""
        del self._exchanges[exchange.asked.id]
        self._fulfilled = {id: one for id, one in self._fulfilled.items() if one is not exchange}

    @property
    def unconfirmed(self) -> list[SentEnvelope]:
        """Envelopes that the gateway may not have seen, oldest first: to send again after a lost connection."""
        return [one.asked for one in self._exchanges.values() if not one.tracked.taken and not one.answer.done()]

    def end(self, error: MewError) -> None:
        """Fail all requests: there will be no connection any more."""
        for exchange in self._exchanges.values():
            exchange.fail(error)

    def take(self, envelope: Envelope) -> None:
        """Apply an envelope to the requests that it is about."""
        if removal_in(envelope) is not None:
            for exchange in self._exchanges.values():
                exchange.tracked.see(envelope)
                _end_if_removed(exchange)
        for named in (self._exchanges.get(envelope.id), self._fulfilled.get(envelope.id)):
            if named is not None and named.tracked.see(envelope):
                _accepted(named)
        handle = _TABLE.get(envelope.kind)
        if handle is not None:
            for id in envelope.correlation_id or ():
                handle(self, id, envelope)

    def catch_up(self, guests: Guests) -> None:
        """Hear what was missed while there was no connection, as far as the guests of the space tell it."""
        for exchange in self._exchanges.values():
            exchange.tracked.catch_up(guests)
            _end_if_removed(exchange)

    def _respond(self, id: str, envelope: Envelope) -> None:
        for exchange in (self._exchanges.get(id), self._fulfilled.get(id)):
            if exchange is not None and exchange.tracked.is_answered_by(envelope):
                _answered(exchange, envelope)

    def _open_stream(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is None or exchange.asked.kind != "stream/request" or envelope.sender not in GATEWAY_NAMES:
            return
        if exchange.tracked.is_ours:
            exchange.settle(envelope)

    def _fulfil(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is None or not exchange.tracked.fulfil(envelope):
            return
        if is_notification(envelope.payload):
            exchange.settle(None)
        else:
            self._fulfilled[envelope.id] = exchange

    def _reject(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is not None and exchange.tracked.is_ours:
            payload = envelope.payload or {}
            reason, message = (text_in(payload, name) for name in ("reason", "message"))
            exchange.reject(ProposalRejected(envelope.sender, reason, message))

    def _refuse(self, id: str, envelope: Envelope) -> None:
        exchange, payload = self._exchanges.get(id), dict(envelope.payload or {})
        code, message = str(payload.pop("error", "")), str(payload.pop("message", ""))
        if exchange is None or not exchange.tracked.is_refused_by(envelope):
            return
        if code == ID_TAKEN and payload.get("yours") is True:  # of a resend
            exchange.tracked.confirm()
            _accepted(exchange)
        elif exchange.tracked.taken and _is_of_some(code, payload, exchange.asked):
            return  # a notice: the others that were named received it, and may answer
        else:
            exchange.fail(Refused(code, message, payload))


_TABLE: dict[str, Callable[[Requests, str, Envelope], None]] = {
    "mcp/response": Requests._respond,
    "mcp/request": Requests._fulfil,
    "mcp/reject": Requests._reject,
    "stream/open": Requests._open_stream,
    "system/error": Requests._refuse,
}


def text_in(payload: dict[str, Any], name: str) -> str | None:
    """Return a field of a payload if it is a string."""
    value = payload.get(name)
    return value if isinstance(value, str) else None


def removed(asked: SentEnvelope) -> Refused:
    """Return the error for an envelope whose recipients were all removed from the space before they answered."""
    who = " and ".join(asked.to)
    return Refused(
        "removed", f"{who} was removed from the space before there was an answer: it may have been carried out."
    )


def _is_of_some(code: str, payload: dict[str, Any], asked: SentEnvelope) -> bool:
    """Return true if an error is about some of the recipients of an envelope. Before our own copy it is a refusal."""
    return code in _OF_SOME and set(payload.get("participants", ())) < set(asked.to)


def _accepted(exchange: PendingRequest) -> None:
    """Note that the gateway has accepted the envelope."""
    if exchange.until == "taken":
        exchange.settle(exchange.asked.id)
    elif exchange.asked.kind == "mcp/request" and is_notification(exchange.asked.payload):
        exchange.settle(None)


def _end_if_removed(exchange: PendingRequest) -> None:
    """Fail a request if its recipients were removed: a new guest of that name does not answer requests to the old."""
    for one in (exchange.tracked, exchange.tracked.fulfilment):
        if one is not None and one.removed and exchange.until == "answered":
            exchange.fail(removed(one.asked))


def _answered(exchange: PendingRequest, envelope: Envelope) -> None:
    payload = envelope.payload or {}
    if "error" in payload:
        exchange.fail(_fault(payload["error"]))
    else:
        exchange.settle(payload.get("result"))


def _fault(error: Any) -> ToolError:
    """Return the error of a response, tolerating any shape (§4.3)."""
    said = error if isinstance(error, dict) else {}
    code, message = said.get("code"), said.get("message")
    return ToolError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        message if isinstance(message, str) else "The answer is an error without a message.",
        data=said.get("data"),
    )
