"""Fixtures: the real command as a process or in a thread, a real gateway, agents scripted with the SDK's client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from mew_gateway.cli.main import app, failure_of
from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.client import Client

PATIENCE = 30.0  # seconds for what must come


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
        own = ("COLUMNS", "LINES")  # of the terminal that the tests run in
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith("MEW_") and name not in own
        }
        process = await asyncio.create_subprocess_exec(
            *self.command(*arguments),
            cwd=self.folder,
            env={**inherited, **environ},
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


@pytest.fixture
def mew(tmp_path: Path) -> Mew:
    """Return a runner in the folder where `start_gateway` writes its spaces.yaml."""
    return Mew(tmp_path)


Typed = Callable[..., Awaitable[Done]]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Return a runner in a thread of this process: a second faster than `mew`, but it cannot be signalled.

    One command runs at a time: they share the process's output.
    """
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("MEW_")]:
        monkeypatch.delenv(name)
    turn = asyncio.Lock()

    async def run(*arguments: str, said: str | None = None, **environ: str) -> Done:
        async with turn:
            return await asyncio.to_thread(typed_now, *arguments, said=said, **environ)

    return run


def typed_now(*arguments: str, said: str | None = None, **environ: str) -> Done:
    """Run a command in this thread, for tests without a gateway in this process. `said` is its standard input."""
    environ = {"COLUMNS": "200", "TERM": "dumb", "PYTHONUTF8": "1", **environ}
    result = CliRunner().invoke(app, list(arguments), input=said, env=environ)
    error = result.exception
    if isinstance(error, MewError | OSError):
        failure = failure_of(error)
        return Done(failure.status, result.stdout, f"{result.stderr}{failure.message}\n")
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return Done(result.exit_code, result.stdout, result.stderr)


class Scripted:
    """An agent that reasons until it is interrupted, then does what its script says."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def start(self, message: str = "looking for a tour") -> str:
        """Open a sequence. Return its id."""
        sequence = await self.client.send("reasoning/start", {"message": message})
        await self.hear(lambda envelope: envelope.id == sequence)
        return sequence

    async def hear(self, is_it: Callable[[Envelope], bool]) -> Envelope:
        """Return the next matching envelope."""
        async with asyncio.timeout(PATIENCE):
            async for item in self.client:
                if isinstance(item, Envelope) and is_it(item):
                    return item
        raise AssertionError("the connection ended")

    async def interrupt(self) -> Envelope:
        """Return the next interrupt."""
        return await self.hear(lambda envelope: envelope.kind == "reasoning/interrupt")

    async def acknowledge(
        self, interrupt: Envelope, status: str, message: str = "as you wish", **extensions: Any
    ) -> None:
        await self.client.send(
            "reasoning/interrupt-ack",
            {"status": status, "message": message, **extensions},
            to=[interrupt.sender],
            correlation_id=[interrupt.id],
        )

    async def conclude(self, sequence: str, message: str = "the tour is 812 long", **extensions: Any) -> None:
        payload = {"message": message, "outcome": "interrupted", **extensions}
        await self.client.send("reasoning/conclusion", payload, context=sequence)


Join = Callable[..., contextlib.AbstractAsyncContextManager[Scripted]]


@pytest.fixture
def join() -> Join:
    """Return a function that joins a gateway as one of its agents: `async with join(site, "agent") as agent`."""

    @contextlib.asynccontextmanager
    async def joined(site: Any, participant: str) -> AsyncIterator[Scripted]:
        async with Client(site.url, space=site.space, token=site.token(participant)) as client:
            yield Scripted(client)

    return joined


TEAM = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    participants:
      human:
        capabilities:
          - {kind: chat}
          - {kind: [chat/acknowledge, chat/cancel]}
          - {kind: "mcp/*"}
          - {kind: "participant/*"}
          - {kind: "stream/*"}
          - {kind: reasoning/interrupt, payload: {class: [cancel, override]}}
      admin: {capabilities: [{kind: "*"}]}
      guardian: {capabilities: [{kind: chat}, {kind: reasoning/interrupt}, {kind: participant/resume}]}
      agent:
        capabilities:
          - {kind: chat}
          - {kind: [mcp/proposal, mcp/withdraw]}
          - {kind: participant/status}
          - {kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}
      mute: {capabilities: [{kind: chat}]}
"""


@pytest.fixture
async def team(start_gateway: Any) -> AsyncIterator[Any]:
    """A gateway with the space `demo`: human and admin decide, agent proposes, guardian may halt."""
    async with start_gateway(TEAM) as running:
        yield running
