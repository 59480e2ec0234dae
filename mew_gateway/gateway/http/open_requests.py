"""Visits: the requests that are being answered, and what their answers hold in memory until they are taken."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeAlias

from starlette.types import Receive, Scope

from mew_gateway.errors import Rejected

from ..websocket.http_timeouts import CONNECTION

HELD = 134_217_728  # bytes of all answers together that are being made or wait to be taken
VISIT = "mew.visit"  # key of a request's scope: its visit, as soon as it has one
_RETRY_AFTER = 1_000  # ms

Turn: TypeAlias = Callable[[], Awaitable[None]]  # to be awaited before each piece


class Visit:
    """A request of the party `who` that is being answered, and the bytes that its answer holds.

    It is cut if all answers together hold too much, its party holds most of it, and of that party's it has stood still
    for longest: its connection is aborted, or its next turn raises `Rejected` `rate_limited` if nothing was sent yet.
    """

    __slots__ = ("_abort", "_held", "_turn", "is_cut", "who")

    def __init__(self, who: Hashable, turn: Turn, held: Held) -> None:
        self.who = who
        self.is_cut = False
        self._turn = turn
        self._held = held
        self._abort: Callable[[], None] | None = None

    async def turn(self) -> None:
        """Wait for the turn of the next piece."""
        await self._turn()
        self._check()

    def hold(self, size: int) -> None:
        """Say how many bytes the answer holds now; also if it is as many as before: the answer has moved."""
        if not self.is_cut:
            self._held.put(self, size)

    def begin(self, abort: Callable[[], None]) -> None:
        """Note that the answer is being sent. Raises `Rejected` if the visit was cut before."""
        self._check()
        self._abort = abort

    def cut(self) -> None:
        self.is_cut = True
        if self._abort is not None:
            self._abort()

    def close(self) -> None:
        self._abort = None
        self._held.put(self, 0)

    def _check(self) -> None:
        if self.is_cut and self._abort is None:
            self.is_cut = False  # its answer is the refusal
            message = "Too many answers wait to be taken, and most of them are yours: take them, then ask again."
            raise Rejected("rate_limited", message, retry_after_ms=_RETRY_AFTER)


class Held:
    """The bytes that the answers of all parties hold: `HELD` at most. Beyond, visits are cut."""

    def __init__(self) -> None:
        self.total = 0
        self._parties: dict[Hashable, dict[Visit, int]] = {}  # first that which moved last; each holds some

    def put(self, visit: Visit, size: int) -> None:
        """Note how many bytes a visit holds."""
        visits = self._parties.setdefault(visit.who, {})
        self.total += size - visits.pop(visit, 0)
        if size:
            visits[visit] = size
        elif not visits:
            del self._parties[visit.who]
        while self.total > HELD:
            most = max(self._parties.values(), key=lambda visits: sum(visits.values()))
            stuck = next(iter(most))
            self.put(stuck, 0)
            stuck.cut()


class Connection:
    """The connection that an answer is sent on."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._transport: asyncio.Transport | None = scope.get("state", {}).get(CONNECTION)
        self._receive = receive

    @property
    def is_gone(self) -> bool:
        """True if nobody will take anything more."""
        return self._transport is not None and self._transport.is_closing()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    async def closed(self) -> None:
        """Wait until the server knows that the connection is gone; an answer that ends before is an error to it."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
