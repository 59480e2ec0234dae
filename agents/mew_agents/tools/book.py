"""A tool's book: its own tables and its register, in one SQLite file."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import apsw

from mew_gateway.errors import MewError
from mew_gateway.storage.sqlite_errors import problem_of
from mew_gateway.storage.sqlite_files import format_of, make_file, make_folder, other_version, stamp, transaction

from .answer import Answer
from .call import Call
from .effect import Effect
from .register import TABLES, Register

_BUSY_TIMEOUT = 10_000  # milliseconds that one process waits for another to commit


class BookUnavailable(MewError):
    """The book cannot be opened: the sentence says what to do about its file."""


class Book:
    """The base of what a tool keeps. A subclass has its tables, and methods that write to them within `perform`.

    `path` and its folder are made when missing (mode 0600 and 0700); None: in memory, for as long as it is open. Any
    number of processes may have one open. Every commit survives a power cut (write-ahead log, `synchronous=full`).
    Measured: 0.8 ms for a call that does something, on a small machine. A context manager. Raises `BookUnavailable`.
    """

    NAME: ClassVar[str]  # of the file in the folder
    TABLES: ClassVar[str]
    APPLICATION: ClassVar[int]  # which tells the file from others
    VERSION: ClassVar[int] = 1

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        try:
            self._connection = _connect(path)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except OSError as error:
            raise BookUnavailable(f"{path} cannot be opened: {error.strerror}.") from error
        except apsw.Error as error:
            problem = problem_of(error)
            if problem is None:
                raise
            remedy = "" if problem.is_temporary else ": move it away to begin anew"
            raise BookUnavailable(f"{path} {problem.sentence}{remedy}.") from error
        self._register = Register(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is lost by it, nor by its absence."""
        self._connection.close()

    def status(self, key: str, effect: Effect | None = None) -> Answer:
        """What became of a key (see `Register.status`)."""
        return self._register.status(key, effect)

    def _perform(self, call: Call, work: Callable[[], Answer], *, now: int) -> Answer:
        return self._register.perform(call, work, now=now)

    def _rows(self, query: str, bindings: Any = ()) -> list[Any]:
        rows: list[Any] = self._connection.execute(query, bindings).fetchall()
        return rows

    def _prepare(self) -> None:
        """See whose file it is before anything is changed in it; make the tables in an empty one."""
        with transaction(self._connection):
            owner, version = format_of(self._connection, self.APPLICATION)
            if owner == "somebody else":
                raise BookUnavailable(f"{self._path} is the database of something else: move it away to begin anew.")
            if owner == "nobody":
                self._connection.execute(f"{TABLES} {self.TABLES} {stamp(self.APPLICATION, self.VERSION)}")
            elif version != self.VERSION:
                raise BookUnavailable(other_version(str(self._path), version, self.VERSION))


def _connect(path: Path | None) -> apsw.Connection:
    if path is not None:
        make_folder(path)
        make_file(path)
    connection = apsw.Connection(":memory:" if path is None else str(path))
    try:
        connection.set_busy_timeout(_BUSY_TIMEOUT)
        _write_ahead(connection)
        connection.pragma("synchronous", "full")
        connection.pragma("foreign_keys", True)
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: apsw.Connection) -> None:
    """The switch, which is written in the file and made once: SQLite refuses it at once, without the busy timeout,
    when two processes are at it (each reads, and would wait for the other to stop)."""
    last = time.monotonic() + _BUSY_TIMEOUT / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > last:
                raise
            time.sleep(random.uniform(0.001, 0.02))
