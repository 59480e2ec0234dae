"""SQLite as a durable store, through the newest library at hand."""

from __future__ import annotations

import importlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from .backend import Kind
from .errors import Code, DatabaseError

# Before it, a checkpoint could reset a WAL file under another connection and lose what that one had committed.
SAFE_WAL = (3, 51, 3)

_MEANINGS: dict[int, tuple[Code, str]] = {
    5: ("busy", "was held by other programs all the time: let them finish"),
    6: ("busy", "was held by other programs all the time: let them finish"),
    7: ("failing", "needs more memory than there is"),
    8: ("failing", "may not be written: check its owner, its mode and how the disk is mounted"),
    10: ("failing", "cannot be read or written: the disk reports an error"),
    11: ("not_a_database", "is damaged: put a backup in its place"),
    13: ("failing", "cannot grow: free some disk space"),
    14: ("not_found", "cannot be opened: check that it is a file, its owner and its mode"),
    23: ("failing", "may not be opened: check its owner and its mode"),
    26: ("not_a_database", "is not an SQLite database: name another file, or move this one away"),
}


class Sqlite:
    """A file, opened by the newest SQLite that Python offers here.

    A library from 3.51.3 on writes ahead (WAL), an older one keeps a rollback journal, decided by its version alone.
    Every commit is on the disk when it returns. The file is made, for its owner alone, in a folder that exists.
    """

    kind: Kind = "sqlite"

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

    def begin_migrating(self, connection: Connection) -> None:
        # A table that is made anew is dropped first, which would count as the removal of what others refer to.
        _driver(connection).execute("PRAGMA foreign_keys = OFF")
        self.begin_writing(connection)

    def standing(self, connection: Connection) -> bool:
        return bool(_driver(connection).in_transaction)  # a full disk, among others, makes SQLite roll back by itself

    def explain(self, error: Exception) -> DatabaseError | None:
        found = _MEANINGS.get(_number(error))
        if found is None:
            return None
        code, meaning = found
        return DatabaseError(code, f"The database {self._path} {meaning}.")

    def _make_file(self) -> None:
        folder = self._path.parent
        if not folder.is_dir():
            raise DatabaseError("not_found", f"The folder {folder} does not exist: make it, or name another file.")
        # Never a file that exists: to close it again would end this process's own locks on it (POSIX).
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            pass
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


def _number(error: Exception) -> int:
    """SQLite's primary result code; 0 for an error that is not SQLite's."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return int(getattr(cause, "sqlite_errorcode", 0)) & 0xFF
