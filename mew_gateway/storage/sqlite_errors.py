"""Errors of SQLite as one table: what each means, and what a person does about it.

Every library that opens SQLite files reports the same primary result codes (https://sqlite.org/rescode.html), so the
table serves `apsw`, the standard library and SQLAlchemy. Callers put the name of their file in front of a sentence.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import apsw

Kind: TypeAlias = Literal[
    "busy", "denied", "failing", "memory", "full", "missing", "closed", "damaged", "foreign", "constraint"
]

CANNOT_GROW = "cannot grow: free some disk space"
MAY_NOT_BE_WRITTEN = "may not be written: check its owner, its mode and how the disk is mounted"


class Problem(NamedTuple):
    """The meaning of an error. `sentence` goes on after the name of a file."""

    kind: Kind
    sentence: str

    @property
    def is_temporary(self) -> bool:
        """True if the same file may be used again later, without a repair."""
        return self.kind not in ("damaged", "foreign", "constraint")


_BUSY = Problem("busy", "is locked by another program: let that one finish")
_DENIED = Problem("denied", MAY_NOT_BE_WRITTEN)
_CLOSED = Problem("closed", "is closed")

_BY_CODE: dict[int, Problem] = {
    apsw.SQLITE_PERM: _DENIED,
    apsw.SQLITE_BUSY: _BUSY,
    apsw.SQLITE_LOCKED: _BUSY,
    apsw.SQLITE_NOMEM: Problem("memory", "needs more memory than there is"),
    apsw.SQLITE_READONLY: _DENIED,
    apsw.SQLITE_IOERR: Problem("failing", "cannot be read or written: the disk reports an error"),
    apsw.SQLITE_CORRUPT: Problem("damaged", "is damaged"),
    apsw.SQLITE_FULL: Problem("full", CANNOT_GROW),
    apsw.SQLITE_CANTOPEN: Problem(
        "missing", "cannot be opened: check that it is there, and a file; its owner and its mode"
    ),
    apsw.SQLITE_CONSTRAINT: Problem("constraint", "holds rows that this version did not write"),
    apsw.SQLITE_AUTH: _DENIED,
    apsw.SQLITE_NOTADB: Problem("foreign", "is not an SQLite database"),
}


# apsw has a class for each code. An error that a file system of apsw's raised itself has a class only.
_BY_CLASS = {type(apsw.exception_for(code)): problem for code, problem in _BY_CODE.items()}
_BY_CLASS |= {apsw.ConnectionClosedError: _CLOSED, apsw.CursorClosedError: _CLOSED}


def problem_of(error: BaseException | None) -> Problem | None:
    """Return what an error of SQLite means; None for any other, such as a wrong statement: a fault of the program."""
    if isinstance(error, apsw.Error):
        return _BY_CLASS.get(type(error))
    return _BY_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # of the standard library
