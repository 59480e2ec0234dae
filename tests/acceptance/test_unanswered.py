"""Cases 11 and 12: agents that do not answer, are killed, or do not do what they say."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.sdk import Client, Envelope, Interrupt

from .scripted import TIMEOUT, Scripted
from .world import World


class Mute(Scripted):
    """Takes no interrupt."""

    def take_interrupt(self, interrupt: Interrupt) -> None:
        pass


async def test_11_a_mute_agent_is_on_record_and_the_ladder_runs(world: World) -> None:
    other = await world.join("other")
    life = await world.live(Mute())
    run = await world.run(life, "soft", "tour")
    await run.interrupt("stop", class_="cancel")
    await world.human.until("reasoning/interrupt")
    await run.think("one")
    await world.pass_time(29_999)
    await world.silence(life)
    await world.pass_time(1)
    for peer in (world.human, other):
        error = await peer.error("interrupt_ack_timeout")
        assert error["correlation_id"] == ["stop"]
        assert error["payload"]["target"] == "agent"
        assert error["payload"]["escalation"] == ["notify", "pause"]
    assert (await world.record("stop"))["status"] == "timed_out"
    await world.pass_time(1_000)  # the ladder's second step
    paused = await world.human.until("participant/pause")
    assert paused["to"] == ["agent"]
    run.cue(None)  # what it concludes passes a pause
    assert (await run.concluded())["payload"]["outcome"] == "completed"
    assert (await world.record("stop"))["ack"] is None
    assert world.timeline("interruption") == []


Start = Callable[[], Awaitable[Process]]


@pytest.fixture
async def start(world: World) -> AsyncIterator[Start]:
    """Start the agent in a process of its own, always with the same state folder."""
    where = world.environment("agent")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MEW_")}
    told = {"MEW_URL": where.url, "MEW_SPACE": where.space, "MEW_TOKEN": where.token, "MEW_STATE": str(where.state)}
    here = {"PYTHONPATH": str(Path(__file__).parent)}
    async with AsyncExitStack() as stack:

        async def start() -> Process:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "mew_gateway.sdk.host", "scripted:Commanded"),
                env={**inherited, **told, **here},
                stdin=DEVNULL,
                stderr=PIPE,
            )
            stack.push_async_callback(kill, process)
            await world.joins("agent")
            return process

        yield start


async def kill(process: Process) -> None:
    """It ends without another word."""
    if process.returncode is None:
        process.send_signal(signal.SIGKILL)
    async with asyncio.timeout(TIMEOUT):
        await process.communicate()


async def begin(world: World, policy: str) -> str:
    """Have the agent in its process reason; the sequence."""
    await world.human.send("chat", {"text": f"{policy} far away"}, to=["agent"])
    run = str((await world.human.until("reasoning/start"))["id"])
    await world.human.send("chat", {"text": "think one"}, to=["agent"])
    assert (await world.human.until("reasoning/thought"))["context"] == run
    await world.human.until("chat", text="done")  # and it awaits the next
    return run


async def interrupt(world: World, run: str, **payload: Any) -> None:
    payload = {"reason": "user_request", **payload}
    await world.human.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])


async def test_11_an_agent_killed_before_its_answer_answers_in_its_next_life(world: World, start: Start) -> None:
    process = await start()
    run = await begin(world, "soft")
    process.send_signal(signal.SIGSTOP)
    await asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)  # it stands still
    await interrupt(world, run)
    await world.human.until("reasoning/interrupt")
    await kill(process)
    await world.human.until("system/presence", event="leave")
    await start()
    said: dict[str, dict[str, Any]] = {}  # in either order: the ack waits for nothing
    while set(said) != {"reasoning/conclusion", "reasoning/interrupt-ack"}:
        envelope = await world.human.receive()
        if envelope["from"] == "agent":
            said[envelope["kind"]] = envelope
    end, ack = said["reasoning/conclusion"], said["reasoning/interrupt-ack"]
    assert (end["context"], end["payload"]["outcome"], end["payload"]["partial"]) == (run, "abandoned", True)
    told = {"status": "ignored", "class": "cancel", "outcome": "rejected", "reason_code": "not_active"}
    assert (ack["correlation_id"], ack["payload"]) == (["stop"], told)
    assert (await world.record("stop"))["ack"]["status"] == "ignored"
    assert len(world.timeline("started")) == 2
    assert [one.trace_id for one in world.timeline("abandoned")] == [run]
    assert (await begin(world, "hard")) != run  # and it is there for the next


async def test_11_an_agent_killed_behind_its_answer_keeps_its_promise_in_its_next_life(
    world: World, start: Start
) -> None:
    process = await start()
    run = await begin(world, "soft")
    await interrupt(world, run)
    assert (await world.ack("stop"))["status"] == "completing_thought"
    await kill(process)
    await start()
    end = await world.human.until("reasoning/conclusion")
    assert (end["context"], end["payload"]["outcome"]) == (run, "abandoned")
    assert (await world.record("stop"))["status"] == "honoured"
    assert world.decided("stop")["outcome"] == "stopped"  # in its first life, on the same timeline
    assert [one["kind"] for one in await world.human.settle()].count("reasoning/interrupt-ack") == 0


async def test_11_an_agent_killed_under_an_emergency_is_halted_in_its_next_life(world: World, start: Start) -> None:
    guardian = await world.join("guardian")
    process = await start()
    run = await begin(world, "firm")
    payload = {"reason": "error", "class": "emergency"}
    await guardian.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])
    assert (await world.ack("stop"))["outcome"] == "halt_after_span"
    await kill(process)
    await start()
    assert (await world.human.until("reasoning/conclusion"))["payload"]["outcome"] == "abandoned"
    await world.human.send("chat", {"text": "soft far away"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["stop"])
    await world.human.until("participant/resume")
    before = [one["kind"] for one in world.human.seen].count("reasoning/start")
    assert before == 1
    await world.human.until("reasoning/start")
    assert world.timeline("started")[-1].data["halts"] == ["stop"]


async def test_11_an_emergency_while_the_agent_is_away_holds_it_from_the_first_moment(
    world: World, start: Start
) -> None:
    guardian = await world.join("guardian")
    process = await start()
    run = await begin(world, "soft")
    await kill(process)
    await world.human.until("system/presence", event="leave")
    payload = {"reason": "error", "class": "emergency"}
    await guardian.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])
    await world.human.send("chat", {"text": "soft far away"}, to=["agent"])  # nobody hears it
    await start()
    ack = await world.ack("stop")
    assert (ack["status"], ack["reason_code"]) == ("ignored", "not_active")
    await world.human.send("chat", {"text": "soft far away"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["stop"])
    await world.human.until("participant/resume")
    assert [one["kind"] for one in world.human.seen].count("reasoning/start") == 1
    await world.human.until("reasoning/start")
    assert {one.cause_id for one in world.timeline("halted")} == {"stop"}


# Case 12: an agent that does not do what it says.


async def refusal(rogue: Client, id: str) -> str:
    """Why an envelope was refused."""
    async for item in rogue:
        if isinstance(item, Envelope) and item.kind == "system/error" and id in (item.correlation_id or ()):
            return str((item.payload or {})["error"])
    raise AssertionError("It ended.")


async def promise(world: World, rogue: Client, status: str = "stopping") -> None:
    """The rogue thinks, is interrupted, and says that it stops."""
    await rogue.send("reasoning/start", {"message": "thinking"}, id="run")
    await world.human.until("reasoning/start")
    await interrupt(world, "run")
    await world.human.until("reasoning/interrupt")
    await rogue.send("reasoning/interrupt-ack", {"status": status}, correlation_id="stop")
    assert (await world.ack("stop"))["status"] == status


@pytest.mark.parametrize("status", ["stopping", "completing_thought"])
@pytest.mark.parametrize("context", ["run", "run/step", None, "new", "unheard-of"])
async def test_12_who_says_stopping_and_acts_is_fenced(world: World, status: str, context: str | None) -> None:
    async with world.client("agent") as rogue:
        await promise(world, rogue, status)
        await rogue.send("reasoning/start", {"message": "another"}, id="new")
        await world.human.until("reasoning/start", message="another")
        id = await rogue.send("mcp/request", {"method": "tools/call"}, to="second", context=context)
        assert await refusal(rogue, id) == "fenced"
        await rogue.send("reasoning/conclusion", {}, context="run")
        await world.human.until("reasoning/conclusion")
        await rogue.send("mcp/request", {"method": "tools/list"}, to="second")
        await world.human.until("mcp/request", method="tools/list")  # the fence is down
    assert [one["payload"]["method"] for one in world.human.seen if one["kind"] == "mcp/request"] == ["tools/list"]


async def test_12_who_says_stopping_and_thinks_on_is_refused_and_overrun(world: World) -> None:
    async with world.client("agent") as rogue:
        await promise(world, rogue)
        await rogue.send("reasoning/thought", {"message": "the current one"}, context="run")
        for n in range(3):
            id = await rogue.send("reasoning/thought", {"message": f"on {n}"}, context="run")
            assert await refusal(rogue, id) == "sequence_interrupted"
        await world.pass_time(4_999)
        assert (await world.record("stop"))["status"] == "acked"
        await world.pass_time(1)
        assert (await world.human.error("interrupt_overrun"))["payload"]["sequence_id"] == "run"
        assert (await world.record("stop"))["status"] == "overrun"
        id = await rogue.send("mcp/request", {"method": "tools/call"}, to="second")
        assert await refusal(rogue, id) == "fenced"  # as before
        await world.pass_time(1_000)
        assert (await world.human.until("participant/pause"))["to"] == ["agent"]
    assert [one["payload"]["message"] for one in world.human.seen if one["kind"] == "reasoning/thought"] == [
        "the current one"
    ]


async def test_12_who_says_completing_thought_has_one(world: World) -> None:
    async with world.client("agent") as rogue:
        await promise(world, rogue, "completing_thought")
        await rogue.send("reasoning/thought", {"message": "the last"}, context="run")
        await world.human.until("reasoning/thought", message="the last")
        id = await rogue.send("reasoning/thought", {"message": "one too many"}, context="run")
        assert await refusal(rogue, id) == "sequence_interrupted"
        await world.pass_time(60_000)
        await world.human.error("interrupt_overrun")


async def test_12_a_second_conclusion_is_refused(world: World) -> None:
    async with world.client("agent") as rogue:
        await promise(world, rogue)
        await rogue.send("reasoning/conclusion", {}, context="run")
        await world.human.until("reasoning/conclusion")
        for kind in ("reasoning/conclusion", "reasoning/thought", "mcp/request"):
            id = await rogue.send(kind, {"method": "tools/call", "message": "on"}, context="run")
            assert await refusal(rogue, id) == "sequence_closed"
    assert (await world.record("stop"))["status"] == "honoured"
