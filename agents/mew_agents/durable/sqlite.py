"""SQLite as a durable store, through the newest library at hand."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from mew_gateway.storage.sqlite_errors import Kind, problem_of
from mew_gateway.storage.sqlite_files import make_file

from .backend import Kind as BackendKind
from .errors import Code, DatabaseError

# Before it, a checkpoint could reset a WAL file under another connection and lose what that one had committed.
SAFE_WAL = (3, 51, 3)

_CODES: dict[Kind, Code] = {
    "busy": "busy",
    "missing": "not_found",
    "damaged": "not_a_database",
    "foreign": "not_a_database",
}  # any other kind: "failing"
_REMEDIES: dict[Kind, str] = {
    "damaged": ": put a backup in its place",
    "foreign": ": name another file, or move this one away",
}


class Sqlite:
    """A file, opened by the newest SQLite that Python offers here.

    A library from 3.51.3 on writes ahead (WAL), an older one keeps a rollback journal, decided by its version alone.
    Every commit is on the disk when it returns. The file is made, for its owner alone, in a folder that exists.
    """

    kind: BackendKind = "sqlite"

    def __init__(self, url: URL, *, library: ModuleType | None = None) -> None:
        module = library or newest()
        self._path = Path(url.database or "").absolute()
        # TRUNCATE, as the end of a commit, is synchronised; the removal of a journal (DELETE) is not, in FULL.
        self._mode = "WAL" if module.sqlite_version_info >= SAFE_WAL else "TRUNCATE"
        self._make_file()
        self.engine = create_engine(
            url.set(database=str(self._path)),
            module=module,
            poolclass=NullPool,
            connect_args={"timeout": 0, "isolation_level": None},  # who waits, and what is a transaction, we say
        )
        event.listen(self.engine, "connect", self._set_up)

    def begin_reading(self, connection: Connection) -> None:
        _begin(connection, "BEGIN")

    def begin_writing(self, connection: Connection) -> None:
        _begin(connection, "BEGIN IMMEDIATE")

    def begin_making(self, connection: Connection) -> None:
        self.begin_writing(connection)

    def standing(self, connection: Connection) -> bool:
        return bool(_driver(connection).in_transaction)  # a full disk, among others, makes SQLite roll back by itself

    def explain(self, error: Exception) -> DatabaseError | None:
        problem = problem_of(error.orig if isinstance(error, DBAPIError) else error)
        if problem is None or problem.kind == "constraint":  # a statement that breaks a rule is a fault of the caller
            return None
        sentence = f"The database {self._path} {problem.sentence}{_REMEDIES.get(problem.kind, '')}."
        return DatabaseError(_CODES.get(problem.kind, "failing"), sentence)

    def _make_file(self) -> None:
        folder = self._path.parent
        if not folder.is_dir():
            raise DatabaseError("not_found", f"The folder {folder} does not exist: make it, or name another file.")
        try:
            make_file(self._path)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DatabaseError("not_found", f"The database {self._path} cannot be opened: {reason}.") from error

    def _set_up(self, connection: Any, _: object) -> None:
        for pragma in (
            f"journal_mode = {self._mode}",
            "synchronous = FULL",
            "fullfsync = ON",  # macOS: fsync alone leaves it in the drive's own memory
            "checkpoint_fullfsync = ON",
            "foreign_keys = ON",
            "recursive_triggers = ON",  # or REPLACE deletes behind the back of a trigger
            "journal_size_limit = 67108864",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()


def newest() -> ModuleType:
    """The DB-API module with the newest SQLite: `pysqlite3` where it is installed, or the standard library's."""
    return max(_libraries(), key=lambda module: tuple(module.sqlite_version_info))


def _libraries() -> Iterator[ModuleType]:
    yield sqlite3
    try:
        yield importlib.import_module("pysqlite3")  # has no wheel for every machine
    except ImportError:
        return


def _begin(connection: Connection, statement: str) -> None:
    connection.begin()
    _driver(connection).execute(statement)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
