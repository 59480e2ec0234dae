"""The statements of one transaction: reads at once, writes together at its end, in the order in which they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.sql.expression import Executable

from mew_agents.durable.prepared import prepared
from mew_agents.fluxi import statements


class Stale(Exception):
    """Somebody else changed the row in between: the transaction is void and is run again."""


class Transaction:
    """One transaction. What is read is true at once; what is written goes to the database with `flush`."""

    def __init__(self, connection: Connection, *, new_id: Callable[[], str]) -> None:
        self._connection = connection
        self._plain = connection.dialect.name == "sqlite"
        self.new_id = new_id
        self._writes: dict[Executable, list[dict[str, Any]]] = {}

    def lock(self, account_id: str, conversation_id: str) -> None:
        """Takes the turn of a conversation until the end of the transaction.

        On SQLite a writing transaction has everybody's turn already (BEGIN IMMEDIATE).
        """
        if self._plain:
            return
        key = bound(account_id=account_id, conversation_id=conversation_id)
        if self._connection.execute(statements.LOCK, key).first() is None:
            # Who loses the race for the first row is run again (docs/store.md).
            row = {"account_id": account_id, "conversation_id": conversation_id}
            self._connection.execute(statements.NEW_CONVERSATION, row)

    def lock_place(self, place: Select[Any], key: Mapping[str, Any]) -> bool:
        """Takes the turn of the conversation that a query finds; whether it finds any."""
        if self._plain:
            return True
        row = self._first(place, key)
        if row is not None:
            self.lock(row.account_id, row.conversation_id)
        return row is not None

    def write(self, statement: Insert | Update | Any, row: dict[str, Any]) -> None:
        """Keeps a write for `flush`. Names that begin with `_` say which row an update means."""
        self._writes.setdefault(statement, []).append(row)

    def flush(self) -> None:
        """Sends all writes, parents first. Raises Stale when a row is not as it was read."""
        for statement in statements.ORDER:
            rows = self._writes.pop(statement, None)
            if rows:
                self._send(statement, rows)

    def _send(self, statement: Executable, rows: list[dict[str, Any]]) -> None:
        for group in _alike(rows) if not isinstance(statement, Insert) else [rows]:
            found = self._write(statement, group)
            if statement in statements.EXACTLY_ONE and found != len(group):
                raise Stale

    def _write(self, statement: Executable, rows: list[dict[str, Any]]) -> int:
        if self._plain:
            return prepared(statement, self._connection.dialect, tuple(rows[0])).write(self._connection, rows)
        return self._connection.execute(statement, rows if len(rows) > 1 else rows[0]).rowcount

    def _first(self, statement: Select[Any], key: Mapping[str, Any]) -> Row[Any] | None:
        return next(iter(self._all(statement, key)), None)

    def _all(self, statement: Select[Any], key: Mapping[str, Any]) -> Sequence[Row[Any]]:
        if self._plain:
            return prepared(statement, self._connection.dialect).rows(self._connection, key)
        return self._connection.execute(statement, dict(key)).all()


def bound(**key: Any) -> dict[str, Any]:
    """Names as statements have them that say which row is meant."""
    return {f"_{name}": value for name, value in key.items()}


def _alike(rows: list[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Updates of the same columns together: a statement sets what its rows name."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row), []).append(row)
    return groups.values()
