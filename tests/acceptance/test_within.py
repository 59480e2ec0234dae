"""What comes from within: alerts, limits, a classifier of the agent's own; and the gateway's watchdog."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from mew_gateway.sdk import Classification, Span, capability

from .agent_thread import AgentThread
from .harness import Harness, ScriptedRun
from .scripted import Gate, Scripted, boundary, stopped_in, thought


async def alert(run: ScriptedRun, class_: Any = "cancel", **fields: Any) -> None:
    """The body of a run gives an alert about it."""

    async def cue(span: Span) -> None:
        await run.agent.alert("smoke", class_=class_, run=span, **fields)

    run.cue(cue)


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_an_alert_is_decided_like_any_interrupt(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    run = await harness.run(agent_thread, capability, "tour")
    await run.think("one")
    await alert(run)
    run.cue(boundary, thought("two"))
    end = (await run.concluded())["payload"]
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "conclusion"]  # nobody asked, so nobody is answered
    (decided,) = harness.timeline("decided", of=run.id)
    told = harness.decided(str(decided.cause_id))
    assert (told["source"], told["sender"], told["rule"], told["outcome"]) == ("alert", "agent", "alert", "stopped")
    assert end["interrupt_id"] == decided.cause_id


async def test_an_alert_does_not_stop_what_nobody_may_interrupt(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "firm", "tour")
    await alert(run)
    await run.think("one")
    assert (await run.end())["payload"]["outcome"] == "completed"
    (decided,) = harness.timeline("decided", of=run.id)
    assert decided.data["reason_code"] == "non_interruptible"


async def test_an_emergency_of_its_own_halts_it_until_somebody_lifts_it_who_may(
    harness: Harness, agent_thread: AgentThread
) -> None:
    """The gateway does not know of it, so it is the agent that looks who resumes it; a new life keeps it."""
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "soft", "tour")
    await alert(run, "emergency")
    run.cue(boundary)
    alarm = (await run.concluded())["payload"]["interrupt_id"]
    await harness.leave(agent_thread)
    again = await harness.start_agent()
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await harness.joined(again)
    await harness.human.send("participant/resume", {}, to=["agent"])  # which lifts pauses
    await harness.silence(again)
    assert [(one.cause_id, one.data["vouched"]) for one in harness.timeline("halted")] == [(alarm, False)]
    assert harness.timeline("resumed") == []
    await guardian.send("participant/resume", {}, to=["agent"])
    await (await harness.begun(again, "later")).end()
    assert [(one.cause_id, one.data["by"]) for one in harness.timeline("resumed")] == [(alarm, "guardian")]


async def test_an_emergency_of_the_wire_is_lifted_by_its_name_alone(
    harness: Harness, agent_thread: AgentThread
) -> None:
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "hard", "tour")
    await run.interrupted("alarm", by=guardian, class_="emergency")
    await run.concluded()
    await harness.human.send("chat", {"text": "soft later"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"])
    await harness.human.until("participant/resume")
    await harness.silence(agent_thread)
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["alarm"])
    await (await harness.begun(agent_thread, "later")).end()


class Limited(Scripted):
    """Its capabilities have ten seconds."""

    @capability(policy="soft-stop", limit=10)
    async def soft(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="hard-stop", limit=10)
    async def hard(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="checkpointed", limit=10)
    async def checkpointed(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(limit=10)
    async def firm(self, run: Span, about: str) -> str:
        return await self.play(run, about)


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed", "firm"])
async def test_a_span_beyond_its_limit_is_ended_in_the_way_of_its_policy(harness: Harness, capability: str) -> None:
    agent_thread = await harness.start_agent(Limited())
    run = await harness.run(agent_thread, capability, "tour")
    assert run.start["payload"]["span"]["limit_ms"] == 10_000
    await harness.pass_time(9_999)
    await run.think("one")
    await harness.pass_time(1)
    if capability == "firm":
        await run.think("two")
        assert (await run.end())["payload"]["outcome"] == "completed"
    else:
        run.cue(thought("two"), thought("three"))
        end = (await run.concluded())["payload"]
        assert (end["outcome"], end["interrupt_id"]) == ("interrupted", f"{run.span}:limit")
        assert harness.decided(f"{run.span}:limit")["rule"] == "limit"
    await harness.silence(agent_thread)
    assert [one.data["why"] for one in harness.timeline("overdue", of=run.id)] == ["limit"]


async def test_the_watchdogs_interrupt_is_taken_like_any(harness: Harness) -> None:
    agent_thread = await harness.start_agent(participant="second")
    run = await harness.run(agent_thread, "soft", "tour")
    await run.think("one", "two")
    gate, said = Gate(), partial(harness.timeline, "thought", folder="second")
    run.cue(stopped_in(gate, thought("three"), once=lambda: len(said()) == 3), thought("four"))
    await harness.reached(gate)
    ack = await harness.human.until("reasoning/interrupt-ack")
    assert (ack["to"], ack["payload"]["status"]) == (["system:gateway"], "stopping")
    gate.open()
    end = (await run.concluded())["payload"]
    assert end["interrupt_id"] == ack["correlation_id"][0]
    assert harness.decided(end["interrupt_id"], "second")["rule"] == "explicit"


class Model:
    """Says what the test says, when it says so."""

    within = 5_000

    def __init__(self) -> None:
        self.asked = asyncio.Queue[str]()
        self.answer = asyncio.Queue[Classification]()

    async def classify(self, text: str) -> Classification:
        self.asked.put_nowait(text)
        return await self.answer.get()


async def thinking(harness: Harness) -> tuple[AgentThread, Model, ScriptedRun]:
    """An agent with a model in the middle of a thought."""
    agent, model = Scripted(), Model()
    agent.classifier = model
    agent_thread = await harness.start_agent(agent)
    return agent_thread, model, await harness.run(agent_thread, "soft", "tour")


WORDS = "the hotel has a pool"  # the rules would queue that


async def test_a_model_decides_what_words_mean(harness: Harness) -> None:
    agent_thread, model, run = await thinking(harness)
    await harness.human.send("chat", {"text": WORDS}, to=["agent"], id="words")
    assert await agent_thread.ask(model.asked.get) == WORDS
    await run.think("one")  # and meanwhile nothing stops
    agent_thread.do(partial(model.answer.put_nowait, Classification("override", 0.9, "model")))
    told = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("override", "stopped")
    run.cue(boundary)
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    await (await harness.begun(agent_thread, WORDS)).end()
    assert harness.decided("words")["rule"] == "model"


async def test_a_model_that_is_too_late_is_not_waited_for(harness: Harness) -> None:
    agent_thread, model, run = await thinking(harness)
    await harness.human.send("chat", {"text": WORDS}, to=["agent"], id="words")
    await agent_thread.ask(model.asked.get)
    await harness.pass_time(4_999)
    await harness.silence(agent_thread)
    await harness.pass_time(1)
    told = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("queue", "queued")
    agent_thread.do(partial(model.answer.put_nowait, Classification("cancel", 1.0, "model")))
    await harness.silence(agent_thread)
    assert (await run.end())["payload"]["outcome"] == "completed"
    assert harness.decided("words")["rule"] != "model"
    await (await harness.begun(agent_thread, WORDS)).end()


async def test_a_stop_word_waits_for_no_model(harness: Harness) -> None:
    agent_thread, model, run = await thinking(harness)
    await harness.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    told = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("cancel", "stopped")
    run.cue(boundary)
    await run.concluded()
    await harness.silence(agent_thread)
    assert model.asked.empty()


@pytest.mark.parametrize("class_", ["cancel", "override", "emergency"])
@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_a_paused_span_is_ended_where_it_stands(
    harness: Harness, agent_thread: AgentThread, capability: str, class_: str
) -> None:
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("late"))
    await harness.human.until("chat", text="paused: which city?")
    by = guardian if class_ == "emergency" else None
    ack = await run.interrupted("stop", by=by, class_=class_, input="soft instead")
    assert (ack["status"], ack["outcome"]) == ("stopping", "stopped")
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    if class_ == "override":
        await (await harness.begun(agent_thread, "instead")).end()
    await harness.silence(agent_thread)
    assert "late" not in run.said
