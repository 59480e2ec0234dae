"""PostgreSQL as a durable store, through psycopg."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.pool import NullPool

from .address import FORMS, show
from .backend import Kind
from .errors import Code, DatabaseError

_MEANINGS: dict[str, tuple[Code, str]] = {
    "40001": ("busy", "was changed by other programs all the time"),
    "40P01": ("busy", "was held by other programs all the time"),
    "55P03": ("busy", "was held by other programs all the time"),
    "57P01": ("unreachable", "is being stopped"),
    "57P02": ("unreachable", "has crashed"),
    "57P03": ("unreachable", "is starting or stopping"),
    "53100": ("failing", "cannot grow: free some disk space"),
    "53200": ("failing", "needs more memory than there is"),
    "58030": ("failing", "cannot be read or written: its disk reports an error"),
    "XX001": ("failing", "is damaged: put a backup in its place"),
    "25006": ("refused", "may only be read: name the primary server"),
    "42501": ("refused", "does not allow this to its user: let its owner make the tables, and see docs/store.md"),
}
# A connection that cannot be made has no code, only what was said.
_REFUSED = ("authentication", "no password supplied", "pg_hba.conf", "permission denied")

_CONNECT = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "mew",
}
# A process that vanished or stands still inside a transaction holds others up for so long: less than their patience.
_SETTINGS = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=5s"
_LOCK = 0x6D6577  # the advisory lock under which tables are made


class Postgres:
    """A database on a server. Writers see what is committed and lock the rows they decide by; readers see one state."""

    kind: Kind = "postgresql"

    def __init__(self, url: URL) -> None:
        self._shown = show(url)
        given = {name: value for name, value in _CONNECT.items() if name not in url.query}
        options = " ".join(filter(None, (_SETTINGS, str(url.query.get("options", "")))))
        try:
            self.engine = create_engine(
                url.difference_update_query(["options"]),
                poolclass=NullPool,
                connect_args={**given, "options": options},
                use_native_hstore=False,  # else its type is asked for at the first connection
            )
        except ModuleNotFoundError as error:
            raise DatabaseError(
                "missing_driver", "PostgreSQL needs a driver: pip install 'mew-gateway[postgres]'."
            ) from error
        self._levels: Any = self.engine.dialect.dbapi.IsolationLevel  # type: ignore[union-attr]

    def begin_reading(self, connection: Connection) -> None:
        self._begin(connection, self._levels.REPEATABLE_READ, read_only=True)

    def begin_writing(self, connection: Connection) -> None:
        self._begin(connection, self._levels.READ_COMMITTED, read_only=False)

    def begin_making(self, connection: Connection) -> None:
        self.begin_writing(connection)
        connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")

    def standing(self, connection: Connection) -> bool:
        # After an error that the work swallowed, COMMIT rolls back and says nothing.
        return bool(_driver(connection).info.transaction_status.name != "INERROR")

    def explain(self, error: Exception) -> DatabaseError | None:
        if not isinstance(error, DBAPIError):
            return None
        state = getattr(error.orig, "sqlstate", None)
        said = (str(error.orig).strip().splitlines() or ["no reason given"])[0]
        if state in _MEANINGS:
            code, meaning = _MEANINGS[state]
            return DatabaseError(code, f"The database {self._shown} {meaning} ({said}).")
        if error.connection_invalidated:
            return DatabaseError("unreachable", f"The connection to {self._shown} was lost ({said}).")
        if state is None and isinstance(error, OperationalError | ProgrammingError):
            return self._unconnected(said)
        return None

    def _begin(self, connection: Connection, level: Any, *, read_only: bool) -> None:
        driver = _driver(connection)
        if driver.isolation_level != level:  # told with the next BEGIN, which costs no trip of its own
            driver.isolation_level = level
            driver.read_only = read_only
        connection.begin()

    def _unconnected(self, said: str) -> DatabaseError:
        if said.removeprefix("connection is bad: ").startswith("invalid"):
            return DatabaseError("bad_url", f"The driver does not understand the database's URL ({said}): {FORMS}.")
        if any(word in said for word in _REFUSED):
            return DatabaseError(
                "refused", f"{self._shown} does not let this user in: check its name and password ({said})."
            )
        if "does not exist" in said and "FATAL" in said:
            return DatabaseError("not_found", f"{self._shown} does not exist: make it, or name another ({said}).")
        return DatabaseError("unreachable", f"No server answers at {self._shown}: start it, or name another ({said}).")


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
