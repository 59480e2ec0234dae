"""A statement in the form that SQLite's driver takes: compiled once, and handed to it as it is.

SQLAlchemy spends three times as long on the execution of a small statement as SQLite does (docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Row
from sqlalchemy.engine import IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Executable

_FORMS = 1_000  # that are kept: statements, each with the columns that it was given


class Prepared:
    """The text of a statement, the names of its parameters in their order, and the names of its results.

    Only for what needs no care of SQLAlchemy's: columns of numbers and text, without defaults of their own.
    """

    def __init__(self, statement: Any, dialect: Dialect, columns: Sequence[str] | None) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=columns)
        if compiled._bind_processors or compiled.post_compile_params or compiled.prefetch:
            raise TypeError(f"not a plain statement: {compiled}")
        self._dialect = dialect
        self._text = str(compiled)
        self._fixed = [(name, compiled.params[name]) for name in compiled.positiontup]
        self._results = SimpleResultMetaData([column.name for column in getattr(statement, "selected_columns", ())])

    def rows(self, connection: Connection, key: Mapping[str, Any]) -> Sequence[Row[Any]]:
        """All results. Raises what SQLAlchemy raises."""
        found = self._cursor(connection, "execute", self._bound(key)).fetchall()
        results: IteratorResult[Any] = IteratorResult(self._results, iter(found))
        return results.all() if found else []

    def write(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """How many rows it has changed, with each of these parameters once. Raises what SQLAlchemy raises."""
        if len(rows) == 1:
            return int(self._cursor(connection, "execute", self._bound(rows[0])).rowcount)
        return int(self._cursor(connection, "executemany", [self._bound(row) for row in rows]).rowcount)

    def _bound(self, key: Mapping[str, Any]) -> list[Any]:
        return [key.get(name, fixed) for name, fixed in self._fixed]

    def _cursor(self, connection: Connection, how: str, parameters: Any) -> Any:
        driver = connection.connection.driver_connection
        try:
            return getattr(driver, how)(self._text, parameters)
        except self._dialect.loaded_dbapi.Error as error:
            raise DBAPIError.instance(
                self._text, parameters, error, self._dialect.loaded_dbapi.Error, dialect=self._dialect
            ) from error


@lru_cache(maxsize=_FORMS)
def prepared(statement: Executable, dialect: Dialect, columns: tuple[str, ...] | None = None) -> Prepared:
    """A statement in this form, with these of its table's columns (of a select: None)."""
    return Prepared(statement, dialect, columns)
