"""The revisions give the tables that the code declares, and a later one finds the rows of an earlier."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, select, text

from mew_agents.durable import Database, Migrations
from mew_agents.fluxi import migrations
from mew_agents.fluxi.migrations import MIGRATIONS
from mew_agents.fluxi.tables import METADATA, works

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
        return {name: _lines(definition) for name, definition in found.items()}
    return found


def _lines(definition: str) -> str:
    """The parts of a CREATE TABLE in alphabetical order, because constraints may be listed in any."""
    return "\n".join(sorted(line.strip(" \t,)") for line in definition.splitlines()))


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
