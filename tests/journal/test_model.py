"""Both journals against a list: whatever is appended, saved, pruned and opened again, they agree with it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mew_gateway.journal.base import Draft, Entry, Output, Record, Snapshot
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

from .conftest import has

SPACES = ("main", "rare", "other")

# Long runs of one space now and then, so that the sparse index has stretches to skip.
bursts = st.lists(st.tuples(st.sampled_from(SPACES), st.sampled_from([1, 1, 2, 3, 300])), max_size=3)
positions = st.integers(0, 1500)
limits = st.sampled_from([0, 1, 2, 5, 1000])
said = st.one_of(
    st.binary(max_size=3),
    st.sampled_from([b'{"id":"i0","kind":"reasoning/start"}', b'{"id":"gw","kind":"reasoning/start"}']),
)


class Journals(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.memory = MemoryJournal()
        self.entries: list[Entry] = []
        self.outputs: dict[tuple[int, int], Output] = {}
        self.retained: set[tuple[str, str]] = set()
        self.last = self.pruned = 0
        self.snapshot: Snapshot | None = None

    @initialize()
    def open(self) -> None:
        path = str(Path(self.folder.name) / "journal.db")
        self.sqlite = SqliteJournal(path, synchronous="normal")

    def teardown(self) -> None:
        self.sqlite.close()
        self.folder.cleanup()

    @rule()
    def reopen(self) -> None:
        self.sqlite.close()
        self.open()

    @rule(bursts=bursts, outputs=st.lists(st.tuples(positions, st.integers(0, 2), said)))
    def append(self, bursts, outputs) -> None:
        drafts: list[Draft] = []
        for space, count in bursts:
            for _ in range(count):
                time = self.last + len(drafts) + 1
                data = b'{"id":"i%d","kind":"reasoning/start"}' % (time % 3)
                drafts.append(Draft(space, time // 2, Received("alice", 1, time, data)))
        held = {entry.position: entry.space for entry in self.entries}
        own = [Output(at, nth, held[at], data, None, False) for at, nth, data in outputs if at in held]
        committed = [list(journal.append(drafts, own)) for journal in (self.memory, self.sqlite)]
        self.entries += [
            Entry(at, draft.space, draft.time, draft.event) for at, draft in enumerate(drafts, self.last + 1)
        ]
        assert committed == [self.entries[len(self.entries) - len(drafts) :]] * 2
        self.last += len(drafts)
        for output in own:
            self.outputs.setdefault((output.position, output.nth), output)

    @rule(states=st.dictionaries(st.sampled_from(SPACES), st.binary(max_size=3)))
    def save(self, states) -> None:
        known = {} if self.snapshot is None else self.snapshot.states
        for journal in (self.memory, self.sqlite):
            journal.save(Snapshot(self.last, self.last // 2, states))
        self.snapshot = Snapshot(self.last, self.last // 2, {**known, **states})

    @rule(age=st.integers(0, 800), limit=limits)
    def prune(self, age, limit) -> None:
        covered = 0 if self.snapshot is None else self.snapshot.position
        old = [one for one in self.entries if self.pruned < one.position <= covered and one.time < age][:limit]
        for journal in (self.memory, self.sqlite):
            assert journal.prune(older_than=age, limit=limit) == len(old)
            self.pruned = max(self.pruned, *(one.position for one in old), 0)
            assert journal.pruned == self.pruned
        gone = {one.position for one in old if not self.is_retained(one)}
        self.entries = [one for one in self.entries if one.position not in gone]

    @rule(space=st.sampled_from(SPACES), id=st.sampled_from(["i0", "gw"]))
    def retain(self, space, id) -> None:
        self.retained.add((space, id))
        for journal in (self.memory, self.sqlite):
            journal.retain(space, [id])
            journal.append([], [])  # else it is forgotten if the file is opened again

    @rule(space=st.sampled_from((*SPACES, "unknown")), position=positions, limit=limits)
    def look(self, space, position, limit) -> None:
        records = [self.record(entry) for entry in self.entries if entry.space == space]
        after = [record for record in records if record.entry.position > position]
        before = [record for record in records if record.entry.position < position]
        for journal in (self.memory, self.sqlite):
            assert list(journal.records(space, after=position, limit=limit)) == after[:limit]
            assert list(journal.before(space, position=position, limit=limit)) == before[::-1][:limit][::-1]
            assert list(journal.before(space, limit=limit)) == records[::-1][:limit][::-1]

    @rule(space=st.sampled_from((*SPACES, "unknown")), id=st.sampled_from(["i0", "i1", "gw", "none"]))
    def find(self, space, id) -> None:
        sought = b'{"id":"%s","kind":"reasoning/start"}' % id.encode()
        records = [self.record(entry) for entry in self.entries if entry.space == space]
        found = [
            record
            for record in records
            if (isinstance(record.entry.event, Received) and record.entry.event.data == sought)
            or any(output.data == sought for output in record.outputs)
        ]
        for journal in (self.memory, self.sqlite):
            assert [record for record in journal.find(space, id) if has(record, id)] == found[::-1]
            assert [record for record in journal.find(space, id, oldest=True) if has(record, id)] == found

    @rule(after=positions)
    def read(self, after) -> None:
        expected = [entry for entry in self.entries if entry.position > after]
        for journal in (self.memory, self.sqlite):
            assert list(journal.read(after)) == expected

    @invariant()
    def the_snapshot_is_the_latest(self) -> None:
        if hasattr(self, "sqlite"):
            assert self.sqlite.latest() == self.memory.latest() == self.snapshot

    def is_retained(self, entry: Entry) -> bool:
        return any(entry.space == space and has(self.record(entry), id) for space, id in self.retained)

    def record(self, entry: Entry) -> Record:
        found = [self.outputs.get((entry.position, nth)) for nth in range(3)]
        return Record(entry, tuple(output for output in found if output is not None))


TestJournals = Journals.TestCase
TestJournals.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
