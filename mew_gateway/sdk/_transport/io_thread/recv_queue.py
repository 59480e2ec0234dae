"""Queue of received frames from the I/O thread to the agent's event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

from .loop_thread import call_in

FRAMES = 20_000
BYTES = 64 << 20


class RecvQueue:
    """Bounded queue of frames, in order. `put`, `end` and `discard` belong to the reading loop, `take` to the `home`
    loop.

    The home loop is woken once for any number of frames that arrive together. When `frames` frames or `size` bytes
    wait, `put` waits too, until half of them are taken.
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
        """Add a frame, then wait until there is room for another."""
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
        """Report that no more frames come: `take` raises this error when the queue is empty."""
        with self._lock:
            self._end = self._end or why
        self._wake()

    def discard(self) -> None:
        """Ignore all further frames: there is no reader."""
        self._discarded = True
        self._room.set()

    async def take(self) -> str | bytes:
        """Return the next frame. Raises the error given to `end`. No frame is lost if it is cancelled."""
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
        """Wake the home loop, after the callbacks that wait in this loop: the system call may release the
        interpreter lock."""
        with self._lock:
            if self._woken:
                return
            self._woken = True
        self._reading.call_soon(call_in, self._home, self._arrived.set)
