"""A real gateway on a free port, its clock in the test's hands, and peers that speak plain JSON over real sockets.

`gateway_in` starts a gateway in a folder and gives a `Site`, from which a test joins as a `Peer`; `attending` lets an
agent of the SDK join. The fixtures `start_gateway`, `site` and `attend` (tests/conftest.py) are made of these two.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection

from mew_gateway.config import load
from mew_gateway.gateway.auth.tokens import TokenStore
from mew_gateway.gateway.broker.clock import Clock
from mew_gateway.gateway.server import Gateway, serving
from mew_gateway.sdk import Agent
from mew_gateway.sdk.environment import Environment

TIMEOUT = 60.0  # seconds a test waits for what must come; never part of what it asserts


async def until(what: Callable[[], Any]) -> None:
    """Wait until `what` returns something true."""
    async with asyncio.timeout(TIMEOUT):
        while not what():
            await asyncio.sleep(0.01)


class ManualClock:
    """Time that only moves when a test says so. Milliseconds since the epoch."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, milliseconds: int) -> None:
        self._now += milliseconds


class Peer:
    """One WebSocket connection that speaks plain JSON and knows no SDK."""

    def __init__(self, socket: ClientConnection, participant: str) -> None:
        self.socket = socket
        self.participant = participant
        self.seen: list[dict[str, Any]] = []

    async def send(self, kind: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
        """Send an envelope; what is not given is left for the gateway to seal."""
        await self.socket.send(json.dumps({"kind": kind, "payload": payload or {}, **fields}))

    async def raw(self, data: str | bytes) -> None:
        await self.socket.send(data)

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(TIMEOUT):
            envelope = json.loads(await self.socket.recv())
        self.seen.append(envelope)
        return dict(envelope)

    async def until(self, kind: str, **payload: Any) -> dict[str, Any]:
        """The next envelope of that kind whose payload has these fields."""
        while True:
            envelope = await self.receive()
            found = envelope.get("payload", {})
            if envelope["kind"] == kind and all(found.get(key) == value for key, value in payload.items()):
                return envelope

    async def error(self, code: str) -> dict[str, Any]:
        """The next `system/error`, which must have this code."""
        envelope = await self.until("system/error")
        assert envelope["payload"]["error"] == code, envelope["payload"]
        return envelope

    async def settle(self) -> list[dict[str, Any]]:
        """Everything received up to now: asks for an answer of its own and returns what came before it."""
        start = len(self.seen)
        await self.send("reasoning/thought", {}, context="settle", id=f"settle-{start}-{id(self)}", **{"from": "x"})
        await self.until("system/error", error="identity_mismatch")
        return self.seen[start:-1]

    async def closed(self) -> tuple[int, str]:
        """Read until the end of the connection; its close code and reason."""
        async with asyncio.timeout(TIMEOUT):
            with contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await self.socket.recv()
        return self.socket.close_code or 0, self.socket.close_reason or ""


class Site:
    """A running gateway as a test sees it."""

    def __init__(self, gateway: Gateway, clock: ManualClock, stack: contextlib.AsyncExitStack, space: str) -> None:
        self.gateway = gateway
        self.clock = clock
        self.space = space
        self._stack = stack

    @property
    def url(self) -> str:
        return self.gateway.url

    def token(self, participant: str, space: str | None = None) -> str:
        return self.gateway._tokens.token(space or self.space, participant)

    async def join(
        self, participant: str, *, space: str | None = None, peer: type[Peer] = Peer, **options: Any
    ) -> Peer:
        """Connect as a participant and take the welcome."""
        url = f"{self.url.replace('http', 'ws')}/ws?space={space or self.space}"
        headers = {"Authorization": f"Bearer {self.token(participant, space)}"}
        socket = await self._stack.enter_async_context(
            websockets.connect(url, additional_headers=headers, max_size=None, **options)
        )
        joined = peer(socket, participant)
        welcome = await joined.receive()
        assert welcome["kind"] == "system/welcome", welcome
        return joined

    async def leave(self, peer: Peer) -> None:
        """Close a peer's connection, and wait until the space knows."""
        machine = self.gateway.broker.engine[self.space].machine
        before = len(machine.state.connections)
        await peer.socket.close()
        async with asyncio.timeout(TIMEOUT):
            while len(machine.state.connections) >= before:
                await asyncio.sleep(0)

    async def pass_time(self, milliseconds: int) -> None:
        """Move the gateway's clock, and let it look at its deadlines."""
        self.clock.advance(milliseconds)
        self.gateway.broker.check_deadlines()
        await asyncio.sleep(0)

    async def post(self, participant: str, body: Any, *, token: str | None = None) -> tuple[int, Any]:
        """POST an envelope to /participants/{id}/messages, or (bytes) a stream's frame; the status and the body."""
        kind, data = "application/json", body
        if isinstance(body, bytes):
            kind = "application/octet-stream"
        else:
            data = json.dumps(body).encode()
        path = f"/participants/{participant}/messages?space={self.space}"
        headers = {"Authorization": f"Bearer {token or self.token(participant)}", "Content-Type": kind}
        return await self._fetch(urllib.request.Request(self.url + path, data, headers))

    async def get(self, path: str, *, participant: str | None = None, token: str | None = None) -> tuple[int, Any]:
        """GET; the status and the body, decoded if it is JSON."""
        bearer = token or (self.token(participant) if participant else None)
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return await self._fetch(urllib.request.Request(self.url + path, headers=headers))

    async def _fetch(self, request: urllib.request.Request) -> tuple[int, Any]:
        def fetch() -> tuple[int, Any]:
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                    status, body, kind = response.status, response.read(), response.headers["Content-Type"]
            except urllib.error.HTTPError as error:
                status, body, kind = error.code, error.read(), error.headers["Content-Type"]
                error.close()
            return status, json.loads(body) if kind.startswith("application/json") else body.decode()

        return await asyncio.to_thread(fetch)


SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    roles:
      supervisor:
        - {kind: chat}
        - {kind: reasoning/interrupt, payload: {class: [cancel, override, clarification, queue]}}
        - {kind: reasoning/cancel}
        - {kind: "mcp/*"}
      reasoner:
        - {kind: chat}
        - {kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}
        - {kind: mcp/request}
        - {kind: "x/*"}
    participants:
      human: {roles: [supervisor]}
      other: {roles: [supervisor]}
      agent: {roles: [reasoner]}
      second: {roles: [reasoner]}
      mute: {capabilities: [{kind: [reasoning/start, reasoning/thought]}]}
      watcher: {capabilities: [{kind: chat, payload: {text: "!secret"}}]}
"""

Start = Callable[..., contextlib.AbstractAsyncContextManager[Site]]
Attend = Callable[..., contextlib.AbstractAsyncContextManager[asyncio.Task[None]]]


@contextlib.asynccontextmanager
async def gateway_in(
    folder: Path,
    text: str = SPACES,
    *,
    clock: ManualClock | None = None,
    clocks: Callable[[int], Clock] | None = None,
    space: str = "demo",
) -> AsyncIterator[Site]:
    """A gateway with this spaces.yaml in a folder. A second start finds the state of the first, as after a restart.

    `clocks` makes another clock than the manual one, from the newest entry's time.
    """
    file = folder / "spaces.yaml"
    file.write_text(text, encoding="utf-8")
    configuration = load(file)
    manual = clock or ManualClock()
    async with contextlib.AsyncExitStack() as stack:
        peers = await stack.enter_async_context(contextlib.AsyncExitStack())  # they outlive the gateway
        gateway = await stack.enter_async_context(
            serving(configuration, tokens=TokenStore.of(configuration, {}), clock=clocks or (lambda _: manual))
        )
        yield Site(gateway, manual, peers, space)


@contextlib.asynccontextmanager
async def attending(
    folder: Path, agent: Agent, site: Site, human: Peer, *, participant: str = "agent", account: str | None = None
) -> AsyncIterator[asyncio.Task[None]]:
    """An agent that has joined as `participant`, as `human` sees; it is cancelled after the block.

    Its state is in a folder of its own in `folder`; `account` is the space's.
    """
    state = folder / "agents" / participant
    where = Environment(site.url, site.space, site.token(participant), state=str(state), account=account)
    task = asyncio.create_task(agent.serve(where))
    try:
        while (await human.until("system/presence", event="join"))["payload"]["participant"]["id"] != participant:
            pass
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
