"""A thread with an event loop of its own, for what must go on whatever another loop does."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

import anyio

from ..link import Disconnected

log = logging.getLogger(__name__)

_GLANCE = 1  # seconds between two looks at whether the loop that we work for still exists
_FAREWELL = 5  # seconds that the thread is given to end

T = TypeVar("T")


class _Failure(NamedTuple):
    error: Exception


class LoopThread:
    """A daemon thread, which ends when it is told to, or by itself when the loop that it works for has closed.

    Belongs to the running loop: only `do` may be called from elsewhere.
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._home = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._asked_to_end = asyncio.Event()
        self._gone: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._lock = threading.Lock()
        self._ended = False
        self._thread.start()

    def do(self, call: Callable[[], object]) -> bool:
        """Have something called in the thread, soon and in order; False if it has ended. From any thread."""
        with self._lock:
            if self._ended:
                return False
            if threading.get_ident() == self._thread.ident:
                self.loop.call_soon(call)  # without a system call, which would lose us the interpreter's lock
            else:
                self.loop.call_soon_threadsafe(call)
            return True

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What a coroutine in the thread returns or raises. Cancelled with its caller; `Disconnected` when ended."""
        with self._lock:
            if self._ended:
                raise Disconnected("The connection's thread has ended.")
            running = asyncio.run_coroutine_threadsafe(self._outcome(work), self.loop)
        outcome = await asyncio.wrap_future(running)
        if isinstance(outcome, _Failure):
            raise outcome.error
        return outcome

    async def aclose(self) -> None:
        """End the thread, and wait until it has ended: 5 seconds at most. Idempotent."""
        with self._lock:
            if not self._ended:
                self._ended = True
                self.loop.call_soon_threadsafe(self._asked_to_end.set)
        with anyio.move_on_after(_FAREWELL, shield=True):
            await asyncio.shield(asyncio.wrap_future(self._gone))
            self._thread.join(_FAREWELL)
            return
        log.warning("the thread %s did not end in time", self._thread.name)

    async def _outcome(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T | _Failure:
        """A failure is returned, for nobody may be there any more to have it raised."""
        try:
            return await work()
        except asyncio.CancelledError:
            if not self._ended:
                raise
            return _Failure(Disconnected("The connection's thread has ended."))  # our end is not the caller's
        except Exception as error:
            return _Failure(error)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                runner.run(self._last())
        finally:
            self._gone.set_result(None)

    async def _last(self) -> None:
        """Last as long as we are wanted; what still runs in the loop is cancelled then."""
        while not (self._asked_to_end.is_set() or self._home.is_closed()):
            try:
                async with asyncio.timeout(_GLANCE):
                    await self._asked_to_end.wait()
            except TimeoutError:
                pass
        with self._lock:
            self._ended = True


def call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Have something called in another thread's loop; not if that has closed, for then nobody is there to miss it."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
