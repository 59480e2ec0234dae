"""A gateway as upstream's scenarios find it: a file of one space, agents that join by a first frame, scripts that post
over HTTP and read what their `output_log` got."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import websockets

from ..kit.gateway import TIMEOUT

GATEWAY = """
gateway: {listen: "127.0.0.1:0", journal: {url: "memory:"}}
"""

Answer = Callable[[Any, dict[str, Any]], Awaitable[None]]


class Agent:
    """A participant as upstream's agents are: it says every field of an envelope itself, and answers what it reads."""

    def __init__(self, socket: Any, name: str, answer: Answer | None) -> None:
        self.socket = socket
        self.name = name
        self.seen: list[dict[str, Any]] = []
        self.frames: list[str | bytes] = []
        self._answer = answer
        self._sent = 0
        self._looked_at = 0
        self._arrived = asyncio.Condition()

    async def send(self, kind: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
        self._sent += 1
        envelope = {
            "protocol": "mew/v0.4",
            "id": f"{self.name}-{self._sent}",
            "ts": "2026-01-01T00:00:00.000Z",
            "from": self.name,
            "kind": kind,
            "payload": payload or {},
        }
        await self.socket.send(json.dumps({**envelope, **fields}))

    async def raw(self, data: str | bytes) -> None:
        await self.socket.send(data)

    async def run(self) -> None:
        """Read until the connection ends."""
        with contextlib.suppress(websockets.ConnectionClosed):
            async for data in self.socket:
                if data[:1] in ("#", b"#"):
                    self.frames.append(data)
                    envelope = None
                else:
                    envelope = json.loads(data)
                    self.seen.append(envelope)
                async with self._arrived:
                    self._arrived.notify_all()
                if envelope is not None and self._answer is not None:
                    await self._answer(self, envelope)

    async def until(self, kind: str, **payload: Any) -> dict[str, Any]:
        """The next envelope of that kind whose payload has these fields."""
        async with asyncio.timeout(TIMEOUT), self._arrived:
            while True:
                while self._looked_at < len(self.seen):
                    envelope = self.seen[self._looked_at]
                    self._looked_at += 1
                    if envelope["kind"] == kind and _has(envelope.get("payload", {}), payload):
                        return envelope
                await self._arrived.wait()

    async def received(self, frames: list[str | bytes]) -> None:
        """Wait until these are the stream frames that came, and no others."""
        async with asyncio.timeout(TIMEOUT), self._arrived:
            await self._arrived.wait_for(lambda: len(self.frames) >= len(frames))
        assert self.frames == frames


class Scenario:
    """A running scenario. `token` of a participant is NAME-token, unless the file says otherwise."""

    def __init__(self, site: Any, folder: Path, stack: contextlib.AsyncExitStack) -> None:
        self.site = site
        self._folder = folder
        self._stack = stack

    async def agent(self, name: str, answer: Answer | None = None, *, headers: bool = False) -> Agent:
        """Join by a frame on a path that says nothing, as upstream's agents do; with `headers` by the token too."""
        token = self.site.token(name)
        sent = {"Authorization": f"Bearer {token}"} if headers else {}
        url = self.site.url.replace("http", "ws")
        socket = await self._stack.enter_async_context(websockets.connect(url, additional_headers=sent, max_size=None))
        agent = Agent(socket, name, answer)
        join = {"type": "join", "space": self.site.space, "token": token, "participantId": name, "capabilities": []}
        await socket.send(json.dumps(join))
        reading = asyncio.create_task(agent.run())
        self._stack.push_async_callback(_ended, reading)
        assert (await agent.until("system/welcome"))["payload"]["you"]["id"] == name
        return agent

    async def fetch(
        self, method: str, path: str, *, token: str | None = None, body: bytes | None = None, media: str = ""
    ) -> tuple[int, Any]:
        """The status and the JSON of an answer."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Content-Type": media} if media else {}
        request = urllib.request.Request(self.site.url + path, body, headers, method=method)
        status, answer = await self.site._fetch(request)
        return int(status), answer

    async def post(self, participant: str, body: Any, *, token: str | None = None) -> tuple[int, Any]:
        """What curl does in every scenario: no space is named. A string is a stream's frame."""
        media = "text/plain" if isinstance(body, str) else "application/json"
        data = (
            body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        )
        path = f"/participants/{participant}/messages"
        return await self.fetch("POST", path, token=token or self.site.token(participant), body=data, media=media)

    async def accepted(self, participant: str, kind: str, payload: dict[str, Any], **fields: Any) -> None:
        status, answer = await self.post(participant, {"kind": kind, "payload": payload, **fields})
        assert (status, answer["status"]) == (200, "accepted"), answer

    def lines(self, participant: str) -> list[dict[str, Any]]:
        """What the participant's output log has."""
        file = self._folder / "logs" / f"{participant}.log"
        return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []

    async def logged(
        self, participant: str, kind: str, payload: dict[str, Any] | None = None, **fields: Any
    ) -> dict[str, Any]:
        """The first line of that kind with these fields, in its payload and outside it, once it is there."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                for line in self.lines(participant):
                    said = line.get("payload", {})
                    if line.get("kind") == kind and _has(line, fields) and _has(said, payload or {}):
                        return line
                await asyncio.sleep(0.005)

    async def answered(self, participant: str, id: str) -> dict[str, Any]:
        """The payload of the `mcp/response` to that request."""
        response = await self.logged(participant, "mcp/response", correlation_id=[id])
        return dict(response["payload"])


def _has(said: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(said.get(key) == value for key, value in wanted.items())


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


Play = Callable[[str], contextlib.AbstractAsyncContextManager[Scenario]]


@pytest.fixture
def play(start_gateway: Any, tmp_path: Path) -> Play:
    """`async with play(SPACE) as scenario`: the file's space is called `scenario`."""

    @contextlib.asynccontextmanager
    async def playing(space: str) -> AsyncIterator[Scenario]:
        async with start_gateway(GATEWAY + space, space="scenario") as site, contextlib.AsyncExitStack() as stack:
            assert (await site.get("/health"))[1]["status"] == "ok"  # every scenario looks there first
            yield Scenario(site, tmp_path, stack)

    return playing


@pytest.fixture
def calculator() -> Answer:
    """Upstream's calculator: it answers everybody at once, with one id as a scalar and no `to`."""
    tools = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b}
    expressions = {"20 / 4": 5, "10 / 0": "Infinity"}

    async def answer(agent: Agent, envelope: dict[str, Any]) -> None:
        asked = envelope["payload"]
        if envelope["kind"] != "mcp/request" or agent.name not in envelope.get("to", [agent.name]):
            return
        named, given = asked.get("params", {}).get("name"), asked.get("params", {}).get("arguments", {})
        told: dict[str, Any] = {"error": {"code": "NOT_FOUND", "message": f"Tool not found: {named}"}}
        if asked["method"] == "tools/list":
            told = {"result": {"tools": [{"name": name} for name in (*tools, "evaluate")]}}
        elif named in tools:
            told = {"result": tools[named](**given)}
        elif named == "evaluate":
            told = {"result": expressions[given["expression"]]}
        await agent.send("mcp/response", told, correlation_id=envelope["id"])

    return answer
