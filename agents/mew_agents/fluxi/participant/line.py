"""Turns: whatever happens in one conversation happens one after the other, in the order in which places were taken."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Place:
    """A place in the line of a conversation, to be used once as `async with`: inside, it is its turn."""

    def __init__(self, line: Line, key: str, before: Place | None) -> None:
        self._line = line
        self._key = key
        self._before = before
        self._over = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            while self._before is not None:
                before = self._before
                await before._over.wait()
                self._before = None
        except BaseException:
            self._leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        """Whoever waits for us goes on; where we were cancelled while waiting, only behind whom we waited for."""
        if self._before is not None and not self._before._over.is_set():
            self._line.tie(self._before._over, self._over)
        else:
            self._over.set()
        self._line.forget(self._key, self)


class Line:
    """The lines of all conversations."""

    def __init__(self) -> None:
        self._last: dict[str, Place] = {}
        self._ties: set[asyncio.Task[None]] = set()

    def place(self, key: str) -> Place:
        """The next place in a conversation's line. It must be used: those behind wait for it."""
        place = self._last[key] = Place(self, key, self._last.get(key))
        return place

    def tie(self, first: asyncio.Event, second: asyncio.Event) -> None:
        """Let one thing be over as soon as another is."""

        async def follow() -> None:
            await first.wait()
            second.set()

        task = asyncio.get_running_loop().create_task(follow())
        self._ties.add(task)
        task.add_done_callback(self._ties.discard)

    def forget(self, key: str, place: Place) -> None:
        """Nobody is behind the last."""
        if self._last.get(key) is place and place._over.is_set():
            del self._last[key]
