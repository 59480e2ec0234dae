"""The tables of a database: made once, whole, and by one process; another version's are refused."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from sqlalchemy import DDL, Column, ForeignKey, Integer, MetaData, Table, event, text

from mew_agents.durable import Database, DatabaseError, Schema

OPENER = """
import sys
from mew_agents.durable import Database
from mew_agents.fluxi.tables import SCHEMA
print("ready", flush=True)
sys.stdin.readline()
Database.open(sys.argv[1], schema=SCHEMA).close()
"""


def tables() -> MetaData:
    metadata = MetaData()
    Table("owners", metadata, Column("id", Integer, primary_key=True))
    Table("notes", metadata, Column("id", Integer, primary_key=True), Column("owner", ForeignKey("owners.id")))
    return metadata


def schema(version: int = 1) -> Schema:
    return Schema(tables(), name="version", version=version)


def run(database: Database, statement: str) -> list[tuple[object, ...]]:
    def work(connection):
        result = connection.execute(text(statement))
        return [tuple(row) for row in result.fetchall()] if result.returns_rows else []

    return asyncio.run(database.write(work, point="x"))


def test_tables_are_made_once_and_the_rows_stay(empty_url: str) -> None:
    database = Database.open(empty_url, schema=schema())
    run(database, "insert into owners values (1)")
    run(database, "insert into notes values (1, 1)")
    database.close()
    database = Database.open(empty_url, schema=schema())
    assert run(database, "select * from notes") == [(1, 1)]
    assert run(database, "select * from version") == [(1,)]
    with pytest.raises(Exception, match=r"FOREIGN KEY|foreign key"):
        run(database, "insert into notes values (2, 2)")
    database.close()


@pytest.mark.parametrize("version", [1, 3])
def test_tables_of_another_version_are_refused(empty_url: str, version: int) -> None:
    Database.open(empty_url, schema=schema(2)).close()
    with pytest.raises(DatabaseError, match=rf"another version of this program \(2; these are {version}\)") as raised:
        Database.open(empty_url, schema=schema(version))
    assert raised.value.code == "other_schema"


def test_a_version_that_is_no_number_is_refused(empty_url: str) -> None:
    """The databases of earlier drafts of 0.1.0 name a revision, in a column of another name."""
    database = Database.open(empty_url)
    run(database, "create table version (version_num varchar(32) not null)")
    run(database, "insert into version values ('0003')")
    database.close()
    with pytest.raises(DatabaseError, match="0003") as raised:
        Database.open(empty_url, schema=schema())
    assert raised.value.code == "other_schema"


def test_a_schema_that_cannot_be_made_leaves_nothing(empty_url: str) -> None:
    broken = tables()
    event.listen(broken, "after_create", DDL("select * from nobody_has_this"))  # type: ignore[no-untyped-call]
    with pytest.raises(Exception, match="nobody_has_this"):
        Database.open(empty_url, schema=Schema(broken, name="version", version=1))
    database = Database.open(empty_url, schema=schema())
    assert run(database, "select * from owners") == []
    database.close()


def test_of_twenty_processes_that_start_at_once_one_makes_the_tables(empty_url: str) -> None:
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, empty_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(20)
    ]
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    assert [program.communicate()[1] for program in programs] == [""] * 20
    database = Database.open(empty_url)
    assert run(database, "select * from fluxcore_version") == [(1,)]
    database.close()
