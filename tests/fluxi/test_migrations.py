"""The revisions give the tables that the code declares, and a later one finds the rows of an earlier."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import Database, Migrations
from mew_agents.fluxi import migrations
from mew_agents.fluxi.migrations import MIGRATIONS
from mew_agents.fluxi.tables import METADATA, semantic_contexts, works

from .rows import fill

LATER = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "later", {head!r}
def upgrade():
    anew = "always" if op.get_context().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("fluxcore_works", recreate=anew) as works:
        works.add_column(sa.Column("colour", sa.String(), nullable=False, server_default="blue"))
"""

# What the database itself says that it holds, without what the two ways to make it may write differently.
SQLITE = "select name, sql from sqlite_master where sql is not null and type in ('table', 'index')"
POSTGRESQL = """
select 'column ' || table_name || '.' || column_name, concat_ws(' ', data_type, is_nullable, column_default)
from information_schema.columns where table_schema = 'public'
union all
select 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'public'::regnamespace
union all
select 'index ' || indexname, indexdef from pg_indexes where schemaname = 'public'
"""


def described(connection: Connection) -> dict[str, str]:
    """By name, what each table, column, constraint and index is, for comparison."""
    query = SQLITE if connection.dialect.name == "sqlite" else POSTGRESQL
    found = {name: definition for name, definition in connection.execute(text(query)) if "fluxcore_version" not in name}
    if connection.dialect.name == "sqlite":
        return {name: _parts(definition) for name, definition in found.items()}
    return found


def _parts(definition: str) -> str:
    """Those of a CREATE TABLE in alphabetical order, because columns and constraints may be listed in any."""
    if not definition.startswith("CREATE TABLE"):
        return definition
    inside = definition.partition("(")[2].rpartition(")")[0]
    return "\n".join(sorted(part.strip() for part in re.split(r",(?![^(]*\))", inside)))


def run(url: str, work, *folders: Path):
    migrated = Migrations(migrations.VERSIONS, *folders, table="fluxcore_version") if folders else MIGRATIONS
    database = Database.open(url, migrations=migrated)
    try:
        return asyncio.run(database.write(work, point="x"))
    finally:
        database.close()


def test_alembic_finds_no_difference(database_url: str) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"version_table": "fluxcore_version"})
        return list(compare_metadata(context, METADATA))

    assert run(database_url, differences) == []


@pytest.mark.parametrize(
    ("database_url", "empty_url"), [("sqlite", "sqlite"), ("postgresql", "postgresql")], indirect=True
)
def test_the_database_describes_the_same_whether_migrated_or_made_from_the_tables(
    database_url: str, empty_url: str
) -> None:
    migrated = run(database_url, described)
    database = Database.open(empty_url)
    asyncio.run(database.write(METADATA.create_all, point="x"))
    made = asyncio.run(database.read(described))
    database.close()
    assert len(made) > len(METADATA.tables)
    assert migrated == made


def test_a_later_revision_finds_the_rows_of_an_earlier(database_url: str, tmp_path: Path) -> None:
    def head(connection: Connection) -> str:
        return str(connection.execute(text("select version_num from fluxcore_version")).scalar_one())

    def everything(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
        return {
            name: [tuple(row) for row in connection.execute(select(table)).fetchall()]
            for name, table in METADATA.tables.items()
        }

    def filled(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
        fill(connection)
        return everything(connection)

    folder = tmp_path / "later"
    folder.mkdir()
    (folder / "later.py").write_text(LATER.format(head=run(database_url, head)))
    before = run(database_url, filled)
    assert {len(rows) for rows in before.values()} == {1}
    assert run(database_url, everything, folder) == before
    colour = run(
        database_url, lambda connection: connection.execute(text("select colour from fluxcore_works")).scalar(), folder
    )
    assert colour == "blue"
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        run(database_url, lambda connection: connection.execute(works.delete()), folder)


def test_what_there_was_before_dialogues_is_kept(empty_url: str, tmp_path: Path) -> None:
    """Each row as it was, each of no dialogue; and what is append-only stays so."""
    for revision in ("r0001_tables.py", "r0002_append_only.py"):
        shutil.copy(migrations.VERSIONS / revision, tmp_path / revision)
    older = Database.open(empty_url, migrations=Migrations(tmp_path, table="fluxcore_version"))

    def everything(connection: Connection) -> dict[str, list[dict[str, object]]]:
        names = [name for name in METADATA.tables if not name.startswith("flow_")]
        return {
            name: [dict(row) for row in connection.execute(text(f"select * from {name}")).mappings()] for name in names
        }

    def filled(connection: Connection) -> dict[str, list[dict[str, object]]]:
        fill(connection)
        return everything(connection)

    before = asyncio.run(older.write(filled, point="x"))
    older.close()
    after = run(empty_url, everything)
    added = {
        "fluxcore_works": "part_of",
        "fluxcore_proposed_works": "part_of",
        "fluxcore_semantic_contexts": "dialogue_id",
    }
    assert {len(rows) for rows in before.values()} == {1}
    assert after == {
        name: [row | ({added[name]: None} if name in added else {}) for row in rows] for name, rows in before.items()
    }
    for table in ("fluxcore_decision_events", "fluxcore_work_events"):
        with pytest.raises(IntegrityError, match="is append-only"):
            run(empty_url, lambda connection, table=table: connection.execute(text(f"delete from {table}")))


@pytest.mark.parametrize(("work", "dialogue"), [("x", "x"), (None, None)])
def test_a_question_is_one_works_or_one_dialogues(database_url: str, work: str | None, dialogue: str | None) -> None:
    def asked(connection: Connection) -> None:
        fill(connection)
        connection.execute(semantic_contexts.update().values(work_id=work, dialogue_id=dialogue))

    with pytest.raises(IntegrityError, match=r"(?i)check"):
        run(database_url, asked)
