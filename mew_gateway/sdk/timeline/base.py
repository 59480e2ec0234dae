"""The timeline's seam: where an agent keeps it. Implementations: `timeline_file`, `timeline_memory`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.errors import MewError, Unavailable

from .entry import GENESIS, Entry, Row

_CHUNK = 1000


class TimelineUnavailable(Unavailable):
    """The timeline cannot be written or read now, a full disk mostly: nothing was appended, try again later."""


class CorruptTimeline(MewError):
    """The file is not a timeline, or damaged beyond reading: let a person look."""


class Head(NamedTuple):
    """The newest entry's `seq` and `hash`."""

    seq: int = 0
    hash: str = GENESIS


class TimelineReading(Protocol):
    """A timeline to read from. Every method raises `TimelineUnavailable` and `CorruptTimeline`."""

    @property
    def newest(self) -> int:
        """The highest `seq` that was ever given, also if its entry is gone; 0 before the first."""

    def read(self, *, after: int = 0, limit: int = _CHUNK) -> Sequence[Entry]:
        """Up to `limit` entries behind a `seq`, in order."""


class Timeline(TimelineReading, Protocol):
    """An append-only timeline. One thread at a time; any thread."""

    @property
    def head(self) -> Head:
        """Where the chain ends."""

    def append(self, rows: Sequence[Row]) -> list[Entry]:
        """Append every row, in order, or none."""

    def unsettled(self) -> tuple[Entry, ...]:
        """The emergencies that still stand (`halted`), and what is still to be heard (`queued`), oldest first."""

    def close(self) -> None:
        """Let go of the store. Idempotent."""


def every(timeline: TimelineReading, *, after: int = 0) -> Iterator[Entry]:
    """All entries behind a `seq`, a chunk at a time, those appended meanwhile too."""
    while chunk := timeline.read(after=after, limit=_CHUNK):
        yield from chunk
        after = chunk[-1].seq
