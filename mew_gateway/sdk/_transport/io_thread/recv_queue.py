"""Frames that one thread has read, on their way to the event loop of another."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

from .loop_thread import call_in

FRAMES = 20_000
BYTES = 64 << 20


class Arrivals:
    """A bounded line of frames, in order. `put`, `end` and `discard` are for the reading loop, `take` for `home`.

    However many frames arrive in one go, the other loop is woken once. When so many `frames` wait, or so many bytes
    (`size`), whoever reads waits too, until half of them are taken.
    """

    def __init__(self, home: asyncio.AbstractEventLoop, *, frames: int = FRAMES, size: int = BYTES) -> None:
        self._reading = asyncio.get_running_loop()
        self._home = home
        self._most_frames, self._most_bytes = frames, size
        self._lock = threading.Lock()
        self._waiting: deque[str | bytes] = deque()
        self._bytes = 0
        self._end: Exception | None = None
        self._full = self._woken = self._discarded = False
        self._room = asyncio.Event()  # of the reading loop
        self._arrived = asyncio.Event()  # of the home loop

    async def put(self, frame: str | bytes) -> None:
        """One more; then wait until there is room for another."""
        if self._discarded:
            return
        with self._lock:
            self._waiting.append(frame)
            self._bytes += len(frame)
            self._full = len(self._waiting) >= self._most_frames or self._bytes >= self._most_bytes
        self._wake()
        if self._full:
            self._room.clear()
            await self._room.wait()

    def end(self, why: Exception) -> None:
        """No more to come: `take` raises this when the line is empty."""
        with self._lock:
            self._end = self._end or why
        self._wake()

    def discard(self) -> None:
        """Nobody is going to take what arrives from here on."""
        self._discarded = True
        self._room.set()

    async def take(self) -> str | bytes:
        """The next frame. Raises what ended the line. Nothing is lost if it is cancelled."""
        while (frame := self._next()) is None:
            await self._arrived.wait()
        return frame

    def _next(self) -> str | bytes | None:
        with self._lock:
            if self._waiting:
                frame = self._waiting.popleft()
                self._bytes -= len(frame)
                if self._full and self._is_half_empty():
                    self._full = False
                    call_in(self._reading, self._room.set)
                return frame
            if self._end is not None:
                raise self._end
            self._woken = False
            self._arrived.clear()
            return None

    def _is_half_empty(self) -> bool:
        return len(self._waiting) * 2 <= self._most_frames and self._bytes * 2 <= self._most_bytes

    def _wake(self) -> None:
        """Behind whatever is to happen in this loop first: the system call that it takes may cost us our turn."""
        with self._lock:
            if self._woken:
                return
            self._woken = True
        self._reading.call_soon(call_in, self._home, self._arrived.set)
