"""Interface of an agent's timeline store. Implementations: `sqlite`, `memory`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.errors import MewError, Unavailable

from .entry import GENESIS, Entry, Row

_CHUNK = 1000


class TimelineUnavailable(Unavailable):
    """The timeline cannot be written or read now, usually because of a full disk. Nothing was appended; try again
    later."""


class CorruptTimeline(MewError):
    """The file is not a timeline, or is damaged and cannot be read."""


class Head(NamedTuple):
    """`seq` and `hash` of the newest entry."""

    seq: int = 0
    hash: str = GENESIS


class TimelineReading(Protocol):
    """Readable timeline. Every method raises `TimelineUnavailable` and `CorruptTimeline`."""

    @property
    def newest(self) -> int:
        """The highest `seq` ever given, even if its entry is gone; 0 before the first."""

    def read(self, *, after: int = 0, limit: int = _CHUNK) -> Sequence[Entry]:
        """Return up to `limit` entries after a `seq`, in order."""


class Timeline(TimelineReading, Protocol):
    """Append-only timeline. It may be used from any thread, but by one at a time."""

    @property
    def head(self) -> Head:
        """End of the chain."""

    def append(self, rows: Sequence[Row]) -> list[Entry]:
        """Append all rows in order, or none."""

    def unsettled(self) -> tuple[Entry, ...]:
        """Return the emergencies in force (`halted`) and the unhandled inputs (`queued`), oldest first."""

    def close(self) -> None:
        """Close the store. Idempotent."""


def every(timeline: TimelineReading, *, after: int = 0) -> Iterator[Entry]:
    """Iterate over all entries after a `seq`, in chunks, including those appended meanwhile."""
    while chunk := timeline.read(after=after, limit=_CHUNK):
        yield from chunk
        after = chunk[-1].seq
