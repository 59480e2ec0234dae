"""Case 9: an emergency, and the halt that stands until the safety role lifts it."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol.envelope import timestamp

from .life import Life
from .scripted import Scripted, boundary, thought, within
from .world import Part, World


async def resume(world: World, peer: Any, *ids: str) -> None:
    await peer.send("participant/resume", {}, to=["agent"], correlation_id=list(ids))


async def halted(world: World, life: Life) -> tuple[Any, Part]:
    """The agent was halted in a non-interruptible span, has come to its end, and is asked for more."""
    guardian = await world.join("guardian")
    run = await world.run(life, "irreversible", "payment")
    assert (await run.interrupted("alarm", by=guardian, class_="emergency"))["outcome"] == "halt_after_span"
    await run.end()
    return guardian, run


@pytest.mark.parametrize("sender", ["second", "wild", "human"])
async def test_9_an_emergency_from_who_may_not_is_refused_and_the_target_sees_nothing(
    world: World, life: Life, sender: str
) -> None:
    """A peer, one who holds `reasoning/*`, a supervisor."""
    peer = world.human if sender == "human" else await world.join(sender)
    run = await world.run(life, "soft", "tour")
    await run.interrupt("alarm", by=peer, class_="emergency")
    error = await peer.error("capability_violation")
    assert error["correlation_id"] == ["alarm"]
    await world.silence(life)
    assert [one["kind"] for one in world.human.seen].count("reasoning/interrupt") == 0
    assert world.timeline("interruption") == []
    await run.think("one")
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_9_a_non_interruptible_span_finishes_and_then_the_run_halts(world: World, life: Life) -> None:
    guardian = await world.join("guardian")
    run = await world.run(life, "irreversible", "payment")
    await run.think("one")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert ack == {
        "status": "continuing",
        "class": "emergency",
        "outcome": "halt_after_span",
        "policy_applied": "non-interruptible",
        "span_id": run.span,
        "stop_by": timestamp(world.site.clock.now() + 20_000),  # the span's own limit
    }
    await run.think("two")
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("completed", False, False)
    assert (end["interrupt_id"], end["policy_applied"]) == ("alarm", "non-interruptible")
    assert run.said == ["start", "one", "continuing", "two", "conclusion"]
    assert world.states(run.id) == [(run.span, "running"), (run.span, "completed")]
    assert world.decided("alarm")["outcome"] == "halt_after_span"
    assert [(one.cause_id, one.data["vouched"]) for one in world.timeline("halted")] == [("alarm", True)]


async def test_9_within_a_run_the_span_finishes_and_nothing_of_the_run_follows(world: World, life: Life) -> None:
    """The run would go on with another span: it may not."""
    guardian = await world.join("guardian")
    run = await world.run(life, "soft", "errand")
    run.cue(within(run.agent, "payment"), thought("late"), within(run.agent, "more"))
    await run.think("one", part="payment")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert (ack["status"], ack["outcome"]) == ("continuing", "halt_after_span")
    await run.think("two", part="payment")
    run.cue(None, part="payment")
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "alarm")
    await world.silence(life)
    payment = run.agent.spans["payment"].span_id
    assert [state for span, state in world.states(run.id) if span == payment] == ["running", "completed"]
    assert "more" not in run.agent.spans


async def test_9_until_the_resume_the_gateway_refuses_even_a_rogue(world: World, life: Life) -> None:
    guardian, _ = await halted(world, life)
    rogue = await world.join("agent")  # the same participant, and it knows no SDK
    await rogue.send("reasoning/start", {"message": "on my own"}, id="own")
    assert (await rogue.error("halted"))["payload"]["interrupt_id"] == "alarm"
    for context in ({}, {"context": "own"}, {"context": "unheard-of"}):
        await rogue.send("mcp/request", {"method": "tools/call"}, to=["second"], **context)
        await rogue.error("halted")
    await resume(world, guardian, "alarm")
    await rogue.until("participant/resume")
    await rogue.send("reasoning/start", {"message": "on my own"}, id="own again")
    await world.human.until("reasoning/start", message="on my own")
    await rogue.send("reasoning/conclusion", {}, context="own again")


async def test_9_nothing_begins_until_the_safety_roles_resume(world: World, life: Life) -> None:
    guardian, _ = await halted(world, life)
    wild = await world.join("wild")
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    await world.silence(life)
    for peer in (world.human, wild):  # each may send any participant/resume
        await resume(world, peer, "alarm")
        await peer.error("capability_violation")
        await resume(world, peer)  # which lifts pauses
    await world.silence(life)
    assert world.timeline("resumed") == []
    await resume(world, guardian, "alarm")
    then = await world.begun(life, "later")
    (resumed,) = world.timeline("resumed")
    assert (resumed.cause_id, resumed.data["by"]) == ("alarm", "guardian")
    await then.think("one")
    assert (await then.end())["payload"]["outcome"] == "completed"


async def test_9_each_emergency_is_lifted_by_itself(world: World, life: Life) -> None:
    guardian = await world.join("guardian")
    run = await world.run(life, "firm", "payment")
    for id in ("alarm 1", "alarm 2"):
        await run.interrupted(id, by=guardian, class_="emergency")
    await run.end()
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    await resume(world, guardian, "alarm 2")
    await guardian.until("participant/resume")
    await world.silence(life)
    await resume(world, guardian, "alarm 1")
    await (await world.begun(life, "later")).end()


@pytest.mark.parametrize("folder", ["agent", "empty"])
async def test_9_a_restart_of_gateway_and_agent_keeps_the_halt(world: World, life: Life, folder: str) -> None:
    """The agent has it from its timeline; with an empty folder, from the gateway's welcome."""
    await halted(world, life)
    await world.leave(life)
    await world.restart_gateway()
    again = await world.live(Scripted(), folder=folder)
    rogue = await world.join("agent")
    await rogue.send("reasoning/start", {"message": "on my own"})
    assert (await rogue.error("halted"))["payload"]["interrupt_id"] == "alarm"
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    assert (await rogue.until("chat"))["payload"]["text"] == "soft later"
    await world.joined(again)
    await world.silence(again)
    started = world.timeline("started", folder=folder)[-1]
    assert started.data["halts"] == (["alarm"] if folder == "agent" else [])
    assert [one.cause_id for one in world.timeline("halted", folder=folder)] == ["alarm"]
    guardian = await world.join("guardian")
    await resume(world, guardian, "alarm")
    then = await world.begun(again, "later")
    assert (await then.end())["payload"]["outcome"] == "completed"


