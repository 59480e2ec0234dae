"""File lock of a journal: only one gateway may use it."""

from __future__ import annotations

import fcntl
import os

from mew_gateway.errors import Unavailable


class Lock:
    """A held advisory lock on `<path>.lock`. The kernel releases it when the process ends, however it ends.

    The file is never removed: a third process could then lock a new file while a second waits on the old one. Raises
    `Unavailable` if another process holds the lock.
    """

    def __init__(self, path: str) -> None:
        self._path = f"{path}.lock"
        self._file: int | None = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise Unavailable(
                f"Another gateway is running on the journal {path}: stop it first, or name another path."
            ) from None
        except OSError:
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
