"""The journal in an SQLite file. One append is one commit.

Tables (`schema`): `entries` and `outputs` are the record; `stretches` and `prints` are sparse indexes of it, by space
and by id (`fingerprint_index`); `retained` and `kept` say what a prune must not delete (`retention`); `states` and
`snapshot` are the newest snapshot.

The newest position, the newest fingerprints and the sums of `kept` are held in memory too. So after an error of the
disk the file is opened anew, and compared with what was known (`_resume_after_error`): entries that failed are removed,
entries that are missing stop the gateway (`lost_entries`).
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import takewhile
from typing import Any

import msgspec

from mew_gateway.errors import CorruptJournal
from mew_gateway.space.events import Received, decode, encode

from . import lost_entries
from .base import Draft, Entry, History, Journal, Output, Record, Snapshot, count_fitting
from .checkpoint import Checkpointer
from .database import Database, Row
from .errors import REMEDY
from .fingerprint_index import (
    STRETCH,
    STRETCHES,
    FingerprintIndex,
    Place,
    fingerprint_of,
    fingerprints_of,
    place_of,
    positions_of,
    span_of,
)
from .retention import EntryEnvelope, Holder, Released, Subject, choose_release, judge
from .schema import ADD_FINGERPRINTS, Synchronous, stored_fingerprints

_CHUNK = 4096  # entries of one query in `read`: an open statement would prevent a restart of the log
_PLACES = 16  # places of one query for an id

_APPEND = "insert into entries values (?, ?, ?, ?)"
_TOUCH = "insert or ignore into stretches values (?, ?)"
_RECORD = "insert or ignore into outputs values (?, ?, ?, ?, ?)"
_KEEP = "insert into states values (?, ?) on conflict do update set state = excluded.state"
_LAST = """
select max(coalesce((select max(position) from entries), 0), coalesce((select max(position) from snapshot), 0))
"""  # all entries may have been pruned
_USED = """
select (page_count - freelist_count) * page_size from pragma_page_count(), pragma_freelist_count(), pragma_page_size()
"""
_READ = "select {} from entries where position > ? order by position limit ?"
_READ_SIZES, _READ_ENTRIES = _READ.format("length(event)"), _READ.format("position, space, time, event")
_AFTER = f"""
select {{}} from stretches s cross join entries e
where s.space = :space and s.stretch >= (:position + 1) >> {STRETCH}
and e.position between s.stretch << {STRETCH} and (s.stretch + 1 << {STRETCH}) - 1
and e.position > :position and e.space = :space
order by s.stretch, e.position limit :limit
"""
_BEFORE = f"""
select {{}} from stretches s cross join entries e
where s.space = :space and s.stretch <= (:position - 1) >> {STRETCH}
and e.position between s.stretch << {STRETCH} and (s.stretch + 1 << {STRETCH}) - 1
and e.position < :position and e.space = :space
order by s.stretch desc, e.position desc limit :limit
"""
_ENTRY = "e.position, e.time, e.event"
_SIZE = """
length(e.event) + coalesce((select sum(length(o.data)) from outputs o where o.position = e.position), 0)
"""  # which SQLite knows without reading the content
_OUTPUTS = """
select position, nth, audience, refusal, data from outputs
where position in (select value from json_each(?)) order by position, nth
"""
_FIND = """
select place, prints from prints where place between :first and :last and instr(prints, :print)
order by place desc limit :limit
"""
_FIND_OLDEST = _FIND.replace("place desc", "place")


_RETAIN = "insert or ignore into retained values (?, ?)"
_RETAIN_NO_MORE = "delete from retained where space = ? and id = ?"
_HOLD = "insert or ignore into kept values (?, ?, ?, ?)"
_HELD = "select space, participant, sum(size) from kept group by space, participant"
_OLDEST_HELD = "select position, size from kept where space = ? and participant = ? order by position limit ?"
_ARE_RETAINED = """
select r.space, r.id from json_each(?) j cross join retained r
on r.space = json_extract(j.value, '$[0]') and r.id = json_extract(j.value, '$[1]')
"""
_ENTRIES = "select position, space, event from entries where position in (select value from json_each(?))"
_OLDEST = """
select position, time, length(event) from entries where position > ? and position <= ? order by position limit ?
"""
# Of the stretches that a prune has passed, those without entries; a retained entry keeps its stretch.
_FORGET_STRETCHES = f"""
delete from stretches where space = ? and stretch >= ? and stretch < ? and not exists (
    select 1 from entries e where e.space = stretches.space
    and e.position between stretches.stretch << {STRETCH} and (stretches.stretch + 1 << {STRETCH}) - 1
)
"""
_FORGET_FINGERPRINTS = f"""
delete from prints where place >= ? and place < ? and not exists (
    select 1 from entries e where e.position between (place & {STRETCHES}) << {STRETCH}
    and ((place & {STRETCHES}) + 1 << {STRETCH}) - 1
)
"""


class SqliteJournal(Journal, History):
    """A journal and its history in one file, owned by one process.

    `path` is absolute; its folder is made (mode 0700) if it is missing, the file and its companions have mode 0600.
    `synchronous` "full" survives a power cut; "normal" may then lose the last commits, never their order.
    `busy_timeout`, in milliseconds, is how long a commit waits for another program; the event loop waits too.
    `log_limit`, in bytes, bounds the write-ahead log, unless another program reads without a pause.

    Measured with envelopes of 430 bytes: 14 µs for one entry, 2.8 µs an entry in groups of 64 ("full": 200 and 8).

    Raises `Unavailable` (another gateway uses the file, or the disk does not answer) and `CorruptJournal`.
    """

    def __init__(
        self,
        path: str,
        *,
        synchronous: Synchronous,
        busy_timeout: int = 2_000,
        log_limit: int = 64 * 2**20,
    ) -> None:
        self._path = os.path.realpath(path)
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._retained: list[Row] = []  # to be written with the next commit
        self._attempted: list[Row] = []  # the entries of the newest commit, or of one that failed
        self._database = Database(
            self._path,
            synchronous=synchronous,
            busy_timeout=busy_timeout,
            log_limit=log_limit,
            on_reopen=self._resume_after_error,
        )
        self._rows, self._write = self._database.rows, self._database.write
        try:
            self._resume()
        except BaseException:
            self._database.close()
            raise

    @property
    def checkpoints(self) -> Checkpointer:
        """The thread that copies the write-ahead log into the file."""
        return self._database.checkpoints

    def _resume(self) -> None:
        """Read the state that is held in memory from the file."""
        self._names = dict(self._rows("select number, id from spaces"))
        self._numbers.clear()  # keep the object: a running `append` uses it
        self._numbers.update({space: number for number, space in self._names.items()})
        self._stretches: dict[int, int] = {}  # by space number, the last stretch that is known to be in the table
        self._held: Counter[Holder] | None = None  # bytes that are kept; None: to be read from the file
        ((self._saved,),) = self._rows("select coalesce(max(position), 0) from snapshot")
        ((self._position,),) = self._rows(_LAST)
        self._pruned = next((row[0] for row in self._rows("select position from pruned")), 0)
        self._fingerprints = FingerprintIndex(
            stored_fingerprints(self._database.iterate, self._position >> STRETCH), self._position
        )

    def _resume_after_error(self) -> None:
        """Compare the reopened file with what was known, and resume. It must end where it ended before the error."""
        behind = self._rows("select position, space, time, event from entries where position > ?", (self._position,))
        if behind:
            if behind != self._attempted:
                raise CorruptJournal(
                    f"The journal {self._path} holds entries that this gateway did not write. {REMEDY}"
                )
            # The caller was told that these were not accepted, and will append them again.
            self._write(("delete from entries where position > ?", [(self._position,)]))
        ((last,),) = self._rows(_LAST)
        lost_entries.check_end(self._path, last=last, position=self._position)
        self._resume()

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        entries = [
            Entry(at, draft.space, draft.time, draft.event) for at, draft in enumerate(drafts, self._position + 1)
        ]
        numbers = self._numbers
        rows = [
            (one.position, numbers.get(one.space) or self._register(one.space), one.time, encode(one.event))
            for one in entries
        ]
        latest = self._stretches.get
        touched = [(row[1], row[0] >> STRETCH) for row in rows if latest(row[1]) != row[0] >> STRETCH]
        begun = list(dict.fromkeys(touched))
        added = fingerprints_of(
            [
                *((numbers[one.space], one.position, one.event) for one in entries),
                *((numbers.get(one.space, 0), one.position, one.data) for one in outputs),
            ]
        )
        last = self._position + len(entries)
        self._database.recover()  # after a failed commit: does the file hold it?
        self._attempted = rows
        self._write(
            (_APPEND, rows),
            (_TOUCH, begun),
            (_RECORD, [(o.position, o.nth, _pack(o.audience), o.refusal, o.data) for o in outputs]),
            (ADD_FINGERPRINTS, self._fingerprints.to_write(added, last)),
            (_RETAIN, self._retained),
        )
        self._retained = []
        self._position = last
        self._stretches.update(begun)
        self._fingerprints.keep(added, last)
        return entries

    def record(self, outputs: Sequence[Output]) -> None:
        self.append((), outputs)

    def read(self, after: int) -> Iterator[Entry]:
        previous = after
        while sizes := [size for (size,) in self._rows(_READ_SIZES, (previous, _CHUNK))]:
            while sizes and (rows := self._rows(_READ_ENTRIES, (previous, count_fitting(sizes, len(sizes))))):
                del sizes[: len(rows)]
                for position, space, time, event in rows:
                    lost_entries.check_gap(self._path, previous=previous, position=position, saved=self._saved)
                    yield self._entry(position, space, time, event)
                    previous = position

    def latest(self) -> Snapshot | None:
        for position, time in self._rows("select position, time from snapshot"):
            states = self._rows("select part, state from states order by rowid")
            return Snapshot(position, time, dict(states))
        return None

    def save(self, snapshot: Snapshot) -> None:
        self._write(
            (
                "delete from states where part = ?",
                [(part,) for part, state in snapshot.states.items() if state is None],
            ),
            (_KEEP, [(part, state) for part, state in snapshot.states.items() if state is not None]),
            ("insert or replace into snapshot values (1, ?, ?)", [(snapshot.position, snapshot.time)]),
            (_RETAIN, self._retained),
        )
        self._retained = []
        self._saved = snapshot.position

    def close(self) -> None:
        self._database.close()

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        return self._recall(_AFTER, space, after, limit)

    def before(self, space: str, *, position: int | None = None, limit: int = 1000) -> Sequence[Record]:
        return self._recall(_BEFORE, space, self._position + 1 if position is None else position, limit)[::-1]

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        number, sought = self._numbers.get(space, 0), fingerprint_of(id)
        for place, fingerprints in self._oldest_places(number, sought) if oldest else self._places(number, sought):
            positions = positions_of(place, fingerprints, sought)
            for position in reversed(positions) if oldest else positions:
                for record in self.records(space, after=position - 1, limit=1):
                    if record.entry.position == position:
                        yield record

    def _places(self, number: int, sought: bytes) -> Iterator[tuple[Place, bytes]]:
        """Yield the places that may have an id with this fingerprint, newest first, with their fingerprints."""
        yield self._fingerprints.newest(number)
        first, last = span_of(number)
        while found := self._rows(_FIND, {"first": first, "last": last, "print": sought, "limit": _PLACES}):
            yield from found
            last = found[-1][0] - 1

    def _oldest_places(self, number: int, sought: bytes) -> Iterator[tuple[Place, bytes]]:
        """Yield the same places, oldest first."""
        first, last = span_of(number)
        while found := self._rows(_FIND_OLDEST, {"first": first, "last": last, "print": sought, "limit": _PLACES}):
            yield from found
            first = found[-1][0] + 1
        yield self._fingerprints.newest(number)

    @property
    def size(self) -> int:
        ((size,),) = self._rows(_USED)
        return int(size)

    @property
    def pruned(self) -> int:
        return self._pruned

    def retain(self, space: str, ids: Iterable[str]) -> None:
        number = self._numbers.get(space) or self._register(space)
        self._retained += [(number, id) for id in ids]

    def prune(self, *, older_than: int, limit: int, open_ids: Mapping[str, Collection[str]] | None = None) -> int:
        oldest = self._rows(_OLDEST, (self._pruned, self._saved, limit))
        examined = list(takewhile(lambda row: row[1] < older_than, oldest))
        examined = examined[: count_fitting((size for _, _, size in examined), len(examined))]
        if examined:
            last = examined[-1][0]
            envelopes = self._envelopes([position for position, _, _ in examined])
            left, asked, answered = judge(envelopes, open_ids=open_ids or {}, retained=self._retained_among)
            gone = [(position,) for position, _, _ in examined if position not in left]
            first, end = self._pruned >> STRETCH, last >> STRETCH
            passed = self._names if first < end else ()
            held, self._held = self._held, None
            self._write(
                (_RETAIN, [*self._retained, *((self._numbers[space], id) for space, id in asked)]),
                (_RETAIN_NO_MORE, [(self._numbers[space], id) for space, id in answered]),
                ("delete from entries where position = ?", gone),
                ("delete from outputs where position = ?", gone),
                (_HOLD, [(self._numbers[one.holder[0]], one.holder[1], at, one.size) for at, one in left.items()]),
                (_FORGET_STRETCHES, [(number, first, end) for number in passed]),
                (_FORGET_FINGERPRINTS, [(place_of(number, self._pruned), place_of(number, last)) for number in passed]),
                ("insert or replace into pruned values (1, ?)", [(last,)]),
            )
            self._retained, self._pruned = [], last
            if held is not None:
                for one in left.values():
                    held[one.holder] += one.size
                self._held = held
        return len(examined)

    def release(self, *, most: int, limit: int) -> Released | None:
        held = self._read_held() if self._held is None else self._held
        if (found := choose_release(held, most=most)) is None:
            return None
        (space, who), excess = found
        number, freed = self._numbers[space], 0
        gone: list[Row] = []
        for position, size in self._rows(_OLDEST_HELD, (number, who, limit)):
            if freed >= excess:
                break
            gone.append((position,))
            freed += size
        self._held = None
        self._write(
            ("delete from entries where position = ?", gone),
            ("delete from outputs where position = ?", gone),
            (
                "delete from kept where space = ? and participant = ? and position = ?",
                [(number, who, *at) for at in gone],
            ),
        )
        held[space, who] -= freed
        self._held = +held
        return Released((space, who), len(gone), freed)

    def _read_held(self) -> Counter[Holder]:
        """Return the bytes that are kept, by holder. Reading takes 0.3 s for a million entries, and is done once."""
        self._held = Counter({(self._names[number], who): size for number, who, size in self._rows(_HELD)})
        return self._held

    def _retained_among(self, subjects: Set[Subject]) -> Set[Subject]:
        """Return those of the subjects that are retained."""
        asked = _pack(tuple((self._numbers[space], id) for space, id in subjects))
        known = {*self._retained, *self._rows(_ARE_RETAINED, (asked,))}
        return {(self._names[number], id) for number, id in known}

    def _envelopes(self, positions: list[int]) -> Iterator[EntryEnvelope]:
        """Yield the envelopes of the entries at these positions and of their outputs."""
        asked = (_pack(tuple(positions)),)
        spaces: dict[int, str] = {}
        for position, number, stored in self._rows(_ENTRIES, asked):
            spaces[position] = self._names[number]
            with contextlib.suppress(ValueError, msgspec.MsgspecError):  # a reader of the entry gets the error
                event = decode(stored)
                if isinstance(event, Received):
                    yield EntryEnvelope(position, spaces[position], event.participant, event.data)
        for position, _, _, refusal, data in self._rows(_OUTPUTS, asked):
            yield EntryEnvelope(position, spaces[position], "", data, bool(refusal))

    def _recall(self, query: str, space: str, position: int, limit: int) -> list[Record]:
        number = self._numbers.get(space, 0)
        bindings = {"space": number, "position": position, "limit": limit}
        if limit > 1:
            bindings["limit"] = self._fitting(query.format(_SIZE), bindings, limit)
        rows = self._rows(query.format(_ENTRY), bindings)
        outputs: dict[int, list[Output]] = {row[0]: [] for row in rows}
        for at, nth, audience, refusal, data in self._rows(_OUTPUTS, (_pack(tuple(outputs)),)):
            outputs[at].append(Output(at, nth, space, data, _unpack(audience), bool(refusal)))
        return [Record(self._entry(at, number, time, event), tuple(outputs[at])) for at, time, event in rows]

    def _fitting(self, query: str, bindings: Row | dict[str, Any], limit: int) -> int:
        """Return how many rows are read at once; the query selects their sizes."""
        return count_fitting((size for (size,) in self._rows(query, bindings)), limit)

    def _entry(self, position: int, number: int, time: int, event: bytes) -> Entry:
        try:
            return Entry(position, self._names[number], time, decode(event))
        except (KeyError, ValueError, msgspec.MsgspecError) as error:
            raise CorruptJournal(
                f"Entry {position} of the journal {self._path} cannot be read ({error}). {REMEDY}"
            ) from error

    def _register(self, space: str) -> int:
        """Give a space its number, in a commit of its own: it does no harm if the next commit fails."""
        number = len(self._numbers) + 1
        self._write(("insert into spaces values (?, ?)", [(number, space)]))
        self._numbers[space], self._names[number] = number, space
        return number


def _pack(value: tuple[object, ...] | None) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _unpack(value: str | None) -> tuple[str, ...] | None:
    return None if value is None else msgspec.json.decode(value, type=tuple[str, ...])
