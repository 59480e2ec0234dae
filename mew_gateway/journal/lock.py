"""The claim of one gateway on a journal: an advisory lock on a file beside it."""

from __future__ import annotations

import fcntl
import os

from mew_gateway.errors import Unavailable


class Lock:
    """A held lock on `<path>.lock`. The kernel lets go of it with the process, however that ends.

    The file is left behind: removing it would let a third process lock a name that a second still waits on.
    Raises `Unavailable` when somebody else holds it.
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
    def is_there(self) -> bool:
        """Whether the file that is locked is still the one that others would find: a disk may go and come back."""
        if self._file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Let others have it. Idempotent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
