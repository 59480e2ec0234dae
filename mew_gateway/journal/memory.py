"""The journal in memory: for tests, and for spaces that may be forgotten."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from mew_gateway.errors import Unavailable
from mew_gateway.space.events import Received

from .base import Committed, Draft, Entry, History, Journal, Output, Record, Snapshot, fitting
from .identity import id_of, id_of_event


class MemoryJournal(Journal, History):
    """A journal and its history in lists. What is behind the latest snapshot stays, and so does the newest of
    what lies before it: at most `keep_entries`, for the history.
    """

    def __init__(self, *, committed: Committed, keep_entries: int = 100_000) -> None:
        self._committed = committed
        self._keep = keep_entries
        self._first = 1  # the position of the oldest entry held
        self._entries: list[Entry] = []
        self._spaces: dict[str, list[int]] = {}  # the positions of each space's entries
        self._outputs: dict[int, dict[int, Output]] = {}
        self._places: dict[tuple[str, str], list[int]] = {}  # by space and envelope id
        self._snapshot: Snapshot | None = None
        self._closed = False

    def submit(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> None:
        if self._closed:
            raise Unavailable("The journal is closed.")
        entries = [Entry(at, draft.space, draft.time, draft.event) for at, draft in enumerate(drafts, self._next)]
        self._entries += entries
        for entry in entries:
            self._spaces.setdefault(entry.space, []).append(entry.position)
            self._place(entry.space, _id_of(entry), entry.position)
        for output in outputs:
            if self._outputs.setdefault(output.position, {}).setdefault(output.nth, output) is output:
                self._place(output.space, id_of(output.data), output.position)
        if entries:
            self._committed(entries)

    def read(self, after: int) -> Iterator[Entry]:
        return iter(self._entries[max(after + 1 - self._first, 0) :])

    def latest(self) -> Snapshot | None:
        return self._snapshot

    def save(self, snapshot: Snapshot) -> None:
        before = {} if self._snapshot is None else self._snapshot.states
        states = {part: state for part, state in {**before, **snapshot.states}.items() if state is not None}
        self._snapshot = snapshot._replace(states=states)
        self._forget(snapshot.position - self._keep)

    def close(self) -> None:
        self._closed = True

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        positions = self._spaces.get(space, [])
        start = bisect_right(positions, after)
        found = [self._record(position) for position in positions[start : start + limit]]
        return found[: fitting((record.size for record in found), limit)]

    def before(self, space: str, *, position: int | None = None, limit: int = 1000) -> Sequence[Record]:
        positions = self._spaces.get(space, [])
        end = bisect_left(positions, self._next if position is None else position)
        found = [self._record(position) for position in positions[max(end - limit, 0) : end]]
        return found[len(found) - fitting((record.size for record in reversed(found)), len(found)) :]

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        for position in sorted(set(self._places.get((space, id), ())), reverse=not oldest):
            if position >= self._first:  # not pruned in between
                yield self._record(position)

    @property
    def size(self) -> int:
        return sum(self._record(entry.position).size for entry in self._entries)

    @property
    def pruned(self) -> int:
        return self._first - 1

    def retain(self, space: str, ids: Iterable[str]) -> None:
        """Nothing: what is in memory may be forgotten."""

    def prune(
        self,
        *,
        older_than: int,
        limit: int,
        open_ids: Mapping[str, Collection[str]] | None = None,  # noqa: ARG002
    ) -> int:
        if self._snapshot is None:
            return 0
        until = min(self._snapshot.position, self._first + limit - 1)
        oldest = self._entries[: max(until + 1 - self._first, 0)]
        gone = [entry.position for entry in takewhile(lambda entry: entry.time < older_than, oldest)]
        if gone:
            self._forget(gone[-1])
        return len(gone)

    @property
    def _next(self) -> int:
        return self._first + len(self._entries)

    def _record(self, position: int) -> Record:
        outputs = self._outputs.get(position, {})
        return Record(self._entries[position - self._first], tuple(outputs[nth] for nth in sorted(outputs)))

    def _place(self, space: str, id: str | None, position: int) -> None:
        if id is not None:
            self._places.setdefault((space, id), []).append(position)

    def _displace(self, space: str, id: str | None, position: int) -> None:
        places = [] if id is None else self._places.get((space, id), [])
        if id is not None and position in places:
            places.remove(position)
            if not places:
                del self._places[space, id]

    def _forget(self, until: int) -> None:
        """Let go of the entries up to a position and of their outputs."""
        count = max(until + 1 - self._first, 0)
        for entry in self._entries[:count]:
            self._displace(entry.space, _id_of(entry), entry.position)
            for output in self._outputs.pop(entry.position, {}).values():
                self._displace(output.space, id_of(output.data), output.position)
        del self._entries[:count]
        self._first += count
        for positions in self._spaces.values():
            del positions[: bisect_right(positions, until)]


def _id_of(entry: Entry) -> str | None:
    return id_of_event(entry.event) if isinstance(entry.event, Received) else None
