"""A book's file: durable, one's own, and never somebody else's."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import apsw
import pytest

from mew_agents.tools.answer import Answer, applied
from mew_agents.tools.book import Book, BookUnavailable


class Notes(Book):
    APPLICATION = 0x4D455758
    TABLES = "create table notes (text text not null) strict;"

    def note(self, call: Any, text: str) -> Answer:
        def work() -> Answer:
            self._rows("insert into notes values (?)", (text,))
            return applied("noted", text=text)

        return self._perform(call, work, now=0)

    @property
    def mode(self) -> tuple[str, int]:
        return self._connection.pragma("journal_mode"), self._connection.pragma("synchronous")


def test_it_outlives_its_process_and_belongs_to_its_owner(tmp_path: Path, call: Any, effect: Any) -> None:
    path = tmp_path / "state" / "notes.db"
    with Notes(path) as book:
        book.note(call(effect()), "one")
        assert book.mode == ("wal", 2)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with Notes(path) as book:
        assert book.note(call(effect()), "one") == {**applied("noted", text="one"), "repeated": True}
        assert book.status("k")["text"] == "one"


def test_two_may_have_it_open(tmp_path: Path, call: Any, effect: Any) -> None:
    with Notes(tmp_path / "notes.db") as ours, Notes(tmp_path / "notes.db") as theirs:
        ours.note(call(effect()), "one")
        assert theirs.note(call(effect()), "one")["repeated"] is True


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("not a database, but long enough to be one" * 100)
    connection = apsw.Connection(str(other))
    connection.execute("create table theirs (a)")
    connection.close()
    for path, says in ((text, "not an SQLite database"), (other, "of something else")):
        before = path.read_bytes()
        with pytest.raises(BookUnavailable, match=says):
            Notes(path)
        assert path.read_bytes()[100:] == before[100:]


def test_another_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    Notes(path).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 7)
    connection.close()
    with pytest.raises(BookUnavailable, match="format 7"):
        Notes(path)


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "notes.db")
    with pytest.raises(BookUnavailable, match="cannot be opened"):
        Notes(tmp_path / "notes.db")
