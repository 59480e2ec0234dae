"""Case 6: what an interrupt reaches: a span, a run, all of a participant."""

from __future__ import annotations

from typing import Any

import pytest

from .life import Life
from .scripted import boundary, change, thought, within
from .world import Part, World


async def begin(world: World, life: Life, policy: str = "soft-stop") -> tuple[Part, str, Part]:
    """A foreground run F, whose child span has the focus and is in the middle of a thought, and a background run B."""
    background = await world.run(life, "background", "B")
    run = await world.run(life, "soft", "F")
    run.cue(within(run.agent, "child", policy=policy))
    await background.think("b1")
    await run.think("f1", part="child")
    return run, run.agent.spans["child"].span_id, background


async def test_6_a_cancel_ends_the_run_its_children_first_and_leaves_the_background(world: World, life: Life) -> None:
    run, child, background = await begin(world, life)
    ack = await run.interrupted("stop")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("completing_thought", "stopped", child)
    run.cue(thought("f2"), thought("f3"), part="child")
    run.cue(thought("f4"))
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "stop")
    await world.silence(life)
    assert run.said == ["start", "f1", "completing_thought", "f2", "conclusion"]
    assert world.states(run.id) == [
        (run.span, "running"),
        (child, "running"),
        (run.span, "interrupted"),
        (child, "interrupted"),
        (child, "cancelled"),
        (run.span, "cancelled"),
    ]
    await background.think("b2")
    assert (await background.end())["payload"]["outcome"] == "completed"
    assert world.decided("stop")["span"] == child


async def test_6_a_hard_stop_within_a_soft_stop_ends_at_once_and_the_parent_at_its_boundary(
    world: World, life: Life
) -> None:
    """Leaves first, each by its own policy; the ack speaks for the strictest of them."""
    run, child, _ = await begin(world, life, "hard-stop")
    ack = await run.interrupted("stop")
    assert (ack["policy_applied"], ack["outcome"], ack["span_id"]) == ("soft-stop", "stopped", child)
    end = (await run.concluded())["payload"]
    assert (end["interrupt_id"], end["policy_applied"]) == ("stop", "soft-stop")
    await world.silence(life)
    assert [state for span, state in world.states(run.id) if span == child] == ["running", "interrupted", "cancelled"]
    assert world.states(run.id)[-2:] == [(child, "cancelled"), (run.span, "cancelled")]


async def test_6_a_child_that_nobody_may_interrupt_decides_for_its_run(world: World, life: Life) -> None:
    run, child, _ = await begin(world, life, "non-interruptible")
    ack = await run.interrupted("stop")
    assert (ack["status"], ack["reason_code"], ack["span_id"]) == ("ignored", "non_interruptible", child)
    await run.think("f2", part="child")
    run.cue(None, part="child")
    await run.think("f3")
    assert (await run.end())["payload"]["outcome"] == "completed"


@pytest.mark.parametrize("named", [True, False], ids=["by its id", "by its focus"])
async def test_6_with_scope_span_only_the_focus_span_ends_and_the_run_goes_on(
    world: World, life: Life, named: bool
) -> None:
    run, child, background = await begin(world, life)
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
    assert world.states(run.id) == [
        (run.span, "running"),
        (child, "running"),
        (child, "interrupted"),
        (child, "cancelled"),
        (run.span, "completed"),
    ]
    assert world.timeline("trace_sealed") == []
    await background.end()


async def test_6_what_is_to_be_done_instead_of_a_span_follows_its_run(world: World, life: Life) -> None:
    run, child, _ = await begin(world, life)
    ack = await run.interrupted("turn", class_="override", scope="span", input="soft detour")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("continuing", "stopped", child)
    run.cue(boundary, part="child")
    await run.think("f2")
    assert (await run.end())["payload"]["outcome"] == "completed"
    then = await world.begun(life, "detour")
    assert then.start["payload"]["caused_by"] == "turn"
    await then.end()


async def test_6_a_child_gives_the_focus_back(world: World, life: Life) -> None:
    """Once the child has ended, `scope: span` means the span around it: the run itself."""
    run, child, _ = await begin(world, life)
    run.cue(None, part="child")
    await run.think("f2")
    ack = await run.interrupted("stop", scope="span")
    assert (ack["span_id"], ack["status"]) == (run.span, "completing_thought")
    run.cue(boundary)
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    assert [state for span, state in world.states(run.id) if span == child] == ["running", "completed"]


async def test_6_a_span_that_is_not_there_is_not_active(world: World, life: Life) -> None:
    run, _, _ = await begin(world, life)
    ack = await run.interrupted("stop", scope="span", span_id="gone")
    assert ack == {"status": "ignored", "class": "cancel", "outcome": "rejected", "reason_code": "not_active"}
    await run.think("f2", part="child")


async def test_6_with_scope_participant_both_end(world: World, life: Life) -> None:
    run, child, background = await begin(world, life)
    ack = await run.interrupted("stop", scope="participant")
    assert (ack["status"], ack["outcome"], ack["span_id"]) == ("completing_thought", "stopped", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    background.cue(thought("b2"), thought("b3"))
    assert (await background.concluded())["payload"]["interrupt_id"] == "stop"
    await world.silence(life)
    assert background.said == ["start", "b1", "b2", "conclusion"]
    decided = world.timeline("decided", cause="stop")
    assert [(one.trace_id, one.data["outcome"]) for one in decided] == [
        (run.id, "stopped"),
        (background.id, "stopped"),
    ]
    assert [one.trace_id for one in world.timeline("trace_sealed")] == [run.id, background.id]


async def test_6_an_emergency_knows_no_background(world: World, life: Life) -> None:
    guardian = await world.join("guardian")
    run, child, background = await begin(world, life)
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert (ack["status"], ack["span_id"]) == ("stopping", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "alarm"
    background.cue(boundary)
    assert (await background.concluded())["payload"]["interrupt_id"] == "alarm"


async def test_6_words_reach_what_has_the_focus(world: World, life: Life) -> None:
    run, child, background = await begin(world, life)
    await world.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    ack = (await world.human.until("chat/acknowledge"))["payload"]
    assert (ack["class"], ack["span_id"]) == ("cancel", child)
    run.cue(boundary, part="child")
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    await background.think("b2")


async def test_6_a_background_run_is_interrupted_by_its_id(world: World, life: Life) -> None:
    run, _, background = await begin(world, life)
    ack = await background.interrupted("stop")
    assert (ack["status"], ack["span_id"]) == ("completing_thought", background.span)
    background.cue(change(), thought("b2"))
    assert (await background.concluded())["payload"]["interrupt_id"] == "stop"
    await run.think("f2", part="child")
