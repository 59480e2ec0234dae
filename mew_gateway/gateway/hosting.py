"""Hosted participants: child processes, started, watched and started again; a crashing agent stays its own affair."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable
from pathlib import Path
from typing import IO

from mew_gateway.config import Hosted
from mew_gateway.errors import MewError

logger = logging.getLogger("mew.hosting")

_STEADY = 30.0  # seconds a child must live for its backoff to start over
_GRACE = 5.0  # seconds between SIGTERM and SIGKILL
_KEPT_OUTPUT = 8 << 20  # bytes of an output file, and of the one before it


class Host:
    """Supervises one hosted participant: output to a file, restart by policy with growing, jittered waits.

    `token` is asked at every start: it may have been rotated since the last.
    """

    def __init__(
        self,
        hosted: Hosted,
        *,
        space: str,
        participant: str,
        url: str,
        token: Callable[[], str],
        output: Path,
        directory: Path,
    ) -> None:
        self._hosted = hosted
        self._space = space
        self._participant = participant
        self._url = url
        self._token = token
        self._output = output
        self._directory = directory
        self.starts = 0

    @property
    def name(self) -> str:
        """`space/participant`."""
        return f"{self._space}/{self._participant}"

    async def run(self) -> None:
        """Run it until its policy says no more, or this is cancelled; then the child is ended."""
        loop = asyncio.get_running_loop()
        wait = self._hosted.restart.backoff / 1000
        while True:
            started = loop.time()
            status = await self._run_once()
            if self._hosted.restart.policy == "never" or (self._hosted.restart.policy == "on-failure" and status == 0):
                logger.info("%s ended with status %s; its policy leaves it so", self.name, status)
                return
            if loop.time() - started >= _STEADY:
                wait = self._hosted.restart.backoff / 1000
            pause = wait * random.uniform(0.5, 1.0)
            logger.warning(
                "%s ended with status %s; again in %.1f s (its output: %s)", self.name, status, pause, self._output
            )
            await asyncio.sleep(pause)
            wait = min(wait * 2, self._hosted.restart.max_backoff / 1000)

    async def _run_once(self) -> int:
        self.starts += 1
        try:
            process = await self._start()
        except (OSError, MewError) as error:
            logger.error("%s cannot be started: %s", self.name, error)
            return 127
        logger.info("%s started (process %d)", self.name, process.pid)
        try:
            return await process.wait()
        finally:
            await self._end(process)

    async def _start(self) -> Process:
        with self._open_output() as output:
            return await asyncio.create_subprocess_exec(
                *self._arguments(),
                stdin=PIPE,
                stdout=output,
                stderr=STDOUT,
                cwd=self._directory,
                env=self._environment(),
                start_new_session=True,
            )

    async def _end(self, process: Process) -> None:
        """Ask it to stop, then make it."""
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            logger.warning("%s did not stop in %g s and is killed", self.name, _GRACE)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # what it started, too
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()

    def trim(self) -> None:
        """Keep the output bounded: past `_KEPT_OUTPUT` it is moved aside, in place, for the child writes on."""
        with contextlib.suppress(OSError):
            if self._output.stat().st_size > _KEPT_OUTPUT:
                shutil.copyfile(self._output, self._output.with_suffix(".old"))
                os.truncate(self._output, 0)

    def _open_output(self) -> IO[bytes]:
        self._output.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open(os.open(self._output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb")

    def _arguments(self) -> list[str]:
        if self._hosted.agent is not None:
            return [sys.executable, "-m", "mew_gateway.sdk.host", self._hosted.agent]
        return [sys.executable, "-m", "mew_gateway.gateway.leash", *self._hosted.command]

    def _environment(self) -> dict[str, str]:
        """The gateway's own environment, without anybody's token, and what the child needs to join."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("MEW_")}
        return {
            **inherited,
            "MEW_URL": self._url,
            "MEW_SPACE": self._space,
            "MEW_PARTICIPANT": self._participant,
            "MEW_TOKEN": self._token(),
            "MEW_OPTIONS": json.dumps(dict(self._hosted.options)),
            "MEW_PARENT": "stdin",
            "PYTHONUNBUFFERED": "1",
        }


class Hosting:
    """All hosted participants of a gateway."""

    def __init__(self, hosts: list[Host]) -> None:
        self._hosts = hosts
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start every one of them."""
        self._tasks = [asyncio.create_task(host.run(), name=host.name) for host in self._hosts]

    def trim(self) -> None:
        """Keep everybody's output bounded."""
        for host in self._hosts:
            host.trim()

    async def stop(self) -> None:
        """End every one of them, all at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
