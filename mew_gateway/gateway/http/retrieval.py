"""What was delivered, read back a page at a time: never much at once, the loop goes on in between
(docs/protocol.md §6)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from itertools import islice
from math import ceil
from typing import NamedTuple

from mew_gateway.errors import Rejected
from mew_gateway.journal.base import Record

from ..broker.engine import Engine
from ..broker.history import View
from ..broker.resume_search import locate
from .auth import Visitor

CHUNK = 32  # records for a turn
_PAGE = 4_194_304  # bytes of envelopes in an answer
_SCANNED = 20_000  # records looked at for an answer: whoever is shown few of them goes on from there
_ALL = 999_999_999  # the envelopes of a record
_PLACE = re.compile(r"@([0-9]{1,18})\.([0-9]{1,9})")


class Place(NamedTuple):
    """Where reading goes on: behind the first `nth` envelopes of the record at `position` that the viewer may see."""

    position: int
    nth: int

    def __str__(self) -> str:
        return f"@{self.position}.{self.nth}"


class Found(NamedTuple):
    """An envelope, byte for byte, with the place behind it and its entry's time."""

    place: Place
    time: int
    data: bytes


class Page(NamedTuple):
    """Envelopes in order. `next` is where there may be more."""

    found: list[Found]
    next: Place | None


class _Draft:
    """A page that is being filled: `limit` envelopes or `_PAGE` bytes at most, but always one."""

    def __init__(self, limit: int) -> None:
        self.found: list[Found] = []
        self._limit = limit
        self._size = 0

    def has_no_room_for(self, found: Found) -> bool:
        return bool(self.found) and (len(self.found) >= self._limit or self._size + len(found.data) > _PAGE)

    def add(self, found: Found) -> None:
        self.found.append(found)
        self._size += len(found.data)


class Retrieval:
    """Reads a space's record for one participant, which takes a turn for each read."""

    def __init__(self, spaces: Engine, visitor: Visitor) -> None:
        self._spaces = spaces
        self._space = visitor.space
        self._turn = visitor.turn
        self._view = View(spaces[visitor.space].machine.state, visitor.participant)

    async def place(self, since: str) -> Place:
        """The place that a time, a `next` or an envelope's id names. Raises `Rejected` `history_unavailable`."""
        named = _PLACE.fullmatch(since)
        if named is not None:
            return Place(int(named[1]), int(named[2]))
        moment = _moment(since)
        if moment is not None:
            return Place(await self._first_at(moment), 0)
        for record in islice(self._spaces.find(self._space, since), _SCANNED):
            found = locate(record, self._view, since)
            if found is not None:
                return Place(found.position, len(self._shown(record)) - len(found.behind))
            await self._turn()
        raise Rejected("history_unavailable", f"No envelope {since!r} that you could see is held.")

    async def newest(self, *, limit: int) -> Page:
        """The newest envelopes: up to `limit`."""
        draft = _Draft(limit)
        async with aclosing(self._backward()) as records:
            async for record in records:
                for each in reversed(self._shown(record)):
                    if draft.has_no_room_for(each):
                        return Page(draft.found[::-1], None)
                    draft.add(each)
        return Page(draft.found[::-1], None)

    async def since(self, start: Place, *, limit: int, whole: bool = False) -> Page:
        """Up to `limit` envelopes from a place on. With `whole` a page ends only behind a record."""
        draft, last, scanned = _Draft(limit), start, 0
        async with aclosing(self._forward(start.position - 1)) as records:
            async for record in records:
                fresh = [each for each in self._shown(record) if each.place > start]
                for nth, each in enumerate(fresh):
                    if draft.has_no_room_for(each) and not (whole and nth):
                        return Page(draft.found, last)
                    draft.add(each)
                    last = each.place
                scanned += 1
                if scanned == _SCANNED:
                    return Page(draft.found, Place(record.entry.position, _ALL))
        return Page(draft.found, None)

    async def records(self, *, after: int | None, before: int | None = None, limit: int) -> list[Record]:
        """Up to `limit` records after a position, or (None) the newest, and `before` a position if given; all
        that fit into an answer."""
        found: list[Record] = []
        size = 0
        async with aclosing(self._backward(before) if after is None else self._forward(after)) as records:
            async for record in records:
                size += record.size
                if before is not None and record.entry.position >= before:
                    break
                if found and (len(found) == limit or size > _PAGE):
                    break
                found.append(record)
        return found[::-1] if after is None else found

    async def _forward(self, after: int) -> AsyncGenerator[Record]:
        while records := self._spaces.records(self._space, after=after, limit=CHUNK):
            for record in records:
                yield record
            after = records[-1].entry.position
            await self._turn()

    async def _backward(self, before: int | None = None) -> AsyncGenerator[Record]:
        left = _SCANNED
        while left > 0 and (records := self._spaces.earlier(self._space, before=before, limit=CHUNK)):
            for record in reversed(records):
                yield record
            before = records[0].entry.position
            left -= len(records)
            await self._turn()

    def _shown(self, record: Record) -> list[Found]:
        position, time = record.entry.position, record.entry.time
        return [Found(Place(position, nth), time, seen.data) for nth, seen in enumerate(self._view.of(record), 1)]

    async def _first_at(self, moment: int) -> int:
        """The position from which on nothing is older than a time."""
        newest = self._spaces.earlier(self._space, before=None, limit=1)
        low, high = 0, newest[-1].entry.position if newest else 0
        while low < high:  # the entries' times never run back
            await self._turn()
            middle = (low + high) // 2
            records = self._spaces.records(self._space, after=middle, limit=1)
            if records and records[0].entry.time < moment:
                low = records[0].entry.position
            else:
                high = middle
        return low + 1


def _moment(text: str) -> int | None:
    """The milliseconds since the epoch of an RFC 3339 time; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else ceil(moment.timestamp() * 1000)
