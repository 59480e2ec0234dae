"""The tables of a package, and the version that says whether a database has these.

Version 0.1.0 is unreleased: a database with another version is refused, never changed (docs/store.md).
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Integer, MetaData, Table, inspect, text

from .errors import DatabaseError


class Schema:
    """Tables with what is attached to them, such as triggers.

    `version` grows by one with each change of the tables; the database holds it in the table `name`.
    """

    def __init__(self, tables: MetaData, *, name: str, version: int) -> None:
        self._tables = tables
        self._version = version
        self._row = Table(name, MetaData(), Column("version", Integer, primary_key=True))

    def is_made(self, connection: Connection) -> bool:
        """Return whether the database has the tables. Raises `DatabaseError` (`other_schema`)."""
        if not inspect(connection).has_table(self._row.name):
            return False
        found = connection.execute(text(f"SELECT * FROM {self._row.name}")).scalar_one()
        if found != self._version:
            raise DatabaseError(
                "other_schema",
                f"The database has the tables of another version of this program ({found}; these are {self._version}): "
                "use that version, or name another database.",
            )
        return True

    def make(self, connection: Connection) -> None:
        """Make the tables, in the transaction that is open on `connection`."""
        self._tables.create_all(connection, checkfirst=False)
        self._row.create(connection)
        connection.execute(self._row.insert().values(version=self._version))
