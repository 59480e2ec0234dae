"""Requests of our own, from the envelope that asks to the answer, straight or by way of a proposal (§3.1, §3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY_NAMES

from .awaited import Asked, Awaited, removal_in
from .guests import Guests
from .rpc import INTERNAL_ERROR, ToolError, is_notification

Until: TypeAlias = Literal["taken", "answered"]

ID_TAKEN = "duplicate_id"
_OF_SOME = ("participant_not_found", "request_target_left")  # which name those of `to` that they are about


class Refused(MewError):
    """The gateway says no, or that it has come to nothing: `code` is one of `protocol.codes.ERRORS`."""

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details or {}


class ProposalRejected(MewError):
    """Somebody rejected our proposal (§3.3.2): `by`, with a `reason` and a `message` if there were any."""

    def __init__(self, by: str, reason: str | None, message: str | None = None) -> None:
        why = " – ".join(one for one in (reason, message) if one)
        super().__init__(f"{by} rejected the proposal{f': {why}' if why else ''}.")
        self.by = by
        self.reason = reason
        self.message = message


class TimedOut(MewError, TimeoutError):
    """No answer came in time. The request was withdrawn or cancelled, and may have been carried out all the same."""


class Exchange:
    """One envelope of ours that waits for its answer; `answer` gives it, or raises.

    The answer to a request or proposal is the JSON-RPC result, to a `stream/request` the `stream/open`. With `until`
    *taken* none is waited for: it is the envelope's id, once the gateway has it. A notification has none: None.

    `awaited`: what the space has shown of it.
    """

    def __init__(self, awaited: Awaited, *, until: Until) -> None:
        self.awaited = awaited
        self.until = until
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    @property
    def asked(self) -> Asked:
        """The envelope that asks."""
        return self.awaited.asked

    @property
    def fulfilled(self) -> bool:
        """Whether somebody has turned the proposal into a request."""
        return self.awaited.fulfilment is not None

    def settle(self, value: Any) -> None:
        """The answer is here; whatever comes later does not count."""
        if not self.answer.done():
            self.answer.set_result(value)

    def fail(self, error: Exception) -> None:
        """There will be no answer."""
        if not self.answer.done():
            self.answer.set_exception(error)

    def reject(self, rejection: ProposalRejected) -> None:
        """Somebody is against it: nobody may fulfil it any more."""
        if not self.fulfilled:
            self.fail(rejection)


class Requests:
    """The exchanges under way. `take` looks at every envelope that arrives; nothing here sends."""

    def __init__(self) -> None:
        self._exchanges: dict[str, Exchange] = {}
        self._fulfilled: dict[str, Exchange] = {}  # proposals, by the id of the request that carries one out

    def open(self, asked: Asked, *, me: str, until: Until, invitations: Mapping[str, str]) -> Exchange:
        """Begin to wait, before the envelope is sent. `invitations`: which guests it is sent to, by name."""
        exchange = self._exchanges[asked.id] = Exchange(Awaited(asked, me=me, invitations=invitations), until=until)
        return exchange

    def close(self, exchange: Exchange) -> None:
        """Nobody waits any more."""
        del self._exchanges[exchange.asked.id]
        self._fulfilled = {id: one for id, one in self._fulfilled.items() if one is not exchange}

    @property
    def unconfirmed(self) -> list[Asked]:
        """What the gateway may never have seen, oldest first: to be sent again after a lost connection."""
        return [one.asked for one in self._exchanges.values() if not one.awaited.taken and not one.answer.done()]

    def end(self, error: MewError) -> None:
        """There will be no connection any more."""
        for exchange in self._exchanges.values():
            exchange.fail(error)

    def take(self, envelope: Envelope) -> None:
        """Let an envelope have its effect on the exchanges that it is about."""
        if removal_in(envelope) is not None:
            for exchange in self._exchanges.values():
                exchange.awaited.see(envelope)
                _end_if_removed(exchange)
        for named in (self._exchanges.get(envelope.id), self._fulfilled.get(envelope.id)):
            if named is not None and named.awaited.see(envelope):
                _accepted(named)
        handle = _TABLE.get(envelope.kind)
        if handle is not None:
            for id in envelope.correlation_id or ():
                handle(self, id, envelope)

    def catch_up(self, guests: Guests) -> None:
        """Hear what was missed while there was no connection, as far as the guests of the space tell it."""
        for exchange in self._exchanges.values():
            exchange.awaited.catch_up(guests)
            _end_if_removed(exchange)

    def _respond(self, id: str, envelope: Envelope) -> None:
        for exchange in (self._exchanges.get(id), self._fulfilled.get(id)):
            if exchange is not None and exchange.awaited.is_answered_by(envelope):
                _answered(exchange, envelope)

    def _open_stream(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is None or exchange.asked.kind != "stream/request" or envelope.sender not in GATEWAY_NAMES:
            return
        if exchange.awaited.is_ours:
            exchange.settle(envelope)

    def _fulfil(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is None or not exchange.awaited.fulfil(envelope):
            return
        if is_notification(envelope.payload):
            exchange.settle(None)
        else:
            self._fulfilled[envelope.id] = exchange

    def _reject(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is not None and exchange.awaited.is_ours:
            payload = envelope.payload or {}
            reason, message = (text_in(payload, name) for name in ("reason", "message"))
            exchange.reject(ProposalRejected(envelope.sender, reason, message))

    def _refuse(self, id: str, envelope: Envelope) -> None:
        exchange, payload = self._exchanges.get(id), dict(envelope.payload or {})
        code, message = str(payload.pop("error", "")), str(payload.pop("message", ""))
        if exchange is None or not exchange.awaited.is_refused_by(envelope):
            return
        if code == ID_TAKEN and payload.get("yours") is True:  # of a resend
            exchange.awaited.confirm()
            _accepted(exchange)
        elif code in _OF_SOME and set(payload.get("participants", ())) < set(exchange.asked.to):
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
    """A field of a payload, if it is a text."""
    value = payload.get(name)
    return value if isinstance(value, str) else None


def removed(asked: Asked) -> Refused:
    """Return what is raised if those whom an envelope was to were all removed from the space before they answered."""
    who = " and ".join(asked.to)
    return Refused(
        "removed", f"{who} was removed from the space before there was an answer: it may have been carried out."
    )


def _accepted(exchange: Exchange) -> None:
    """The gateway has it."""
    if exchange.until == "taken":
        exchange.settle(exchange.asked.id)
    elif exchange.asked.kind == "mcp/request" and is_notification(exchange.asked.payload):
        exchange.settle(None)


def _end_if_removed(exchange: Exchange) -> None:
    """Give up an exchange if those who were asked were removed: a new guest of that name answers nothing of it."""
    for one in (exchange.awaited, exchange.awaited.fulfilment):
        if one is not None and one.removed and exchange.until == "answered":
            exchange.fail(removed(one.asked))


def _answered(exchange: Exchange, envelope: Envelope) -> None:
    payload = envelope.payload or {}
    if "error" in payload:
        exchange.fail(_fault(payload["error"]))
    else:
        exchange.settle(payload.get("result"))


def _fault(error: Any) -> ToolError:
    """The error of a response, whatever its sender made of it (§4.3)."""
    said = error if isinstance(error, dict) else {}
    code, message = said.get("code"), said.get("message")
    return ToolError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        message if isinstance(message, str) else "The answer is an error without a message.",
        data=said.get("data"),
    )
