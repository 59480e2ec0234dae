"""Real processes with Fluxi in them, as tests see them: started in no time, told what to do, killed for good."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mew_agents.fluxi.canonical import read, written

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds a test waits for what must come


class Killed(Exception):
    """The process got SIGKILL before it answered."""


class Worker:
    """One process (tests/fluxi/worker.py)."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def do(self, command: str, **options: Any) -> Any:
        """What came of a command. Raises Killed; a refusal is `{"refused": code}`, any other error fails the test."""
        self._writer.write(written({"do": command, **options}).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            answer = read((await self._reader.readline()).decode())
        if answer.get("ended") == signal.SIGKILL:
            raise Killed
        assert "error" not in answer and "ended" not in answer, (command, options, answer)
        return answer.get("value", answer)

    async def end(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class Workers:
    """Starts processes."""

    def __init__(self, address: str) -> None:
        self._address = address

    @asynccontextmanager
    async def start(self, **options: Any) -> AsyncIterator[Worker]:
        """A process; with `options`, it has opened Fluxi (`Life.open`)."""
        worker = Worker(*await asyncio.open_unix_connection(self._address, limit=2**20))
        try:
            if options:
                await worker.do("open", **options)
            yield worker
        finally:
            await worker.end()


@contextmanager
def serving(module: str = "tests.fluxi.worker") -> Iterator[Workers]:
    """The program that all of them are forked from; its folder is not pytest's, because a socket's path is short."""
    with tempfile.TemporaryDirectory(prefix="mew-fluxi-") as folder:
        address = str(Path(folder) / "s")
        command = [sys.executable, "-m", module, address]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            try:
                assert program.stdout is not None
                assert program.stdout.readline() == "ready\n"
                yield Workers(address)
            finally:
                program.kill()
