"""What happened to a Work or in a dialogue, and what was decided, is only ever added to (docs/fluxi.md §5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Table, insert, select, text
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import Database
from mew_agents.fluxi.tables import METADATA, SCHEMA, decision_events, flow_events, semantic_contexts, work_events

from .rows import fill

EVENTS = [decision_events, work_events, flow_events]


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with one row in each table."""
    database = Database.open(database_url, schema=SCHEMA)
    asyncio.run(database.write(fill, point="fill"))
    yield database
    database.close()


def rows(table: Table, database: Database) -> list[tuple[object, ...]]:
    return asyncio.run(
        database.read(lambda connection: [tuple(row) for row in connection.execute(select(table)).fetchall()])
    )


def refused(database: Database, statement: str) -> None:
    def work(connection: Connection) -> None:
        connection.execute(text(statement))

    with pytest.raises(IntegrityError, match="is append-only"):
        asyncio.run(database.write(work, point="x"))


@pytest.mark.parametrize("table", EVENTS, ids=lambda table: table.name)
def test_events_are_neither_changed_nor_removed(database: Database, table: Table) -> None:
    before = rows(table, database)
    (key, *_) = [column.name for column in table.primary_key]
    assert len(before) == 1
    refused(database, f"update {table.name} set {key} = 'other'")
    refused(database, f"update {table.name} set {key} = {key}")
    refused(database, f"delete from {table.name}")
    refused(database, f"delete from {table.name} where {key} = '{before[0][0]}'")
    if database.kind == "sqlite":
        refused(database, f"replace into {table.name} select * from {table.name}")
        refused(database, f"update or replace {table.name} set {key} = {key}")
    else:
        refused(database, f"truncate {table.name} cascade")
        refused(database, f"truncate {', '.join(METADATA.tables)}")
        refused(
            database,
            f"insert into {table.name} select * from {table.name} "
            f"on conflict on constraint pk_{table.name} do update set {key} = 'other'",
        )
        refused(
            database,
            f"merge into {table.name} a using {table.name} b on a.{key} = b.{key} when matched then delete",
        )
    assert rows(table, database) == before


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_session_that_calls_itself_a_replica_is_refused_as_well(database: Database) -> None:
    refused(database, "set local session_replication_role = replica; delete from fluxcore_work_events")
    assert len(rows(work_events, database)) == 1


@pytest.mark.parametrize("table", EVENTS, ids=lambda table: table.name)
def test_events_are_added(database: Database, table: Table) -> None:
    (first,) = rows(table, database)
    key = "decision_id" if table is decision_events else "revision"
    changed = {**dict(zip(table.c.keys(), first, strict=True)), key: 2 if key == "revision" else "second"}
    if table is decision_events:
        changed["message_id"] = "second"
    asyncio.run(database.write(lambda connection: connection.execute(insert(table).values(changed)), point="x"))
    assert len(rows(table, database)) == 2


@pytest.mark.parametrize(("work", "dialogue"), [("x", "x"), (None, None)])
def test_a_question_is_one_works_or_one_dialogues(database: Database, work: str | None, dialogue: str | None) -> None:
    with pytest.raises(IntegrityError, match=r"(?i)check"):
        asyncio.run(
            database.write(
                lambda connection: connection.execute(
                    semantic_contexts.update().values(work_id=work, dialogue_id=dialogue)
                ),
                point="x",
            )
        )
