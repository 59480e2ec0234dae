"""Messages that have left: a file with one JSON object a line, to which is only ever added."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import msgspec


class Outbox:
    """`path` and its folder are made when missing (mode 0600 and 0700); None: in memory. A line is on the disk when
    `append` returns. A context manager. Raises `OSError`."""

    NAME = "outbox.jsonl"

    def __init__(self, path: Path | None = None) -> None:
        self._lines: list[bytes] = []
        self._file: int | None = None
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, message: dict[str, Any]) -> None:
        """One message more, whatever was sent before."""
        line = msgspec.json.encode(message) + b"\n"
        if self._file is None:
            self._lines.append(line)
        else:
            os.write(self._file, line)
            os.fsync(self._file)

    def close(self) -> None:
        """Nothing more is sent."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
