"""Time that moves only when it is told to, and those who sleep by it."""

from __future__ import annotations

import asyncio
import heapq


class VirtualTime:
    """`now` is in milliseconds since the epoch, and anybody's to set forward; `wake` then wakes who is due."""

    def __init__(self, now: int) -> None:
        self.now = now
        self._sleeping: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    def read(self) -> int:
        return self.now

    @property
    def next(self) -> int | None:
        """When the next sleeper wakes."""
        while self._sleeping and self._sleeping[0][2].done():
            heapq.heappop(self._sleeping)
        return self._sleeping[0][0] if self._sleeping else None

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleeping, (self.now + round(seconds * 1000), self._count, waking))
        await waking

    def wake(self) -> None:
        """Wake whoever is due."""
        while (due := self.next) is not None and due <= self.now:
            heapq.heappop(self._sleeping)[2].set_result(None)
