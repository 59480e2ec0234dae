"""The database of a journal: rows out, commits in; opened anew when an error of the disk has left it in doubt."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import apsw

from mew_gateway.errors import MewError

from .checkpoint import Checkpointer
from .errors import explain, full, leaves_doubt, refused
from .lock import Lock
from .schema import VERSION, Synchronous, connect, make_folder

Row: TypeAlias = tuple[Any, ...]

_log = logging.getLogger(__name__)

ROOM = 1 << 20  # bytes that must be free before a disk that was full is tried again: else it is so again at once


class Database:
    """An SQLite file with its lock, its connection and its checkpoints.

    After an error of the disk it does not go on as if nothing had happened (docs/decisions/0018): the next commit is
    a trial that says nothing, and behind an error of reading, writing or syncing the file is opened anew, from what
    the disk really holds. `again` is called then, to compare that with what was known; it may raise `CorruptJournal`.

    Everything raises `Unavailable` and `CorruptJournal`.
    """

    def __init__(
        self, path: str, *, synchronous: Synchronous, busy_timeout: int, log_limit: int, again: Callable[[], None]
    ) -> None:
        self._path = path
        self._synchronous: Synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._log_limit = log_limit
        self._again = again
        self._is_sound = True  # all of what follows is well: one look a commit
        self._is_doubtful = False  # what the file holds is to be seen
        self._was_full = False
        with _explained(path):
            make_folder(path)
            self._lock = Lock(path)
            try:
                self._open()
            except BaseException:
                self._lock.release()
                raise

    def rows(self, query: str, bindings: Row | dict[str, Any] = ()) -> list[Row]:
        """All rows that a query finds."""
        if self._is_doubtful:
            self._open_anew()
        try:
            return self._cursor.execute(query, bindings).fetchall()
        except apsw.Error as error:
            raise self._noted(error) from error

    def each(self, query: str, bindings: Row | dict[str, Any] = ()) -> Iterator[Row]:
        """The rows that a query finds, one at a time. It holds the log until its end."""
        with contextlib.closing(self.connection.cursor()) as cursor:
            try:
                yield from cursor.execute(query, bindings)
            except apsw.Error as error:
                raise self._noted(error) from error

    def write(self, *batches: tuple[str, Sequence[Row]]) -> None:
        """Every batch, a statement with its rows, in one commit; or nothing at all."""
        self.recover()
        try:
            self._cursor.execute("begin immediate")
            for statement, rows in batches:
                if rows:
                    self._cursor.executemany(statement, rows)
            self._cursor.execute("commit")
        except BaseException as error:
            self._roll_back()
            if isinstance(error, apsw.Error):
                raise self._noted(error) from error
            raise

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        self._opened.close()
        self._lock.release()

    def _open(self) -> None:
        with contextlib.ExitStack() as opened:
            self.connection = connect(self._path, synchronous=self._synchronous, busy_timeout=self._busy_timeout)
            opened.callback(self._disconnect)
            self._cursor = self.connection.cursor()
            self.checkpoints = Checkpointer(self._path, self.connection, limit=self._log_limit, doubt=self._doubt)
            opened.callback(self.checkpoints.close)
            self._opened = opened.pop_all()

    def _disconnect(self) -> None:
        if self._is_doubtful:  # a log that may not be on the disk is nothing to copy from
            self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try:
            self.connection.close()
        except apsw.Error as error:  # of the checkpoint that it makes: the log has it all
            _log.warning("The log of the journal %s is left for the next start: %s", self._path, error)

    def _doubt(self) -> None:
        """Called from any thread: the file is to be looked at before it is used again."""
        self._is_doubtful = True
        self._is_sound = False

    def _roll_back(self) -> None:
        """SQLite has rolled back by itself after some errors, a full disk among them."""
        with contextlib.suppress(apsw.Error):
            if self.connection.in_transaction:
                self.connection.execute("rollback")

    def _noted(self, error: apsw.Error) -> MewError:
        """What to raise for an error, once what has to follow from it is seen to."""
        told = explain(error, self._path, errno=self._errno)
        if isinstance(error, apsw.FullError):
            self._was_full, self._is_sound = True, False
        elif leaves_doubt(error):
            self._doubt()
        else:
            return told
        self._write_over()
        return told

    def _write_over(self) -> None:
        """The log may hold a commit whole that failed, and a crash would bring it back: put another in its place, as
        far as the disk lets us, and without waiting for it."""
        with contextlib.suppress(apsw.Error):
            self.connection.pragma("synchronous", "off")
            self._say_nothing()
        with contextlib.suppress(apsw.Error):
            self.connection.pragma("synchronous", self._synchronous)

    @property
    def _errno(self) -> int:
        """What the system said last."""
        try:
            return self.connection.system_errno
        except apsw.ConnectionClosedError:
            return 0

    def _say_nothing(self) -> None:
        """A commit that changes nothing, and has to be written all the same."""
        self.connection.pragma("user_version", VERSION)

    def recover(self) -> None:
        """Behind an error, see whether the disk has recovered from it."""
        if self._is_sound:
            return
        if self._was_full:
            self._look_for_room()
        if self._is_doubtful:
            self._open_anew()
        try:
            self._say_nothing()
        except apsw.Error as error:
            raise self._noted(error) from error
        self._was_full, self._is_sound = False, not self._is_doubtful

    def _look_for_room(self) -> None:
        with _explained(self._path):
            found = os.statvfs(os.path.dirname(self._path))
        if found.f_bavail * found.f_frsize < ROOM:
            raise full(self._path, room=ROOM)

    def _open_anew(self) -> None:
        """Begin again from what the disk holds."""
        with _explained(self._path):
            self._opened.close()
            fetch_anew(self._path)
            if not self._lock.is_there:
                lock, self._lock = self._lock, Lock(self._path)
                lock.release()
            self._open()
        self._is_doubtful = False
        try:
            self._again()
        except BaseException:
            self._doubt()
            raise


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise explain(error, path) from error
    except OSError as error:
        raise refused(error, path) from error


def fetch_anew(path: str) -> None:
    """Have the journal at `path` read from the disk: behind a sync that failed, the kernel takes what it could not
    write for written. No connection to it may be open. Raises `OSError`."""
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
