"""One gateway owns a journal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_gateway.errors import Unavailable
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.storage.file_lock import FileLock


def opened(path: Path) -> SqliteJournal:
    return SqliteJournal(str(path), synchronous="normal")


def test_a_second_owner_is_refused_with_the_path_and_the_reason(tmp_path):
    path = tmp_path / "journal.db"
    journal = opened(path)
    with pytest.raises(Unavailable, match=rf"Another gateway is running on .*{re.escape(str(path))}"):
        opened(path)
    journal.close()
    opened(path).close()


def test_another_name_of_the_same_file_is_the_same_journal(tmp_path):
    (tmp_path / "alias").symlink_to(tmp_path / "journal.db")
    journal = opened(tmp_path / "journal.db")
    with pytest.raises(Unavailable, match="Another gateway"):
        opened(tmp_path / "alias")
    journal.close()


def test_failed_open_releases_the_lock(tmp_path):
    path = tmp_path / "journal.db"
    path.mkdir()
    for _ in range(2):
        with pytest.raises(Unavailable, match=r"cannot be opened: check that it is there, and a file"):
            opened(path)


def test_release_is_idempotent(tmp_path):
    lock = FileLock(str(tmp_path / "x"))
    lock.release()
    lock.release()
    FileLock(str(tmp_path / "x")).release()
