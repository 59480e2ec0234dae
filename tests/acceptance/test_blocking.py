"""A capability that blocks: in the agent's own loop, as none should, or in a thread of `run.thread`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import anyio
import pytest

from mew_gateway.sdk import Span

from .agent_thread import AgentThread
from .harness import Harness
from .scripted import Gate, blocked, thought

CLASSES = {
    "cancel": ("completing_thought", "stopped"),
    "override": ("completing_thought", "stopped"),
    "clarification": ("continuing", "paused"),
    "queue": ("continuing", "queued"),
    "emergency": ("stopping", "stopped"),
}


@pytest.mark.parametrize("class_", CLASSES)
async def test_an_ack_leaves_while_the_agents_loop_is_blocked(
    harness: Harness, agent_thread: AgentThread, class_: str
) -> None:
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(blocked(gate), thought("one"), None)
    await harness.reached(gate)
    by = await harness.join("guardian") if class_ == "emergency" else None
    ack = await run.interrupted("i", by=by, class_=class_)
    assert (ack["status"], ack["outcome"]) == CLASSES[class_]
    assert run.said == ["start", ack["status"]]  # and it stands still as before
    assert harness.decided("i")["status"] == ack["status"]
    gate.open()
    if class_ == "clarification":
        await harness.human.until("chat", text="paused: i says so")
        await harness.human.send("chat", {"text": "go on"}, to=["agent"])
    end = await run.concluded()
    assert end["payload"]["interrupted"] is (class_ in ("cancel", "override", "emergency"))
    assert run.said[2:] == (["conclusion"] if class_ == "emergency" else ["one", "conclusion"])


async def test_each_of_several_interrupts_is_answered_in_order_while_blocked(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(blocked(gate), None)
    await harness.reached(gate)
    for n, class_ in enumerate(("queue", "clarification", "cancel", "queue")):
        await run.interrupt(f"i{n}", class_=class_)
    assert [(await harness.ack(f"i{n}"))["outcome"] for n in range(4)] == ["queued", "paused", "stopped", "queued"]
    gate.open()
    await run.concluded()
    for n in (0, 1, 3):  # what was to be clarified, and could not be, is said afterwards: no words are lost
        await (await harness.begun(agent_thread, f"i{n} says so")).end()


async def test_a_run_that_is_not_there_is_answered_while_blocked(harness: Harness, agent_thread: AgentThread) -> None:
    """The sequence is another connection's of the same participant: this agent does not know it."""
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(blocked(gate), None)
    await harness.reached(gate)
    beside = await harness.join("agent")
    await beside.send("reasoning/start", {}, id="beside")
    await beside.until("reasoning/start")
    payload = {"reason": "user_request"}
    await harness.human.send("reasoning/interrupt", payload, id="i", to=["agent"], correlation_id=["beside"])
    ack = await harness.ack("i")
    assert (ack["status"], ack["reason_code"]) == ("ignored", "not_active")
    gate.open()
    await beside.send("reasoning/conclusion", {}, context="beside")


def in_thread(gate: Gate, work: Any) -> Any:
    async def cue(span: Span) -> None:
        def blocking() -> str:
            gate.block()
            return str(work(span))

        span.conclude(await span.thread(blocking))

    return cue


async def test_a_thread_looks_whether_it_is_to_stop(harness: Harness, agent_thread: AgentThread) -> None:
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(in_thread(gate, lambda span: f"stopping: {span.stopping}"), thought("one"), thought("two"))
    await harness.reached(gate)
    await harness.silence(agent_thread)  # the loop goes on
    assert (await run.interrupted("stop"))["status"] == "completing_thought"
    gate.open()
    end = (await run.concluded())["payload"]
    assert (end["message"], end["interrupt_id"], end["outcome"]) == ("stopping: True", "stop", "interrupted")
    await harness.silence(agent_thread)
    assert run.said == ["start", "completing_thought", "one", "conclusion"]


async def test_a_thread_that_is_not_told_goes_on(harness: Harness, agent_thread: AgentThread) -> None:
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(in_thread(gate, lambda span: f"stopping: {span.stopping}, {span.check()}"), None)
    await harness.reached(gate)
    gate.open()
    assert (await run.concluded())["payload"]["message"] == "stopping: False, None"


async def test_a_thread_is_ended_by_its_check(harness: Harness, agent_thread: AgentThread) -> None:
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    run.cue(in_thread(gate, lambda span: span.check()), thought("one"))
    await harness.reached(gate)
    assert (await run.interrupted("stop"))["status"] == "completing_thought"
    gate.open()
    assert (await run.concluded())["payload"]["outcome"] == "interrupted"
    await harness.silence(agent_thread)
    assert run.said == ["start", "completing_thought", "conclusion"]


@pytest.mark.parametrize("policy", ["hard", "checkpointed"])
async def test_a_thread_is_left_behind_by_a_span_that_ends_at_once(
    harness: Harness, agent_thread: AgentThread, policy: str
) -> None:
    """No thread is ever killed: it comes to its end by itself, and nothing is heard of it."""
    run, gate = await harness.run(agent_thread, policy, "tour"), Gate()
    done: list[bool] = []
    run.cue(in_thread(gate, lambda span: done.append(span.stopping)), thought("one"))
    await harness.reached(gate)
    assert (await run.interrupted("stop"))["status"] == "stopping"
    await run.concluded()
    gate.open()
    await agent_thread.ask(partial(_until, done))
    assert done == [True]
    await harness.silence(agent_thread)
    assert run.said == ["start", "stopping", "conclusion"]


async def _until(done: list[bool]) -> None:
    while not done:
        await asyncio.sleep(0)


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_words_are_answered_before_the_body_they_stop_blocks_again(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    """The decision is the loop's own this time: its answer leaves before the loop does anything else."""
    gate = Gate()

    async def busy(span: Span) -> None:
        with anyio.CancelScope(shield=True):
            while not span.stopping:
                await asyncio.sleep(0)
        gate.block()

    run = await harness.run(agent_thread, capability, "tour")
    run.cue(busy, None)
    await harness.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    await harness.reached(gate)
    ack = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (ack["class"], ack["outcome"]) == ("cancel", "stopped")
    if capability != "soft":
        await harness.pass_time(1_000)  # nor does the conclusion wait for the loop
        await run.concluded()
    gate.open()
    if capability == "soft":
        await run.concluded()
    await harness.silence(agent_thread)
