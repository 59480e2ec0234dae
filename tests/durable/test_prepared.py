"""What a prepared statement gives is what SQLAlchemy gives for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    create_engine,
    select,
)
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import Database
from mew_agents.durable.prepared import prepared

METADATA = MetaData()
ITEMS = Table(
    "items", METADATA, Column("id", Integer, primary_key=True), Column("name", String), Column("kind", String)
)
FLAGS = Table("flags", METADATA, Column("id", Integer, primary_key=True), Column("up", Boolean))
INSERT = ITEMS.insert()
RENAME = ITEMS.update().where(ITEMS.c.kind == bindparam("_kind"))
# A limit and a constant are parameters, too, that nobody names.
FIRST = select(ITEMS).where(ITEMS.c.kind == bindparam("_kind"), ITEMS.c.name != "z").order_by(ITEMS.c.id).limit(1)
ALL = select(ITEMS.c.name).order_by(ITEMS.c.id)


@pytest.fixture
def items(tmp_path: Path) -> Iterator[Database]:
    engine = create_engine(f"sqlite:///{tmp_path}/items.db")
    METADATA.create_all(engine)
    engine.dispose()
    database = Database.open(f"sqlite:///{tmp_path}/items.db")
    yield database
    database.close()


async def done(database: Database, work: Callable[[Connection], Any]) -> Any:
    return await database.write(work, point="test")


def fill(connection: Connection, *names: str) -> int:
    rows = [{"id": at, "name": name, "kind": "k"} for at, name in enumerate(names)]
    return prepared(INSERT, connection.dialect, tuple(rows[0])).write(connection, rows)


async def test_several_rows_are_written_at_once_and_read_by_name(items: Database) -> None:
    assert await done(items, lambda connection: fill(connection, "a", "b")) == 2

    def read(connection: Connection) -> tuple[Any, Any]:
        found = prepared(FIRST, connection.dialect).rows(connection, {"_kind": "k"})
        return found, connection.execute(FIRST, {"_kind": "k"}).all()

    ours, theirs = await items.read(read)
    assert ours == theirs == [(0, "a", "k")]
    assert ours[0].name == "a"
    assert dict(ours[0]._mapping) == {"id": 0, "name": "a", "kind": "k"}


async def test_nothing_found_is_an_empty_list(items: Database) -> None:
    found = await items.read(lambda connection: prepared(ALL, connection.dialect).rows(connection, {}))
    assert found == []


async def test_columns_that_are_not_given_stay_as_they_are(items: Database) -> None:
    await done(items, lambda connection: fill(connection, "a", "b"))

    def rename(connection: Connection) -> int:
        row = {"_kind": "k", "name": "c"}
        return prepared(RENAME, connection.dialect, tuple(row)).write(connection, [row])

    assert await done(items, rename) == 2
    rows = await items.read(lambda connection: connection.execute(select(ITEMS)).all())
    assert rows == [(0, "c", "k"), (1, "c", "k")]


async def test_a_broken_constraint_is_raised_as_by_sqlalchemy(items: Database) -> None:
    await done(items, lambda connection: fill(connection, "a"))
    with pytest.raises(IntegrityError, match="UNIQUE"):
        await done(items, lambda connection: fill(connection, "b"))
    assert await items.read(lambda connection: connection.execute(ALL).scalars().all()) == ["a"]


async def test_a_statement_is_compiled_once_for_its_columns(items: Database) -> None:
    def forms(connection: Connection) -> tuple[bool, bool]:
        one, other = (prepared(INSERT, connection.dialect, columns) for columns in (("id", "name"), ("id",)))
        return prepared(INSERT, connection.dialect, ("id", "name")) is one, one is other

    assert await items.read(forms) == (True, False)


async def test_what_needs_sqlalchemys_care_is_refused(items: Database) -> None:
    with pytest.raises(TypeError, match="not a plain statement"):
        await items.read(lambda connection: prepared(FLAGS.insert(), connection.dialect, ("id", "up")))
