"""What a participant missed since an envelope: found for its new connection, within bounds (docs/protocol.md §1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from mew_gateway.journal.base import FOUND, Record
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.events import Resumed

from .history import WELCOME, Seen, View

MOST = 10_000  # envelopes given again at once, and entries looked through for them
_CHUNK = 500  # entries read at once
_SOUGHT = 250  # that are read to find an envelope, in each place where one with its id is
_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


class Records(Protocol):
    """The records of all spaces. Its methods raise `Unavailable`."""

    @property
    def position(self) -> int:
        """Of the newest entry."""

    def records(self, space: str, *, after: int | None, limit: int) -> Sequence[Record]:
        """Up to `limit` records of a space behind a position."""

    def find(self, space: str, id: str) -> Sequence[int]:
        """The positions of the entries that an envelope with that id is or followed from, newest first."""


class Missed(NamedTuple):
    """What a connection is to be given again, and how its `Connected` says so."""

    resumed: Resumed
    envelopes: Sequence[bytes] = ()


class Found(NamedTuple):
    """An envelope in a space's record, and what else of that record came behind it."""

    position: int
    behind: tuple[Seen, ...]


def locate(records: Records, space: str, view: View, id: str) -> Found | None:
    """The newest envelope with that id that the view shows; None: none is held."""
    return next(_shown(records, space, view, id, _places(records, space, id)), None)


def _places(records: Records, space: str, id: str) -> Sequence[int]:
    return records.find(space, id) if len(id) <= MAX_ENVELOPE_ID else ()


def _shown(records: Records, space: str, view: View, id: str, places: Sequence[int]) -> Iterator[Found]:
    """The envelopes with that id at these positions, as far as the view shows them."""
    for position in places:
        for record in records.records(space, after=position - 1, limit=1):
            seen = list(view.of(record))
            for nth in range(len(seen) - 1, -1, -1):
                if seen[nth].id == id:
                    yield Found(position, tuple(seen[nth + 1 :]))


def missed(
    records: Records, space: str, view: View, after: str, *, most_bytes: int, affords: Callable[[int], bool]
) -> Missed:
    """Everything that the view shows behind the envelope `after`, welcomes excepted; behind the first, where several
    are called so: rather twice than not at all.

    Nothing, with None for its count, where `after` is no longer held, or what came since passes `MOST`, `most_bytes` or
    what is afforded: `affords` is asked before so many records are read.
    """
    if not affords(_SOUGHT):
        return Missed(Resumed(after))
    places = _places(records, space, after)
    *_, found = None, *_shown(records, space, view, after, places)
    if found is None or len(places) >= FOUND or not affords(_SOUGHT * (len(places) - 1)):  # or older ones may be there
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


def _behind(
    records: Records, space: str, view: View, found: Found, affords: Callable[[int], bool]
) -> Iterator[Seen | None]:
    """What came behind; None where it takes looking through more than `MOST` entries, or than is afforded."""
    yield from (seen for seen in found.behind if seen.kind != WELCOME)
    position, looked_through = found.position, 0
    while chunk := records.records(space, after=position, limit=_CHUNK):
        looked_through += len(chunk)
        if looked_through > MOST or not affords(len(chunk)):
            yield None
        position = chunk[-1].entry.position
        for record in chunk:
            yield from (seen for seen in view.of(record) if seen.kind != WELCOME)
