"""Reads delivered envelopes back, a page at a time (docs/protocol.md §6).

Records are read in chunks with a turn of the fair queue between them, so that a long read does not block the loop.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from itertools import islice
from math import ceil
from typing import NamedTuple

from mew_gateway.errors import Rejected
from mew_gateway.journal.base import Record

from ..broker.spaces.engine import Engine
from ..broker.spaces.history_view import View
from ..broker.spaces.resume_search import locate
from .bearer_token import Caller

CHUNK = 32  # records read in a turn
_PAGE = 4_194_304  # bytes of envelopes in a response
_SCANNED = 20_000  # records read for a response; a caller that may see few of them asks again from there
_ALL = 999_999_999  # the envelopes of a record
_PLACE = re.compile(r"@([0-9]{1,18})\.([0-9]{1,9})")


class Place(NamedTuple):
    """Where reading continues: after the first `nth` envelopes of the record at `position` that the viewer may see."""

    position: int
    nth: int

    def __str__(self) -> str:
        return f"@{self.position}.{self.nth}"


class Found(NamedTuple):
    """An envelope, byte for byte, with the place after it and its entry's time."""

    place: Place
    time: int
    data: bytes


class Page(NamedTuple):
    """Envelopes in order. `next` is where the next page begins, None after the last."""

    found: list[Found]
    next: Place | None


class _Draft:
    """A page that is being filled: `limit` envelopes or `_PAGE` bytes at most, but always one."""

    def __init__(self, limit: int, hold: Callable[[int], None]) -> None:
        self.found: list[Found] = []
        self._hold = hold
        self._limit = limit
        self._size = 0

    def has_no_room_for(self, found: Found) -> bool:
        return bool(self.found) and (len(self.found) >= self._limit or self._size + len(found.data) > _PAGE)

    def add(self, found: Found) -> None:
        self.found.append(found)
        self._size += len(found.data)
        self._hold(self._size)


class Retrieval:
    """Reads a space's record for one participant; waits for a turn before each further read."""

    def __init__(self, spaces: Engine, caller: Caller) -> None:
        self._spaces = spaces
        self._space = caller.space
        self._turn = caller.turn
        self._hold = caller.hold
        self._view = View(spaces[caller.space].machine.state, caller.participant)

    async def place(self, since: str) -> Place:
        """Return the place that a time, a `next` or an envelope's id names.

        Raises `Rejected` `history_unavailable`.
        """
        named = _PLACE.fullmatch(since)
        if named is not None:
            return Place(int(named[1]), int(named[2]))
        moment = _moment(since)
        if moment is not None:
            return Place(await self._first_at(moment), 0)
        for record in islice(self._spaces.find(self._space, since), _SCANNED):
            found = locate(record, self._view, since)
            if found is not None:
                return Place(found.position, len(self._shown(record)) - len(found.following))
            await self._turn()
        raise Rejected("history_unavailable", f"No envelope {since!r} that you could see is held.")

    async def newest(self, *, limit: int) -> Page:
        """Return the newest envelopes, at most `limit`."""
        draft = _Draft(limit, self._hold)
        async with aclosing(self._backward()) as records:
            async for record in records:
                for each in reversed(self._shown(record)):
                    if draft.has_no_room_for(each):
                        return Page(draft.found[::-1], None)
                    draft.add(each)
        return Page(draft.found[::-1], None)

    async def since(self, start: Place, *, limit: int, whole: bool = False) -> Page:
        """Return at most `limit` envelopes from a place on. With `whole`, a page ends only at the end of a record."""
        draft, last, scanned = _Draft(limit, self._hold), start, 0
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
        """Return at most `limit` records that fit into a response: those after a position, or (None) the newest.

        With `before`, only records before that position.
        """
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
                self._hold(size)
        return found[::-1] if after is None else found

    async def _forward(self, after: int) -> AsyncGenerator[Record]:
        while records := self._spaces.records(self._space, after=after, limit=CHUNK):
            for record in records:
                yield record
            after = records[-1].entry.position
            del record, records  # they are not held while it waits
            await self._turn()

    async def _backward(self, before: int | None = None) -> AsyncGenerator[Record]:
        left = _SCANNED
        while left > 0 and (records := self._spaces.earlier(self._space, before=before, limit=CHUNK)):
            for record in reversed(records):
                yield record
            before = records[0].entry.position
            left -= len(records)
            del record, records
            await self._turn()

    def _shown(self, record: Record) -> list[Found]:
        position, time = record.entry.position, record.entry.time
        return [Found(Place(position, nth), time, seen.data) for nth, seen in enumerate(self._view.of(record), 1)]

    async def _first_at(self, moment: int) -> int:
        """Return the first position whose entry, and all after it, is not older than a time."""
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
    """Return the milliseconds since the epoch of an RFC 3339 time; None for other text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else ceil(moment.timestamp() * 1000)
