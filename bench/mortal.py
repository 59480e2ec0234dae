"""A gateway that dies and is started again on the same state: killed, stopped in good order, or both in turns."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import IO

import websockets

from bench.failure import PATIENCE, BenchFailure
from bench.inquiry import Inquiry
from bench.machine import cpu_seconds
from bench.process import last_words
from bench.spaces import serve
from bench.wire import connect
from mew_gateway.config import load
from mew_gateway.gateway.auth.tokens import TokenStore

_LOOK = 0.005


class Mortal:
    """`mew serve` as a process, over a `spaces.yaml` in `folder` whose state is in `state/`; any free port."""

    def __init__(self, folder: Path, spaces: str) -> None:
        self.file = folder / "spaces.yaml"
        self.file.write_text(spaces, encoding="utf-8")
        self.journal = folder / "state" / "journal.db"
        self.url = ""
        self._address = folder / "state" / "gateway.json"
        self._output = folder / "output.log"
        self._process: asyncio.subprocess.Process | None = None
        self._tokens: TokenStore | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None and self._process.returncode is None

    @property
    def last_words(self) -> str:
        """The end of what it printed."""
        return last_words(self._output.read_text(errors="replace"))

    async def start(self) -> float:
        """Start it; the seconds from the new process to its first `/ready` 200. Raises `BenchFailure`."""
        self._address.unlink(missing_ok=True)  # a kill leaves the one of the life before
        began = time.perf_counter()
        with self._output.open("ab") as output:
            self._process = await self._spawn(output)
        until = began + PATIENCE
        while not await self._is_ready():
            if self._process.returncode is not None or time.perf_counter() > until:
                raise BenchFailure(f"The gateway did not get ready.{self.last_words}")
            await asyncio.sleep(_LOOK)
        return time.perf_counter() - began

    @property
    def cpu(self) -> float:
        """Seconds of CPU that it has used up to now."""
        assert self._process is not None
        return cpu_seconds(self._process.pid)

    def signal(self, number: int = signal.SIGKILL) -> None:
        """Send a signal, without waiting for what it does."""
        assert self._process is not None
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for the end; the exit status. Raises `TimeoutError`."""
        assert self._process is not None
        async with asyncio.timeout(PATIENCE):
            return await self._process.wait()

    async def kill(self) -> None:
        """SIGKILL, if it runs."""
        if self.is_running:
            self.signal()
            await self.ended()

    def token(self, space: str, participant: str) -> str:
        """A participant's token."""
        if self._tokens is None:
            self._tokens = TokenStore.of(load(self.file), os.environ)
        return self._tokens.token(space, participant)

    def join(self, space: str, participant: str, *, after: str | None = None) -> websockets.connect:
        """A connection of a participant that goes on behind the envelope `after`."""
        return connect(self.url.replace("http", "ws", 1), self.token(space, participant), space=space, after=after)

    def inquiry(self, space: str, participant: str) -> Inquiry:
        """What this participant may ask over HTTP."""
        return Inquiry(self.url, space, participant, self.token(space, participant))

    async def _spawn(self, output: IO[bytes]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *serve(self.file),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    async def _is_ready(self) -> bool:
        if not self._address.exists():
            return False
        self.url = json.loads(self._address.read_text())["url"]
        return await Inquiry(self.url).is_ready()
