"""Translate errors of SQLite and of the system: temporary ones to `Unavailable`, lasting ones to `CorruptJournal`."""

from __future__ import annotations

import errno as numbers
import os

import apsw

from mew_gateway.errors import CorruptJournal, MewError, Unavailable
from mew_gateway.storage.sqlite_errors import CANNOT_GROW, MAY_NOT_BE_WRITTEN, problem_of

# SQLite has one error for all of these: the number of the system tells them apart.
_BY_NUMBER: dict[int, str] = {
    numbers.ENOSPC: CANNOT_GROW,
    numbers.EDQUOT: f"{CANNOT_GROW}, or raise the quota",
    numbers.EROFS: MAY_NOT_BE_WRITTEN,
    numbers.EACCES: MAY_NOT_BE_WRITTEN,
    numbers.EPERM: MAY_NOT_BE_WRITTEN,
}
_OF_THE_SYSTEM = (apsw.IOError, apsw.CantOpenError)

# After these errors the file may differ from what SQLite or the kernel remembers of it.
_DOUBTFUL = (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError)
_SYNCS = (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)

REMEDY = "Put a backup in its place, or move it away to begin anew, then start the gateway again."


def explain(error: apsw.Error, path: str, *, errno: int = 0) -> MewError:
    """Return the exception to raise for an SQLite error, with a sentence for a person. `errno` is the connection's.

    Any other error, such as a wrong statement, is a fault of this package: it is raised as it is.
    """
    problem = problem_of(error)
    if problem is None:
        raise error
    if not problem.is_temporary:
        return CorruptJournal(f"The journal {path} {problem.sentence} ({error}). {REMEDY}")
    if errno and isinstance(error, _OF_THE_SYSTEM):
        meaning = _BY_NUMBER.get(errno, problem.sentence)
        return _unavailable(path, meaning, f"{error}: {os.strerror(errno)}")
    return _unavailable(path, problem.sentence, str(error))


def explain_os_error(error: OSError, path: str) -> Unavailable:
    """Return the exception to raise for an error of the system about the journal's files."""
    meaning = _BY_NUMBER.get(error.errno or 0, "cannot be opened")
    return _unavailable(path, meaning, error.strerror or str(error))


def disk_full(path: str, *, room: int) -> Unavailable:
    """Return the exception to raise while a disk that was full has less than `room` bytes free."""
    return _unavailable(path, CANNOT_GROW, f"less than {room >> 20} MiB are free")


def may_have_lost_writes(error: apsw.Error) -> bool:
    """Return true if the file may hold something else than SQLite remembers, so that it has to be opened anew."""
    return isinstance(error, _DOUBTFUL)


def is_sync_failure(error: apsw.Error) -> bool:
    """Return true if data that was written earlier may not have reached the disk."""
    return getattr(error, "extendedresult", 0) in _SYNCS  # set on every error that SQLite reports


def _unavailable(path: str, meaning: str, said: str) -> Unavailable:
    return Unavailable(f"The journal {path} {meaning} ({said}).", reason=f"The journal {meaning}.")
