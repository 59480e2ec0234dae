"""What only the SQLite journal has: a file, which can be gone, full, locked, foreign or damaged."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Callable, Sequence
from typing import Any

import apsw
import pytest

from mew_gateway.errors import CorruptJournal, Unavailable
from mew_gateway.journal import sqlite
from mew_gateway.journal.base import READ_BYTES, Draft, Output, Record, Snapshot
from mew_gateway.journal.database import Row
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

from ..kit.broker import note_entries
from .conftest import named


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "journal.db"


@pytest.fixture
def committed():
    return []


@pytest.fixture
def opened(path, committed):
    journals = []

    def opening(**options) -> SqliteJournal:
        options = {"synchronous": "normal", "busy_timeout": 1, **options}
        journals.append(SqliteJournal(str(path), **options))
        note_entries(journals[-1], committed.extend)
        return journals[-1]

    yield opening
    for journal in journals:
        journal.close()


def draft(n: int, size: int = 0, *, space: str = "main") -> Draft:
    return Draft(space, 1000 + n, Received("alice", 1, n, b"x" * size))


def digests(journal: SqliteJournal) -> list[int]:
    """The number that `draft` put into each entry."""
    return [entry.event.digest for entry in journal.read(0) if isinstance(entry.event, Received)]


def foreign(path, statements: str) -> None:
    """Another program at the file."""
    connection = apsw.Connection(str(path))
    connection.execute(statements)
    connection.close()


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_reopened_journal_has_all_entries(opened, committed, synchronous):
    journal = opened(synchronous=synchronous)
    journal.append([draft(1), draft(2, space="other")], [])
    journal.save(Snapshot(1, 1001, {"main": b"state"}))
    journal.append([draft(3)], [Output(2, 0, "other", b"{}", ("alice",), True)])
    journal.close()

    again = opened(synchronous=synchronous)
    assert list(again.read(0)) == committed
    assert again.latest() == Snapshot(1, 1001, {"main": b"state"})
    assert again.records("other")[0].outputs == (Output(2, 0, "other", b"{}", ("alice",), True),)
    again.append([draft(4)], [])
    assert [entry.position for entry in again.read(0)] == [1, 2, 3, 4]
    assert [record.entry.position for record in again.before("main")] == [1, 3, 4]


def test_reopened_journal_keeps_what_is_retained(opened):
    journal = opened()
    journal.append(
        [
            Draft("main", 1000 + n, Received("alice", 1, n, b'{"id":"e%d","kind":"reasoning/start"}' % n))
            for n in range(4)
        ],
        [],
    )
    journal.retain("main", ["alice/e1"])
    journal.save(Snapshot(4, 1003, {"main": b"state"}))
    journal.close()
    again = opened()
    assert again.prune(older_than=2**50, limit=3) == 3
    again.close()
    again = opened()
    assert (again.pruned, digests(again)) == (3, [1, 3])
    assert again.prune(older_than=2**50, limit=3) == 1
    assert [record.entry.position for record in again.before("main", limit=2)] == [2]


def test_positions_continue_after_all_entries_are_pruned(opened, committed):
    journal = opened()
    journal.append([draft(n) for n in range(3)], [])
    journal.save(Snapshot(3, 1002, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=10) == 3
    journal.close()
    again = opened()
    again.append([draft(9)], [])
    assert committed[-1].position == 4
    assert [record.entry for record in again.records("main")] == [committed[-1]]


def test_read_returns_more_than_one_chunk(opened):
    journal = opened()
    journal.append([draft(n) for n in range(9000)], [])
    assert digests(journal) == list(range(9000))


def test_new_files_are_readable_by_the_owner_only(opened, path):
    mask = os.umask(0)
    try:
        opened().append([draft(1)], [])
        modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in path.parent.iterdir()}
    finally:
        os.umask(mask)
    names = ["journal.db", "journal.db-shm", "journal.db-wal", "journal.db.lock"]
    assert modes == dict.fromkeys(names, 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_open_restricts_a_world_readable_file(opened, path):
    opened().close()
    path.chmod(0o644)
    opened()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_refuses_and_loses_nothing(opened, committed):
    journal = opened()
    journal.append([draft(1)], [])
    pages = journal._database.connection.pragma("page_count")
    journal._database.connection.pragma("max_page_count", pages)
    for _ in range(2):
        with pytest.raises(Unavailable, match="cannot grow: free some disk space"):
            journal.append([draft(2), draft(3, 100_000)], [Output(1, 0, "main", b"{}", None, False)])
    with pytest.raises(Unavailable, match="cannot grow"):
        journal.save(Snapshot(1, 1001, {"main": b"x" * 100_000}))
    assert digests(journal) == [1]
    assert journal.records("main")[0].outputs == ()
    assert journal.latest() is None

    journal._database.connection.pragma("max_page_count", 100_000)
    journal.append([draft(4, 100_000)], [Output(1, 0, "main", b"{}", None, False)])
    assert [(entry.position, entry.event.digest) for entry in committed] == [(1, 1), (2, 4)]
    assert list(journal.read(0)) == committed
    assert len(journal.records("main")[0].outputs) == 1


def test_a_full_disk_at_a_spaces_first_entry(opened):
    journal = opened()
    journal._database.connection.pragma("max_page_count", journal._database.connection.pragma("page_count"))
    with pytest.raises(Unavailable, match="cannot grow"):
        journal.append([draft(1, 100_000, space="new")], [])
    journal._database.connection.pragma("max_page_count", 100_000)
    journal.append([draft(2, space="newer"), draft(3, space="new")], [])
    assert [record.entry.position for record in journal.records("new")] == [2]
    assert [record.entry.position for record in journal.records("newer")] == [1]


def test_append_after_a_disk_error_reuses_the_position(opened, path, committed):
    journal = opened()
    journal.append([draft(1)], [])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(f"{path}-wal") + 5000, limits[1]))
    try:
        with pytest.raises(Unavailable, match="the disk reports an error"):
            journal.append([draft(2, 100_000)], [])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    journal.append([draft(3, 100_000)], [])
    assert [(entry.position, entry.event.digest) for entry in committed] == [(1, 1), (2, 3)]
    journal.close()
    assert list(opened().read(0)) == committed


def test_lock_of_another_program_makes_append_unavailable(opened, path, committed):
    journal = opened()
    journal.append([draft(1)], [])
    other = apsw.Connection(str(path))
    other.execute("begin immediate")
    with pytest.raises(Unavailable, match="is locked by another program"):
        journal.append([draft(2)], [])
    other.execute("rollback")
    journal.append([draft(3)], [])
    other.close()
    assert [(entry.position, entry.event.digest) for entry in committed] == [(1, 1), (2, 3)]


def test_append_succeeds_while_another_program_reads(opened, path):
    journal = opened()
    journal.append([draft(1)], [])
    other = apsw.Connection(str(path))
    other.execute("begin; select * from entries").fetchall()
    journal.append([draft(2)], [])
    other.close()
    assert digests(journal) == [1, 2]


def test_a_journal_that_may_not_be_written(opened):
    journal = opened()
    journal._database.connection.pragma("query_only", True)
    with pytest.raises(Unavailable, match="may not be written: check its owner"):
        journal.append([draft(1)], [])
    journal._database.connection.pragma("query_only", False)
    journal.append([draft(2)], [])
    assert digests(journal) == [2]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be opened"):
        SqliteJournal(str(tmp_path / "file" / "journal.db"), synchronous="normal")


def test_a_file_that_is_no_database_is_left_alone(opened, path):
    path.parent.mkdir()
    path.write_text("Dear diary, " * 100)
    with pytest.raises(CorruptJournal, match=r"is not an SQLite database .*move it away to begin anew"):
        opened()
    assert path.read_text() == "Dear diary, " * 100


def test_the_database_of_something_else_is_left_alone(opened, path):
    path.parent.mkdir()
    foreign(path, "create table cats (name text)")
    before = path.read_bytes()
    with pytest.raises(CorruptJournal, match=r"is the database of something else.*move it away"):
        opened()
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, 1, 4, 6])
def test_another_format_is_refused(opened, path, version):
    opened().close()
    foreign(path, f"pragma user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(CorruptJournal, match=f"has format {version}, this version reads format 5: use the version"):
        opened()
    assert path.read_bytes() == before


def test_find_works_in_any_stretch_and_after_a_crash(opened, path):
    journal = opened()
    for burst in range(6):
        drafts = [
            Draft("main", 1000, Received("alice", 7, 1, b'{"id":"n%d"}' % number))
            for number in range(burst * 100, burst * 100 + 100)
        ]
        journal.append(drafts, [Output(burst * 100, 0, "main", b'{"id":"gw%d"}' % burst, None, False)] if burst else [])
        journal.append([draft(burst, space="other")], [])
        journal._database.close()  # nothing is saved on the way out
        journal = opened()
    assert [named(journal.find("main", f"n{number}"), f"n{number}") for number in (0, 253, 254, 599)] == [
        [1],
        [256],
        [257],
        [605],
    ]
    assert [named(journal.find("main", f"gw{burst}"), f"gw{burst}") for burst in (1, 3, 5)] == [[100], [300], [500]]
    assert named(journal.find("other", "n0"), "n0") == []


def test_read_holds_few_long_entries_at_a_time(opened, monkeypatch):
    journal = opened()
    for n in range(9):
        journal.append([draft(n, READ_BYTES // 4 - 100)], [])
    taken: list[int] = []
    rows: Callable[..., list[Row]] = journal._rows

    def counted(*asked: Any) -> list[Row]:
        found = rows(*asked)
        taken.append(sum(len(value) for row in found for value in row if isinstance(value, bytes)))
        return found

    monkeypatch.setattr(journal, "_rows", counted)
    assert digests(journal) == [*range(9)]
    assert READ_BYTES // 2 < max(taken) <= READ_BYTES


def test_find_reads_no_other_entries(opened, monkeypatch):
    journal = opened()
    journal.append([Draft("main", 1000, Received("alice", 7, 1, b'{"id":"n%d"}' % n)) for n in range(600)], [])
    looked_at: list[int] = []
    records: Callable[..., Sequence[Record]] = journal.records

    def watched(space: str, *, after: int, limit: int) -> Sequence[Record]:
        looked_at.append(after + 1)
        return records(space, after=after, limit=limit)

    monkeypatch.setattr(journal, "records", watched)
    for n in (0, 255, 256, 300, 599):
        assert named(journal.find("main", f"n{n}"), f"n{n}") == [n + 1]
    assert looked_at == [1, 256, 257, 301, 600]


def test_an_entry_that_cannot_be_decoded(opened, path):
    journal = opened()
    journal.append([draft(1), draft(2)], [])
    foreign(path, "update entries set event = x'c1' where position = 2")
    reading = journal.read(0)
    assert next(reading).position == 1
    with pytest.raises(CorruptJournal, match=r"Entry 2 of the journal .* cannot be read"):
        next(reading)
    with pytest.raises(CorruptJournal, match="Entry 2"):
        journal.records("main")


def test_missing_entries_after_the_snapshot_are_corrupt(opened, path):
    journal = opened()
    journal.append([draft(n) for n in range(6)], [])
    journal.save(Snapshot(2, 1001, {"main": b"state"}))
    foreign(path, "delete from entries where position in (1, 2)")
    assert digests(journal) == [2, 3, 4, 5]  # pruned: the snapshot covers them
    foreign(path, "delete from entries where position in (4, 5)")
    with pytest.raises(CorruptJournal, match="lacks the entries from 4 to 5"):
        digests(journal)


def test_entries_of_another_writer(opened, path):
    journal = opened()
    journal.append([draft(1)], [])
    foreign(path, "insert into entries select position + 1, space, time, event from entries")
    with pytest.raises(CorruptJournal, match="holds rows that this version did not write"):
        journal.append([draft(2)], [])


def test_a_damaged_file(opened, path):
    journal = opened()
    journal.append([draft(n, 500) for n in range(100)], [])
    journal.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = os.urandom(len(damaged) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(CorruptJournal, match="is damaged"):
        digests(opened())


def test_failed_write_is_rolled_back(opened, committed):
    journal = opened()
    wrong: Any = object()
    with pytest.raises(TypeError):
        journal.append([draft(1)], [Output(1, 0, "main", wrong, None, False)])
    journal.append([draft(2)], [])
    assert [(entry.position, entry.event.digest) for entry in committed] == [(1, 2)]


def test_held_bytes_are_summed_once_and_updated(opened, monkeypatch):
    journal = opened()
    sums = []

    def counted(query, *bindings):
        sums.extend([query] * (query == sqlite._HELD))
        return rows(query, *bindings)

    rows = journal._rows
    monkeypatch.setattr(journal, "_rows", counted)
    journal.append([begun(n) for n in range(1, 21)], [])
    journal.retain("main", [f"agent/e{n}" for n in range(1, 21)])
    journal.save(Snapshot(20, 1020, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=10) == 10
    assert journal.release(most=2**30, limit=10) is None
    assert journal.prune(older_than=2**50, limit=10) == 10
    assert journal.release(most=10_000, limit=1) is not None
    while journal.release(most=10_000, limit=1):
        pass
    assert len(sums) == 1
    ((left,),) = rows("select sum(size) from kept")
    assert 9_000 < left <= 10_000
    assert sum(journal._held.values()) == left


def begun(n: int) -> Draft:
    data = b'{"id":"e%d","kind":"reasoning/start","text":"%s"}' % (n, b"x" * 950)
    return Draft("main", 1000 + n, Received("agent", 1, n, data))
