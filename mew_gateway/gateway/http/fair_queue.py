"""Fair queue of HTTP requests: responses are made piece by piece, parties in turn, envelopes between the pieces."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial

from starlette.types import ASGIApp, Receive, Scope, Send

from mew_gateway.errors import Rejected

from .open_requests import VISIT, Held, Turn, Visit

MOST = 256  # requests of one participant at a time, until their answers are taken
READS = 4  # of them, those that read the record or list the state: a page has up to 4 MiB, a row 1 MiB
_RETRY_AFTER = 1_000  # ms
_STACK = "mew.admission"


class _PartyQueue:
    """The requests of one party: how many there are, and the turns they wait for."""

    __slots__ = ("reads", "requests", "waiting")

    def __init__(self) -> None:
        self.requests = 0
        self.reads = asyncio.Semaphore(READS)
        self.waiting: deque[asyncio.Future[None]] = deque()


class FairQueue:
    """Grants one turn per pass of the event loop, round-robin over the parties with waiting requests.

    A party with many requests delays only itself. `held` is what all answers hold.
    """

    def __init__(self) -> None:
        self.held = Held()
        self._lines: dict[Hashable, _PartyQueue] = {}
        self._strangers = _PartyQueue()
        self._next: deque[_PartyQueue] = deque()  # those with waiting requests, each once
        self._is_passing = False

    @asynccontextmanager
    async def admit(self, who: Hashable, *, reads: bool = False) -> AsyncIterator[Turn]:
        """Hold a request of the party `who` in the queue, from its first turn to the end of the block.

        Raises `Rejected` `rate_limited`.
        """
        line = self._lines.setdefault(who, _PartyQueue())
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
        """Wait for a turn of the one party that all requests without a valid token share: one is answered at a time."""
        await self._turn(self._strangers)

    async def _turn(self, line: _PartyQueue) -> None:
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
        """Grant the next turn; run again in the next pass, after the loop has polled its sockets."""
        self._is_passing = bool(self._next)
        if not self._is_passing:
            return
        line = self._next.popleft()
        turn = line.waiting.popleft()
        if line.waiting:
            self._next.append(line)
        if not turn.done():  # the request may have been cancelled
            turn.set_result(None)
        loop.call_soon(self._pass, loop)


class AdmissionMiddleware:
    """ASGI middleware: a request holds its place in the queue until its response is taken."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with AsyncExitStack() as scope[_STACK]:
            await self._app(scope, receive, send)


async def admit_request(scope: Scope, queue: FairQueue, who: Hashable, *, reads: bool = False) -> Visit:
    """Wait for the first turn of a scope's request; return its visit, which lasts until its response is taken.

    Raises `Rejected` `rate_limited`.
    """
    stack: AsyncExitStack = scope[_STACK]
    turn = await stack.enter_async_context(queue.admit(who, reads=reads))
    visit = scope[VISIT] = Visit(who, turn, queue.held)
    stack.callback(visit.close)
    return visit
