"""Whose turn it is: what is asked over HTTP is answered a piece at a time, and envelopes go between the pieces."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial
from typing import TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from mew_gateway.errors import Rejected

MOST = 256  # requests of one participant at a time, until their answers are taken
READS = 4  # of them, those that read the record: a page has up to 4 MiB
_RETRY_AFTER = 1_000  # ms
_VISIT = "mew.visit"

Turn: TypeAlias = Callable[[], Awaitable[None]]  # to be awaited before each piece


class _Line:
    """What somebody has asked for."""

    __slots__ = ("reads", "requests", "waiting")

    def __init__(self) -> None:
        self.requests = 0
        self.reads = asyncio.Semaphore(READS)
        self.waiting: deque[asyncio.Future[None]] = deque()


class FairQueue:
    """One piece of work a pass of the loop, and whoever asks takes turns with all others who do: who asks for much
    waits the longer, and nobody else does."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, _Line] = {}
        self._strangers = _Line()
        self._next: deque[_Line] = deque()  # those with somebody waiting, each once
        self._is_passing = False

    @asynccontextmanager
    async def visit(self, who: Hashable, *, reads: bool = False) -> AsyncIterator[Turn]:
        """A request of somebody's, whose first turn has come. Raises `Rejected` `rate_limited`."""
        line = self._lines.setdefault(who, _Line())
        if line.requests >= MOST:
            message = f"{MOST} of your requests are being answered: wait for one of them."
            raise Rejected("rate_limited", message, retry_after_ms=_RETRY_AFTER)
        line.requests += 1
        try:
            async with line.reads if reads else nullcontext():
                await self._turn(line)
                yield partial(self._turn, line)
        finally:
            line.requests -= 1
            if not line.requests:
                del self._lines[who]

    async def strangers_turn(self) -> None:
        """Wait for a turn of all whose requests name nobody: they are answered one after the other, however many wait
        for the same moment."""
        await self._turn(self._strangers)

    async def _turn(self, line: _Line) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        if not line.waiting:
            self._next.append(line)
        line.waiting.append(turn)
        if not self._is_passing:
            self._is_passing = True
            loop.call_soon(self._pass, loop)
        await turn

    def _pass(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let the next one have its turn, and come back behind its piece, when the loop has looked at its sockets."""
        self._is_passing = bool(self._next)
        if not self._is_passing:
            return
        line = self._next.popleft()
        turn = line.waiting.popleft()
        if line.waiting:
            self._next.append(line)
        if not turn.done():  # whoever asked may have gone
            turn.set_result(None)
        loop.call_soon(self._pass, loop)


class Visits:
    """ASGI middleware: a visit lasts until the answer to its request is taken."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with AsyncExitStack() as scope[_VISIT]:
            await self._app(scope, receive, send)


async def visit(scope: Scope, queue: FairQueue, who: Hashable, *, reads: bool = False) -> Turn:
    """Have the request of a scope wait for its first turn; what to await for the next ones. Raises `Rejected`."""
    stack: AsyncExitStack = scope[_VISIT]
    return await stack.enter_async_context(queue.visit(who, reads=reads))
