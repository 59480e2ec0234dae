"""A tool's book: its own tables and its register, in one SQLite file."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

import apsw

from mew_gateway.errors import MewError

from .answer import Answer
from .call import Call
from .effect import Effect
from .register import TABLES, Register
from .transaction import transaction

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
        except apsw.CantOpenError as error:
            raise BookUnavailable(f"{path} cannot be opened: see what stands there, its owner and mode.") from error
        except apsw.NotADBError as error:
            raise BookUnavailable(f"{path} is no SQLite database: move it away to begin anew.") from error
        except apsw.Error as error:
            raise BookUnavailable(f"{path} cannot be used ({error}): check its owner, mode and disk.") from error
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
            application, version = self._connection.pragma("application_id"), self._connection.pragma("user_version")
            if application == self.APPLICATION:
                if version != self.VERSION:
                    raise BookUnavailable(
                        f"{self._path} has format {version}, this version reads format {self.VERSION}: use the version "
                        f"that wrote it, or move the file away to begin anew."
                    )
            elif application or self._rows("select 1 from sqlite_schema"):
                raise BookUnavailable(f"{self._path} is the database of something else: move it away to begin anew.")
            else:
                self._connection.execute(
                    f"{TABLES} {self.TABLES} pragma application_id = {self.APPLICATION};"
                    f"pragma user_version = {self.VERSION}"
                )


def _connect(path: Path | None) -> apsw.Connection:
    if path is not None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Never a file that exists: to close it again would end this process's own locks on it (POSIX).
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
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
