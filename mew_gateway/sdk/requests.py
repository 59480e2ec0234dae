"""Requests of our own, from the envelope that asks to the answer, straight or by way of a proposal (§3.1, §3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope

from .rpc import INTERNAL_ERROR, ToolError, is_notification

Until: TypeAlias = Literal["taken", "answered"]

# `system/error` that correlates to a request and yet refuses nothing (docs/protocol.md §2).
_NOTICES = ("duplicate_id",)  # of a resend: as good as accepted


class Refused(MewError):
    """The gateway says no, or that it has come to nothing: `code` is one of `protocol.codes.ERRORS`."""

    def __init__(self, code: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details or {}


class ProposalRejected(MewError):
    """Somebody rejected our proposal (§3.3.2): `by`, with a `reason` if there was one."""

    def __init__(self, by: str, reason: str | None) -> None:
        super().__init__(f"{by} rejected the proposal{'' if reason is None else f': {reason}'}.")
        self.by = by
        self.reason = reason


class TimedOut(MewError, TimeoutError):
    """No answer came in time. The request was withdrawn or cancelled, and may have been carried out all the same."""


class Asked(msgspec.Struct, frozen=True):
    """The envelope that asks, as it can be sent again: the same bytes."""

    id: str
    kind: str
    payload: dict[str, Any]
    to: tuple[str, ...]
    correlation_id: tuple[str, ...]
    context: str | None
    at: int


class Exchange:
    """One envelope of ours that waits for its answer; `answer` gives it, or raises.

    The answer to a request or proposal is the JSON-RPC result, to a `stream/request` the `stream/open`. With `until`
    *taken* none is waited for: it is the envelope's id, once the gateway has it. A notification has none: None.

    `accepted`: the gateway has it, our own copy came back. `fulfilled`: somebody has turned the proposal into a
    request.
    """

    def __init__(self, asked: Asked, *, until: Until) -> None:
        self.asked = asked
        self.until = until
        self.accepted = False
        self.fulfilled = False
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

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
        # Whose answer to which envelope ends which exchange: our request's, or the fulfilment's of our proposal.
        self._awaited: dict[str, tuple[Exchange, tuple[str, ...]]] = {}

    def open(self, asked: Asked, *, until: Until) -> Exchange:
        """Begin to wait, before the envelope is sent."""
        exchange = self._exchanges[asked.id] = Exchange(asked, until=until)
        if asked.kind == "mcp/request":
            self._awaited[asked.id] = exchange, asked.to
        return exchange

    def close(self, exchange: Exchange) -> None:
        """Nobody waits any more."""
        del self._exchanges[exchange.asked.id]
        self._awaited = {id: awaited for id, awaited in self._awaited.items() if awaited[0] is not exchange}

    @property
    def unconfirmed(self) -> list[Asked]:
        """What the gateway may never have seen, oldest first: to be sent again after a lost connection."""
        return [one.asked for one in self._exchanges.values() if not one.accepted and not one.answer.done()]

    def end(self, error: MewError) -> None:
        """There will be no connection any more."""
        for exchange in self._exchanges.values():
            exchange.fail(error)

    def take(self, envelope: Envelope) -> None:
        """Let an envelope have its effect on the exchanges it correlates to."""
        own = self._exchanges.get(envelope.id)
        if own is not None:
            own.accepted = True
            if own.until == "taken":
                own.settle(envelope.id)
            elif own.asked.kind == "mcp/request" and is_notification(envelope.payload):
                own.settle(None)
        handle = _TABLE.get(envelope.kind)
        if handle is not None:
            for id in envelope.correlation_id or ():
                handle(self, id, envelope)

    def _respond(self, id: str, envelope: Envelope) -> None:
        exchange, expected = self._awaited.get(id, (None, ()))
        if exchange is None or (expected and envelope.sender not in expected):
            return
        payload = envelope.payload or {}
        if "error" in payload:
            exchange.fail(_fault(payload["error"]))
        else:
            exchange.settle(payload.get("result"))

    def _open_stream(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is not None and exchange.asked.kind == "stream/request":
            exchange.settle(envelope)

    def _fulfil(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is None or exchange.asked.kind != "mcp/proposal":
            return
        exchange.accepted = exchange.fulfilled = True
        if is_notification(envelope.payload):
            exchange.settle(None)
        else:
            self._awaited[envelope.id] = exchange, tuple(envelope.to or ())

    def _reject(self, id: str, envelope: Envelope) -> None:
        exchange = self._exchanges.get(id)
        if exchange is not None:
            reason = (envelope.payload or {}).get("reason")
            exchange.reject(ProposalRejected(envelope.sender, reason if isinstance(reason, str) else None))

    def _refuse(self, id: str, envelope: Envelope) -> None:
        exchange, payload = self._exchanges.get(id), dict(envelope.payload or {})
        code, message = str(payload.pop("error", "")), str(payload.pop("message", ""))
        if exchange is None or code in _NOTICES:
            return
        if code == "participant_not_found" and set(payload.get("participants", ())) < set(exchange.asked.to):
            return  # a notice: the others that were named received it
        exchange.fail(Refused(code, message, payload))


_TABLE: dict[str, Callable[[Requests, str, Envelope], None]] = {
    "mcp/response": Requests._respond,
    "mcp/request": Requests._fulfil,
    "mcp/reject": Requests._reject,
    "stream/open": Requests._open_stream,
    "system/error": Requests._refuse,
}


def _fault(error: Any) -> ToolError:
    """The error of a response, whatever its sender made of it (§4.3)."""
    said = error if isinstance(error, dict) else {}
    code, message = said.get("code"), said.get("message")
    return ToolError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        message if isinstance(message, str) else "The answer is an error without a message.",
        data=said.get("data"),
    )
