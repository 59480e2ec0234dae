"""Case 9: an emergency, and the halt that stands until the safety role lifts it."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol.envelope import timestamp

from .agent_thread import AgentThread
from .harness import Harness, ScriptedRun
from .scripted import Scripted, boundary, thought, within


async def resume(harness: Harness, peer: Any, *ids: str) -> None:
    await peer.send("participant/resume", {}, to=["agent"], correlation_id=list(ids))


async def halted(harness: Harness, agent_thread: AgentThread) -> tuple[Any, ScriptedRun]:
    """The agent was halted in a non-interruptible span, has come to its end, and is asked for more."""
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "irreversible", "payment")
    assert (await run.interrupted("alarm", by=guardian, class_="emergency"))["outcome"] == "halt_after_span"
    await run.end()
    return guardian, run


@pytest.mark.parametrize("sender", ["second", "wild", "human"])
async def test_9_an_emergency_from_who_may_not_is_refused_and_the_target_sees_nothing(
    harness: Harness, agent_thread: AgentThread, sender: str
) -> None:
    """A peer, one who holds `reasoning/*`, a supervisor."""
    peer = harness.human if sender == "human" else await harness.join(sender)
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupt("alarm", by=peer, class_="emergency")
    error = await peer.error("capability_violation")
    assert error["correlation_id"] == ["alarm"]
    await harness.silence(agent_thread)
    assert [one["kind"] for one in harness.human.seen].count("reasoning/interrupt") == 0
    assert harness.timeline("interruption") == []
    await run.think("one")
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_9_a_non_interruptible_span_finishes_and_then_the_run_halts(
    harness: Harness, agent_thread: AgentThread
) -> None:
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "irreversible", "payment")
    await run.think("one")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert ack == {
        "status": "continuing",
        "class": "emergency",
        "outcome": "halt_after_span",
        "policy_applied": "non-interruptible",
        "span_id": run.span,
        "stop_by": timestamp(harness.site.clock.now() + 20_000),  # the span's own limit
    }
    await run.think("two")
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("completed", False, False)
    assert (end["interrupt_id"], end["policy_applied"]) == ("alarm", "non-interruptible")
    assert run.said == ["start", "one", "continuing", "two", "conclusion"]
    assert harness.states(run.id) == [(run.span, "running"), (run.span, "completed")]
    assert harness.decided("alarm")["outcome"] == "halt_after_span"
    assert [(one.cause_id, one.data["vouched"]) for one in harness.timeline("halted")] == [("alarm", True)]


async def test_9_within_a_run_the_span_finishes_and_nothing_of_the_run_follows(
    harness: Harness, agent_thread: AgentThread
) -> None:
    """The run would go on with another span: it may not."""
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "soft", "errand")
    run.cue(within(run.agent, "payment"), thought("late"), within(run.agent, "more"))
    await run.think("one", part="payment")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency")
    assert (ack["status"], ack["outcome"]) == ("continuing", "halt_after_span")
    await run.think("two", part="payment")
    run.cue(None, part="payment")
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "alarm")
    await harness.silence(agent_thread)
    payment = run.agent.spans["payment"].span_id
    assert [state for span, state in harness.states(run.id) if span == payment] == ["running", "completed"]
    assert "more" not in run.agent.spans


async def test_9_until_the_resume_the_gateway_refuses_even_a_rogue(harness: Harness, agent_thread: AgentThread) -> None:
    guardian, _ = await halted(harness, agent_thread)
    rogue = await harness.join("agent")  # the same participant, and it knows no SDK
    await rogue.send("reasoning/start", {"message": "on my own"}, id="own")
    assert (await rogue.error("halted"))["payload"]["interrupt_id"] == "alarm"
    for context in ({}, {"context": "own"}, {"context": "unheard-of"}):
        await rogue.send("mcp/request", {"method": "tools/call"}, to=["second"], **context)
        await rogue.error("halted")
    await resume(harness, guardian, "alarm")
    await rogue.until("participant/resume")
    await rogue.send("reasoning/start", {"message": "on my own"}, id="own again")
    await harness.human.until("reasoning/start", message="on my own")
    await rogue.send("reasoning/conclusion", {}, context="own again")


async def test_9_nothing_begins_until_the_safety_roles_resume(harness: Harness, agent_thread: AgentThread) -> None:
    guardian, _ = await halted(harness, agent_thread)
    wild = await harness.join("wild")
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await harness.silence(agent_thread)
    for peer in (harness.human, wild):  # each may send any participant/resume
        await resume(harness, peer, "alarm")
        await peer.error("capability_violation")
        await resume(harness, peer)  # which lifts pauses
    await harness.silence(agent_thread)
    assert harness.timeline("resumed") == []
    await resume(harness, guardian, "alarm")
    then = await harness.begun(agent_thread, "later")
    (resumed,) = harness.timeline("resumed")
    assert (resumed.cause_id, resumed.data["by"]) == ("alarm", "guardian")
    await then.think("one")
    assert (await then.end())["payload"]["outcome"] == "completed"


async def test_9_each_emergency_is_lifted_by_itself(harness: Harness, agent_thread: AgentThread) -> None:
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "firm", "payment")
    for id in ("alarm 1", "alarm 2"):
        await run.interrupted(id, by=guardian, class_="emergency")
    await run.end()
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await resume(harness, guardian, "alarm 2")
    await guardian.until("participant/resume")
    await harness.silence(agent_thread)
    await resume(harness, guardian, "alarm 1")
    await (await harness.begun(agent_thread, "later")).end()


@pytest.mark.parametrize("folder", ["agent", "empty"])
async def test_9_a_restart_of_gateway_and_agent_keeps_the_halt(
    harness: Harness, agent_thread: AgentThread, folder: str
) -> None:
    """The agent has it from its timeline; with an empty folder, from the gateway's welcome."""
    await halted(harness, agent_thread)
    await harness.leave(agent_thread)
    await harness.restart_gateway()
    again = await harness.start_agent(Scripted(), folder=folder)
    rogue = await harness.join("agent")
    await rogue.send("reasoning/start", {"message": "on my own"})
    assert (await rogue.error("halted"))["payload"]["interrupt_id"] == "alarm"
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    assert (await rogue.until("chat"))["payload"]["text"] == "soft later"
    await harness.joined(again)
    await harness.silence(again)
    started = harness.timeline("started", folder=folder)[-1]
    assert started.data["halts"] == (["alarm"] if folder == "agent" else [])
    assert [one.cause_id for one in harness.timeline("halted", folder=folder)] == ["alarm"]
    guardian = await harness.join("guardian")
    await resume(harness, guardian, "alarm")
    then = await harness.begun(again, "later")
    assert (await then.end())["payload"]["outcome"] == "completed"


