"""Source of an outgoing stream: a file or standard input, read in pieces as they come."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from collections.abc import AsyncIterator, Iterator
from typing import Self

import anyio
from anyio import to_thread
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TransferSpeedColumn

from ..framework.failure import mistake
from ..printing.terminal import err

_PIECE = 65_536  # bytes of a frame
_STDIN = 0


class Source:
    """Async iterator of pieces: `bytes`, or `str` if it is text. Counts what it has read."""

    def __init__(self, descriptor: int, *, text: bool) -> None:
        self.frames = 0
        self.size = 0  # bytes
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")() if text else None
        self._bar: tuple[Progress, TaskID] | None = None

    @classmethod
    @contextlib.contextmanager
    def opened(cls, file: str, *, text: bool) -> Iterator[Self]:
        """Open a file by its name; `-` is standard input. Raises `Failure`."""
        if file == "-":
            yield cls(_STDIN, text=text)
            return
        try:
            descriptor = os.open(file, os.O_RDONLY)
        except OSError as error:
            raise mistake(f"{file} cannot be read: {error.strerror}.") from None
        try:
            yield cls(descriptor, text=text)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def progress(self, *, quiet: bool) -> Iterator[None]:
        """Show on a terminal how much was read, and of how much if that is known."""
        if quiet or not err().is_terminal:
            yield
            return
        status = os.fstat(self._descriptor)
        total = status.st_size if stat.S_ISREG(status.st_mode) else None
        bar = [] if total is None else [BarColumn()]
        with Progress(*bar, DownloadColumn(), TransferSpeedColumn(), console=err(), transient=True) as progress:
            self._bar = progress, progress.add_task("", total=total)
            yield

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        while data := await self._read():
            piece = self._piece(data)
            if piece:
                self.frames += 1
                yield piece
            self.size += len(data)
            if self._bar is not None:
                self._bar[0].update(self._bar[1], completed=self.size)
        self._piece(b"", final=True)

    async def _read(self) -> bytes:
        # No thread blocks on input that may not come for hours: it would keep the process from ending.
        with contextlib.suppress(PermissionError):  # a file or device that is always readable
            await anyio.wait_readable(self._descriptor)
        return await to_thread.run_sync(os.read, self._descriptor, _PIECE)

    def _piece(self, data: bytes, *, final: bool = False) -> str | bytes:
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError:
            raise mistake("It is not text in UTF-8: leave --text out.") from None
