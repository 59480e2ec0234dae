"""A real process, killed at a commit: before it nothing holds, after it everything does."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest
from sqlalchemy import text

from mew_agents.durable import Database

PROGRAM = """
import asyncio, sys
from sqlalchemy import text
from mew_agents.durable import Database, Failpoints, around
database = Database.open(sys.argv[1], failpoints=Failpoints.from_environment(around("note")))
def work(connection):
    connection.execute(text("create table notes (id integer primary key)"))
    connection.execute(text("insert into notes values (1)"))
asyncio.run(database.write(work, point="note"))
"""


@pytest.mark.parametrize(("point", "held"), [("note.before", 0), ("note.after", 1)])
def test_a_process_that_is_killed_at_a_commit(empty_url: str, point: str, held: int) -> None:
    program = [sys.executable, "-c", PROGRAM, empty_url]
    ended = subprocess.run(program, env={**os.environ, "MEW_FAILPOINT": point}, check=False)
    assert ended.returncode == -signal.SIGKILL
    database = Database.open(empty_url)
    tables = "sqlite_master where name" if database.kind == "sqlite" else "pg_tables where tablename"
    found = asyncio.run(
        database.read(lambda connection: connection.execute(text(f"select count(*) from {tables} = 'notes'")).scalar())
    )
    assert found == held
    if held:
        rows = asyncio.run(database.read(lambda connection: connection.execute(text("select * from notes")).fetchall()))
        assert [tuple(row) for row in rows] == [(1,)]
    database.close()