async def test_9_a_gateway_that_restarts_alone_finds_the_agent_halted(world: World, life: Life) -> None:
    await halted(world, life)
    await world.restart_gateway()
    await world.present("agent")
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    await world.silence(life)
    guardian = await world.join("guardian")
    await resume(world, guardian, "alarm")
    assert (await (await world.begun(life, "later")).end())["payload"]["outcome"] == "completed"
    assert [one.cause_id for one in world.timeline("halted")] == ["alarm"]


async def test_9_a_resume_while_the_agent_is_away_is_known_when_it_is_back(world: World, life: Life) -> None:
    guardian, _ = await halted(world, life)
    await world.leave(life)
    await resume(world, guardian, "alarm")
    await guardian.until("participant/resume")
    again = await world.live(Scripted())
    then = await world.run(again, "soft", "later")
    assert (await then.end())["payload"]["outcome"] == "completed"
    assert [one.cause_id for one in world.timeline("resumed")] == ["alarm"]


async def test_9_an_inferred_emergency_is_a_cancel_and_the_halt_stands_all_the_same(world: World, life: Life) -> None:
    """docs/interruption.md §2.5; the gateway halted its target at acceptance, whatever the confidence."""
    guardian = await world.join("guardian")
    run = await world.run(life, "soft", "tour")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency", confidence=0.5)
    assert (ack["class"], ack["status"]) == ("cancel", "completing_thought")
    run.cue(boundary)
    await run.concluded()
    assert world.decided("alarm")["confidence"] == 0.5
    assert [one.cause_id for one in world.timeline("halted")] == ["alarm"]
    await resume(world, guardian, "alarm")
    await (await world.run(life, "soft", "later")).end()
