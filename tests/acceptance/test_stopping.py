"""Cases 1 to 4: how an interrupt ends a run of each policy, or does not."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import partial
from typing import Any

import anyio
import pytest

from mew_gateway.sdk import Span

from .agent_thread import AgentThread
from .harness import Harness
from .scripted import Gate, blocked, boundary, change, keep, stopped_in, thought

NOTED = {"source": "wire", "sender": "human", "reason": "other", "message": "stop says so", "confidence": 1.0}


def told(end: dict[str, Any]) -> dict[str, Any]:
    """What a conclusion says, besides where the agent's timeline has come to."""
    return {key: value for key, value in end["payload"].items() if key != "timeline"}


async def test_1_soft_stop_in_mid_thought(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.think("one")
    ack = await run.interrupted("stop")
    assert ack == {
        "status": "completing_thought",
        "class": "cancel",
        "outcome": "stopped",
        "policy_applied": "soft-stop",
        "span_id": run.span,
    }
    run.cue(thought("two"), thought("three"), None)
    assert told(await run.concluded()) == {
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "stop",
        "policy_applied": "soft-stop",
        "partial": True,
    }
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "completing_thought", "two", "conclusion"]
    await harness.pass_time(61_000)
    assert (await harness.record("stop"))["status"] == "honoured"
    assert harness.decided("stop") == {
        **NOTED,
        "trace": run.id,
        "span": run.span,
        "run": run.id,
        "class": "cancel",
        "rule": "explicit",
        "status": "completing_thought",
        "outcome": "stopped",
        "policy": "soft-stop",
    }
    assert harness.states(run.id) == [(run.span, "running"), (run.span, "interrupted"), (run.span, "cancelled")]
    assert harness.kinds(run.id) == [
        "run_begun",
        "span_begun",
        "thought",
        "interruption",
        "decided",
        "thought",
        "run_concluded",
        "trace_sealed",
    ]
    (idle,) = harness.timeline("idle")
    assert (idle.trace_id, idle.cause_id) == ("stop:idle", "stop")


async def test_1_soft_stop_at_a_boundary(harness: Harness, agent_thread: AgentThread) -> None:
    """The thought has been said, and no other has begun: nothing is left to complete."""
    run, gate = await harness.run(agent_thread, "soft", "tour"), Gate()
    said = partial(harness.timeline, "thought", of=run.id)
    run.cue(stopped_in(gate, thought("one"), once=lambda: bool(said())), thought("two"))
    await harness.reached(gate)
    ack = await run.interrupted("stop")
    assert (ack["status"], ack["outcome"]) == ("stopping", "stopped")
    gate.open()
    assert told(await run.concluded())["interrupt_id"] == "stop"
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "stopping", "conclusion"]


async def test_1_soft_stop_at_a_boundary_without_a_thought(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.think("one")
    ack = await run.interrupted("stop")
    assert ack["status"] == "completing_thought"
    run.cue(boundary, thought("two"))
    await run.concluded()
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "completing_thought", "conclusion"]


async def test_1_one_more_thought_for_all_spans_together(harness: Harness, agent_thread: AgentThread) -> None:
    """A task group within the body: both branches are in the middle of a thought, and one of them is said."""

    async def two(span: Span) -> None:
        async with anyio.create_task_group() as tasks:
            for branch in ("left", "right"):
                tasks.start_soon(partial(run.agent.play, span, branch))

    run = await harness.run(agent_thread, "soft", "tour")
    run.cue(two)
    await run.think("one", part="left")
    await run.think("two", part="right")
    assert (await run.interrupted("stop"))["status"] == "completing_thought"
    run.cue(thought("three"), part="left")
    run.cue(thought("four"), part="right")
    await run.concluded()
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "two", "completing_thought", "three", "conclusion"]


