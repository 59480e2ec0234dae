"""Deduplication: the ids that each participant has used (docs/protocol.md §2).

A resend is refused, a reuse of an id after a restart of the client is not. Therefore an id alone is no duplicate: it is
one on the same connection, or with the same bytes (`Received.digest`) on any connection.

Ids are by far the largest part of a space's memory. So they are kept in chunks that never change once they are full
(`Chunk`), and a snapshot saves only the chunks that are new since the last one. What changes with every envelope is
small (`Outline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from ..events import Received
from ..settings import Bounds

CHUNK = 1_000  # ids
_MOST = 8  # times `remembered_ids`: beyond it ids are forgotten before `remembered_for`, to bound the memory

# The connection and the bytes an id was used with: `connection << 32 | digest`.
Origin: TypeAlias = int
_DIGEST = 0xFFFFFFFF


class Chunk(msgspec.Struct, array_like=True):
    """Ids in the order of use, the origin of each, and when the newest was used (ms since the epoch)."""

    ids: list[str] = []
    origins: list[Origin] = []
    until: int = 0


class Outline(msgspec.Struct, array_like=True):
    """The ids of a participant without its full chunks.

    These are saved by number, from `first` on; `full` is their count.
    """

    first: int = 0
    full: int = 0
    open: Chunk = msgspec.field(default_factory=Chunk)


class OriginCounts:
    """How often each digest and each connection occurs among the uses of an id that was used more than once.

    Both are counted in one dict, connections as negative numbers: a client that counts its ids from 1 after every
    reconnect has thousands of these objects.
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def has(self, event: Received) -> bool:
        """Return true if the event's digest is counted, or its connection. Connection 0 (a post) is none."""
        return event.digest in self._counts or (event.connection != 0 and -event.connection in self._counts)

    def add(self, origin: Origin) -> None:
        """Count a use from this origin."""
        for mark in _marks(origin):
            self._counts[mark] = self._counts.get(mark, 0) + 1

    def drop(self, origin: Origin) -> None:
        """Take back one `add` of this origin."""
        for mark in _marks(origin):
            left = self._counts[mark] - 1
            if left:
                self._counts[mark] = left
            else:
                del self._counts[mark]


class ParticipantIds:
    """The used ids of one participant: its chunks, oldest first, and an index from each id to its origin or origins."""

    __slots__ = ("_origins", "first", "full", "open")

    def __init__(self, outline: Outline, full: list[Chunk]) -> None:
        self.first = outline.first
        self.full = full
        self.open = outline.open
        self._origins: dict[str, Origin | OriginCounts] = {}
        for chunk in (*full, outline.open):
            for id, origin in zip(chunk.ids, chunk.origins, strict=True):
                if id in self._origins:
                    self._count_again(id, origin)
                else:
                    self._origins[id] = origin

    def __len__(self) -> int:
        return sum(len(chunk.ids) for chunk in self.full) + len(self.open.ids)

    def has(self, event: Received, id: str) -> bool:
        """Return true if the id was used on the event's connection, or with the same bytes on another one."""
        known = self._origins.get(id)
        if known is None:
            return False
        if isinstance(known, OriginCounts):
            return known.has(event)
        return (event.connection != 0 and known >> 32 == event.connection) or known & _DIGEST == event.digest

    def add(self, event: Received, id: str, now: int, bounds: Bounds) -> None:
        """Remember the id of an accepted envelope."""
        origin = event.connection << 32 | event.digest
        chunk = self.open
        ids = chunk.ids
        ids.append(id)
        chunk.origins.append(origin)
        chunk.until = now
        if id in self._origins:
            self._count_again(id, origin)
        else:
            self._origins[id] = origin
        if len(ids) >= CHUNK or len(ids) >= bounds.remembered_ids:
            self.full.append(chunk)
            self.open = Chunk()
            self._forget(now, bounds)

    def _count_again(self, id: str, origin: Origin) -> None:
        known = self._origins[id]
        if not isinstance(known, OriginCounts):
            self._origins[id] = uses = OriginCounts()
            uses.add(known)
            known = uses
        known.add(origin)

    def _forget(self, now: int, bounds: Bounds) -> None:
        """Drop the oldest chunks while they are expired, or while too many ids are held.

        A chunk is expired if it is older than `remembered_for` and at least `remembered_ids` newer ids are held.
        """
        held = len(self)
        while True:
            oldest = self.full[0]
            held -= len(oldest.ids)
            aged = oldest.until + bounds.remembered_for <= now and held >= bounds.remembered_ids
            if not aged and held < _MOST * bounds.remembered_ids:
                return
            del self.full[0]
            self.first += 1
            for id, origin in zip(oldest.ids, oldest.origins, strict=True):
                self._drop(id, origin)

    def _drop(self, id: str, origin: Origin) -> None:
        known = self._origins[id]
        if isinstance(known, OriginCounts):
            known.drop(origin)
            if known:
                return
        del self._origins[id]


class Dedup:
    """The used ids of all participants of a space."""

    def __init__(self, outlines: Mapping[str, Outline], chunks: Mapping[str, Chunk]) -> None:
        self._ids = {
            name: ParticipantIds(outline, [chunks[_part(name, outline.first + nth)] for nth in range(outline.full)])
            for name, outline in outlines.items()
        }

    def __len__(self) -> int:
        return max((len(used) for used in self._ids.values()), default=0)

    def has(self, event: Received, id: str) -> bool:
        """Return true if the event's participant has used the id."""
        used = self._ids.get(event.participant)
        return used is not None and used.has(event, id)

    def add(self, event: Received, id: str, now: int, bounds: Bounds) -> None:
        """Remember the id of an accepted envelope, for at least `remembered_for` and `remembered_ids` envelopes."""
        used = self._ids.get(event.participant)
        if used is None:
            used = self._ids[event.participant] = ParticipantIds(Outline(), [])
        used.add(event, id, now, bounds)

    def drop_unknown(self, is_known: Callable[[str], bool]) -> None:
        """Forget the ids of participants that are no longer known: guests come and go."""
        for name in [name for name in self._ids if not is_known(name)]:
            del self._ids[name]

    def outlines(self) -> dict[str, Outline]:
        """Return the part that changes with every envelope."""
        return {name: Outline(used.first, len(used.full), used.open) for name, used in self._ids.items()}

    def chunks(self) -> dict[str, Chunk]:
        """Return the full chunks, which never change, by the names of their snapshot parts."""
        return {
            _part(name, used.first + nth): chunk
            for name, used in self._ids.items()
            for nth, chunk in enumerate(used.full)
        }


def _part(participant: str, number: int) -> str:
    return f"ids/{participant}/{number}"


def _marks(origin: Origin) -> tuple[int, ...]:
    """Return the keys under which an origin is counted.

    They are its digest and, if it has a connection, that as a negative number.
    """
    connection = origin >> 32
    return (origin & _DIGEST, -connection) if connection else (origin & _DIGEST,)
