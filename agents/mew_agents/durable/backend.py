"""The seam between the store and a kind of database."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from sqlalchemy import Connection, Engine

from .errors import DatabaseError

Kind: TypeAlias = Literal["sqlite", "postgresql"]


class Backend(Protocol):
    """One kind of database, reached through an `engine` whose connections are set up for lasting commits."""

    kind: Kind
    engine: Engine

    def begin_reading(self, connection: Connection) -> None:
        """Open a transaction that shows one state of the database, and keeps no writer out."""

    def begin_writing(self, connection: Connection) -> None:
        """Open a transaction that writes. SQLite: it is the only one; PostgreSQL: it locks the rows it changes."""

    def begin_making(self, connection: Connection) -> None:
        """Open a transaction that is the only one to make tables."""

    def standing(self, connection: Connection) -> bool:
        """Whether the transaction that was begun is still open and can be committed."""

    def explain(self, error: Exception) -> DatabaseError | None:
        """What the database's state made of a transaction; None for an error that the work's own statements made.

        `busy` and `unreachable` may succeed when the whole is tried again.
        """
