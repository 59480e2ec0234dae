"""Making an SQLite file for its owner alone, telling whose file it is, and transactions that write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import apsw

Owner: TypeAlias = Literal["nobody", "us", "somebody else"]


class Format(NamedTuple):
    """The format in a file's header. `owner` is nobody for an empty file; `version` is its `user_version`."""

    owner: Owner
    version: int


def make_folder(path: str | Path) -> None:
    """Make the folder of the file at `path`, with its parents (mode 0700). Raises `OSError`."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_file(path: str | Path) -> None:
    """Make an empty file that only its owner reads (mode 0600). One that exists stays as it is. Raises `OSError`.

    SQLite gives new companion files the mode of the database. An existing file is not opened: closing it again would
    end this process's own locks on it (POSIX).
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def format_of(connection: apsw.Connection, application: int) -> Format:
    """Return whose file it is and its version. `application` is our `application_id`. Raises `apsw.Error`.

    Read before anything is changed: another program's file must not get a table, or the write-ahead log, of ours.
    """
    found, version = connection.pragma("application_id"), connection.pragma("user_version")
    if found == application:
        return Format("us", version)
    is_used = found or version or connection.execute("select 1 from sqlite_schema").fetchall()
    return Format("somebody else" if is_used else "nobody", version)


def stamp(application: int, version: int) -> str:
    """Return the statements that make a file ours; for the transaction that makes its tables."""
    return f"pragma application_id = {application}; pragma user_version = {version};"


def other_version(file: str, found: int, ours: int) -> str:
    """Return the sentence about a file of ours whose format this version does not read."""
    return (
        f"{file} has format {found}, this version reads format {ours}: use the version that wrote it, or move the file "
        f"away to begin anew."
    )


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Commit at the end of the block, roll back if it raises. Raises `apsw.BusyError` before anything is done."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        roll_back(connection)
        raise


def roll_back(connection: apsw.Connection) -> None:
    """Roll back the open transaction. After some errors, such as a full disk, SQLite has done it itself."""
    with suppress(apsw.Error):
        if connection.in_transaction:
            connection.execute("rollback")
