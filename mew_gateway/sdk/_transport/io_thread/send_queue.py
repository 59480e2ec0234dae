"""Frames on their way to the thread that writes them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import NamedTuple

from .loop_thread import LoopThread


class Departure(NamedTuple):
    """Frames that leave one right after the other; `written`, if somebody waits for it, belongs to their loop."""

    frames: tuple[bytes, ...]
    text: bool
    written: asyncio.Future[None] | None = None


class Departures:
    """A line of departures, in the order of the calls to `put`, whichever thread they come from.

    The rest is for the thread, which is woken once for however many are put in one go.
    """

    def __init__(self, thread: LoopThread) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._waiting: list[Departure] = []
        self._closed: Exception | None = None
        self._present = asyncio.Event()

    def put(self, departure: Departure) -> Exception | None:
        """Take a place in the line at once; else why there is no line any more."""
        with self._lock:
            if self._closed is None:
                self._waiting.append(departure)
                if len(self._waiting) == 1:
                    self._thread.do(self._present.set)
            return self._closed

    async def take(self) -> list[Departure]:
        """All that wait, once there are any; none when the line is closed and empty."""
        await self._present.wait()
        return self._take()

    def put_back(self, departures: Sequence[Departure]) -> None:
        """These did not leave: they are the first in the line again."""
        with self._lock:
            self._waiting[:0] = departures

    def close(self, why: Exception) -> None:
        """No more may be put; what waits can still be taken."""
        with self._lock:
            self._closed = self._closed or why
        self._present.set()

    def give_up(self, why: Exception) -> tuple[list[Departure], Exception]:
        """Close the line: what did not leave, and why the line was closed, if not now."""
        self.close(why)
        assert self._closed is not None
        return self._take(), self._closed

    def _take(self) -> list[Departure]:
        with self._lock:
            if self._closed is None:
                self._present.clear()
            taken, self._waiting = self._waiting, []
            return taken
