"""What comes from within: alerts, limits, a classifier of the agent's own; and the gateway's watchdog."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from mew_gateway.sdk import Classification, Span, capability

from .life import Life
from .scripted import Gate, Scripted, boundary, stopped_in, thought
from .world import Part, World


async def alert(run: Part, class_: Any = "cancel", **fields: Any) -> None:
    """The body of a run gives an alert about it."""

    async def cue(span: Span) -> None:
        await run.agent.alert("smoke", class_=class_, run=span, **fields)

    run.cue(cue)


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_an_alert_is_decided_like_any_interrupt(world: World, life: Life, capability: str) -> None:
    run = await world.run(life, capability, "tour")
    await run.think("one")
    await alert(run)
    run.cue(boundary, thought("two"))
    end = (await run.concluded())["payload"]
    await world.silence(life)
    assert run.said == ["start", "one", "conclusion"]  # nobody asked, so nobody is answered
    (decided,) = world.timeline("decided", of=run.id)
    told = world.decided(str(decided.cause_id))
    assert (told["source"], told["sender"], told["rule"], told["outcome"]) == ("alert", "agent", "alert", "stopped")
    assert end["interrupt_id"] == decided.cause_id


async def test_an_alert_does_not_stop_what_nobody_may_interrupt(world: World, life: Life) -> None:
    run = await world.run(life, "firm", "tour")
    await alert(run)
    await run.think("one")
    assert (await run.end())["payload"]["outcome"] == "completed"
    (decided,) = world.timeline("decided", of=run.id)
    assert decided.data["reason_code"] == "non_interruptible"


async def test_an_emergency_of_its_own_halts_it_until_somebody_lifts_it_who_may(world: World, life: Life) -> None:
    """The gateway does not know of it, so it is the agent that looks who resumes it; a new life keeps it."""
    guardian = await world.join("guardian")
    run = await world.run(life, "soft", "tour")
    await alert(run, "emergency")
    run.cue(boundary)
    alarm = (await run.concluded())["payload"]["interrupt_id"]
    await world.leave(life)
    again = await world.live()
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    await world.joined(again)
    await world.human.send("participant/resume", {}, to=["agent"])  # which lifts pauses
    await world.silence(again)
    assert [(one.cause_id, one.data["vouched"]) for one in world.timeline("halted")] == [(alarm, False)]
    assert world.timeline("resumed") == []
    await guardian.send("participant/resume", {}, to=["agent"])
    await (await world.begun(again, "later")).end()
    assert [(one.cause_id, one.data["by"]) for one in world.timeline("resumed")] == [(alarm, "guardian")]


async def test_an_emergency_of_the_wire_is_lifted_by_its_name_alone(world: World, life: Life) -> None:
    guardian = await world.join("guardian")
    run = await world.run(life, "hard", "tour")
    await run.interrupted("alarm", by=guardian, class_="emergency")
    await run.concluded()
    await world.human.send("chat", {"text": "soft later"}, to=["agent"])
    await guardian.send("participant/resume", {}, to=["agent"])
    await world.human.until("participant/resume")
    await world.silence(life)
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["alarm"])
    await (await world.begun(life, "later")).end()


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
async def test_a_span_beyond_its_limit_is_ended_in_the_way_of_its_policy(world: World, capability: str) -> None:
    life = await world.live(Limited())
    run = await world.run(life, capability, "tour")
    assert run.start["payload"]["span"]["limit_ms"] == 10_000
    await world.pass_time(9_999)
    await run.think("one")
    await world.pass_time(1)
    if capability == "firm":
        await run.think("two")
        assert (await run.end())["payload"]["outcome"] == "completed"
    else:
        run.cue(thought("two"), thought("three"))
        end = (await run.concluded())["payload"]
        assert (end["outcome"], end["interrupt_id"]) == ("interrupted", f"{run.span}:limit")
        assert world.decided(f"{run.span}:limit")["rule"] == "limit"
    await world.silence(life)
    assert [one.data["why"] for one in world.timeline("overdue", of=run.id)] == ["limit"]


async def test_the_watchdogs_interrupt_is_taken_like_any(world: World) -> None:
    life = await world.live(participant="second")
    run = await world.run(life, "soft", "tour")
    await run.think("one", "two")
    gate, said = Gate(), partial(world.timeline, "thought", folder="second")
    run.cue(stopped_in(gate, thought("three"), once=lambda: len(said()) == 3), thought("four"))
    await world.reached(gate)
    ack = await world.human.until("reasoning/interrupt-ack")
    assert (ack["to"], ack["payload"]["status"]) == (["system:gateway"], "stopping")
    gate.open()
    end = (await run.concluded())["payload"]
    assert end["interrupt_id"] == ack["correlation_id"][0]
    assert world.decided(end["interrupt_id"], "second")["rule"] == "explicit"


class Model:
    """Says what the test says, when it says so."""

    within = 5_000

    def __init__(self) -> None:
        self.asked = asyncio.Queue[str]()
        self.answer = asyncio.Queue[Classification]()

    async def classify(self, text: str) -> Classification:
        self.asked.put_nowait(text)
        return await self.answer.get()


async def thinking(world: World) -> tuple[Life, Model, Part]:
    """An agent with a model in the middle of a thought."""
    agent, model = Scripted(), Model()
    agent.classifier = model
    life = await world.live(agent)
    return life, model, await world.run(life, "soft", "tour")


WORDS = "the hotel has a pool"  # the rules would queue that


async def test_a_model_decides_what_words_mean(world: World) -> None:
    life, model, run = await thinking(world)
    await world.human.send("chat", {"text": WORDS}, to=["agent"], id="words")
    assert await life.ask(model.asked.get) == WORDS
    await run.think("one")  # and meanwhile nothing stops
    life.do(partial(model.answer.put_nowait, Classification("override", 0.9, "model")))
    told = (await world.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("override", "stopped")
    run.cue(boundary)
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    await (await world.begun(life, WORDS)).end()
    assert world.decided("words")["rule"] == "model"


async def test_a_model_that_is_too_late_is_not_waited_for(world: World) -> None:
    life, model, run = await thinking(world)
    await world.human.send("chat", {"text": WORDS}, to=["agent"], id="words")
    await life.ask(model.asked.get)
    await world.pass_time(4_999)
    await world.silence(life)
    await world.pass_time(1)
    told = (await world.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("queue", "queued")
    life.do(partial(model.answer.put_nowait, Classification("cancel", 1.0, "model")))
    await world.silence(life)
    assert (await run.end())["payload"]["outcome"] == "completed"
    assert world.decided("words")["rule"] != "model"
    await (await world.begun(life, WORDS)).end()


async def test_a_stop_word_waits_for_no_model(world: World) -> None:
    life, model, run = await thinking(world)
    await world.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    told = (await world.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("cancel", "stopped")
    run.cue(boundary)
    await run.concluded()
    await world.silence(life)
    assert model.asked.empty()


@pytest.mark.parametrize("class_", ["cancel", "override", "emergency"])
@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_a_paused_span_is_ended_where_it_stands(world: World, life: Life, capability: str, class_: str) -> None:
    guardian = await world.join("guardian")
    run = await world.run(life, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("late"))
    await world.human.until("chat", text="paused: which city?")
    by = guardian if class_ == "emergency" else None
    ack = await run.interrupted("stop", by=by, class_=class_, input="soft instead")
    assert (ack["status"], ack["outcome"]) == ("stopping", "stopped")
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    if class_ == "override":
        await (await world.begun(life, "instead")).end()
    await world.silence(life)
    assert "late" not in run.said
