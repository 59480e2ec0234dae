"""Behind an error of the disk the journal is what the disk holds, not what was remembered of it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import apsw
import pytest

from mew_gateway.errors import CorruptJournal, MewError, Unavailable
from mew_gateway.journal import database
from mew_gateway.journal.base import Draft, Entry, Snapshot
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

from ...kit.broker import note_entries
from .faulty_disk import FAULTS, Disk, Operation, broken, full, io_error, unsyncable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"


@pytest.fixture
def committed() -> list[Entry]:
    return []


@pytest.fixture
def opened(disk: Disk, path: Path, committed: list[Entry]) -> Iterator[Callable[[], SqliteJournal]]:
    journals: list[SqliteJournal] = []

    def opening() -> SqliteJournal:
        journals.append(SqliteJournal(str(path), synchronous="normal", busy_timeout=1))
        note_entries(journals[-1], committed.extend)
        return journals[-1]

    yield opening
    disk.heal()
    for journal in journals:
        journal.close()


@pytest.fixture
def opened_full(disk: Disk, path: Path, committed: list[Entry]) -> Iterator[SqliteJournal]:
    """A journal each of whose commits is synced."""
    journal = SqliteJournal(str(path), synchronous="full", busy_timeout=1)
    note_entries(journal, committed.extend)
    yield journal
    disk.heal()
    journal.close()


def say(journal: SqliteJournal, *numbers: int) -> None:
    journal.append([Draft("main", number, Received("alice", 1, number, b"x" * 500)) for number in numbers], [])


def numbers(journal: SqliteJournal) -> list[int]:
    return [entry.time for entry in journal.read(0)]


def test_entries_that_a_failed_sync_has_lost_are_not_gone_on_from(
    disk: Disk, opened: Callable[[], SqliteJournal]
) -> None:
    disk.forgets = True
    journal = opened()
    say(journal, 1)
    journal.checkpoints.checkpoint()
    say(journal, 2)
    disk.arm(unsyncable)
    journal.checkpoints.checkpoint()
    disk.arm()
    journal.checkpoints.checkpoint()  # would call safe what is not there
    assert disk.operations == []
    for _ in range(2):
        with pytest.raises(CorruptJournal, match=r"has lost the entries from 2 to 2: .* start the gateway again"):
            say(journal, 3)
    journal.close()
    again = opened()
    assert numbers(again) == [1]
    say(again, 4)
    assert numbers(again) == [1, 4]


def test_a_failed_sync_that_has_lost_nothing_is_gone_on_from(
    disk: Disk, opened: Callable[[], SqliteJournal], committed: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    journal = opened()
    say(journal, 1)
    before = journal.checkpoints
    disk.arm(unsyncable)
    for _ in range(3):
        journal.checkpoints.checkpoint()
    disk.heal()
    assert numbers(journal) == [1]
    say(journal, 2)
    assert journal.checkpoints is not before
    journal.checkpoints.checkpoint()
    assert list(journal.read(0)) == committed
    assert len([record for record in caplog.records if "checkpoint" in record.message]) == 1


def test_a_commit_that_the_log_holds_although_it_failed_is_taken_back(
    disk: Disk, opened_full: SqliteJournal, committed: list[Entry]
) -> None:
    journal = opened_full
    say(journal, 1)
    disk.arm(lambda one: broken(one) if disk.failed or one.kind == "sync" else None)
    with pytest.raises(Unavailable):
        say(journal, 2)
    assert disk.failed[0].kind == "sync"
    disk.heal()
    journal.append([], [])  # is it there again?
    assert numbers(journal) == [1]
    say(journal, 3)
    assert [(entry.position, entry.time) for entry in committed] == [(1, 1), (2, 3)]
    assert list(journal.read(0)) == committed


def test_a_commit_that_failed_first_in_a_new_log_does_not_come_back_after_a_crash(
    disk: Disk, opened_full: SqliteJournal, path: Path, tmp_path: Path
) -> None:
    journal = opened_full
    say(journal, 1)
    journal.checkpoints.checkpoint()
    synced = count()  # the new log's header first, then the commit
    disk.arm(lambda one: unsyncable(one) if one.kind == "sync" and next(synced) else None)
    with pytest.raises(Unavailable):
        say(journal, 2)
    with disk.spared():
        shutil.copytree(path.parent, tmp_path / "crashed")
        found = SqliteJournal(str(tmp_path / "crashed" / path.name), synchronous="full")
        assert numbers(found) == [1]
        found.close()


def test_a_disk_that_goes_and_comes_back(disk: Disk, opened: Callable[[], SqliteJournal], path: Path) -> None:
    journal = opened()
    say(journal, 1)
    disk.arm(broken)
    with pytest.raises(Unavailable):
        say(journal, 2)
    disk.heal()
    away = path.parent.rename(path.parent.with_name("away"))
    path.parent.mkdir()  # what it was mounted on
    for _ in range(2):
        with pytest.raises(Unavailable, match="cannot be opened"):
            say(journal, 2)
    assert not list(path.parent.iterdir())
    path.parent.rmdir()
    away.rename(path.parent)
    say(journal, 2)
    assert numbers(journal) == [1, 2]


def test_what_came_back_is_another_file_that_somebody_else_holds(
    disk: Disk, opened: Callable[[], SqliteJournal], path: Path
) -> None:
    journal = opened()
    say(journal, 1)
    away = path.parent.with_name("away")
    disk.arm(broken)
    with pytest.raises(Unavailable):
        say(journal, 2)
    disk.heal()
    path.parent.rename(away)
    shutil.copytree(away, path.parent)
    other = opened()
    with pytest.raises(Unavailable, match="Another gateway is running"):
        say(journal, 2)
    say(other, 3)
    other.close()
    with pytest.raises(CorruptJournal, match="holds entries that this gateway did not write"):
        say(journal, 2)


def test_a_backup_that_is_put_in_its_place_is_not_gone_on_from(
    disk: Disk, opened: Callable[[], SqliteJournal], path: Path
) -> None:
    journal = opened()
    say(journal, 1)
    journal.checkpoints.checkpoint()
    backup = path.read_bytes()
    say(journal, 2)
    disk.arm(broken)
    with pytest.raises(Unavailable):
        say(journal, 3)
    disk.heal()
    path.write_bytes(backup)
    path.with_name(f"{path.name}-wal").write_bytes(b"")
    with pytest.raises(CorruptJournal, match="has lost the entries from 2 to 2"):
        say(journal, 3)


def test_a_disk_that_was_full_is_tried_when_there_is_room(
    disk: Disk, opened: Callable[[], SqliteJournal], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened()
    say(journal, 1)
    disk.arm(full)
    with pytest.raises(Unavailable, match="cannot grow: free some disk space"):
        say(journal, 2)
    disk.heal()
    with monkeypatch.context() as crowded:
        crowded.setattr(database, "MIN_FREE", 1 << 60)
        with pytest.raises(Unavailable, match=r"cannot grow: free some disk space \(less than .* MiB are free\)"):
            say(journal, 2)
        assert numbers(journal) == [1]
    say(journal, 2)
    assert numbers(journal) == [1, 2]


@pytest.mark.parametrize("name", FAULTS)
def test_opening_and_closing_at_every_operation(
    disk: Disk, opened: Callable[[], SqliteJournal], path: Path, name: str
) -> None:
    opened().close()
    fresh = path.read_bytes()
    for nth in range(60):
        for file in path.parent.iterdir():
            file.unlink()
        if nth % 2:
            path.write_bytes(fresh)

        def strike(one: Operation, nth: int = nth) -> apsw.Error | None:
            return FAULTS[name](one) if one.nth >= nth // 2 else None

        disk.arm(strike)
        try:
            journal = opened()
        except MewError as error:
            assert str(path) in str(error)
        else:
            journal.close()
        disk.heal()
        journal = opened()
        assert numbers(journal) == []
        say(journal, nth)
        disk.arm(FAULTS[name])
        journal.close()  # however the disk is
        disk.heal()
        again = opened()
        assert numbers(again) == [nth]
        again.close()


def test_a_snapshot_that_a_failed_commit_left_behind_is_as_good_as_none(
    disk: Disk, opened: Callable[[], SqliteJournal]
) -> None:
    journal = opened()
    say(journal, 1)
    journal.save(Snapshot(1, 1, {"main/state": b"old"}))
    say(journal, 2)
    disk.arm(lambda one: io_error(apsw.SQLITE_IOERR_WRITE) if one.kind == "write" else None)
    with pytest.raises(Unavailable):
        journal.save(Snapshot(2, 2, {"main/state": b"new", "main/ids": b"more"}))
    disk.heal()
    assert journal.latest() == Snapshot(1, 1, {"main/state": b"old"})
    journal.save(Snapshot(2, 2, {"main/state": b"newer"}))
    assert journal.latest() == Snapshot(2, 2, {"main/state": b"newer"})
