"""One row in each table of Fluxi, made up from the columns alone: for tests that care about tables, not Works."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Connection, Integer, Table, insert

from mew_agents.fluxi.tables import METADATA


def fill(connection: Connection) -> None:
    """Every table gets a row whose texts say "x" and whose numbers are 1, so that they refer to each other."""
    for table in METADATA.sorted_tables:
        connection.execute(insert(table).values({column.name: _value(table, column) for column in table.columns}))


# Of what a row has one of, the one that it has not: a question is a Work's or a dialogue's.
_NONE = {("fluxcore_semantic_contexts", "dialogue_id")}


def _value(table: Table, column: Column[object]) -> object:
    if (table.name, column.name) in _NONE:
        return None
    if isinstance(column.type, Integer | BigInteger):
        return 1
    return next((word for name, word in _allowed(table) if name == column.name), "x")


def _allowed(table: Table) -> list[tuple[str, str]]:
    """Of each column that is one of some words, the first word."""
    checks = [str(one.sqltext) for one in table.constraints if isinstance(one, CheckConstraint)]
    return [(check.split(" IN ")[0], check.split("'")[1]) for check in checks if " IN " in check]
