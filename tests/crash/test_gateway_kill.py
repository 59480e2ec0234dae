"""`kill -9` of a whole gateway: what was delivered is journalled, open interrupts and their deadlines survive."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection

from mew_gateway.config import load
from mew_gateway.gateway.auth import TokenStore

WAIT = 30.0

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    interrupts: {ack_deadline: ACK_DEADLINE}
    participants:
      human: {capabilities: [{kind: chat}, {kind: reasoning/interrupt}]}
      agent: {capabilities: [{kind: chat}, {kind: "reasoning/*"}]}
"""


class Server:
    """`mew serve` as a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: asyncio.subprocess.Process | None = None
        self.url = ""

    async def start(self) -> None:
        address = self.folder / "state" / "gateway.json"
        address.unlink(missing_ok=True)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "mew_gateway.cli.main",
            "serve",
            "--config",
            str(self.folder / "spaces.yaml"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(WAIT):
            while not address.exists():
                assert self.process.returncode is None, "the gateway did not start"
                await asyncio.sleep(0.02)
        self.url = json.loads(address.read_text())["url"].replace("http", "ws")

    async def kill(self, number: int = signal.SIGKILL) -> int:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        async with asyncio.timeout(WAIT):
            return await self.process.wait()

    def join(self, participant: str) -> websockets.connect:
        configuration = load(self.folder / "spaces.yaml")
        token = TokenStore.of(configuration, os.environ).token("demo", participant)
        return websockets.connect(f"{self.url}/ws?space=demo", additional_headers={"Authorization": f"Bearer {token}"})


@contextlib.asynccontextmanager
async def server(tmp_path: Path, *, ack_deadline: str) -> AsyncIterator[Server]:
    (tmp_path / "spaces.yaml").write_text(SPACES.replace("ACK_DEADLINE", ack_deadline))
    running = Server(tmp_path)
    try:
        yield running
    finally:
        if running.process is not None and running.process.returncode is None:
            await running.kill()


async def until(socket: ClientConnection, kind: str, **payload: Any) -> dict[str, Any]:
    async with asyncio.timeout(WAIT):
        while True:
            envelope: dict[str, Any] = json.loads(await socket.recv())
            found = envelope.get("payload", {})
            if envelope["kind"] == kind and all(found.get(key) == value for key, value in payload.items()):
                return envelope


async def ask_to_stop(human: ClientConnection, agent: ClientConnection) -> None:
    await agent.send(json.dumps({"kind": "reasoning/start", "id": "run", "payload": {"message": "hm"}}))
    await until(human, "reasoning/start")
    interrupt = {
        "kind": "reasoning/interrupt",
        "id": "stop",
        "to": ["agent"],
        "correlation_id": ["run"],
        "payload": {"reason": "timeout", "message": "too long"},
    }
    await human.send(json.dumps(interrupt))
    await until(agent, "reasoning/interrupt")


async def test_a_target_that_comes_back_after_a_crash_still_gets_its_interrupt(tmp_path: Path) -> None:
    async with server(tmp_path, ack_deadline="10m") as gateway:
        await gateway.start()
        async with gateway.join("human") as human, gateway.join("agent") as agent:
            await ask_to_stop(human, agent)
            await gateway.kill()
        await gateway.start()
        async with gateway.join("human") as human, gateway.join("agent") as agent:
            welcome = await until(agent, "system/welcome")
            assert welcome["payload"]["sequences"]["open"][0]["interrupts"] == ["stop"]
            assert (await until(agent, "reasoning/interrupt"))["id"] == "stop"
            ack = {"kind": "reasoning/interrupt-ack", "correlation_id": ["stop"], "payload": {"status": "stopping"}}
            await agent.send(json.dumps(ack))
            await until(human, "reasoning/interrupt-ack", status="stopping")
            await agent.send(json.dumps({"kind": "reasoning/thought", "context": "run", "payload": {}}))
            await until(agent, "system/error", error="sequence_interrupted")
        assert await gateway.kill(signal.SIGTERM) == 0


async def test_a_deadline_passes_once_whatever_crashes(tmp_path: Path) -> None:
    async with server(tmp_path, ack_deadline="3s") as gateway:
        await gateway.start()
        async with gateway.join("human") as human, gateway.join("agent") as agent:
            await ask_to_stop(human, agent)
            await gateway.kill()
        await gateway.start()
        async with gateway.join("human") as human:
            error = await until(human, "system/error", error="interrupt_ack_timeout")
            assert error["correlation_id"] == ["stop"]
            assert error["payload"]["waited_ms"] >= 3_000
            await gateway.kill()
        await gateway.start()
        async with gateway.join("human") as human, gateway.join("agent") as agent:
            await human.send(json.dumps({"kind": "chat", "id": "last", "payload": {"text": "anything else?"}}))
            while (envelope := json.loads(await human.recv()))["kind"] != "chat":
                assert envelope.get("payload", {}).get("error") != "interrupt_ack_timeout"
            ack = {"kind": "reasoning/interrupt-ack", "correlation_id": ["stop"], "payload": {"status": "stopping"}}
            await agent.send(json.dumps(ack))
            await until(human, "reasoning/interrupt-ack")


async def test_nothing_is_delivered_that_the_journal_does_not_hold(tmp_path: Path) -> None:
    async with server(tmp_path, ack_deadline="30s") as gateway:
        await gateway.start()
        seen: list[str] = []
        async with gateway.join("human") as human, gateway.join("agent") as agent:
            await until(agent, "system/welcome")

            async def listen() -> None:
                with contextlib.suppress(websockets.ConnectionClosed):
                    while True:
                        envelope = json.loads(await agent.recv())
                        if envelope["kind"] == "chat":
                            seen.append(envelope["id"])

            listener = asyncio.create_task(listen())
            with contextlib.suppress(websockets.ConnectionClosed):
                for number in range(350):
                    await human.send(json.dumps({"kind": "chat", "id": f"n{number}", "payload": {"text": "x"}}))
                    if number == 300:
                        await gateway.kill()
            await listener
        assert seen == [f"n{number}" for number in range(len(seen))]
        await gateway.start()
        async with gateway.join("human") as human:
            for id in seen:  # each is known as accepted: a resend of the same bytes is refused
                await human.send(json.dumps({"kind": "chat", "id": id, "payload": {"text": "x"}}))
                refused = await until(human, "system/error", error="duplicate_id")
                assert refused["correlation_id"] == [id]
