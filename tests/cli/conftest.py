"""Fixtures: the real command as a process (tests/kit/commands.py) or in a thread, and agents scripted with a client."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mew_gateway.cli.main import app, failure_of
from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.client import Client

from ..kit.commands import PATIENCE, Done, Mew


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
