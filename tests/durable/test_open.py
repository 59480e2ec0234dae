"""What a person is told when a database cannot be opened: a code, a sentence, no traceback, no password."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mew_agents.durable import Database, DatabaseError

from ..kit.stores import Postgres


def refusal(url: str) -> tuple[str, str]:
    with pytest.raises(DatabaseError) as raised:
        Database.open(url, patience=0.05)
    return raised.value.code, str(raised.value)


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("", "cannot be read"),
        ("fluxi.db", "cannot be read"),
        ("postgresql://a:secret@host:port/name", "cannot be read"),
        ("mysql://a:secret@host/name", "kind 'mysql'"),
        ("postgresql+asyncpg://a:secret@host/name", "kind 'postgresql+asyncpg'"),
        ("sqlite+aiosqlite:///a.db", "kind 'sqlite+aiosqlite'"),
        ("sqlite://fluxi.db", "third slash"),
        ("sqlite://", "in memory keeps nothing"),
        ("sqlite:///:memory:", "in memory keeps nothing"),
        ("sqlite:///a.db?mode=memory", "neither user nor options"),
        ("sqlite://me:secret@/a.db", "neither user nor options"),
        ("postgresql://127.0.0.1:1/name?colour=secret", "does not understand"),
    ],
)
def test_a_wrong_url(url: str, word: str) -> None:
    code, sentence = refusal(url)
    assert code == "bad_url"
    assert word in sentence
    assert "sqlite:///folder/file.db" in sentence
    assert "secret" not in sentence


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert refusal(f"sqlite:///{tmp_path}/none/a.db") == (
        "not_found",
        f"The folder {tmp_path}/none does not exist: make it, or name another file.",
    )


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    code, sentence = refusal(f"sqlite:///{tmp_path}")
    assert code == "not_found"
    assert f"{tmp_path} cannot be opened: check that it is there, and a file" in sentence


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to have a header: " * 10, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    assert refusal(f"sqlite:///{path}") == (
        "not_a_database",
        f"The database {path} is not an SQLite database: name another file, or move this one away.",
    )
    assert path.read_bytes() == content


def test_a_missing_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert refusal("postgresql://somebody:secret@127.0.0.1/fluxi") == (
        "missing_driver",
        "PostgreSQL needs a driver: pip install 'mew-gateway[postgres]'.",
    )


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    code, sentence = refusal("postgresql://somebody:secret@127.0.0.1:1/fluxi?sslmode=disable")
    assert code == "unreachable"
    assert sentence.startswith("No server answers at postgresql://somebody@127.0.0.1:1/fluxi: start it, or name")
    assert "secret" not in sentence
    code, sentence = refusal(f"postgresql://somebody@/fluxi?host={tmp_path}&password=secret")
    assert code == "unreachable"
    assert "secret" not in sentence


def test_a_database_and_a_user_that_do_not_exist(postgres: Postgres) -> None:
    code, sentence = refusal(postgres.url("nowhere"))
    assert (code, "make it, or name another" in sentence) == ("not_found", True)
    code, sentence = refusal(postgres.url("postgres", user="nobody_at_all"))
    assert (code, "make it, or name another" in sentence) == ("not_found", True)


def test_a_user_whom_the_server_turns_away(postgres: Postgres) -> None:
    code, sentence = refusal(postgres.url("postgres", user="rejected"))
    assert code == "refused"
    assert "check its name and password" in sentence


def test_the_other_ways_to_write_postgresql(postgres: Postgres) -> None:
    url = postgres.url("postgres").removeprefix("postgresql")
    for scheme in ("postgresql", "postgresql+psycopg", "postgres"):
        database = Database.open(scheme + url)
        assert database.kind == "postgresql"
        database.close()


def test_a_relative_path_is_of_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Database.open("sqlite:///a.db").close()
    assert (tmp_path / "a.db").is_file()
