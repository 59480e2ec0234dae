"""The command `mew` as a process: run to its end, or started, watched and signalled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from .processes import environment_without_mew

PATIENCE = 60.0  # seconds a test waits for what must come


class Done(NamedTuple):
    """The result of a command that has ended."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Running:
    """A running command."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self, *parts: str, err: bool = False) -> str:
        """Return the next line of its output that has all the parts."""
        stream = self.process.stderr if err else self.process.stdout
        assert stream is not None
        seen = ""
        async with asyncio.timeout(PATIENCE):
            while line := (await stream.readline()).decode():
                if all(part in line for part in parts):
                    return line
                seen += line
        raise AssertionError(f"no line with {parts} in:\n{seen}")

    async def sees(self, text: str) -> None:
        """Read its stderr up to this text, on whatever line."""
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE):
            await self.process.stderr.readuntil(text.encode())

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def end(self) -> Done:
        """Wait for its end. Return the rest of its output, which must have no traceback."""
        async with asyncio.timeout(PATIENCE):
            out, err = await self.process.communicate()
        done = Done(self.process.returncode or 0, out.decode(), err.decode())
        assert "Traceback" not in done.err + done.out, done.err
        return done


class Mew:
    """Runner of `mew` as a process, in a folder of its own, without the caller's MEW_ variables."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "mew_gateway.cli.main", *arguments]

    async def __call__(self, *arguments: str, **environ: str) -> Done:
        """Run a command to its end."""
        async with self.started(*arguments, **environ) as running:
            return await running.end()

    @contextlib.asynccontextmanager
    async def started(self, *arguments: str, **environ: str) -> AsyncIterator[Running]:
        """Start a command for the block; kill it afterwards if it still runs."""
        process = await asyncio.create_subprocess_exec(
            *self.command(*arguments),
            cwd=self.folder,
            env={**environment_without_mew(), **environ},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
        try:
            yield Running(process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
