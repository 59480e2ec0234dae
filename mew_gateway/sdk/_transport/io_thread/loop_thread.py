"""Daemon thread with its own event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

import anyio

from ..reconnect import Disconnected

log = logging.getLogger(__name__)

_POLL = 1  # seconds between two checks whether the home loop still exists
_JOIN_TIMEOUT = 5  # seconds that `aclose` waits for the thread

T = TypeVar("T")


class _Failure(NamedTuple):
    error: Exception


class LoopThread:
    """Daemon thread that runs an event loop until `aclose`, or until the loop that created it (`home`) has closed.

    It belongs to that loop: only `do` may be called from other threads.
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._home = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._stop_requested = asyncio.Event()
        self._finished: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._lock = threading.Lock()
        self._ended = False
        self._thread.start()

    def do(self, call: Callable[[], object]) -> bool:
        """Schedule a call in the thread, in order, from any thread. Return false if the thread has ended."""
        with self._lock:
            if self._ended:
                return False
            if threading.get_ident() == self._thread.ident:
                self.loop.call_soon(call)  # no system call: that would release the interpreter lock
            else:
                self.loop.call_soon_threadsafe(call)
            return True

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the thread and return its result. Cancelled with its caller. Raises `Disconnected` if
        ended."""
        with self._lock:
            if self._ended:
                raise Disconnected("The connection's thread has ended.")
            running = asyncio.run_coroutine_threadsafe(self._outcome(work), self.loop)
        outcome = await asyncio.wrap_future(running)
        if isinstance(outcome, _Failure):
            raise outcome.error
        return outcome

    async def aclose(self) -> None:
        """End the thread and wait until it has ended, at most 5 seconds. Idempotent."""
        with self._lock:
            if not self._ended:
                self._ended = True
                self.loop.call_soon_threadsafe(self._stop_requested.set)
        with anyio.move_on_after(_JOIN_TIMEOUT, shield=True):
            await asyncio.shield(asyncio.wrap_future(self._finished))
            self._thread.join(_JOIN_TIMEOUT)
            return
        log.warning("the thread %s did not end in time", self._thread.name)

    async def _outcome(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T | _Failure:
        """Await the work. A failure is returned, not raised: the caller may be gone, and it would not be retrieved."""
        try:
            return await work()
        except asyncio.CancelledError:
            if not self._ended:
                raise
            return _Failure(Disconnected("The connection's thread has ended."))  # not the caller's cancellation
        except Exception as error:
            return _Failure(error)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                runner.run(self._serve())
        finally:
            self._finished.set_result(None)

    async def _serve(self) -> None:
        """Wait until the thread must end. The runner then cancels what still runs in the loop."""
        while not (self._stop_requested.is_set() or self._home.is_closed()):
            try:
                async with asyncio.timeout(_POLL):
                    await self._stop_requested.wait()
            except TimeoutError:
                pass
        with self._lock:
            self._ended = True


def call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Schedule a call in the loop of another thread. If that loop has closed, do nothing."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
