"""`kill -9` of a whole gateway: what was delivered is journalled, open interrupts and their deadlines survive."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection

from bench.crash.experiment import run
from bench.failure import PATIENCE
from bench.mortal import Mortal

from ..kit.torture import SEED, TIMES

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


@contextlib.asynccontextmanager
async def mortal(tmp_path: Path, *, ack_deadline: str) -> AsyncIterator[Mortal]:
    gateway = Mortal(tmp_path, SPACES.replace("ACK_DEADLINE", ack_deadline))
    try:
        await gateway.start()
        yield gateway
    finally:
        await gateway.kill()


async def until(socket: ClientConnection, kind: str, **payload: Any) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
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
    async with mortal(tmp_path, ack_deadline="10m") as gateway:
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            await ask_to_stop(human, agent)
            await gateway.kill()
        await gateway.start()
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            welcome = await until(agent, "system/welcome")
            assert welcome["payload"]["sequences"]["open"][0]["interrupts"] == ["stop"]
            assert (await until(agent, "reasoning/interrupt"))["id"] == "stop"
            ack = {"kind": "reasoning/interrupt-ack", "correlation_id": ["stop"], "payload": {"status": "stopping"}}
            await agent.send(json.dumps(ack))
            await until(human, "reasoning/interrupt-ack", status="stopping")
            for _ in range(2):  # the current one, and one too many
                await agent.send(json.dumps({"kind": "reasoning/thought", "context": "run", "payload": {}}))
            await until(agent, "system/error", error="sequence_interrupted")
        gateway.signal(signal.SIGTERM)
        assert await gateway.ended() == 0


async def test_a_deadline_passes_once_whatever_crashes(tmp_path: Path) -> None:
    async with mortal(tmp_path, ack_deadline="3s") as gateway:
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            await ask_to_stop(human, agent)
            await gateway.kill()
        await gateway.start()
        async with gateway.join("demo", "human") as human:
            error = await until(human, "system/error", error="interrupt_ack_timeout")
            assert error["correlation_id"] == ["stop"]
            assert error["payload"]["waited_ms"] >= 3_000
            await gateway.kill()
        await gateway.start()
        async with gateway.join("demo", "human") as human, gateway.join("demo", "agent") as agent:
            await human.send(json.dumps({"kind": "chat", "id": "last", "payload": {"text": "anything else?"}}))
            while (envelope := json.loads(await human.recv()))["kind"] != "chat":
                assert envelope.get("payload", {}).get("error") != "interrupt_ack_timeout"
            ack = {"kind": "reasoning/interrupt-ack", "correlation_id": ["stop"], "payload": {"status": "stopping"}}
            await agent.send(json.dumps(ack))
            await until(human, "reasoning/interrupt-ack")


async def test_whatever_was_delivered_is_journalled_in_order_and_once() -> None:
    """What `python -m bench.crash` does a hundred times."""
    found = await run(kills=3 * TIMES, rate=600, seed=SEED, ack_deadline=1_000, conclusion=1_000)
    assert found.verdict.lines == []
    assert found.promises.faults == []
    assert found.is_good
    assert found.verdict.delivered > 100
    assert found.promises.interrupts > 0