async def test_9_a_gateway_that_restarts_alone_finds_the_agent_halted(
    harness: Harness, agent_thread: AgentThread
) -> None:
    await halted(harness, agent_thread)
    await harness.restart_gateway()
    await harness.present("agent")
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await harness.silence(agent_thread)
    guardian = await harness.join("guardian")
    await resume(harness, guardian, "alarm")
    assert (await (await harness.begun(agent_thread, "later")).end())["payload"]["outcome"] == "completed"
    assert [one.cause_id for one in harness.timeline("halted")] == ["alarm"]


async def test_9_a_resume_while_the_agent_is_away_is_known_when_it_is_back(
    harness: Harness, agent_thread: AgentThread
) -> None:
    guardian, _ = await halted(harness, agent_thread)
    await harness.leave(agent_thread)
    await resume(harness, guardian, "alarm")
    await guardian.until("participant/resume")
    again = await harness.start_agent(Scripted())
    then = await harness.run(again, "soft", "later")
    assert (await then.end())["payload"]["outcome"] == "completed"
    assert [one.cause_id for one in harness.timeline("resumed")] == ["alarm"]


async def test_9_an_inferred_emergency_is_a_cancel_and_the_halt_stands_all_the_same(
    harness: Harness, agent_thread: AgentThread
) -> None:
    """docs/interruption.md §2.5; the gateway halted its target at acceptance, whatever the confidence."""
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "soft", "tour")
    ack = await run.interrupted("alarm", by=guardian, class_="emergency", confidence=0.5)
    assert (ack["class"], ack["status"]) == ("cancel", "completing_thought")
    run.cue(boundary)
    await run.concluded()
    assert harness.decided("alarm")["confidence"] == 0.5
    assert [one.cause_id for one in harness.timeline("halted")] == ["alarm"]
    await resume(harness, guardian, "alarm")
    await (await harness.run(agent_thread, "soft", "later")).end()
