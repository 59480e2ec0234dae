"""Cases 11 and 12: agents that do not answer, are killed, or do not do what they say."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from mew_gateway.sdk import Client, Envelope, Interrupt

from ..kit.processes import agent_process
from .harness import Harness
from .scripted import TIMEOUT, Scripted


class Mute(Scripted):
    """Takes no interrupt."""

    def take_interrupt(self, interrupt: Interrupt) -> None:
        pass


async def test_11_a_mute_agent_is_on_record_and_the_ladder_runs(harness: Harness) -> None:
    other = await harness.join("other")
    agent_thread = await harness.start_agent(Mute())
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupt("stop", class_="cancel")
    await harness.human.until("reasoning/interrupt")
    await run.think("one")
    await harness.pass_time(29_999)
    await harness.silence(agent_thread)
    await harness.pass_time(1)
    for peer in (harness.human, other):
        error = await peer.error("interrupt_ack_timeout")
        assert error["correlation_id"] == ["stop"]
        assert error["payload"]["target"] == "agent"
        assert error["payload"]["escalation"] == ["notify", "pause"]
    assert (await harness.record("stop"))["status"] == "timed_out"
    await harness.pass_time(1_000)  # the ladder's second step
    paused = await harness.human.until("participant/pause")
    assert paused["to"] == ["agent"]
    run.cue(None)  # what it concludes passes a pause
    assert (await run.concluded())["payload"]["outcome"] == "completed"
    assert (await harness.record("stop"))["ack"] is None
    assert harness.timeline("interruption") == []


Start = Callable[[], Awaitable[Process]]


@pytest.fixture
async def start(harness: Harness) -> AsyncIterator[Start]:
    """Start the agent in a process of its own, always with the same state folder."""
    folder = harness.folder("agent").parent
    async with AsyncExitStack() as stack:

        async def start() -> Process:
            started = agent_process(harness.site, "agent", "tests.acceptance.scripted:Commanded", folder=folder)
            process = await stack.enter_async_context(started)
            await harness.joins("agent")
            return process

        yield start


async def kill(process: Process) -> None:
    """Kill it, and wait for its end."""
    process.kill()
    async with asyncio.timeout(TIMEOUT):
        await process.wait()


async def begin(harness: Harness, policy: str) -> str:
    """Have the agent in its process reason; the sequence."""
    await harness.human.send("chat", {"text": f"{policy} far away"}, to=["agent"])
    run = str((await harness.human.until("reasoning/start"))["id"])
    await harness.human.send("chat", {"text": "think one"}, to=["agent"])
    assert (await harness.human.until("reasoning/thought"))["context"] == run
    await harness.human.until("chat", text="done")  # and it awaits the next
    return run


async def interrupt(harness: Harness, run: str, **payload: Any) -> None:
    payload = {"reason": "user_request", **payload}
    await harness.human.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])


async def test_11_an_agent_killed_before_its_answer_answers_in_its_next_life(harness: Harness, start: Start) -> None:
    process = await start()
    run = await begin(harness, "soft")
    process.send_signal(signal.SIGSTOP)
    await asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)  # it stands still
    await interrupt(harness, run)
    await harness.human.until("reasoning/interrupt")
    await kill(process)
    await harness.human.until("system/presence", event="leave")
    await start()
    said: dict[str, dict[str, Any]] = {}  # in either order: the ack waits for nothing
    while set(said) != {"reasoning/conclusion", "reasoning/interrupt-ack"}:
        envelope = await harness.human.receive()
        if envelope["from"] == "agent":
            said[envelope["kind"]] = envelope
    end, ack = said["reasoning/conclusion"], said["reasoning/interrupt-ack"]
    assert (end["context"], end["payload"]["outcome"], end["payload"]["partial"]) == (run, "abandoned", True)
    told = {"status": "ignored", "class": "cancel", "outcome": "rejected", "reason_code": "not_active"}
    assert (ack["correlation_id"], ack["payload"]) == (["stop"], told)
    assert (await harness.record("stop"))["ack"]["status"] == "ignored"
    assert len(harness.timeline("started")) == 2
    assert [one.trace_id for one in harness.timeline("abandoned")] == [run]
    assert (await begin(harness, "hard")) != run  # and it is there for the next


async def test_11_an_agent_killed_behind_its_answer_keeps_its_promise_in_its_next_life(
    harness: Harness, start: Start
) -> None:
    process = await start()
    run = await begin(harness, "soft")
    await interrupt(harness, run)
    assert (await harness.ack("stop"))["status"] == "completing_thought"
    await kill(process)
    await start()
    end = await harness.human.until("reasoning/conclusion")
    assert (end["context"], end["payload"]["outcome"]) == (run, "abandoned")
    assert (await harness.record("stop"))["status"] == "honoured"
    assert harness.decided("stop")["outcome"] == "stopped"  # in its first agent_thread, on the same timeline
    assert [one["kind"] for one in await harness.human.settle()].count("reasoning/interrupt-ack") == 0


async def test_11_an_agent_killed_under_an_emergency_is_halted_in_its_next_life(harness: Harness, start: Start) -> None:
    guardian = await harness.join("guardian")
    process = await start()
    run = await begin(harness, "firm")
    payload = {"reason": "error", "class": "emergency"}
    await guardian.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])
    assert (await harness.ack("stop"))["outcome"] == "halt_after_span"
    await kill(process)
    await start()
    assert (await harness.human.until("reasoning/conclusion"))["payload"]["outcome"] == "abandoned"
    await harness.human.send("chat", {"text": "soft far away"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["stop"])
    await harness.human.until("participant/resume")
    before = [one["kind"] for one in harness.human.seen].count("reasoning/start")
    assert before == 1
    await harness.human.until("reasoning/start")
    assert harness.timeline("started")[-1].data["halts"] == ["stop"]


async def test_11_an_emergency_while_the_agent_is_away_holds_it_from_the_first_moment(
    harness: Harness, start: Start
) -> None:
    guardian = await harness.join("guardian")
    process = await start()
    run = await begin(harness, "soft")
    await kill(process)
    await harness.human.until("system/presence", event="leave")
    payload = {"reason": "error", "class": "emergency"}
    await guardian.send("reasoning/interrupt", payload, id="stop", to=["agent"], correlation_id=[run])
    await harness.human.send("chat", {"text": "soft far away"}, to=["agent"])  # nobody hears it
    await start()
    ack = await harness.ack("stop")
    assert (ack["status"], ack["reason_code"]) == ("ignored", "not_active")
    await harness.human.send("chat", {"text": "soft far away"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["stop"])
    await harness.human.until("participant/resume")
    assert [one["kind"] for one in harness.human.seen].count("reasoning/start") == 1
    await harness.human.until("reasoning/start")
    assert {one.cause_id for one in harness.timeline("halted")} == {"stop"}


# Case 12: an agent that does not do what it says.


async def refusal(rogue: Client, id: str) -> str:
    """Why an envelope was refused."""
    async for item in rogue:
        if isinstance(item, Envelope) and item.kind == "system/error" and id in (item.correlation_id or ()):
            return str((item.payload or {})["error"])
    raise AssertionError("It ended.")


async def promise(harness: Harness, rogue: Client, status: str = "stopping") -> None:
    """The rogue thinks, is interrupted, and says that it stops."""
    await rogue.send("reasoning/start", {"message": "thinking"}, id="run")
    await harness.human.until("reasoning/start")
    await interrupt(harness, "run")
    await harness.human.until("reasoning/interrupt")
    await rogue.send("reasoning/interrupt-ack", {"status": status}, correlation_id="stop")
    assert (await harness.ack("stop"))["status"] == status


@pytest.mark.parametrize("status", ["stopping", "completing_thought"])
@pytest.mark.parametrize("context", ["run", "run/step", None, "new", "unheard-of"])
async def test_12_who_says_stopping_and_acts_is_fenced(harness: Harness, status: str, context: str | None) -> None:
    async with harness.client("agent") as rogue:
        await promise(harness, rogue, status)
        await rogue.send("reasoning/start", {"message": "another"}, id="new")
        await harness.human.until("reasoning/start", message="another")
        id = await rogue.send("mcp/request", {"method": "tools/call"}, to="second", context=context)
        assert await refusal(rogue, id) == "fenced"
        await rogue.send("reasoning/conclusion", {}, context="run")
        await harness.human.until("reasoning/conclusion")
        await rogue.send("mcp/request", {"method": "tools/list"}, to="second")
        await harness.human.until("mcp/request", method="tools/list")  # the fence is down
    assert [one["payload"]["method"] for one in harness.human.seen if one["kind"] == "mcp/request"] == ["tools/list"]


async def test_12_who_says_stopping_and_thinks_on_is_refused_and_overrun(harness: Harness) -> None:
    async with harness.client("agent") as rogue:
        await promise(harness, rogue)
        await rogue.send("reasoning/thought", {"message": "the current one"}, context="run")
        for n in range(3):
            id = await rogue.send("reasoning/thought", {"message": f"on {n}"}, context="run")
            assert await refusal(rogue, id) == "sequence_interrupted"
        await harness.pass_time(4_999)
        assert (await harness.record("stop"))["status"] == "acked"
        await harness.pass_time(1)
        assert (await harness.human.error("interrupt_overrun"))["payload"]["sequence_id"] == "run"
        assert (await harness.record("stop"))["status"] == "overrun"
        id = await rogue.send("mcp/request", {"method": "tools/call"}, to="second")
        assert await refusal(rogue, id) == "fenced"  # as before
        await harness.pass_time(1_000)
        assert (await harness.human.until("participant/pause"))["to"] == ["agent"]
    assert [one["payload"]["message"] for one in harness.human.seen if one["kind"] == "reasoning/thought"] == [
        "the current one"
    ]


async def test_12_who_says_completing_thought_has_one(harness: Harness) -> None:
    async with harness.client("agent") as rogue:
        await promise(harness, rogue, "completing_thought")
        await rogue.send("reasoning/thought", {"message": "the last"}, context="run")
        await harness.human.until("reasoning/thought", message="the last")
        id = await rogue.send("reasoning/thought", {"message": "one too many"}, context="run")
        assert await refusal(rogue, id) == "sequence_interrupted"
        await harness.pass_time(60_000)
        await harness.human.error("interrupt_overrun")


async def test_12_a_second_conclusion_is_refused(harness: Harness) -> None:
    async with harness.client("agent") as rogue:
        await promise(harness, rogue)
        await rogue.send("reasoning/conclusion", {}, context="run")
        await harness.human.until("reasoning/conclusion")
        for kind in ("reasoning/conclusion", "reasoning/thought", "mcp/request"):
            id = await rogue.send(kind, {"method": "tools/call", "message": "on"}, context="run")
            assert await refusal(rogue, id) == "sequence_closed"
    assert (await harness.record("stop"))["status"] == "honoured"
