"""Checkpoints of an SQLite journal: a thread that copies the write-ahead log into the database file."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable

import apsw

from .errors import is_sync_failure

_log = logging.getLogger(__name__)

# Milliseconds. A reader of another program may block RESTART and TRUNCATE, and these block every commit: give up soon.
_BUSY_TIMEOUT = 50
_LARGE = 256  # pages of log that are worth freeing


class Checkpointer:
    """A thread with a second connection, woken when the log of the `watched` connection has grown.

    Normally it makes PASSIVE checkpoints. They never block a commit but, under sustained load, never restart the log
    either. So from half of `limit` bytes of log on it makes one RESTART, which does; and above `limit`, if something
    prevented that, one TRUNCATE. Measured at saturation, one entry a commit: the slowest tick takes 9 to 34 ms with
    RESTART and 34 with TRUNCATE alone, and the others 13.1 µs instead of 14.5, as a log that is overwritten need not
    grow. When nothing was written for `idle` seconds, a TRUNCATE frees the disk space of a burst. `watched` must have
    run a statement.

    `on_doubt` is called in the thread after a sync that failed. No checkpoint follows it: the next one would copy data
    that may not be on the disk, and report it as safe (docs/decisions/0018).
    """

    def __init__(
        self, path: str, watched: apsw.Connection, *, limit: int, on_doubt: Callable[[], None], idle: float = 60.0
    ) -> None:
        page = watched.pragma("page_size")
        self._path = path
        self._on_doubt = on_doubt
        self._is_failing = self._is_in_doubt = False
        self._limit = max(limit // page, 4)
        self._step = self._due = self._limit // 4
        self._pages = self._idle_pages = 0
        self._idle = idle
        self._closing = False
        self._work: queue.Queue[None] = queue.Queue()
        self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        self._connection.set_busy_timeout(_BUSY_TIMEOUT)
        self._connection.pragma("synchronous", watched.pragma("synchronous"))
        # A checkpoint does nothing on a connection that has not read yet: it has not opened the log.
        self._connection.execute("select 1 from sqlite_schema").fetchall()
        self._thread = threading.Thread(target=self._run, name="journal checkpoints", daemon=True)
        self._thread.start()
        watched.wal_autocheckpoint(0)
        watched.set_wal_hook(self._after_commit)

    def truncate_idle(self) -> None:
        """Free the disk space of the log if nothing was written since the last call."""
        if self._pages >= _LARGE and self._pages == self._idle_pages:
            self._idle_pages = self._pages = 0
            self._try(self._truncate)
        else:
            self._idle_pages = self._pages

    def settle(self) -> None:
        """Wait until every checkpoint that was due is done."""
        self._work.join()

    def checkpoint(self) -> None:
        """Make one checkpoint.

        A failure is logged once: the log keeps the entries, and the next checkpoint tries again.
        """
        self._try(self._checkpoint_log)

    def _checkpoint_log(self) -> None:
        pages, _ = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if pages > self._limit:
            self._truncate()
        elif pages >= self._limit // 2:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)

    def _truncate(self) -> None:
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _try(self, checkpoint: Callable[[], None]) -> None:
        if self._is_in_doubt:
            return
        try:
            checkpoint()
            self._is_failing = False
        except (apsw.BusyError, apsw.InterruptError):
            pass
        except apsw.Error as error:
            if not self._is_failing:
                _log.warning("A checkpoint of the journal %s failed: %s. It is tried again.", self._path, error)
            self._is_failing = True
            if is_sync_failure(error):
                self._is_in_doubt = True
                self._on_doubt()

    def close(self) -> None:
        """Stop the thread, and interrupt a running checkpoint. Idempotent."""
        self._closing = True
        self._work.put(None)
        if self._thread.is_alive():
            self._connection.interrupt()
            self._thread.join()
        with contextlib.suppress(apsw.Error):  # an error of the disk has been reported before
            self._connection.close()

    def _after_commit(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        """Wake the thread if the log has grown.

        SQLite calls this within each commit, with the length of the log in pages.
        """
        if pages < self._pages:  # the log was started again
            self._due = self._step
        self._pages = pages
        if pages >= self._due:
            self._due = pages + self._step
            self._work.put(None)
        return apsw.SQLITE_OK

    def _run(self) -> None:
        while True:
            try:
                self._work.get(timeout=self._idle)
            except queue.Empty:
                self.truncate_idle()
                continue
            try:
                if self._closing:
                    return
                self.checkpoint()
            finally:
                self._work.task_done()
