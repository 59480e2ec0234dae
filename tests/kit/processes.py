"""An agent in a process of its own, which a test can kill.

`agent_process` starts a Python for it. `forked_agent` forks one that has its imports done (agent_program.py), for
agents that import for seconds.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self

from mew_gateway.child_process import inherited_environment

from .gateway import Site
from .workers import serving

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds for a process to begin or end


def environment_without_mew() -> dict[str, str]:
    """Return the environment of this process without its MEW_ variables and without the size of its terminal."""
    hidden = ("COLUMNS", "LINES")
    return {name: value for name, value in inherited_environment().items() if name not in hidden}


@asynccontextmanager
async def agent_process(
    site: Site, participant: str, agent: str, *, folder: Path, failpoint: str = "", **options: Any
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of the agent `module:Class`, which has joined as `participant`; it is killed after the block.

    Its state is in `folder/participant`, its output in `folder/participant.log`. `failpoint` is where it is to end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _log(folder, participant).open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mew_gateway.sdk.host", agent),
            cwd=ROOT,
            env=_environment(site, participant, folder, failpoint, options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        await _joined(site, participant)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class ForkedAgent:
    """A process that was forked: what tests use of `asyncio.subprocess.Process`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pid: int) -> None:
        self.pid = pid
        self._reader = reader
        self._writer = writer
        self._end = asyncio.create_task(self._ended())

    @classmethod
    async def start(cls, **told: Any) -> Self:
        """Start one; `told` is what agent_program.py reads."""
        reader, writer = await asyncio.open_unix_connection(_program())
        writer.write(json.dumps(told).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            return cls(reader, writer, json.loads(await reader.readline())["pid"])

    @property
    def returncode(self) -> int | None:
        """Exit status, or minus the signal that ended it; None: it runs."""
        return self._end.result() if self._end.done() else None

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for its end. Return its `returncode`."""
        return await asyncio.shield(self._end)

    async def _ended(self) -> int:
        told = json.loads(await self._reader.readline())
        self._writer.close()
        return -told["ended"] if told["ended"] else int(told["status"])


@asynccontextmanager
async def forked_agent(
    site: Site,
    participant: str,
    agent: str,
    *,
    folder: Path,
    imports: Sequence[str],
    failpoint: str = "",
    **options: Any,
) -> AsyncIterator[ForkedAgent]:
    """As `agent_process`; modules that it needs, `imports`, are imported already."""
    folder.mkdir(parents=True, exist_ok=True)
    process = await ForkedAgent.start(
        agent=agent,
        imports=imports,
        environ=_environment(site, participant, folder, failpoint, options),
        log=str(_log(folder, participant)),
    )
    try:
        await _joined(site, participant)
        yield process
    finally:
        process.kill()
        await process.wait()


@cache
def _program() -> str:
    """Return the socket of the program that forks agents: one for all tests of this process, and ended with it."""
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(serving("tests.kit.agent_program")).address


def _environment(site: Site, participant: str, folder: Path, failpoint: str, options: dict[str, Any]) -> dict[str, str]:
    return {
        **os.environ,
        "MEW_URL": site.url,
        "MEW_SPACE": site.space,
        "MEW_TOKEN": site.token(participant),
        "MEW_STATE": str(folder / participant),
        "MEW_OPTIONS": json.dumps(options),
        "MEW_FAILPOINT": failpoint,
    }


def _log(folder: Path, participant: str) -> Path:
    return folder / f"{participant}.log"


async def _joined(site: Site, participant: str) -> None:
    """Wait until a participant has joined, which takes long if several processes begin at once."""
    members = site.gateway.broker.engine[site.space].machine.members
    async with asyncio.timeout(PATIENCE):
        while participant not in members.present():
            await asyncio.sleep(0.05)
