"""The agent's process: started, killed and started again; it can hang or crash, and harms nobody but itself."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import anyio
from anyio.abc import Process

from .agent_under_test import Unexaminable

_GRACE = 1.0  # seconds between SIGTERM and SIGKILL
_TOLD = 20  # lines of its output


class Actor:
    """One agent as a child process, in a process group of its own. What it writes goes to the file `output`."""

    def __init__(self, words: tuple[str, ...], *, environment: Mapping[str, str], output: Path) -> None:
        self._words = words
        self._environment = {**_inherited(), **environment, "MEW_PARENT": "stdin", "PYTHONUNBUFFERED": "1"}
        self._output = output
        self._process: Process | None = None

    async def start(self) -> None:
        """Start it (again). Raises `Unexaminable` for a program that is none."""
        with self._output.open("ab") as output:
            try:
                self._process = await anyio.open_process(
                    self._words,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise Unexaminable(f"{self._words[0]} cannot be started: {error.strerror}.") from None

    @property
    def ended(self) -> int | None:
        """The exit status of a process that has ended by itself."""
        return None if self._process is None else self._process.returncode

    @property
    def said(self) -> str:
        """The last lines that it wrote."""
        with contextlib.suppress(OSError):
            return "\n".join(self._output.read_text(encoding="utf-8", errors="replace").splitlines()[-_TOLD:])
        return ""

    async def kill(self) -> None:
        """End it without a warning, and whatever it has started."""
        await self._end(signal.SIGKILL)

    async def aclose(self) -> None:
        """Ask it to end, then make it."""
        with anyio.CancelScope(shield=True):
            await self._end(signal.SIGTERM)

    async def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._signal(process, number)
        with anyio.move_on_after(_GRACE):
            await process.wait()
        self._signal(process, signal.SIGKILL)  # what it started, too
        await process.aclose()

    def _signal(self, process: Process, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _inherited() -> dict[str, str]:
    """Our own environment, without anybody's token."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MEW_")}
