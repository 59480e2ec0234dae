"""What an error of SQLite means to the gateway: try again later, or stop and let a person look."""

from __future__ import annotations

import errno as numbers
import os

import apsw

from mew_gateway.errors import CorruptJournal, MewError, Unavailable

_CANNOT_GROW = "cannot grow: free some disk space"
_MAY_NOT_BE_WRITTEN = "may not be written: check its owner, its mode and how the disk is mounted"

_PASSING: tuple[tuple[tuple[type[apsw.Error], ...], str], ...] = (
    ((apsw.FullError,), _CANNOT_GROW),
    ((apsw.BusyError, apsw.LockedError), "is locked by another program: let that one finish"),
    ((apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError), _MAY_NOT_BE_WRITTEN),
    ((apsw.CantOpenError,), "cannot be opened: check that it is a file, its owner and its mode"),
    ((apsw.IOError,), "cannot be read or written: the disk reports an error"),
    ((apsw.NoMemError,), "needs more memory than there is"),
    ((apsw.ConnectionClosedError, apsw.CursorClosedError), "is closed"),
)

# What the system says is told apart where SQLite has one word for all of it.
_BY_NUMBER: dict[int, str] = {
    numbers.ENOSPC: _CANNOT_GROW,
    numbers.EDQUOT: f"{_CANNOT_GROW}, or raise the quota",
    numbers.EROFS: _MAY_NOT_BE_WRITTEN,
    numbers.EACCES: _MAY_NOT_BE_WRITTEN,
    numbers.EPERM: _MAY_NOT_BE_WRITTEN,
}
_OF_THE_SYSTEM = (apsw.IOError, apsw.CantOpenError)

# Behind these the file may hold something else than what SQLite or the kernel remembers of it.
_DOUBTFUL = (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError)
_SYNCS = (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)

_LASTING: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.NotADBError, "is not an SQLite database"),
    (apsw.CorruptError, "is damaged"),
    (apsw.ConstraintError, "holds entries that this gateway did not write"),
)

REMEDY = "Put a backup in its place, or move it away to begin anew, then start the gateway again."


def explain(error: apsw.Error, path: str, *, errno: int = 0) -> MewError:
    """The exception to raise for `error`: `Unavailable` or `CorruptJournal`, with a sentence for a person. `errno` is
    the system's, of the same connection.

    What is left, a wrong statement, is a fault of this package and no business of the caller's: it is raised.
    """
    if errno and isinstance(error, _OF_THE_SYSTEM):
        meaning = _BY_NUMBER.get(errno) or _meaning(error)
        return _unavailable(path, meaning, f"{error}: {os.strerror(errno)}")
    if meaning := _meaning(error):
        return _unavailable(path, meaning, str(error))
    for kind, lasting in _LASTING:
        if isinstance(error, kind):
            return CorruptJournal(f"The journal {path} {lasting} ({error}). {REMEDY}")
    raise error


def refused(error: OSError, path: str) -> Unavailable:
    """The exception to raise for what the system refused to do with the journal's files."""
    meaning = _BY_NUMBER.get(error.errno or 0, "cannot be opened")
    return _unavailable(path, meaning, error.strerror or str(error))


def full(path: str, *, room: int) -> Unavailable:
    """The exception to raise while a disk that was full has less than `room` bytes free."""
    return _unavailable(path, _CANNOT_GROW, f"less than {room >> 20} MiB are free")


def leaves_doubt(error: apsw.Error) -> bool:
    """Whether it is to be seen what the file holds, before it is used again."""
    return isinstance(error, _DOUBTFUL)


def is_of_a_sync(error: apsw.Error) -> bool:
    """Whether something may not have reached the disk that was written before."""
    return getattr(error, "extendedresult", 0) in _SYNCS  # set on every error that SQLite reports


def _meaning(error: apsw.Error) -> str:
    return next((meaning for kinds, meaning in _PASSING if isinstance(error, kinds)), "")


def _unavailable(path: str, meaning: str, said: str) -> Unavailable:
    return Unavailable(f"The journal {path} {meaning} ({said}).", reason=f"The journal {meaning}.")
