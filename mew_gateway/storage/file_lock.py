"""A lock on a file's path that a process holds until it ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FileLock:
    """A held advisory lock on `<path>.lock` (mode 0600). The kernel releases it when the process ends.

    The lock's file is never removed: a third process could then lock a new file while a second waits on the old one.
    Raises `BlockingIOError` if another process holds the lock, `OSError` if the file cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = f"{path}.lock"
        self._file: int | None = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            self.release()
            raise

    @property
    def is_current(self) -> bool:
        """True if the locked file is still the one at its path. A disk may go and come back."""
        if self._file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Release the lock. Idempotent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
