"""The write-ahead log does not grow for ever, and a failing checkpoint costs no entry."""

from __future__ import annotations

import os
import resource
import threading

import apsw
import pytest

from mew_gateway.journal.base import Draft
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

LIMIT = 64 * 4096
BURST = [Draft("main", 1, Received("alice", 1, 0, b"x" * 1000))] * 20


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "journal.db")


@pytest.fixture
def journal(path):
    journal = SqliteJournal(path, synchronous="normal", log_limit=LIMIT)
    yield journal
    journal.close()


def log_size(path: str) -> int:
    return os.path.getsize(f"{path}-wal")


def test_checkpoints_keep_the_log_within_its_limit(journal, path):
    for _ in range(60):
        journal.append(BURST, [])
        journal.checkpoints.settle()
        assert log_size(path) <= LIMIT
    assert os.path.getsize(path) > 4 * LIMIT
    assert len(list(journal.read(0))) == 60 * len(BURST)


def test_log_is_truncated_after_a_blocking_reader_ends(journal, path):
    reader = apsw.Connection(path)
    reader.execute("begin; select * from entries").fetchall()
    while log_size(path) <= 2 * LIMIT:
        journal.append(BURST, [])
        journal.checkpoints.settle()
    reader.close()

    held = log_size(path)
    journal.checkpoints.checkpoint()
    assert log_size(path) == 0
    journal.append(BURST, [])
    assert 0 < log_size(path) < held
    assert [entry.position for entry in journal.read(0)][-1] % len(BURST) == 0


def test_idle_log_is_truncated(path):
    journal = SqliteJournal(path, synchronous="normal")
    while log_size(path) < 2**21:
        journal.append(BURST, [])
    journal.checkpoints.truncate_idle()
    journal.append(BURST, [])  # since the last look
    journal.checkpoints.truncate_idle()
    assert log_size(path) >= 2**21
    journal.checkpoints.truncate_idle()
    assert log_size(path) == 0
    journal.append(BURST, [])
    assert list(journal.read(0))[-1].position % len(BURST) == 0
    journal.close()


def test_checkpoint_gives_way_to_a_writer_of_another_program(journal, path):
    other = apsw.Connection(path)
    while log_size(path) <= LIMIT // 8:
        journal.append(BURST, [])
    other.execute("begin immediate")
    journal.checkpoints.checkpoint()
    other.execute("rollback")
    other.close()
    journal.append(BURST, [])


def test_failing_checkpoint_is_logged_and_loses_no_entry(journal, path, caplog):
    for _ in range(40):
        journal.append(BURST, [])
        journal.checkpoints.settle()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path), limits[1]))  # above the log's size
    try:
        for _ in range(20):
            journal.append(BURST, [])
            journal.checkpoints.settle()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert f"A checkpoint of the journal {path} failed" in caplog.text
    assert log_size(path) > LIMIT
    assert len(list(journal.read(0))) == 60 * len(BURST)
    journal.checkpoints.checkpoint()
    assert log_size(path) == 0


def test_close_stops_the_thread_and_leaves_one_file(journal, path):
    def running() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "journal checkpoints"]

    for _ in range(20):
        journal.append(BURST, [])
    assert len(running()) == 1
    assert running()[0].daemon
    journal.close()
    assert running() == []
    assert not os.path.exists(f"{path}-wal")
