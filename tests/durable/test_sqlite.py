"""How the file of SQLite is kept: which library, which journal, how lasting, and who waits for whom."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import types
from pathlib import Path

import pytest
from sqlalchemy import Connection, make_url

from mew_agents.durable import Database, DatabaseError
from mew_agents.durable.retry import Retry
from mew_agents.durable.sqlite import Sqlite, newest


def library(*version: int) -> types.ModuleType:
    """The standard library's module, which says that its SQLite is this one."""
    module = types.ModuleType("sqlite3")
    module.__dict__.update(sqlite3.__dict__)
    module.__dict__.update(sqlite_version_info=version, sqlite_version=".".join(map(str, version)))
    return module


def opened(path: Path, *version: int, patience: float = 10.0) -> Database:
    """The database at `path`, with a library of that version; without, with the newest."""
    backend = Sqlite(make_url(f"sqlite:///{path}"), library=library(*version) if version else None)
    return Database(backend, retry=Retry(patience=patience))


def pragma(name: str, database: Database) -> object:
    return asyncio.run(database.read(lambda connection: connection.exec_driver_sql(f"PRAGMA {name}").scalar()))


def test_the_newest_library_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    newer, older = library(9, 0, 0), library(3, 0, 0)
    for installed, taken in ((newer, newer), (older, sqlite3), (None, sqlite3)):
        monkeypatch.setitem(sys.modules, "pysqlite3", installed)
        assert newest() is taken


@pytest.mark.parametrize(
    ("version", "mode"),
    [((3, 51, 2), "truncate"), ((3, 40, 1), "truncate"), ((3, 51, 3), "wal"), ((3, 52, 0), "wal"), ((4, 0, 0), "wal")],
)
def test_the_version_alone_decides_on_the_journal(tmp_path: Path, version: tuple[int, ...], mode: str) -> None:
    database = opened(tmp_path / "a.db", *version)
    assert pragma("journal_mode", database) == mode
    database.close()


def test_an_older_library_takes_a_file_out_of_wal(tmp_path: Path) -> None:
    for version, mode in (((3, 51, 3), "wal"), ((3, 40, 1), "truncate"), ((3, 51, 3), "wal")):
        database = opened(tmp_path / "a.db", *version)
        assert pragma("journal_mode", database) == mode
        database.close()


@pytest.mark.parametrize("version", [(), (3, 40, 1)])
def test_commits_last_keys_hold_and_replace_fires_triggers(tmp_path: Path, version: tuple[int, ...]) -> None:
    database = opened(tmp_path / "a.db", *version)
    assert pragma("synchronous", database) == 2
    assert pragma("foreign_keys", database) == 1
    assert pragma("recursive_triggers", database) == 1
    database.close()


def test_only_the_owner_may_read_the_file_and_its_companions(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/a.db")
    asyncio.run(database.write(lambda connection: connection.exec_driver_sql("create table t (a)"), point="x"))
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes) >= {"a.db"}
    assert set(modes.values()) == {0o600}
    database.close()


@pytest.mark.parametrize("version", [(), (3, 40, 1)])
def test_a_writer_waits_for_another_and_then_says_that_it_is_busy(tmp_path: Path, version: tuple[int, ...]) -> None:
    database = opened(tmp_path / "a.db", *version, patience=0.05)

    def make(connection: Connection) -> None:
        connection.exec_driver_sql("create table t (a)")

    # Of the same library: two of them in one process do not see each other's locks.
    other = (sqlite3 if version else newest()).connect(tmp_path / "a.db", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(DatabaseError, match="let that one finish") as raised:
        asyncio.run(database.write(make, point="x"))
    assert raised.value.code == "busy"
    other.execute("rollback")
    asyncio.run(database.write(make, point="x"))
    other.close()
    database.close()


def test_work_is_done_again_when_a_reader_holds_up_the_commit_of_an_older_library(tmp_path: Path) -> None:
    database = opened(tmp_path / "a.db", 3, 40, 1)
    asyncio.run(database.write(lambda connection: connection.exec_driver_sql("create table t (a)"), point="x"))
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None, check_same_thread=False)
    other.execute("begin")
    other.execute("select * from t").fetchall()
    runs = 0

    def insert(connection: Connection) -> None:
        nonlocal runs
        runs += 1
        connection.exec_driver_sql("insert into t values (1)")
        if runs == 2:
            other.execute("rollback")

    asyncio.run(database.write(insert, point="x"))
    assert runs == 2
    assert asyncio.run(database.read(lambda c: c.exec_driver_sql("select count(*) from t").scalar())) == 1
    other.close()
    database.close()


def test_a_full_disk_is_told_as_such_and_nothing_holds(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/a.db")

    def fill(connection: Connection) -> None:
        connection.exec_driver_sql("create table t (a)")
        connection.exec_driver_sql("PRAGMA max_page_count = 3")
        connection.exec_driver_sql("insert into t values (randomblob(100000))")

    with pytest.raises(DatabaseError, match="free some disk space") as raised:
        asyncio.run(database.write(fill, point="x"))
    assert raised.value.code == "failing"
    assert asyncio.run(database.read(lambda c: c.exec_driver_sql("select count(*) from sqlite_master").scalar())) == 0
    database.close()


def test_a_damaged_file_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = Database.open(f"sqlite:///{path}")
    asyncio.run(database.write(lambda connection: connection.exec_driver_sql("create table t (a)"), point="x"))
    database.close()
    content = bytearray(path.read_bytes())
    content[100:200] = b"\xff" * 100
    path.write_bytes(content)
    database = opened(path)
    with pytest.raises(DatabaseError, match="put a backup in its place") as raised:
        asyncio.run(database.read(lambda connection: connection.exec_driver_sql("select * from t").fetchall()))
    assert raised.value.code == "not_a_database"
    database.close()