async def test_1_a_branch_that_has_not_noticed_says_nothing_more(harness: Harness, agent_thread: AgentThread) -> None:
    """One branch stands at a boundary, so that the answer is `stopping`; the other cannot be cancelled, and thinks."""
    gate = Gate()

    async def two(span: Span) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(run.agent.play, span, "left"))
            with anyio.CancelScope(shield=True):
                await run.agent.play(span, "right")

    run = await harness.run(agent_thread, "soft", "tour")
    run.cue(two)
    said = partial(harness.timeline, "thought", of=run.id)
    run.cue(stopped_in(gate, thought("one"), once=lambda: bool(said())), part="left")
    await harness.reached(gate)
    assert (await run.interrupted("stop"))["status"] == "stopping"
    gate.open()
    run.cue(thought("two"), part="right")
    await run.concluded()
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "stopping", "conclusion"]
    assert len(said()) == 1


async def test_2_hard_stop_while_awaiting_a_model_and_another_run_goes_on(
    harness: Harness, agent_thread: AgentThread
) -> None:
    beside = await harness.run(agent_thread, "background", "beside")
    run = await harness.run(agent_thread, "hard", "tour")
    await run.think("one")
    ack = await run.interrupted("stop")  # the body awaits what never comes
    assert ack == {
        "status": "stopping",
        "class": "cancel",
        "outcome": "stopped",
        "policy_applied": "hard-stop",
        "span_id": run.span,
    }
    assert told(await run.concluded()) == {
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "stop",
        "policy_applied": "hard-stop",
        "partial": True,
    }
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "stopping", "conclusion"]
    await beside.think("two", "three")
    assert told(await beside.end())["outcome"] == "completed"
    assert (await harness.record("stop"))["status"] == "honoured"


async def swallow(_: Span) -> None:
    """Code that takes a cancellation for an end of what it awaited."""
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        pass


async def test_2_a_body_that_swallows_its_cancellation_is_stopped_at_its_next_await(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "hard", "tour")
    await run.think("one")
    run.cue(swallow, thought("two"), None)
    assert (await run.interrupted("stop"))["status"] == "stopping"
    assert told(await run.concluded())["interrupt_id"] == "stop"
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "stopping", "conclusion"]


@pytest.mark.parametrize("policy", ["hard", "checkpointed"])
async def test_2_a_body_has_its_grace_and_is_not_waited_for(
    harness: Harness, agent_thread: AgentThread, policy: str
) -> None:
    """It does not end: the conclusion leaves without it after a second, and of what it still does nothing is heard."""
    begun, let_go = threading.Event(), asyncio.Event()
    over: list[str] = []

    async def outlast(span: Span) -> None:
        begun.set()
        while not let_go.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await let_go.wait()
        try:
            await span.thought("late")
        except BaseException as error:
            over.append(type(error).__name__)
            raise

    run = await harness.run(agent_thread, policy, "tour")
    await run.think("one")
    run.cue(outlast)
    assert await asyncio.to_thread(begun.wait, 10)
    try:
        assert (await run.interrupted("stop"))["status"] == "stopping"
        await harness.pass_time(999)
        await harness.silence(agent_thread)
        await harness.pass_time(1)
        assert told(await run.concluded())["interrupt_id"] == "stop"
    finally:
        agent_thread.do(let_go.set)
    await harness.silence(agent_thread)
    assert over == ["Interrupted"]
    assert run.said == ["start", "one", "stopping", "conclusion"]
    assert [one.data["why"] for one in harness.timeline("overdue", of=run.id)] == ["grace"]
    assert (await harness.record("stop"))["status"] == "honoured"
    again = await harness.run(agent_thread, policy, "again")  # and the agent takes up the next
    await again.end()


