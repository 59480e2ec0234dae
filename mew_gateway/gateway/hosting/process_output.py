"""What a hosted process prints: the file that it goes to, how much of it is kept, and its last line."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import IO

_KEPT = 8 << 20  # bytes of the file, and of the one before it
_LONGEST_LINE = 500  # characters of a line in our log


class ProcessOutput:
    """The file of one participant's output. Its owner alone may read it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __str__(self) -> str:
        return str(self._file)

    def open(self) -> IO[bytes]:
        """Open the file to append to it, and make its folder if there is none. Raises `OSError`."""
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb")

    def trim(self) -> None:
        """Bound the file: past `_KEPT`, copy it and truncate it in place, as the process writes on."""
        previous = self._file.with_suffix(".old")
        with contextlib.suppress(OSError):
            if self._file.stat().st_size > _KEPT:
                try:
                    shutil.copyfile(self._file, previous)
                except OSError:  # a full disk: better no copy than no bound
                    previous.unlink(missing_ok=True)
                os.truncate(self._file, 0)

    def last_line(self) -> str:
        """Return the last line: for a misconfigured agent, the reason for its end."""
        try:
            with open(self._file, "rb") as output:
                output.seek(max(0, self._file.stat().st_size - 4 * _LONGEST_LINE))
                lines = output.read().decode(errors="replace").splitlines()
        except OSError as error:
            return f"its output cannot be read: {error.strerror}"
        last = lines[-1] if lines else ""
        return "".join(one if one.isprintable() else "?" for one in last[:_LONGEST_LINE])
