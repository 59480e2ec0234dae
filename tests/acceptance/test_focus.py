"""Case 6: what an interrupt reaches: a span, a run, all of a participant."""

from __future__ import annotations

from typing import Any

import pytest

from .agent_thread import AgentThread
from .harness import Harness, ScriptedRun
from .scripted import boundary, change, thought, within


async def begin(
    harness: Harness, agent_thread: AgentThread, policy: str = "soft-stop"
) -> tuple[ScriptedRun, str, ScriptedRun]:
    """A foreground run F, whose child span has the focus and is in the middle of a thought, and a background run B."""
    background = await harness.run(agent_thread, "background", "B")
    run = await harness.run(agent_thread, "soft", "F")
    run.cue(within(run.agent, "child", policy=policy))
    await background.think("b1")
    await run.think("f1", part="child")
    return run, run.agent.spans["child"].span_id, background


async def test_6_a_cancel_ends_the_run_its_children_first_and_leaves_the_background(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run, child, background = await begin(harness, agent_thread)
    ack = await run.interrupted("stop")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("completing_thought", "stopped", child)
    run.cue(thought("f2"), thought("f3"), part="child")
    run.cue(thought("f4"))
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "stop")
    await harness.silence(agent_thread)
    assert run.said == ["start", "f1", "completing_thought", "f2", "conclusion"]
    assert harness.states(run.id) == [
        (run.span, "running"),
        (child, "running"),
        (run.span, "interrupted"),
        (child, "interrupted"),
        (child, "cancelled"),
        (run.span, "cancelled"),
    ]
    await background.think("b2")
    assert (await background.end())["payload"]["outcome"] == "completed"
    assert harness.decided("stop")["span"] == child


async def test_6_a_hard_stop_within_a_soft_stop_ends_at_once_and_the_parent_at_its_boundary(
    harness: Harness, agent_thread: AgentThread
) -> None:
    """Leaves first, each by its own policy; the ack speaks for the strictest of them."""
    run, child, _ = await begin(harness, agent_thread, "hard-stop")
    ack = await run.interrupted("stop")
    assert (ack["policy_applied"], ack["outcome"], ack["span_id"]) == ("soft-stop", "stopped", child)
    end = (await run.concluded())["payload"]
    assert (end["interrupt_id"], end["policy_applied"]) == ("stop", "soft-stop")
    await harness.silence(agent_thread)
    assert [state for span, state in harness.states(run.id) if span == child] == ["running", "interrupted", "cancelled"]
    assert harness.states(run.id)[-2:] == [(child, "cancelled"), (run.span, "cancelled")]


async def test_6_a_child_that_nobody_may_interrupt_decides_for_its_run(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run, child, _ = await begin(harness, agent_thread, "non-interruptible")
    ack = await run.interrupted("stop")
    assert (ack["status"], ack["reason_code"], ack["span_id"]) == ("ignored", "non_interruptible", child)
    await run.think("f2", part="child")
    run.cue(None, part="child")
    await run.think("f3")
    assert (await run.end())["payload"]["outcome"] == "completed"


@pytest.mark.parametrize("named", [True, False], ids=["by its id", "by its focus"])
async def test_6_with_scope_span_only_the_focus_span_ends_and_the_run_goes_on(
    harness: Harness, agent_thread: AgentThread, named: bool
) -> None:
    run, child, background = await begin(harness, agent_thread)
    span: dict[str, Any] = {"span_id": child} if named else {}
    ack = await run.interrupted("stop", scope="span", **span)
    assert ack == {
        "status": "continuing",
        "class": "cancel",
        "outcome": "stopped",
        "policy_applied": "soft-stop",
        "span_id": child,
    }
    run.cue(boundary, thought("f2"), part="child")
    await run.think("f3")
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], "interrupt_id" in end) == ("completed", False, False)
    assert run.said == ["start", "f1", "continuing", "f3", "conclusion"]
    assert harness.states(run.id) == [
        (run.span, "running"),
        (child, "running"),
        (child, "interrupted"),
        (child, "cancelled"),
        (run.span, "completed"),
    ]
    assert harness.timeline("trace_sealed") == []
    await background.end()


async def test_6_what_is_to_be_done_instead_of_a_span_follows_its_run(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run, child, _ = await begin(harness, agent_thread)
    ack = await run.interrupted("turn", class_="override", scope="span", input="soft detour")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("continuing", "stopped", child)
    run.cue(boundary, part="child")
    await run.think("f2")
    assert (await run.end())["payload"]["outcome"] == "completed"
    then = await harness.begun(agent_thread, "detour")
    assert then.start["payload"]["caused_by"] == "turn"
    await then.end()


async def test_6_a_child_gives_the_focus_back(harness: Harness, agent_thread: AgentThread) -> None:
    """Once the child has ended, `scope: span` means the span around it: the run itself."""
    run, child, _ = await begin(harness, agent_thread)
    run.cue(None, part="child")
    await run.think("f2")
    ack = await run.interrupted("stop", scope="span")
    assert (ack["span_id"], ack["status"]) == (run.span, "completing_thought")
    run.cue(boundary)
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    assert [state for span, state in harness.states(run.id) if span == child] == ["running", "completed"]


async def test_6_a_span_that_is_not_there_is_not_active(harness: Harness, agent_thread: AgentThread) -> None:
    run, _, _ = await begin(harness, agent_thread)
    ack = await run.interrupted("stop", scope="span", span_id="gone")
    assert ack == {"status": "ignored", "class": "cancel", "outcome": "rejected", "reason_code": "not_active"}
    await run.think("f2", part="child")


async def test_6_with_scope_participant_both_end(harness: Harness, agent_thread: AgentThread) -> None:
    run, child, background = await begin(harness, agent_thread)
    ack = await run.interrupted("stop", scope="participant")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("completing_thought", "stopped", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    background.cue(thought("b2"), thought("b3"))
    assert (await background.concluded())["payload"]["interrupt_id"] == "stop"
    await harness.silence(agent_thread)
    assert background.said == ["start", "b1", "b2", "conclusion"]
    decided = harness.timeline("decided", cause="stop")
    assert [(one.trace_id, one.data["outcome"]) for one in decided] == [
        (run.id, "stopped"),
        (background.id, "stopped"),
    ]
    assert [one.trace_id for one in harness.timeline("trace_sealed")] == [run.id, background.id]


async def test_6_an_emergency_knows_no_background(harness: Harness, agent_thread: AgentThread) -> None:
    guardian = await harness.join("guardian")
    run, child, background = await begin(harness, agent_thread)
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert (ack["status"], ack["span_id"]) == ("stopping", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "alarm"
    background.cue(boundary)
    assert (await background.concluded())["payload"]["interrupt_id"] == "alarm"


async def test_6_words_reach_what_has_the_focus(harness: Harness, agent_thread: AgentThread) -> None:
    run, child, background = await begin(harness, agent_thread)
    await harness.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    ack = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (ack["class"], ack["span_id"]) == ("cancel", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    await background.think("b2")


async def test_6_a_background_run_is_interrupted_by_its_id(harness: Harness, agent_thread: AgentThread) -> None:
    run, _, background = await begin(harness, agent_thread)
    ack = await background.interrupted("stop")
    assert (ack["status"], ack["span_id"]) == ("completing_thought", background.span)
    background.cue(change(), thought("b2"))
    assert (await background.concluded())["payload"]["interrupt_id"] == "stop"
    await run.think("f2", part="child")
