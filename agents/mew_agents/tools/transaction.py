"""A transaction that writes: all of a block, or nothing of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import apsw


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Commit at the end of the block, roll back if it raises. Raises `apsw.BusyError` before anything is done."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        # SQLite has rolled back by itself after some errors, a full disk among them.
        with contextlib.suppress(apsw.Error):
            if connection.in_transaction:
                connection.execute("rollback")
        raise
