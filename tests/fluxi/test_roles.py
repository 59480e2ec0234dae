"""Two roles on PostgreSQL (docs/store.md): the owner makes the tables, the other one works and can undo nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, select, text

from mew_agents.durable import Database, DatabaseError
from mew_agents.fluxi.tables import SCHEMA, work_events

from ..kit.stores import Postgres
from .rows import fill

SETTING = (
    "create role fluxi_owner login",
    "create role fluxi login",
    "alter database {name} owner to fluxi_owner",
    "alter default privileges for role fluxi_owner in schema public "
    "grant select, insert, update, delete on tables to fluxi",
    "alter default privileges for role fluxi_owner in schema public grant usage on sequences to fluxi",
)
CLEARING = (
    "reassign owned by fluxi_owner to postgres",
    "drop owned by fluxi, fluxi_owner",
    "drop role fluxi",
    "drop role fluxi_owner",
)


@pytest.fixture
def name(postgres: Postgres) -> Iterator[str]:
    name = postgres.make()
    for statement in SETTING:
        postgres.execute(statement.format(name=name), database=name)
    yield name
    for statement in CLEARING:
        postgres.execute(statement, database=name)
    postgres.drop(name)


def test_the_role_of_every_day_works_in_what_the_owner_made(postgres: Postgres, name: str) -> None:
    Database.open(postgres.url(name, user="fluxi_owner"), schema=SCHEMA).close()
    database = Database.open(postgres.url(name, user="fluxi"), schema=SCHEMA)
    asyncio.run(database.write(fill, point="x"))

    def disarm(connection: Connection) -> None:
        connection.execute(text("alter table fluxcore_work_events disable trigger all"))

    with pytest.raises(DatabaseError, match="must be owner"):
        asyncio.run(database.write(disarm, point="x"))
    assert len(asyncio.run(database.read(lambda connection: connection.execute(select(work_events)).fetchall()))) == 1
    database.close()


def test_the_role_of_every_day_makes_no_tables(postgres: Postgres, name: str) -> None:
    with pytest.raises(DatabaseError, match="let its owner make the tables") as raised:
        Database.open(postgres.url(name, user="fluxi"), schema=SCHEMA)
    assert raised.value.code == "refused"
