"""The class × policy table (docs/interruption.md §3), a test a cell: twenty."""

from __future__ import annotations

from typing import Any

import pytest

from .agent_thread import AgentThread
from .harness import Harness, ScriptedRun
from .scripted import change, keep, thought

POLICIES = {
    "soft-stop": "soft",
    "hard-stop": "hard",
    "checkpointed": "checkpointed",
    "non-interruptible": "firm",
}
each_policy = pytest.mark.parametrize("policy", POLICIES)


async def begin(harness: Harness, agent_thread: AgentThread, policy: str) -> ScriptedRun:
    """A run of that policy, in the middle of its second thought; state and checkpoint are those of the first."""
    run = await harness.run(agent_thread, POLICIES[policy], "tour")
    await run.think("one")
    run.cue(keep(at=1), change(at=2))
    await run.idle()
    return run


def answer(
    run: ScriptedRun, class_: str, policy: str, status: str, outcome: str, code: str | None = None
) -> dict[str, Any]:
    told = {"status": status, "class": class_, "outcome": outcome, "policy_applied": policy, "span_id": run.span}
    return told if code is None else {**told, "reason_code": code}


def check(harness: Harness, run: ScriptedRun, id: str, ack: dict[str, Any]) -> None:
    """What is on the agent's timeline is what was answered."""
    found = harness.decided(id)
    assert (found["source"], found["sender"], found["trace"], found["span"]) == ("wire", "human", run.id, run.span)
    assert (found["rule"], found["confidence"], found["class"]) == ("explicit", 1.0, ack["class"])
    assert (found["status"], found["outcome"]) == (ack["status"], ack["outcome"])
    assert (found["policy"], found.get("reason_code")) == (ack["policy_applied"], ack.get("reason_code"))


async def ends(harness: Harness, agent_thread: AgentThread, run: ScriptedRun, id: str, policy: str) -> None:
    """The run ends in the way of its policy."""
    if policy == "soft-stop":
        run.cue(thought("two"), thought("three"))
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("interrupted", True, True)
    assert (end["interrupt_id"], end["policy_applied"]) == (id, policy)
    assert ("rolled_back_to" in end) == (policy == "checkpointed")
    if policy == "checkpointed":
        (checkpoint,) = harness.timeline("checkpoint", of=run.id)
        assert end["rolled_back_to"] == checkpoint.data["checkpoint_id"]
        assert run.agent.spans["tour"].state == {"at": 1}
    else:
        assert run.agent.spans["tour"].state == {"at": 2}
    assert [one.cause_id for one in harness.timeline("trace_sealed", of=run.id)] == [id]


STOPS = {
    "soft-stop": ("completing_thought", "stopped"),
    "hard-stop": ("stopping", "stopped"),
    "checkpointed": ("stopping", "stopped"),
    "non-interruptible": ("ignored", "rejected", "non_interruptible"),
}


@each_policy
async def test_cancel(harness: Harness, agent_thread: AgentThread, policy: str) -> None:
    run = await begin(harness, agent_thread, policy)
    ack = await run.interrupted("i", class_="cancel")
    assert ack == answer(run, "cancel", policy, *STOPS[policy])
    check(harness, run, "i", ack)
    if policy == "non-interruptible":
        await run.think("two")
        assert (await run.end())["payload"]["outcome"] == "completed"
    else:
        await ends(harness, agent_thread, run, "i", policy)
    await harness.silence(agent_thread)


@each_policy
async def test_override(harness: Harness, agent_thread: AgentThread, policy: str) -> None:
    run = await begin(harness, agent_thread, policy)
    ack = await run.interrupted("i", class_="override", input="soft detour")
    assert ack == answer(run, "override", policy, *STOPS[policy])
    check(harness, run, "i", ack)
    if policy == "non-interruptible":
        await run.think("two")
        assert (await run.end())["payload"]["outcome"] == "completed"
        await harness.silence(agent_thread)  # its words go with it
        assert harness.timeline("followed") == []
    else:
        await ends(harness, agent_thread, run, "i", policy)
        then = await harness.begun(agent_thread, "detour")
        assert (then.start["correlation_id"], then.start["payload"]["caused_by"]) == (["i"], "i")
        await then.idle()
        assert run.agent.states["detour"] == ({"at": 1} if policy == "checkpointed" else {})
        assert (await then.end())["payload"]["outcome"] == "completed"