async def test_2_a_body_that_blocks_the_loop_is_answered_and_concluded_all_the_same(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run, gate = await harness.run(agent_thread, "hard", "tour"), Gate()
    run.cue(blocked(gate), thought("late"))
    await harness.reached(gate)
    assert (await run.interrupted("stop"))["status"] == "stopping"
    await harness.pass_time(1_000)
    await run.concluded()
    gate.open()
    await harness.silence(agent_thread)
    assert run.said == ["start", "stopping", "conclusion"]


async def test_3_back_to_the_last_checkpoint(harness: Harness, agent_thread: AgentThread) -> None:
    run, gate = await harness.run(agent_thread, "checkpointed", "trip"), Gate()
    run.cue(change(legs=1))
    await run.think("one")
    run.cue(change(legs=2))
    await run.think("two")
    run.cue(keep(legs=2))
    run.cue(change(legs=3))
    await run.think("three")
    (checkpoint,) = [one.data["checkpoint_id"] for one in harness.timeline("checkpoint", of=run.id)]
    four = stopped_in(gate, thought("four"), once=lambda: len(harness.timeline("thought", of=run.id)) == 4)
    run.cue(change(legs=4), four, thought("five"))
    await harness.reached(gate)
    assert run.agent.spans["trip"].state == {"legs": 4}
    ack = await run.interrupted("stop")
    gate.open()
    assert ack == {
        "status": "stopping",
        "class": "cancel",
        "outcome": "stopped",
        "policy_applied": "checkpointed",
        "span_id": run.span,
    }
    assert told(await run.concluded()) == {
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "stop",
        "policy_applied": "checkpointed",
        "partial": True,
        "rolled_back_to": checkpoint,
    }
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "two", "three", "four", "stopping", "conclusion"]
    assert run.agent.spans["trip"].state == {"legs": 2}
    assert [one.data["n"] for one in harness.timeline("thought", of=run.id)] == [1, 2, 3, 4]
    status, body = await harness.site.get("/spaces/demo/history", participant="human")
    assert status == 200
    envelopes = [one["envelope"] for one in body["envelopes"]]
    thoughts = [one["payload"] for one in envelopes if one["kind"] == "reasoning/thought"]
    assert [(one["n"], one.get("checkpoint_id")) for one in thoughts] == [
        (1, None),
        (2, None),
        (3, checkpoint),
        (4, checkpoint),
    ]
    (back,) = harness.timeline("rolled_back", of=run.id)
    assert (back.cause_id, back.data) == ("stop", {"to": checkpoint})


async def test_3_without_a_checkpoint_back_to_the_start(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "checkpointed", "trip")
    run.cue(change(legs=1))
    await run.think("one")
    assert (await run.interrupted("stop"))["status"] == "stopping"
    assert told(await run.concluded())["rolled_back_to"] == run.span
    assert run.agent.spans["trip"].state == {}


async def test_3_what_takes_its_place_begins_with_the_checkpoints_state(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "checkpointed", "trip")
    run.cue(keep(legs=["A", "B"]), change(legs=["A", "B", "C"]))
    await run.think("one")
    ack = await run.interrupted("turn", class_="override", input="checkpointed detour")
    assert (ack["status"], ack["class"]) == ("stopping", "override")
    (checkpoint,) = [one.data["checkpoint_id"] for one in harness.timeline("checkpoint", of=run.id)]
    assert told(await run.concluded())["rolled_back_to"] == checkpoint
    then = await harness.begun(agent_thread, "detour")
    assert (then.start["correlation_id"], then.start["payload"]["caused_by"]) == (["turn"], "turn")
    await then.idle()
    assert run.agent.states["detour"] == {"legs": ["A", "B"]}
    assert run.agent.spans["trip"].state == {"legs": ["A", "B"]}
    await then.end()


@pytest.mark.parametrize("capability", ["firm", "unwilling", "irreversible", "bare"])
async def test_4_what_is_not_interruptible_goes_on(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    run = await harness.run(agent_thread, capability, "payment")
    assert run.start["payload"]["span"]["interruptible"] is False
    await run.think("one")
    ack = await run.interrupted("stop")
    assert ack == {
        "status": "ignored",
        "class": "cancel",
        "outcome": "rejected",
        "policy_applied": "non-interruptible",
        "reason_code": "non_interruptible",
        "span_id": run.span,
    }
    await run.think("two", "three")
    end = told(await run.end())
    assert end == {
        "message": "payment is done",
        "outcome": "completed",
        "interrupted": False,
        "partial": False,
    }
    assert run.said == ["start", "one", "ignored", "two", "three", "conclusion"]
    assert harness.decided("stop") == {
        **NOTED,
        "trace": run.id,
        "span": run.span,
        "run": run.id,
        "class": "cancel",
        "rule": "explicit",
        "status": "ignored",
        "outcome": "rejected",
        "policy": "non-interruptible",
        "reason_code": "non_interruptible",
    }
    assert harness.states(run.id) == [(run.span, "running"), (run.span, "completed")]
    assert (await harness.record("stop"))["status"] == "acked"
