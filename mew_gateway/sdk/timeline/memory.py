"""Timeline in memory, for tests, and for agents without durable state."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter

from .base import Head, Timeline, TimelineUnavailable
from .entry import Entry, Row, chained, unsettled


class TimelineMemory(Timeline):
    """Timeline in a list of unlimited length. `entries` are its initial entries."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self._entries = list(entries)
        self._closed = False

    @property
    def head(self) -> Head:
        return Head(self._entries[-1].seq, self._entries[-1].hash) if self._entries else Head()

    @property
    def newest(self) -> int:
        return self.head.seq

    def append(self, rows: Sequence[Row]) -> list[Entry]:
        if self._closed:
            raise TimelineUnavailable("The timeline is closed.")
        head, appended = self.head, list[Entry]()
        for row in rows:
            appended.append(chained(head.hash, head.seq + 1, row))
            head = Head(appended[-1].seq, appended[-1].hash)
        self._entries += appended
        return appended

    def read(self, *, after: int = 0, limit: int = 1000) -> Sequence[Entry]:
        start = bisect_right(self._entries, after, key=attrgetter("seq"))
        return self._entries[start : start + limit]

    def unsettled(self) -> tuple[Entry, ...]:
        return unsettled(self._entries)

    def close(self) -> None:
        self._closed = True
