"""Real processes with Fluxi in them, and as many databases as a test wants."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from mew_agents.durable import Database
from mew_agents.fluxi.migrations import MIGRATIONS

from ..stores import Postgres
from .workers import Workers, serving

Fresh: TypeAlias = Callable[[], str]


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Starts processes, forked from one program."""
    with serving() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fresh]:
    """Each call is the URL of a new database with the tables of Fluxi: the test runs once on each store."""
    numbers = itertools.count()
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("migrated_file")

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
        Database.open(url, migrations=MIGRATIONS).close()
        return url

    yield made
    server.drop(database)
