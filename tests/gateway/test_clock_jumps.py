"""Somebody sets the wall clock by an hour: deadlines and order are as they were (docs/architecture.md)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.gateway.broker.clock import GatewayClock
from mew_gateway.sdk import Client
from mew_gateway.space.outages import RETURN

HOUR = 3_600.0  # seconds
ACK_DEADLINE = 30_000  # ms, the default


class Machine:
    """A machine's two clocks: `wall` (seconds since the epoch), which anybody may set, and one that only runs."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000.0
        self.running = 5_000_000_000_000

    def clock(self, floor: int) -> GatewayClock:
        """What a gateway that starts makes of them."""
        return GatewayClock(floor=floor, wall=lambda: self.wall, monotonic=lambda: self.running)

    async def pass_time(self, site: Any, milliseconds: int) -> None:
        """Time goes by; the gateway looks at its deadlines."""
        self.running += milliseconds * 1_000_000
        self.wall += milliseconds / 1000
        site.gateway.broker.check_deadlines()
        await asyncio.sleep(0)


async def ask_to_stop(human: Any, agent: Any) -> None:
    await agent.send("reasoning/start", {"message": "hm"}, id="run")
    await human.until("reasoning/start")
    await human.send("reasoning/interrupt", {"reason": "timeout"}, id="stop", to=["agent"], correlation_id=["run"])
    await agent.until("reasoning/interrupt")


async def timeouts(site: Any) -> list[dict[str, Any]]:
    _, body = await site.get("/spaces/demo/history?limit=1000", participant="human")
    said = [one["envelope"] for one in body["envelopes"]]
    times = [one["at"] for one in body["envelopes"]]
    assert times == sorted(times), "the record runs back"
    return [one for one in said if one["kind"] == "system/error" and one["payload"]["error"] == "interrupt_ack_timeout"]


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_while_the_gateway_runs_no_deadline_moves(start_gateway: Any, jump: float) -> None:
    machine = Machine()
    async with start_gateway(clocks=machine.clock) as site:
        human, agent = await site.join("human"), await site.join("agent")
        await ask_to_stop(human, agent)
        machine.wall += jump
        await machine.pass_time(site, ACK_DEADLINE - 1)
        await human.settle()
        assert await timeouts(site) == []
        await machine.pass_time(site, 1)
        await human.until("system/error", error="interrupt_ack_timeout")
        (told,) = await timeouts(site)
        assert told["payload"]["waited_ms"] == ACK_DEADLINE


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_an_ack_in_time_counts_despite_wall_clock_jumps(start_gateway: Any, jump: float) -> None:
    machine = Machine()
    async with start_gateway(clocks=machine.clock) as site:
        human, agent = await site.join("human"), await site.join("agent")
        await ask_to_stop(human, agent)
        machine.wall += jump
        await machine.pass_time(site, ACK_DEADLINE - 1)
        await agent.send("reasoning/interrupt-ack", {"status": "continuing"}, correlation_id=["stop"])
        await human.until("reasoning/interrupt-ack")
        await machine.pass_time(site, ACK_DEADLINE)
        await human.settle()
        assert await timeouts(site) == []


async def test_a_clock_set_back_across_a_restart_moves_no_deadline(start_gateway: Any) -> None:
    machine = Machine()
    async with start_gateway(clocks=machine.clock) as site:
        human, agent = await site.join("human"), await site.join("agent")
        await ask_to_stop(human, agent)
        await machine.pass_time(site, 10_000)
        await human.send("chat", {"text": "the newest entry"})
        await human.until("chat")
    machine.wall -= HOUR
    async with start_gateway(clocks=machine.clock) as site:
        human = await site.join("human")
        await machine.pass_time(site, ACK_DEADLINE - 10_001)
        await human.settle()
        assert await timeouts(site) == []
        await machine.pass_time(site, 1)
        await human.until("system/error", error="interrupt_ack_timeout")
        (told,) = await timeouts(site)
        assert told["payload"]["waited_ms"] == ACK_DEADLINE


async def test_a_clock_set_forward_while_stopped_is_time_passed(start_gateway: Any) -> None:
    """A gateway that starts cannot tell one from the other: nobody is late before there was time to come back. And set
    right again, time does not run back."""
    machine = Machine()
    async with start_gateway(clocks=machine.clock) as site:
        await ask_to_stop(await site.join("human"), await site.join("agent"))
    machine.wall += HOUR
    async with start_gateway(clocks=machine.clock) as site:
        assert await timeouts(site) == []
        await machine.pass_time(site, RETURN)
        (told,) = await timeouts(site)
        assert told["payload"]["waited_ms"] >= HOUR * 1000
    machine.wall -= HOUR
    async with start_gateway(clocks=machine.clock) as site:
        human, agent = await site.join("human"), await site.join("agent")
        assert len(await timeouts(site)) == 1
        await agent.send("reasoning/start", {"message": "hm"}, id="next")
        await human.until("reasoning/start")
        await human.send("reasoning/interrupt", {"reason": "timeout"}, id="two", to=["agent"], correlation_id=["next"])
        await agent.until("reasoning/interrupt")
        await machine.pass_time(site, ACK_DEADLINE - 1)
        await human.settle()
        assert len(await timeouts(site)) == 1
        await machine.pass_time(site, 1)
        await human.until("system/error", error="interrupt_ack_timeout")
        assert [one["payload"]["waited_ms"] for one in await timeouts(site)][1] == ACK_DEADLINE


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_an_agents_time_ignores_wall_clock_jumps(jump: float) -> None:
    machine = Machine()
    client = Client(
        "ws://127.0.0.1:1",
        space="demo",
        token="t",
        clock=lambda: machine.running // 1_000_000,
        wall=lambda: int(machine.wall * 1000),
    )
    before = client.now()
    machine.wall += jump
    machine.running += 250_000_000
    assert client.now() - before == 250
    assert client.gateway_time() - before == 250
    await client.aclose()
