"""What only the journal in memory has: a bound."""

from __future__ import annotations

from mew_gateway.journal.base import Draft, Output, Snapshot
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.space.events import Received, Restarted


def test_memory_journal_keeps_snapshotted_entries_up_to_the_bound():
    journal = MemoryJournal(keep_entries=3)
    journal.append([Draft("ab"[n % 2], n, Restarted()) for n in range(10)], [])
    journal.append([], [Output(n, 0, "a", b"{}", None, False) for n in range(1, 11)])
    assert len(list(journal.read(0))) == 10

    journal.save(Snapshot(8, 7, {"a": b"", "b": b""}))

    assert [entry.position for entry in journal.read(0)] == [6, 7, 8, 9, 10]
    assert [record.entry.position for record in journal.records("a")] == [7, 9]
    assert [record.entry.position for record in journal.before("b", limit=2)] == [8, 10]
    assert all(record.outputs for record in journal.records("b"))


def test_memory_journal_keeps_interrupted_sequences_beyond_the_bound():
    journal = MemoryJournal(keep_entries=2)
    begun = b'{"id":"e%d","kind":"reasoning/start"}'
    journal.append([Draft("a", n, Received("alice", 1, n, begun % n)) for n in range(6)], [])
    journal.retain("a", ["alice/e1"])
    journal.save(Snapshot(6, 5, {"a": b""}))
    assert [entry.position for entry in journal.read(0)] == [2, 5, 6]
    assert journal.pruned == 4


def test_positions_continue_after_all_entries_are_dropped():
    journal = MemoryJournal(keep_entries=0)
    journal.append([Draft("a", 1, Restarted())] * 4, [])
    journal.save(Snapshot(4, 1, {"a": b""}))
    assert list(journal.read(0)) == []
    (entry,) = journal.append([Draft("a", 2, Restarted())], [])
    assert entry.position == 5
    assert list(journal.read(4)) == [entry]
