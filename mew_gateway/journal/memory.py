"""The journal in memory: for tests, and for spaces that need not survive a restart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from mew_gateway.errors import Unavailable
from mew_gateway.space.events import Received

from .base import Draft, Entry, History, Journal, Output, Record, Snapshot, count_fitting
from .envelope_ids import id_of, id_of_event
from .retention import EntryEnvelope, Holder, KeptEntry, Released, Subject, choose_release, judge


class MemoryJournal(Journal, History):
    """A journal and its history in lists.

    Entries after the latest snapshot stay. Of those before it, the newest `keep_entries` stay for the history; of what
    `retention` keeps besides, up to `keep_bytes`.
    """

    def __init__(self, *, keep_entries: int = 100_000, keep_bytes: int = 64 * 2**20) -> None:
        self._keep_entries = keep_entries
        self._keep_bytes = keep_bytes
        self._last = 0  # the position of the newest entry
        self._pruned = 0  # up to here, only what `retention` keeps is held
        self._entries: dict[int, Entry] = {}
        self._positions: list[int] = []  # of the entries, in order
        self._spaces: dict[str, list[int]] = {}  # the positions of each space's entries
        self._outputs: dict[int, dict[int, Output]] = {}
        self._positions_by_id: dict[Subject, list[int]] = {}
        self._retained: set[Subject] = set()
        self._kept: dict[int, KeptEntry] = {}  # in the order of positions
        self._snapshot: Snapshot | None = None
        self._closed = False

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        if self._closed:
            raise Unavailable("The journal is closed.")
        entries = [Entry(at, draft.space, draft.time, draft.event) for at, draft in enumerate(drafts, self._last + 1)]
        for entry in entries:
            self._last = entry.position
            self._entries[entry.position] = entry
            self._positions.append(entry.position)
            self._spaces.setdefault(entry.space, []).append(entry.position)
            self._index(entry.space, _id_of(entry), entry.position)
        for output in outputs:
            if self._outputs.setdefault(output.position, {}).setdefault(output.nth, output) is output:
                self._index(output.space, id_of(output.data), output.position)
        return entries

    def record(self, outputs: Sequence[Output]) -> None:
        self.append((), outputs)

    def read(self, after: int) -> Iterator[Entry]:
        return iter([self._entries[position] for position in self._positions[bisect_right(self._positions, after) :]])

    def latest(self) -> Snapshot | None:
        return self._snapshot

    def save(self, snapshot: Snapshot) -> None:
        before = {} if self._snapshot is None else self._snapshot.states
        states = {part: state for part, state in {**before, **snapshot.states}.items() if state is not None}
        self._snapshot = snapshot._replace(states=states)
        self._forget(snapshot.position - self._keep_entries, open_ids={})
        while self.release(most=self._keep_bytes, limit=self._keep_entries) is not None:
            pass

    def close(self) -> None:
        self._closed = True

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        positions = self._spaces.get(space, [])
        start = bisect_right(positions, after)
        found = [self._record(position) for position in positions[start : start + limit]]
        return found[: count_fitting((record.size for record in found), limit)]

    def before(self, space: str, *, position: int | None = None, limit: int = 1000) -> Sequence[Record]:
        positions = self._spaces.get(space, [])
        end = bisect_left(positions, self._last + 1 if position is None else position)
        found = [self._record(position) for position in positions[max(end - limit, 0) : end]]
        return found[len(found) - count_fitting((record.size for record in reversed(found)), len(found)) :]

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        for position in sorted(set(self._positions_by_id.get((space, id), ())), reverse=not oldest):
            if position in self._entries:  # not pruned since the search began
                yield self._record(position)

    @property
    def size(self) -> int:
        return sum(self._record(position).size for position in self._positions)

    @property
    def pruned(self) -> int:
        return self._pruned

    def retain(self, space: str, ids: Iterable[str]) -> None:
        self._retained.update((space, id) for id in ids)

    def prune(self, *, older_than: int, limit: int, open_ids: Mapping[str, Collection[str]] | None = None) -> int:
        saved = 0 if self._snapshot is None else self._snapshot.position
        oldest = self._between(self._pruned, saved)[:limit]
        examined = list(takewhile(lambda position: self._entries[position].time < older_than, oldest))
        if examined:
            self._forget(examined[-1], open_ids=open_ids or {})
        return len(examined)

    def release(self, *, most: int, limit: int) -> Released | None:
        held: dict[Holder, int] = {}
        for one in self._kept.values():
            held[one.holder] = held.get(one.holder, 0) + one.size
        if (found := choose_release(held, most=most)) is None:
            return None
        holder, excess = found
        gone: dict[int, KeptEntry] = {}
        freed = 0
        for one in self._kept.values():
            if freed >= excess or len(gone) == limit:
                break
            if one.holder == holder:
                gone[one.position] = one
                freed += one.size
        self._delete(gone)
        for position in gone:
            del self._kept[position]
        return Released(holder, len(gone), freed)

    def _record(self, position: int) -> Record:
        outputs = self._outputs.get(position, {})
        return Record(self._entries[position], tuple(outputs[nth] for nth in sorted(outputs)))

    def _index(self, space: str, id: str | None, position: int) -> None:
        if id is not None:
            self._positions_by_id.setdefault((space, id), []).append(position)

    def _unindex(self, space: str, id: str | None, position: int) -> None:
        places = [] if id is None else self._positions_by_id.get((space, id), [])
        if id is not None and position in places:
            places.remove(position)
            if not places:
                del self._positions_by_id[space, id]

    def _between(self, after: int, until: int) -> list[int]:
        """Return the positions of the entries after one position up to another."""
        return self._positions[bisect_right(self._positions, after) : bisect_right(self._positions, until)]

    def _forget(self, until: int, *, open_ids: Mapping[str, Collection[str]]) -> None:
        """Delete the entries up to a position and their outputs, except those that are never deleted."""
        examined = self._between(self._pruned, until)
        left, asked, answered = judge(
            self._envelopes(examined), open_ids=open_ids, retained=self._retained.intersection
        )
        self._retained = (self._retained | asked) - answered
        self._delete({position for position in examined if position not in left})
        self._kept |= {position: left[position] for position in examined if position in left}
        self._pruned = max(self._pruned, until)

    def _delete(self, gone: Collection[int]) -> None:
        for position in gone:
            entry = self._entries.pop(position)
            self._unindex(entry.space, _id_of(entry), position)
            for output in self._outputs.pop(position, {}).values():
                self._unindex(output.space, id_of(output.data), position)
        if gone:
            until = max(gone)
            for positions in (self._positions, *self._spaces.values()):
                end = bisect_right(positions, until)
                positions[:end] = [position for position in positions[:end] if position not in gone]

    def _envelopes(self, positions: Iterable[int]) -> Iterator[EntryEnvelope]:
        """Yield the envelopes of the entries at these positions and of their outputs."""
        for record in map(self._record, positions):
            position, space, event = record.entry.position, record.entry.space, record.entry.event
            if isinstance(event, Received):
                yield EntryEnvelope(position, space, event.participant, event.data)
            for output in record.outputs:
                yield EntryEnvelope(position, space, "", output.data, output.refusal)


def _id_of(entry: Entry) -> str | None:
    return id_of_event(entry.event) if isinstance(entry.event, Received) else None
