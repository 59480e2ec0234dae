"""What a participant missed since an envelope: found for its new connection, within bounds (docs/protocol.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.journal.base import Record
from mew_gateway.protocol.cursors import digest_of, immediate_position, parse
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.events import Resumed

from .history import WELCOME, Seen, View

MOST = 10_000  # envelopes given again at once, and what may be read to find them, in records
_RECORD = 4_096  # bytes that take as long to read as a record itself
_SOUGHT = 250  # records that could be read while the index is asked for an id
NEAR = 250  # entries: so few are read at once
_PIECE = 25  # records read at once, a millisecond's work
_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


class Records(Protocol):
    """The records of all spaces. Its methods raise `Unavailable`."""

    @property
    def position(self) -> int:
        """Of the newest entry."""

    @property
    def pruned(self) -> int:
        """The position up to which what is held has gaps."""

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Up to `limit` records of a space behind a position."""

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        """The records of a space that may have an envelope of that id, newest or oldest first, each read when asked
        for."""


class Missed(NamedTuple):
    """What a connection is to be given again, and how its `Connected` says so."""

    resumed: Resumed
    envelopes: Sequence[bytes] = ()


class Found(NamedTuple):
    """An envelope in a space's record, and what else of that record came behind it."""

    position: int
    behind: tuple[Seen, ...]


def locate(record: Record, view: View, id: str) -> Found | None:
    """The first envelope with that id that the view shows in a record; None: it shows none."""
    return next((found for _, found in _placed(record, view, id)), None)


def _placed(record: Record, view: View, id: str) -> Iterator[tuple[bytes, Found]]:
    """The envelopes with that id that the view shows in a record, each with its place."""
    seen = tuple(view.of(record))
    for nth, each in enumerate(seen, 1):
        if each.id == id:
            yield each.data, Found(record.entry.position, seen[nth:])


class Search:
    """Looks in pieces for everything that the view shows after the envelope `after`, welcomes excepted.

    If several have that id, and `after` does not say which by its digest (`protocol.cursors`): after the first, rather
    twice than not at all.

    It finds nothing, with None for its count, if `after` is no longer held, or what came since passes `MOST`,
    `most_bytes` or what is afforded: `affords` is asked about so many records that are read. What arrives between two
    pieces is found by the later ones. A search in which a piece raised cannot go on.
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
        """Read a piece, a millisecond's work. Returns True if there are more than `NEAR` entries behind it. Raises
        `Unavailable`."""
        return next(self._pieces, 0) > NEAR

    def finish(self) -> Missed:
        """Read all that is left. Raises `Unavailable`."""
        for _ in self._pieces:
            pass
        return self._found

    def _read(self) -> Iterator[int]:
        """Yields after each piece how many entries may be left to look at."""
        records = self._records
        found = _spot(self._after) or (yield from self._sought())
        if found is None or not records.pruned <= found.position <= records.position:
            return
        envelopes: list[bytes] = []
        interrupts: list[str] = []
        size = looked_through = 0
        position, behind = found.position, found.behind
        while True:
            for seen in behind:
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
            behind = tuple(seen for record in chunk for seen in self._view.of(record))
        if records.pruned <= position:
            resumed = Resumed(self._after, len(envelopes), found.position, records.position, tuple(interrupts))
            self._found = Missed(resumed, envelopes)

    def _sought(self) -> Generator[int, None, Found | None]:
        """The envelope that is meant, or the oldest with its id; None if none is held, or finding it takes more than
        is afforded."""
        id, digest = parse(self._after)
        if len(id) > MAX_ENVELOPE_ID or not self._affords(_SOUGHT):
            return None
        oldest: Found | None = None
        looked, position = 0, self._records.position
        for record in self._records.find(self._space, id, oldest=True):  # what was refused under it later is not read
            looked += _cost(record)
            if not self._affords(_cost(record)) or (oldest is not None and looked > _SOUGHT):
                return oldest
            for data, found in _placed(record, self._view, id):
                oldest = oldest or found
                if digest is None or digest_of(data) == digest:
                    return found
            yield self._records.position
        if oldest is None:
            yield 0  # it may be on its way: what comes until the tick is looked through there
            oldest = self._arrived(id, position)
        return oldest

    def _arrived(self, id: str, position: int) -> Found | None:
        """The first envelope with that id behind a position; None if there is none, or it is not afforded."""
        while chunk := self._records.records(self._space, after=position, limit=_PIECE):
            if not self._affords(_cost(*chunk)):
                return None
            for record in chunk:
                if (found := locate(record, self._view, id)) is not None:
                    return found
            position = chunk[-1].entry.position
        return None


def _spot(after: str) -> Found | None:
    """Where an answer on the spot was given, which is in no record: its id says so."""
    position = immediate_position(after)
    return None if position is None else Found(position, ())


def _cost(*records: Record) -> int:
    """How many records could be read instead: most are small."""
    return sum(1 + record.size // _RECORD for record in records)
