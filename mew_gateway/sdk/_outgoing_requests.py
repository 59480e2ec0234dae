"""Requester: sends our requests, resends them after a lost connection, and withdraws those that no caller waits for.

`exchange.requests` decides what an arriving envelope means for a pending request. This module sends: the request
itself, or a proposal of it if we may not request; again if the gateway may not have it; with a new id if the id was
taken; and a withdrawal on a timeout or a cancellation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope

from ._handlers import guard
from ._tasks.tasks import Tasks
from .client import Client
from .exchange import rpc
from .exchange.guests import Guests
from .exchange.permissions import Permissions
from .exchange.requests import ID_TAKEN, PendingRequest, Refused, Requests, TimedOut, Until
from .exchange.tracked import SentEnvelope

_FRESH_IDS = 3  # tries with a new id if another participant takes the id first
_LAST_WORDS = 2_000  # milliseconds for a withdrawal to be sent, also if the caller is cancelled


class Requester:
    """The pending requests of one client. `take` must get every envelope that arrives."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._permissions = Permissions()
        self._requests = Requests()

    def may(self, kind: str, payload: dict[str, Any], to: tuple[str, ...]) -> bool:
        """Return true if our capabilities, by the newest welcome, allow such an envelope."""
        return self._permissions.allow(self._client.welcome, kind, payload, to)

    def take(self, envelope: Envelope) -> None:
        """Take an arriving envelope, which may be an answer."""
        self._requests.take(envelope)

    def catch_up(self, guests: Guests) -> None:
        """Hear what was missed while there was no connection, as far as the guests of the space tell it."""
        self._requests.catch_up(guests)

    def end(self, why: MewError) -> None:
        """Fail all requests: there will be no connection any more."""
        self._requests.end(why)

    async def repeat(self) -> None:
        """Send again what the gateway may not have received, after a lost connection."""
        for asked in self._requests.unconfirmed:
            await self._say(asked)

    async def request_or_propose(
        self,
        payload: dict[str, Any],
        to: tuple[str, ...],
        *,
        propose: bool,
        timeout: int,
        correlation_id: tuple[str, ...],
        context: str | None,
    ) -> Any:
        """Send an MCP request if we may, and otherwise, or with `propose`, a proposal of it (§3.2). Return the answer.

        Raises `Refused` if we may do neither, and as `exchange`.
        """
        ask = partial(
            self.exchange, payload=payload, to=to, timeout=timeout, correlation_id=correlation_id, context=context
        )
        if not propose and self.may("mcp/request", payload, to):
            try:
                return await ask("mcp/request")
            except Refused as refused:  # the capability went while we asked
                if refused.code != "capability_violation" or not self.may("mcp/proposal", payload, to):
                    raise
        elif not self.may("mcp/proposal", payload, to):
            raise Refused("capability_violation", f"You may neither request nor propose {payload['method']} there.")
        return await ask("mcp/proposal")

    async def exchange(
        self,
        kind: str,
        payload: dict[str, Any],
        to: tuple[str, ...],
        *,
        until: Until = "answered",
        timeout: int,
        correlation_id: tuple[str, ...] = (),
        context: str | None = None,
    ) -> Any:
        """Send an envelope and wait until it is accepted or answered (see `PendingRequest`). Raises its error."""
        ask = partial(
            self._once, kind, payload, to, until=until, timeout=timeout, correlation_id=correlation_id, context=context
        )
        for _ in range(_FRESH_IDS):
            try:
                return await ask()
            except Refused as refused:  # another took the id while ours was refused for now: ours was never accepted
                if refused.code != ID_TAKEN:
                    raise
        return await ask()

    async def _once(
        self,
        kind: str,
        payload: dict[str, Any],
        to: tuple[str, ...],
        *,
        until: Until,
        timeout: int,
        correlation_id: tuple[str, ...],
        context: str | None,
    ) -> Any:
        id = self._client.new_id()
        if kind == "mcp/request":
            payload = rpc.request(payload, id=id)
        asked = SentEnvelope(id, kind, payload, to, correlation_id, context, self._client.wall())
        me, invitations = self._client.welcome.you.id, self._client.invitations(to)
        exchange = self._requests.open(asked, me=me, until=until, invitations=invitations)
        tasks = Tasks()
        tasks.start_soon(self._send, exchange)
        tasks.start_soon(self._expire, exchange, timeout)
        try:
            return await exchange.answer
        except (anyio.get_cancelled_exc_class(), TimedOut) as error:
            with anyio.move_on_after(_LAST_WORDS / 1000, shield=True):
                await self._take_back(exchange, "timeout" if isinstance(error, TimedOut) else "no_longer_needed")
            raise
        finally:
            self._requests.close(exchange)
            await tasks.aclose()

    async def _send(self, exchange: PendingRequest) -> None:
        try:
            await self._say(exchange.asked)
        except (MewError, ValueError, TypeError) as error:
            exchange.fail(error)

    async def _say(self, asked: SentEnvelope) -> None:
        await self._client.send(
            asked.kind,
            asked.payload,
            to=asked.to,
            correlation_id=asked.correlation_id,
            context=asked.context,
            id=asked.id,
            at=asked.at,
        )

    async def _expire(self, exchange: PendingRequest, timeout: int) -> None:
        await self._client.sleep(timeout)
        exchange.fail(TimedOut(f"No answer to the {exchange.asked.kind} within {timeout / 1000:g} s."))

    async def _take_back(self, exchange: PendingRequest, reason: str) -> None:
        """Withdraw a request that no caller waits for (§3.3.1, and MCP's notification)."""
        asked = exchange.asked
        if asked.kind == "mcp/proposal" and not exchange.fulfilled:
            await guard("withdrawing", partial(self._withdraw, asked, reason))
        elif asked.kind == "mcp/request" and "id" in asked.payload:
            payload = {"method": rpc.CANCELLED, "params": {"requestId": asked.payload["id"], "reason": reason}}
            if self.may("mcp/request", payload, asked.to):
                await guard("cancelling", partial(self._notify, asked, payload))

    async def _withdraw(self, asked: SentEnvelope, reason: str) -> None:
        await self._client.send("mcp/withdraw", {"reason": reason}, to=asked.to, correlation_id=[asked.id])

    async def _notify(self, asked: SentEnvelope, payload: dict[str, Any]) -> None:
        await self._client.send("mcp/request", {"jsonrpc": "2.0", **payload}, to=asked.to)