async def test_override_of_the_non_interruptible_is_kept_if_its_sender_wants_that(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await begin(harness, agent_thread, "non-interruptible")
    ack = await run.interrupted("i", class_="override", input="soft detour", on_reject="queue")
    assert ack == answer(run, "override", "non-interruptible", "continuing", "queued", "non_interruptible")
    check(harness, run, "i", ack)
    await run.think("two")
    assert (await run.end())["payload"]["outcome"] == "completed"
    then = await harness.begun(agent_thread, "detour")
    assert then.start["payload"]["caused_by"] == "i"
    await then.end()


@each_policy
async def test_clarification(harness: Harness, agent_thread: AgentThread, policy: str) -> None:
    run = await begin(harness, agent_thread, policy)
    ack = await run.interrupted("i", class_="clarification", input="soft which city?")
    if policy == "non-interruptible":
        assert ack == answer(run, "clarification", policy, "continuing", "queued")
        check(harness, run, "i", ack)
        await run.think("two")
        assert (await run.end())["payload"]["outcome"] == "completed"
        then = await harness.begun(agent_thread, "which city?")
        assert then.start["correlation_id"] == ["i"]
        await then.end()
        return
    assert ack == answer(run, "clarification", policy, "continuing", "paused")
    check(harness, run, "i", ack)
    before = len(harness.timeline("checkpoint", of=run.id))
    if policy == "hard-stop":
        run.cue(change(at=3))  # whatever it awaits: it pauses behind it
    else:
        run.cue(thought("two"), thought("three"))
    said = await harness.human.until("chat", text="paused: soft which city?")
    assert said["correlation_id"] == ["i"]
    await harness.silence(agent_thread)
    kept = len(harness.timeline("checkpoint", of=run.id)) - before
    assert kept == (1 if policy == "checkpointed" else 0)
    await harness.human.send("chat", {"text": "Lisbon"}, to=["agent"], id="answer")
    if policy == "hard-stop":
        await run.think("three")
    else:
        assert (await harness.human.until("reasoning/thought"))["payload"]["message"] == "three"
    assert run.agent.spans["tour"].answers == ["Lisbon"]
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"]) == ("completed", False)
    states = [state for _, state in harness.states(run.id)]
    assert states == ["running", "paused", "running", "completed"]


@each_policy
async def test_queue(harness: Harness, agent_thread: AgentThread, policy: str) -> None:
    run = await begin(harness, agent_thread, policy)
    for n in (1, 2):
        ack = await run.interrupted(f"i{n}", class_="queue", input=f"soft errand {n}")
        assert ack == answer(run, "queue", policy, "continuing", "queued")
        check(harness, run, f"i{n}", ack)
    await run.think("two", "three")
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("completed", False, False)
    for n in (1, 2):
        then = await harness.begun(agent_thread, f"errand {n}")
        assert (then.start["correlation_id"], then.start["payload"]["message"]) == ([f"i{n}"], f"soft: errand {n}")
        await harness.silence(agent_thread)  # the next waits for this one
        await then.end()
    await harness.silence(agent_thread)


@each_policy
async def test_emergency(harness: Harness, agent_thread: AgentThread, policy: str) -> None:
    guardian = await harness.join("guardian")
    run = await begin(harness, agent_thread, policy)
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    if policy == "non-interruptible":
        assert ack.pop("stop_by")
        assert ack == answer(run, "emergency", policy, "continuing", "halt_after_span")
        await run.think("two")
        end = (await run.end())["payload"]
        assert (end["outcome"], end["interrupted"], end["interrupt_id"]) == ("completed", False, "alarm")
    else:
        assert ack == answer(run, "emergency", policy, "stopping", "stopped")
        if policy == "soft-stop":
            run.cue(thought("two"))
        end = (await run.concluded())["payload"]
        assert (end["outcome"], end["interrupted"], end["interrupt_id"]) == ("interrupted", True, "alarm")
    assert end["policy_applied"] == policy
    assert harness.decided("alarm")["class"] == "emergency"
    assert [one.cause_id for one in harness.timeline("halted")] == ["alarm"]
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await harness.silence(agent_thread)
    assert "two" not in run.said or policy == "non-interruptible"
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["alarm"])
    then = await harness.begun(agent_thread, "later")  # what was said under the halt has waited
    await then.end()
    assert [one.cause_id for one in harness.timeline("resumed")] == ["alarm"]
