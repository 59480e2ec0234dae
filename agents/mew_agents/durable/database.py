"""A database by URL: whole transactions, run by one thread."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import TypeVar

from sqlalchemy import URL, Connection
from sqlalchemy.exc import DBAPIError

from .address import read
from .backend import Backend, Kind
from .errors import Code, CommitUnknown
from .failpoints import NONE, Reaching
from .postgres import Postgres
from .retry import Retry
from .schema import Schema
from .sqlite import Sqlite
from .thread import Thread

T = TypeVar("T")


class Database:
    """A database that a process talks to in one thread, one whole transaction after the other (docs/fluxi.md §5).

    The work of a transaction is a function of a SQLAlchemy `Connection`. It runs in the thread, reads its results
    to the end there, and neither commits nor rolls back. It may run several times, because it is tried again when
    somebody else was in the way: it must do the same each time and change nothing but the database. An error of its
    own statements (`IntegrityError`, …) or of its code rolls back and is raised as it is; work that means to go on
    after one makes the statement within `connection.begin_nested()`.
    """

    def __init__(self, backend: Backend, *, failpoints: Reaching = NONE, retry: Retry | None = None) -> None:
        """For tests that bring a backend of their own; everybody else calls `open`."""
        self._backend = backend
        self._failpoints = failpoints
        self._retry = retry or Retry()
        self._connection: Connection | None = None
        self._thread = Thread(f"database-{backend.kind}")

    @classmethod
    def open(
        cls,
        url: str,
        *,
        schema: Schema | None = None,
        failpoints: Reaching = NONE,
        patience: float = 10.0,
        draw: Callable[[], float] = random.random,
    ) -> Database:
        """The database at `sqlite:///file` or `postgresql://…`; the tables of `schema` are made if there are none.

        `patience` in seconds is how long a transaction is tried; `draw` gives the jitter, in [0, 1). Blocks while it
        connects and makes tables. Raises `DatabaseError`.
        """
        retry = Retry(patience=patience, draw=draw)
        database = cls(_backend(read(url)), failpoints=failpoints, retry=retry)
        try:
            with database._explaining():
                retry.run(partial(database._prepare, schema), passing=partial(database._is, {"busy"}))
        except BaseException:
            database.close()
            raise
        return database

    @property
    def kind(self) -> Kind:
        return self._backend.kind

    async def write(self, work: Callable[[Connection], T], *, point: str) -> T:
        """What `work` returns, after its COMMIT; the failpoints `{point}.before` and `{point}.after` stand around it.

        Cancelled, it is done whole or not at all; whatever is asked next comes after it, and can tell.
        Raises `CommitUnknown`, `DatabaseError`, and whatever `work` raises.
        """
        return await self._thread.run(partial(self._try, partial(self._write, work, point)))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, which sees one state of the database and keeps no writer out. Raises as `write` does."""
        return await self._thread.run(partial(self._try, partial(self._read, work)))

    def close(self) -> None:
        """Finish what was asked, then let go. Later calls raise `DatabaseError` (`closed`)."""
        self._thread.close()
        self._drop()

    def _try(self, transaction: Callable[[], T]) -> T:
        with self._explaining():
            return self._retry.run(transaction, passing=partial(self._is, {"busy", "unreachable"}))

    def _write(self, work: Callable[[Connection], T], point: str) -> T:
        with self._begun(self._backend.begin_writing) as connection:
            result = work(connection)
            if not self._backend.standing(connection):
                raise RuntimeError("The work went on after an error that had ended its transaction.")
            self._failpoints.reach(f"{point}.before")
            self._commit(connection)
        self._failpoints.reach(f"{point}.after")
        return result

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self._begun(self._backend.begin_reading) as connection:
            return work(connection)

    def _prepare(self, schema: Schema | None) -> None:
        """Connect, and make the tables if there are none."""
        with self._begun(self._backend.begin_reading) as connection:
            if schema is None or schema.is_made(connection):
                return
        with self._begun(self._backend.begin_making) as connection:
            if not schema.is_made(connection):  # another process may have been quicker
                schema.make(connection)
                self._commit(connection)

    @contextlib.contextmanager
    def _begun(self, begin: Callable[[Connection], None]) -> Iterator[Connection]:
        """A connection in a transaction, which is rolled back unless it was committed."""
        if self._connection is None:
            self._connection = self._backend.engine.connect()
        connection = self._connection
        try:
            begin(connection)
            yield connection
        finally:
            self._roll_back(connection)

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except DBAPIError as error:
            self._drop()  # what is left of the transaction goes with it
            reason = self._backend.explain(error)
            if reason is None or reason.code == "busy":  # the database itself says that it refused
                raise
            raise CommitUnknown(f"{reason} Whether the last transaction holds is not known.") from error

    def _roll_back(self, connection: Connection) -> None:
        if connection.closed:
            return
        try:
            connection.rollback()
        except DBAPIError:
            self._drop()
        if connection.invalidated:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(DBAPIError):
                connection.close()

    def _is(self, codes: Container[Code], error: Exception) -> bool:
        reason = self._backend.explain(error)
        return reason is not None and reason.code in codes

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            reason = self._backend.explain(error)
            if reason is None:
                raise
            raise reason from error


def _backend(url: URL) -> Backend:
    return Sqlite(url) if url.get_backend_name() == "sqlite" else Postgres(url)
