"""Search for the envelopes that a resuming connection missed, within bounds (docs/protocol.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.journal.base import Record
from mew_gateway.protocol.cursors import digest_of, immediate_position, parse
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.events import Resumed

from .history_view import WELCOME, Seen, View

MOST = 10_000  # envelopes delivered again at once; also the cost of finding them, in records
_RECORD = 4_096  # bytes that take as long to read as a record itself
_LOOKUP_COST = 250  # cost of looking up an id in the index, in records
NEAR = 250  # entries: so few are read in one tick
_PIECE = 25  # records read at once, a millisecond's work
_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


class Records(Protocol):
    """The records of all spaces. Its methods raise `Unavailable`."""

    @property
    def position(self) -> int:
        """Position of the newest entry."""

    @property
    def pruned(self) -> int:
        """Position up to which entries may have been pruned."""

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Return at most `limit` records of a space after a position."""

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """Yield the records of a space that may have an envelope of that id, newest or oldest first, read lazily."""


class Missed(NamedTuple):
    """The envelopes that a connection missed, and the `Resumed` for its `Connected`."""

    resumed: Resumed
    envelopes: Sequence[bytes] = ()


class Found(NamedTuple):
    """The position of an envelope in a space's record, and the envelopes of that record after it."""

    position: int
    following: tuple[Seen, ...]


def locate(record: Record, view: View, id: str) -> Found | None:
    """Return the first envelope with that id that the view shows in a record; None if it shows none."""
    return next((found for _, found in _placed(record, view, id)), None)


def _placed(record: Record, view: View, id: str) -> Iterator[tuple[bytes, Found]]:
    """Yield the envelopes with that id that the view shows in a record, each with its place."""
    seen = tuple(view.of(record))
    for nth, each in enumerate(seen, 1):
        if each.id == id:
            yield each.data, Found(record.entry.position, seen[nth:])


class Search:
    """Finds, in pieces, everything that the view shows after the envelope `after`, except welcomes.

    If several envelopes have that id and `after` has no digest (`protocol.cursors`), it starts after the first: an
    envelope may come twice, but none is lost.

    It finds nothing, with None for its count, if `after` is not held any more, or if the envelopes since then are more
    than `MOST`, `most_bytes` or what `affords` allows; `affords` is called with the cost of reads, in records. Entries
    that come between two pieces are found by a later one. A search of which a piece raised cannot go on.
    """

    def __init__(
        self, records: Records, space: str, view: View, after: str, *, most_bytes: int, affords: Callable[[int], bool]
    ) -> None:
        self._records = records
        self._space = space
        self._view = view
        self._after = after
        self._most_bytes = most_bytes
        self._affords = affords
        self._found = Missed(Resumed(after))
        self._pieces = self._read()

    def step(self) -> bool:
        """Read a piece, a millisecond's work. Return true if over `NEAR` entries are left. Raises `Unavailable`."""
        return next(self._pieces, 0) > NEAR

    def finish(self) -> Missed:
        """Read the rest, and return the result. Raises `Unavailable`."""
        for _ in self._pieces:
            pass
        return self._found

    def _read(self) -> Iterator[int]:
        """Read in pieces. Yield after each the number of entries that may be left."""
        records = self._records
        found = _immediate(self._after) or (yield from self._find_start())
        if found is None or not records.pruned <= found.position <= records.position:
            return
        envelopes: list[bytes] = []
        interrupts: list[str] = []
        size = looked_through = 0
        position, following = found.position, found.following
        while True:
            for seen in following:
                if seen.kind == WELCOME:
                    continue
                if len(envelopes) == MOST:
                    return
                envelopes.append(seen.data)
                size += len(seen.data)
                if seen.kind in _INTERRUPTS:
                    interrupts.append(seen.id)
            if size > self._most_bytes:
                return
            yield records.position - position
            if records.pruned > position or not (chunk := records.records(self._space, after=position, limit=_PIECE)):
                break
            cost = _cost(*chunk)
            looked_through += cost
            if looked_through > MOST or not self._affords(cost):
                return
            position = chunk[-1].entry.position
            following = tuple(seen for record in chunk for seen in self._view.of(record))
        if records.pruned <= position:
            resumed = Resumed(self._after, len(envelopes), found.position, records.position, tuple(interrupts))
            self._found = Missed(resumed, envelopes)

    def _find_start(self) -> Generator[int, None, Found | None]:
        """Find the envelope that `after` names, or the oldest with its id, if it is held and affordable."""
        id, digest = parse(self._after)
        if len(id) > MAX_ENVELOPE_ID or not self._affords(_LOOKUP_COST):
            return None
        oldest: Found | None = None
        looked, position = 0, self._records.position
        for record in self._records.find(self._space, id, oldest=True):  # not later, refused ones
            looked += _cost(record)
            if not self._affords(_cost(record)) or (oldest is not None and looked > _LOOKUP_COST):
                return oldest
            for data, found in _placed(record, self._view, id):
                oldest = oldest or found
                if digest is None or digest_of(data) == digest:
                    return found
            yield self._records.position
        if oldest is None:
            yield 0  # it may be on its way: the tick looks through what comes until then
            oldest = self._find_among_new(id, position)
        return oldest

    def _find_among_new(self, id: str, position: int) -> Found | None:
        """Return the first envelope with that id after a position; None if there is none or the cost is too high."""
        while chunk := self._records.records(self._space, after=position, limit=_PIECE):
            if not self._affords(_cost(*chunk)):
                return None
            for record in chunk:
                if (found := locate(record, self._view, id)) is not None:
                    return found
            position = chunk[-1].entry.position
        return None


def _immediate(after: str) -> Found | None:
    """Return the place of an immediate reply of the gateway, which is in no record: its id has the position."""
    position = immediate_position(after)
    return None if position is None else Found(position, ())


def _cost(*records: Record) -> int:
    """Return the cost of reading these, in records of usual size."""
    return sum(1 + record.size // _RECORD for record in records)
