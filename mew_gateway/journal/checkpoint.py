"""The checkpoints of an SQLite journal: the write-ahead log brought home by a thread of its own."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable

import apsw

from .errors import is_of_a_sync

_log = logging.getLogger(__name__)

# A reader of another program may hold RESTART and TRUNCATE up, and they every commit: give way soon, in ms.
_PATIENCE = 50
_LARGE = 256  # pages of log that are worth giving back


class Checkpointer:
    """A thread with a second connection, woken by the growth of the log of the connection it watches.

    PASSIVE as a rule, which never stands in the way of a commit but, under sustained load, never gets to start
    the log again either. So from half of `limit` bytes of log on comes one RESTART, which does; and above
    `limit`, where something held that up, one TRUNCATE. Measured at saturation, one entry a commit: the worst
    tick takes 9 to 34 ms with RESTART and 34 with TRUNCATE alone, and the others 13.1 µs instead of 14.5, for
    a log that is written over need not grow. When nothing was written for `idle` seconds, a TRUNCATE gives back what
    a burst has left. `watched` must have run a statement.

    `doubt` is called, in the thread, behind a sync that failed, which is the end of the checkpoints: the next one
    would copy what may not be on the disk, and call it safe (docs/decisions/0018).
    """

    def __init__(
        self, path: str, watched: apsw.Connection, *, limit: int, doubt: Callable[[], None], idle: float = 60.0
    ) -> None:
        page = watched.pragma("page_size")
        self._path = path
        self._doubt = doubt
        self._is_failing = self._is_in_doubt = False
        self._limit = max(limit // page, 4)
        self._step = self._due = self._limit // 4
        self._pages = self._idle_pages = 0
        self._idle = idle
        self._closing = False
        self._work: queue.Queue[None] = queue.Queue()
        self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        self._connection.set_busy_timeout(_PATIENCE)
        self._connection.pragma("synchronous", watched.pragma("synchronous"))
        # A checkpoint does nothing on a connection that has not read yet: it does not know of the log.
        self._connection.execute("select 1 from sqlite_schema").fetchall()
        self._thread = threading.Thread(target=self._run, name="journal checkpoints", daemon=True)
        self._thread.start()
        watched.wal_autocheckpoint(0)
        watched.set_wal_hook(self._grown)

    def truncate_idle(self) -> None:
        """Give back the disk that the log takes, where nothing was written since the last look."""
        if self._pages >= _LARGE and self._pages == self._idle_pages:
            self._idle_pages = self._pages = 0
            self._attempt(self._truncate)
        else:
            self._idle_pages = self._pages

    def settle(self) -> None:
        """Wait until every checkpoint that was due is done."""
        self._work.join()

    def checkpoint(self) -> None:
        """One checkpoint. A failure is logged, once: the log keeps the entries, and the next one tries again."""
        self._attempt(self._bring_home)

    def _bring_home(self) -> None:
        pages, _ = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if pages > self._limit:
            self._truncate()
        elif pages >= self._limit // 2:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)

    def _truncate(self) -> None:
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _attempt(self, checkpoint: Callable[[], None]) -> None:
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
            if is_of_a_sync(error):
                self._is_in_doubt = True
                self._doubt()

    def close(self) -> None:
        """Stop the thread, in the middle of a checkpoint if need be. Idempotent."""
        self._closing = True
        self._work.put(None)
        if self._thread.is_alive():
            self._connection.interrupt()
            self._thread.join()
        with contextlib.suppress(apsw.Error):  # a disk that fails now has failed before
            self._connection.close()

    def _grown(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        """Called by SQLite within each commit, with the length of the log."""
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
