"""The ids each participant has used: a resend is refused, a reuse after a restart is not (docs/protocol.md §2).

They are by far the most that a space remembers, so they are kept in chunks that never change once they are full: a
snapshot has to take only the chunks that are new since the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from .events import Received
from .settings import Bounds

CHUNK = 1_000  # ids
_MOST = 8  # times `remembered_ids`: past that ids go before `remembered_for`, for memory is bounded

# Where an id came from: `connection << 32 | digest`.
Origin: TypeAlias = int
_DIGEST = 0xFFFFFFFF


class Chunk(msgspec.Struct, array_like=True):
    """Ids in the order they were used, where each came from, and when the newest was."""

    ids: list[str] = []
    origins: list[Origin] = []
    until: int = 0


class Outline(msgspec.Struct, array_like=True):
    """A participant's memory without its full chunks, which are called by their numbers, from `first` on."""

    first: int = 0
    full: int = 0
    open: Chunk = msgspec.field(default_factory=Chunk)


class Uses:
    """Where an id that was used more than once came from: how many of its uses have each digest and each connection.

    Both are counted in one dict, connections as negative numbers: a client that counts from 1 whenever it comes back
    has thousands of these.
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def has(self, event: Received) -> bool:
        """Whether one of them has the event's connection, unless that is none, or its digest."""
        return event.digest in self._counts or (event.connection != 0 and -event.connection in self._counts)

    def add(self, origin: Origin) -> None:
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


class Memory:
    """One participant's ids: its chunks, oldest first, and the origin of each id, or its uses."""

    __slots__ = ("_origins", "first", "full", "open")

    def __init__(self, outline: Outline, full: list[Chunk]) -> None:
        self.first = outline.first
        self.full = full
        self.open = outline.open
        self._origins: dict[str, Origin | Uses] = {}
        for chunk in (*full, outline.open):
            for id, origin in zip(chunk.ids, chunk.origins, strict=True):
                if id in self._origins:
                    self._note_again(id, origin)
                else:
                    self._origins[id] = origin

    def __len__(self) -> int:
        return sum(len(chunk.ids) for chunk in self.full) + len(self.open.ids)

    def has(self, event: Received, id: str) -> bool:
        """Whether the id was used on the event's connection, or with its bytes on another."""
        known = self._origins.get(id)
        if known is None:
            return False
        if isinstance(known, Uses):
            return known.has(event)
        return (event.connection != 0 and known >> 32 == event.connection) or known & _DIGEST == event.digest

    def add(self, event: Received, id: str, now: int, bounds: Bounds) -> None:
        """Remember an accepted envelope's id."""
        origin = event.connection << 32 | event.digest
        chunk = self.open
        ids = chunk.ids
        ids.append(id)
        chunk.origins.append(origin)
        chunk.until = now
        if id in self._origins:
            self._note_again(id, origin)
        else:
            self._origins[id] = origin
        if len(ids) >= CHUNK or len(ids) >= bounds.remembered_ids:
            self.full.append(chunk)
            self.open = Chunk()
            self._forget(now, bounds)

    def _note_again(self, id: str, origin: Origin) -> None:
        known = self._origins[id]
        if not isinstance(known, Uses):
            self._origins[id] = uses = Uses()
            uses.add(known)
            known = uses
        known.add(origin)

    def _forget(self, now: int, bounds: Bounds) -> None:
        """Let chunks go that are older than `remembered_for` with `remembered_ids` behind them, or too many."""
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
        if isinstance(known, Uses):
            known.drop(origin)
            if known:
                return
        del self._origins[id]


class Memories:
    """The ids that the participants of a space have used."""

    def __init__(self, outlines: Mapping[str, Outline], chunks: Mapping[str, Chunk]) -> None:
        self._memories = {
            name: Memory(outline, [chunks[_part(name, outline.first + nth)] for nth in range(outline.full)])
            for name, outline in outlines.items()
        }

    def __len__(self) -> int:
        return max((len(memory) for memory in self._memories.values()), default=0)

    def has(self, event: Received, id: str) -> bool:
        """Whether the event's participant has used the id."""
        memory = self._memories.get(event.participant)
        return memory is not None and memory.has(event, id)

    def add(self, event: Received, id: str, now: int, bounds: Bounds) -> None:
        """Keep an accepted envelope's id, for at least `remembered_for` and `remembered_ids` envelopes."""
        memory = self._memories.get(event.participant)
        if memory is None:
            memory = self._memories[event.participant] = Memory(Outline(), [])
        memory.add(event, id, now, bounds)

    def forget_strangers(self, is_known: Callable[[str], bool]) -> None:
        """Forget the ids of those who are no participants any more: guests come and go."""
        for name in [name for name in self._memories if not is_known(name)]:
            del self._memories[name]

    def outlines(self) -> dict[str, Outline]:
        """What changes with every envelope."""
        return {name: Outline(memory.first, len(memory.full), memory.open) for name, memory in self._memories.items()}

    def chunks(self) -> dict[str, Chunk]:
        """The full chunks, which never change, by their part's name."""
        return {
            _part(name, memory.first + nth): chunk
            for name, memory in self._memories.items()
            for nth, chunk in enumerate(memory.full)
        }


def _part(participant: str, number: int) -> str:
    return f"ids/{participant}/{number}"


def _marks(origin: Origin) -> tuple[int, ...]:
    """What an origin is recognised by: its digest, and less than 0, its connection, if there is one."""
    connection = origin >> 32
    return (origin & _DIGEST, -connection) if connection else (origin & _DIGEST,)
