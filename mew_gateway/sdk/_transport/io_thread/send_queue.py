"""Queue of frames from any thread to the I/O thread that writes them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import NamedTuple

from .loop_thread import LoopThread


class QueuedFrames(NamedTuple):
    """Frames to write with nothing in between. `written` is the future of a waiting caller, in the caller's loop."""

    frames: tuple[bytes, ...]
    text: bool
    written: asyncio.Future[None] | None = None


class SendQueue:
    """Queue of frames in the order of the calls to `put`, from any thread.

    The other methods belong to the I/O thread, which is woken once for any number of entries put together.
    """

    def __init__(self, thread: LoopThread) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._waiting: list[QueuedFrames] = []
        self._closed: Exception | None = None
        self._present = asyncio.Event()

    def put(self, one: QueuedFrames) -> Exception | None:
        """Add an entry. Return the error that closed the queue, or None."""
        with self._lock:
            if self._closed is None:
                self._waiting.append(one)
                if len(self._waiting) == 1:
                    self._thread.do(self._present.set)
            return self._closed

    async def take(self) -> list[QueuedFrames]:
        """Wait for entries and return them all; an empty list when the queue is closed and empty."""
        await self._present.wait()
        return self._take()

    def put_back(self, queued: Sequence[QueuedFrames]) -> None:
        """Return entries that were not written to the front of the queue."""
        with self._lock:
            self._waiting[:0] = queued

    def close(self, why: Exception) -> None:
        """Refuse new entries from now on; waiting entries can still be taken."""
        with self._lock:
            self._closed = self._closed or why
        self._present.set()

    def give_up(self, why: Exception) -> tuple[list[QueuedFrames], Exception]:
        """Close the queue. Return the entries that were not written, and the error that closed the queue first."""
        self.close(why)
        assert self._closed is not None
        return self._take(), self._closed

    def _take(self) -> list[QueuedFrames]:
        with self._lock:
            if self._closed is None:
                self._present.clear()
            taken, self._waiting = self._waiting, []
            return taken
