"""The database file of a journal: queries, commits, and recovery after errors of the disk.

After an error of the disk, the memory of SQLite and of the kernel may differ from the disk. Three states follow:

- Sound: a query or commit is one call.
- Full: the next commit first checks the free disk space (`MIN_FREE`).
- Doubtful: after an error of reading, writing or syncing, the file is closed and opened anew, from what the disk holds.
  The journal then compares it with what it knew (`on_reopen`).

Before the first commit after any error, a commit without content tests the disk (`recover`). `checkpoint` copies the
log, `errors` translates errors, `schema` has the tables, and a `FileLock` keeps other gateways away.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import apsw

from mew_gateway.errors import MewError, Unavailable
from mew_gateway.storage.file_lock import FileLock
from mew_gateway.storage.sqlite_files import make_folder, roll_back

from .checkpoint import Checkpointer
from .errors import disk_full, explain, explain_os_error, may_have_lost_writes
from .schema import VERSION, Synchronous, connect

Row: TypeAlias = tuple[Any, ...]

_log = logging.getLogger(__name__)

MIN_FREE = 1 << 20  # bytes that must be free before a full disk is tried again: else it is full again at once


class Database:
    """An SQLite file with its lock, its connection and its checkpoints.

    `on_reopen` is called after the file was opened anew (docs/decisions/0018); it may raise `CorruptJournal`. All
    methods raise `Unavailable` and `CorruptJournal`.
    """

    def __init__(
        self, path: str, *, synchronous: Synchronous, busy_timeout: int, log_limit: int, on_reopen: Callable[[], None]
    ) -> None:
        self._path = path
        self._synchronous: Synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._log_limit = log_limit
        self._on_reopen = on_reopen
        self._is_sound = True  # neither full nor doubtful: the one test a commit makes
        self._is_doubtful = False  # the file has to be opened anew before its next use
        self._was_full = False
        with _explained(path):
            make_folder(path)
            self._lock = _lock(path)
            try:
                self._open()
            except BaseException:
                self._lock.release()
                raise

    def rows(self, query: str, bindings: Row | dict[str, Any] = ()) -> list[Row]:
        """Return all rows of a query."""
        if self._is_doubtful:
            self._reopen()
        try:
            return self._cursor.execute(query, bindings).fetchall()
        except apsw.Error as error:
            raise self._handle_error(error) from error

    def iterate(self, query: str, bindings: Row | dict[str, Any] = ()) -> Iterator[Row]:
        """Yield the rows of a query one at a time. The log cannot be restarted before the end."""
        with contextlib.closing(self.connection.cursor()) as cursor:
            try:
                yield from cursor.execute(query, bindings)
            except apsw.Error as error:
                raise self._handle_error(error) from error

    def write(self, *batches: tuple[str, Sequence[Row]]) -> None:
        """Write every batch, a statement with its rows, in one commit; or nothing."""
        self.recover()
        try:
            self._cursor.execute("begin immediate")
            for statement, rows in batches:
                if rows:
                    self._cursor.executemany(statement, rows)
            self._cursor.execute("commit")
        except BaseException as error:
            roll_back(self.connection)
            if isinstance(error, apsw.Error):
                raise self._handle_error(error) from error
            raise

    def close(self) -> None:
        """Close the file and release its lock. Idempotent."""
        self._opened.close()
        self._lock.release()

    def _open(self) -> None:
        with contextlib.ExitStack() as opened:
            self.connection = connect(self._path, synchronous=self._synchronous, busy_timeout=self._busy_timeout)
            opened.callback(self._disconnect)
            self._cursor = self.connection.cursor()
            self.checkpoints = Checkpointer(
                self._path, self.connection, limit=self._log_limit, on_doubt=self._mark_doubtful
            )
            opened.callback(self.checkpoints.close)
            self._opened = opened.pop_all()

    def _disconnect(self) -> None:
        if self._is_doubtful:  # the log may not be on the disk: do not copy from it
            self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try:
            self.connection.close()
        except apsw.Error as error:  # of its last checkpoint: the log still has everything
            _log.warning("The log of the journal %s is left for the next start: %s", self._path, error)

    def _mark_doubtful(self) -> None:
        """Reopen the file before its next use. May be called from any thread."""
        self._is_doubtful = True
        self._is_sound = False

    def _handle_error(self, error: apsw.Error) -> MewError:
        """Note the state that an error leaves the file in. Return the exception to raise."""
        failure = explain(error, self._path, errno=self._errno)
        if isinstance(error, apsw.FullError):
            self._was_full, self._is_sound = True, False
        elif may_have_lost_writes(error):
            self._mark_doubtful()
        else:
            return failure
        self._overwrite_log()
        return failure

    def _overwrite_log(self) -> None:
        """Overwrite a failed commit in the log as far as the disk allows, without waiting for it.

        The log may hold all of the failed commit, and a crash would bring it back.
        """
        with contextlib.suppress(apsw.Error):
            self.connection.pragma("synchronous", "off")
            self._commit_nothing()
        with contextlib.suppress(apsw.Error):
            self.connection.pragma("synchronous", self._synchronous)

    @property
    def _errno(self) -> int:
        """The latest error number of the system on this connection."""
        try:
            return self.connection.system_errno
        except apsw.ConnectionClosedError:
            return 0

    def _commit_nothing(self) -> None:
        """Make a commit that changes nothing and still has to be written."""
        self.connection.pragma("user_version", VERSION)

    def recover(self) -> None:
        """After an error, test whether the disk has recovered from it. Raises `Unavailable` if it has not."""
        if self._is_sound:
            return
        if self._was_full:
            self._check_free_disk()
        if self._is_doubtful:
            self._reopen()
        try:
            self._commit_nothing()
        except apsw.Error as error:
            raise self._handle_error(error) from error
        self._was_full, self._is_sound = False, not self._is_doubtful

    def _check_free_disk(self) -> None:
        with _explained(self._path):
            found = os.statvfs(os.path.dirname(self._path))
        if found.f_bavail * found.f_frsize < MIN_FREE:
            raise disk_full(self._path, room=MIN_FREE)

    def _reopen(self) -> None:
        """Open the file anew, from what the disk holds."""
        with _explained(self._path):
            self._opened.close()
            reread_from_disk(self._path)
            if not self._lock.is_current:
                lock, self._lock = self._lock, _lock(self._path)
                lock.release()
            self._open()
        self._is_doubtful = False
        try:
            self._on_reopen()
        except BaseException:
            self._mark_doubtful()
            raise


def _lock(path: str) -> FileLock:
    """Lock the journal at `path`: only one gateway may use it. Raises `Unavailable` and `OSError`."""
    try:
        return FileLock(path)
    except BlockingIOError:
        raise Unavailable(
            f"Another gateway is running on the journal {path}: stop it first, or name another path."
        ) from None


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise explain(error, path) from error
    except OSError as error:
        raise explain_os_error(error, path) from error


def reread_from_disk(path: str) -> None:
    """Make the next reader of the journal at `path` read it from the disk. Raises `OSError`.

    After a sync that failed, the kernel takes what it could not write for written. No connection to the file may be
    open.
    """
    for name in (path, f"{path}-wal"):
        try:
            descriptor = os.open(name, os.O_RDWR)
        except FileNotFoundError:
            if name == path:
                raise
            continue
        try:
            os.fsync(descriptor)
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
