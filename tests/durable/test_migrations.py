"""Schemas that grow: revisions in a folder, applied once, whole, and by one process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from mew_agents.durable import Database, DatabaseError, Migrations

FIRST = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "0001", None
def upgrade():
    op.create_table("owners", sa.Column("id", sa.Integer, primary_key=True))
    op.create_table("notes", sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, sa.ForeignKey("owners.id"), nullable=False))
"""
SECOND = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "0002", "0001"
def upgrade():
    anew = "always" if op.get_context().dialect.name == "sqlite" else "never"  # copied, dropped, renamed
    with op.batch_alter_table("owners", recreate=anew) as owners:
        owners.add_column(sa.Column("name", sa.String, nullable=False, server_default="nobody"))
"""
BROKEN = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "0003", "0002"
def upgrade():
    op.create_table("half", sa.Column("id", sa.Integer, primary_key=True))
    raise LookupError("a fault of the revision's")
"""

OPENER = """
import sys
from pathlib import Path
from mew_agents.durable import Database, Migrations
print("ready", flush=True)
sys.stdin.readline()
Database.open(sys.argv[1], migrations=Migrations(Path(sys.argv[2]), table="version")).close()
"""


def folder(tmp_path: Path, *revisions: str) -> Path:
    path = tmp_path / f"{len(revisions)} 100%:x"
    path.mkdir()
    for number, text_ in enumerate(revisions, 1):
        (path / f"r{number}.py").write_text(text_)
    return path


def open_with(url: str, *folders: Path) -> Database:
    return Database.open(url, migrations=Migrations(*folders, table="version"))


def ask(database: Database, query: str) -> list[tuple[object, ...]]:
    return asyncio.run(
        database.read(lambda connection: [tuple(row) for row in connection.execute(text(query)).fetchall()])
    )


def run(database: Database, *statements: str) -> None:
    def work(connection):
        for statement in statements:
            connection.execute(text(statement))

    asyncio.run(database.write(work, point="x"))


def test_what_is_missing_is_applied_and_the_rows_stay(empty_url: str, tmp_path: Path) -> None:
    database = open_with(empty_url, folder(tmp_path, FIRST))
    run(database, "insert into owners values (1)", "insert into notes values (1, 1)")
    database.close()
    database = open_with(empty_url, folder(tmp_path, FIRST, SECOND))
    assert ask(database, "select * from owners") == [(1, "nobody")]
    assert ask(database, "select * from notes") == [(1, 1)]
    assert ask(database, "select * from version") == [("0002",)]
    with pytest.raises(Exception, match=r"FOREIGN KEY|foreign key"):
        run(database, "insert into notes values (2, 2)")
    database.close()


def test_several_folders_are_one(empty_url: str, tmp_path: Path) -> None:
    first, later = folder(tmp_path, FIRST), tmp_path / "later"
    later.mkdir()
    (later / "r2.py").write_text(SECOND)
    database = open_with(empty_url, first, later)
    assert ask(database, "select * from version") == [("0002",)]
    database.close()


def test_a_schema_of_a_newer_program_is_left_alone(empty_url: str, tmp_path: Path) -> None:
    open_with(empty_url, folder(tmp_path, FIRST, SECOND)).close()
    with pytest.raises(DatabaseError, match="0002, which a newer version of this program made") as raised:
        open_with(empty_url, folder(tmp_path, FIRST))
    assert raised.value.code == "newer_schema"


def test_a_revision_that_breaks_leaves_nothing_of_any(empty_url: str, tmp_path: Path) -> None:
    database = open_with(empty_url, folder(tmp_path, FIRST))
    with pytest.raises(LookupError, match="a fault of the revision's"):
        open_with(empty_url, folder(tmp_path, FIRST, SECOND, BROKEN))
    assert ask(database, "select * from version") == [("0001",)]
    with pytest.raises(Exception, match="half"):
        ask(database, "select * from half")
    assert ask(database, "select * from owners") == []
    database.close()


def test_a_migration_of_sqlite_that_loses_what_rows_refer_to_is_undone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    database = open_with(url, folder(tmp_path, FIRST))
    run(database, "insert into owners values (1)", "insert into notes values (1, 1)")
    database.close()
    losing = SECOND.replace("    anew", "    op.execute('delete from owners')\n    anew")
    with pytest.raises(RuntimeError, match="refer to nothing"):
        open_with(url, folder(tmp_path, FIRST, losing))
    database = open_with(url, tmp_path / "1 100%:x")
    assert ask(database, "select * from owners") == [(1,)]
    database.close()


def test_of_twenty_processes_that_start_at_once_one_migrates(empty_url: str, tmp_path: Path) -> None:
    path = folder(tmp_path, FIRST, SECOND)
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, empty_url, str(path)],
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
    database = open_with(empty_url, path)
    assert ask(database, "select * from version") == [("0002",)]
    database.close()
