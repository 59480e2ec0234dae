"""What a participant missed since an envelope: found for its new connection, within bounds (docs/protocol.md §1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.journal.base import Record
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.events import Resumed

from .history import WELCOME, Seen, View

MOST = 10_000  # envelopes given again at once, and what may be read to find them, in records
_RECORD = 4_096  # bytes that take as long to read as a record itself
_SOUGHT = 250  # records that could be read while the index is asked for an id
_CHUNK = 500  # records read at once
_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


_ON_THE_SPOT = re.compile(r"gw-at-([0-9]{1,18})-.*")


def on_the_spot(position: int, id: str) -> str:
    """The id of an answer that is given on the spot and not journalled, after the entry at that position."""
    return f"gw-at-{position}-{id}"


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
    seen = tuple(view.of(record))
    nth = next((nth for nth, each in enumerate(seen, 1) if each.id == id), None)
    return None if nth is None else Found(record.entry.position, seen[nth:])


def missed(
    records: Records, space: str, view: View, after: str, *, most_bytes: int, affords: Callable[[int], bool]
) -> Missed:
    """Everything that the view shows behind the envelope `after`, welcomes excepted; behind the first, where several
    are called so: rather twice than not at all.

    Nothing, with None for its count, where `after` is no longer held, or what came since passes `MOST`, `most_bytes` or
    what is afforded: `affords` is asked about so many records that are read.
    """
    found = _spot(after) or _first(records, space, view, after, affords)
    if found is None or not records.pruned <= found.position <= records.position:
        return Missed(Resumed(after))
    until = records.position
    envelopes: list[bytes] = []
    interrupts: list[str] = []
    size = 0
    for seen in _behind(records, space, view, found, affords):
        if seen is None or len(envelopes) == MOST or size > most_bytes:
            return Missed(Resumed(after))
        envelopes.append(seen.data)
        size += len(seen.data)
        if seen.kind in _INTERRUPTS:
            interrupts.append(seen.id)
    if size > most_bytes:
        return Missed(Resumed(after))
    return Missed(Resumed(after, len(envelopes), found.position, until, tuple(interrupts)), envelopes)


def _spot(id: str) -> Found | None:
    """Where an answer on the spot was given, which is in no record: its id says so."""
    named = _ON_THE_SPOT.fullmatch(id)
    return None if named is None else Found(int(named[1]), ())


def _first(records: Records, space: str, view: View, id: str, affords: Callable[[int], bool]) -> Found | None:
    """The oldest envelope with that id; None where none is held, or finding it takes more than is afforded."""
    if len(id) > MAX_ENVELOPE_ID or not affords(_SOUGHT):
        return None
    for record in records.find(space, id, oldest=True):  # what was refused under it later is not even read
        if not affords(_cost(record)):
            return None
        if (found := locate(record, view, id)) is not None:
            return found
    return None


def _cost(*records: Record) -> int:
    """How many records could be read instead: most are small."""
    return sum(1 + record.size // _RECORD for record in records)


def _behind(
    records: Records, space: str, view: View, found: Found, affords: Callable[[int], bool]
) -> Iterator[Seen | None]:
    """What came behind; None where it takes reading more than `MOST`, or than is afforded."""
    yield from (seen for seen in found.behind if seen.kind != WELCOME)
    position, looked_through = found.position, 0
    while chunk := records.records(space, after=position, limit=_CHUNK):
        cost = _cost(*chunk)
        looked_through += cost
        if looked_through > MOST or not affords(cost):
            yield None
        position = chunk[-1].entry.position
        for record in chunk:
            yield from (seen for seen in view.of(record) if seen.kind != WELCOME)
