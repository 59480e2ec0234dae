"""Gateway process of an examination: one space for each exercise, and a journal in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio.abc import Process

from mew_gateway.child_process import end, inherited_environment
from mew_gateway.errors import MewError
from mew_gateway.sdk.client import Client

from .times import Deadlines

AGENT, SUPERVISOR, GUARDIAN = "agent", "supervisor", "guardian"

_PATIENCE = 20.0  # seconds for the gateway to be ready, and to end
_PAGE = 1_000
_REASONER = ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]
_SUPERVISED = ["cancel", "override", "clarification", "queue"]
_PARTICIPANTS: dict[str, list[dict[str, Any]]] = {
    SUPERVISOR: [
        {"kind": ["chat", "chat/*", "reasoning/cancel", "mcp/*", "participant/*"]},
        {"kind": "reasoning/interrupt", "payload": {"class": _SUPERVISED}},
    ],
    GUARDIAN: [{"kind": "reasoning/interrupt"}, {"kind": "participant/resume"}],
    AGENT: [{"kind": ["chat", "chat/*", *_REASONER, "participant/*", "mcp/*", "stream/*"]}],
}


class CannotServe(MewError):
    """The gateway did not start; its output is in the message."""


class GatewayFixture:
    """A running gateway: its URL, the tokens and clients of its participants, and the timelines of its spaces."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def token(self, space: str, participant: str) -> str:
        """Return a participant's token."""
        return (self.folder / "state" / "tokens" / space / f"{participant}.token").read_text().strip()

    def client(self, space: str, participant: str) -> Client:
        """Return a client of a participant, not yet connected."""
        return Client(self.url, space=space, token=self.token(space, participant))

    async def timeline(self, space: str) -> list[dict[str, Any]]:
        """Return the timeline of a space, in order, as the agent may see it: only a sender sees its refused envelopes
        (docs/protocol.md §2)."""
        events: list[dict[str, Any]] = []
        after = 0
        while True:
            page = await anyio.to_thread.run_sync(self._fetch, space, after)
            events += page["events"]
            if page["next"] is None or page["next"] == after:
                return events
            after = page["next"]

    def _fetch(self, space: str, after: int) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url}/spaces/{space}/timeline?after={after}&limit={_PAGE}",
            headers={"Authorization": f"Bearer {self.token(space, AGENT)}"},
        )
        with self._opener.open(request, timeout=_PATIENCE) as response:
            page: dict[str, Any] = json.loads(response.read())
        return page


@asynccontextmanager
async def run_gateway(spaces: Mapping[str, Deadlines], *, folder: Path) -> AsyncIterator[GatewayFixture]:
    """Run a gateway with these spaces, each with an agent, a supervisor and a guardian. Raises `CannotServe`."""
    file, log = folder / "spaces.yaml", folder / "gateway.log"
    file.write_text(json.dumps(_configuration(spaces), indent=2), encoding="utf-8")  # JSON is YAML, too
    with log.open("wb") as output:
        process = await anyio.open_process(
            [sys.executable, "-m", "mew_gateway.cli.main", "serve", "--config", str(file), "--log-level", "warning"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=inherited_environment(),
            start_new_session=True,  # a Ctrl-C must not reach the gateway: it is stopped at the end
        )
    try:
        yield GatewayFixture(await _address(process, folder, log), folder)
    finally:
        with anyio.CancelScope(shield=True):
            await end(process, grace=_PATIENCE)
            await process.aclose()


def _configuration(spaces: Mapping[str, Deadlines]) -> dict[str, Any]:
    participants = {name: {"capabilities": patterns} for name, patterns in _PARTICIPANTS.items()}
    return {
        "gateway": {"listen": "127.0.0.1:0", "state_dir": "state", "journal": {"url": "memory:"}},
        "spaces": {
            name: {"participants": participants, "interrupts": _interrupts(deadlines)}
            for name, deadlines in spaces.items()
        },
    }


def _interrupts(deadlines: Deadlines) -> dict[str, Any]:
    """Return the interrupt settings: no pause and no kick, so that a fault is recorded to its end."""
    return {
        "ack_deadline": f"{deadlines.ack}ms",
        "emergency_ack_deadline": f"{deadlines.emergency_ack}ms",
        "stopping_conclusion": f"{deadlines.stopping}ms",
        "completing_conclusion": f"{deadlines.completing}ms",
        "escalation": ["notify"],
        "emergency_escalation": ["notify"],
    }


class _Address(msgspec.Struct):
    url: str


async def _address(process: Process, folder: Path, log: Path) -> str:
    """Return the gateway's URL once it is ready."""
    file = folder / "state" / "gateway.json"
    with anyio.move_on_after(_PATIENCE):
        while process.returncode is None:
            if file.exists():
                return msgspec.json.decode(file.read_bytes(), type=_Address).url
            await anyio.sleep(0.05)
    raise CannotServe(f"The gateway of the examination did not start:\n{_text(log)}")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
