"""What an error of SQLite means to the gateway: try again later, or stop and let a person look."""

from __future__ import annotations

import apsw

from mew_gateway.errors import CorruptJournal, MewError, Unavailable

_PASSING: tuple[tuple[tuple[type[apsw.Error], ...], str], ...] = (
    ((apsw.FullError,), "cannot grow: free some disk space"),
    ((apsw.BusyError, apsw.LockedError), "is locked by another program: let that one finish"),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError),
        "may not be written: check its owner, its mode and how the disk is mounted",
    ),
    ((apsw.CantOpenError,), "cannot be opened: check that it is a file, its owner and its mode"),
    ((apsw.IOError,), "cannot be read or written: the disk reports an error"),
    ((apsw.NoMemError,), "needs more memory than there is"),
    ((apsw.ConnectionClosedError, apsw.CursorClosedError), "is closed"),
)

_LASTING: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.NotADBError, "is not an SQLite database"),
    (apsw.CorruptError, "is damaged"),
    (apsw.ConstraintError, "holds entries that this gateway did not write"),
)

REMEDY = "Put a backup in its place, or move it away to begin anew, then start the gateway again."


def explain(error: apsw.Error, path: str) -> MewError:
    """The exception to raise for `error`: `Unavailable` or `CorruptJournal`, with a sentence for a person.

    What is left, a wrong statement, is a fault of this package and no business of the caller's: it is raised.
    """
    for kinds, meaning in _PASSING:
        if isinstance(error, kinds):
            return Unavailable(f"The journal {path} {meaning} ({error}).")
    for kind, meaning in _LASTING:
        if isinstance(error, kind):
            return CorruptJournal(f"The journal {path} {meaning} ({error}). {REMEDY}")
    raise error
