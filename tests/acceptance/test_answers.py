"""Cases 10 and 13: the coded answers of the wire, and peers that know less than we do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.sdk._transport.throttle import _BURST

from .agent_thread import AgentThread
from .harness import Harness
from .scripted import boundary, thought


async def think(client: Any, harness: Harness, id: str = "run") -> None:
    """A sequence of an agent on the bare client."""
    await client.send("reasoning/start", {"message": "thinking"}, id=id)
    await harness.human.until("reasoning/start")


async def interrupt(peer: Any, id: str, run: str = "run", **fields: Any) -> None:
    payload = {"reason": "user_request"}
    await peer.send("reasoning/interrupt", payload, id=id, **{"to": ["agent"], "correlation_id": [run], **fields})


async def acknowledge(client: Any, id: str, status: str) -> None:
    await client.send("reasoning/interrupt-ack", {"status": status}, correlation_id=id)


async def refusal(client: Any) -> dict[str, Any]:
    """The next `system/error` that a bare client gets."""
    async for item in client:
        if item.kind == "system/error":
            payload: dict[str, Any] = item.payload
            return payload
    raise AssertionError("It ended.")


async def test_10_of_six_interrupts_in_ten_seconds_the_sixth_is_one_too_many(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "firm", "tour")
    for n in range(5):
        assert (await run.interrupted(f"i{n}"))["status"] == "ignored"
        await harness.pass_time(1_000)
    await run.interrupt("i5", class_="cancel")
    error = await harness.human.error("rate_limited")
    assert (error["correlation_id"], error["payload"]["retry_after_ms"]) == (["i5"], 5_000)
    await harness.silence(agent_thread)
    assert [one.cause_id for one in harness.timeline("decided")] == [f"i{n}" for n in range(5)]
    await harness.pass_time(5_000)
    assert (await run.interrupted("i6"))["status"] == "ignored"
    await run.end()


async def test_13_of_stopping_and_continuing_stopping_governs(harness: Harness) -> None:
    other = await harness.join("other")
    async with harness.client("agent") as agent:
        await think(agent, harness)
        await interrupt(harness.human, "one")
        await interrupt(other, "two")
        await acknowledge(agent, "one", "stopping")
        await acknowledge(agent, "two", "continuing")
        await agent.send("reasoning/thought", {"message": "current"}, context="run")
        await agent.send("reasoning/thought", {"message": "on"}, context="run")
        assert (await refusal(agent))["error"] == "sequence_interrupted"
        await agent.send("reasoning/conclusion", {}, context="run")
        await harness.human.until("reasoning/conclusion")
    assert (await harness.record("one"))["status"] == "honoured"
    assert (await harness.record("two"))["status"] == "acked"
    assert "on" not in [one["payload"].get("message") for one in harness.human.seen]


@pytest.mark.parametrize("first", ["cancel", "queue"])
async def test_13_a_cancel_and_a_queue_in_either_order(harness: Harness, agent_thread: AgentThread, first: str) -> None:
    other = await harness.join("other")
    run = await harness.run(agent_thread, "soft", "tour")
    for class_ in (first, "cancel" if first == "queue" else "queue"):
        sender = harness.human if class_ == "cancel" else other
        ack = await run.interrupted(class_, by=sender, class_=class_, message="soft errand")
        assert ack["status"] == ("completing_thought" if class_ == "cancel" else "continuing")
    run.cue(thought("one"), thought("two"))
    assert (await run.concluded())["payload"]["interrupt_id"] == "cancel"
    await (await harness.begun(agent_thread, "errand")).end()
    assert [one for one in run.said if one in ("one", "two", "conclusion")] == ["one", "conclusion"]


async def test_13_two_cancels_have_an_ack_each_and_one_conclusion(harness: Harness, agent_thread: AgentThread) -> None:
    other = await harness.join("other")
    run = await harness.run(agent_thread, "soft", "tour")
    assert (await run.interrupted("one"))["status"] == "completing_thought"
    assert (await run.interrupted("two", by=other))["status"] == "completing_thought"
    run.cue(thought("last"), thought("late"))
    assert (await run.concluded())["payload"]["interrupt_id"] == "one"  # the first governs
    await harness.silence(agent_thread)
    assert run.said == ["start", "completing_thought", "completing_thought", "last", "conclusion"]
    assert [(await harness.record(id))["status"] for id in ("one", "two")] == ["honoured", "honoured"]


async def test_13_an_emergency_after_a_cancel_takes_hold_at_once(harness: Harness, agent_thread: AgentThread) -> None:
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "soft", "tour")
    assert (await run.interrupted("stop"))["status"] == "completing_thought"
    assert (await run.interrupted("alarm", by=guardian, class_="emergency"))["status"] == "stopping"
    run.cue(thought("late"))
    await run.concluded()
    await harness.silence(agent_thread)
    assert run.said == ["start", "completing_thought", "stopping", "conclusion"]


async def test_13_a_late_interrupt_is_told_how_the_sequence_ended(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.end()
    await run.interrupt("late", class_="cancel")
    assert (await harness.human.error("sequence_closed"))["payload"]["outcome"] == "completed"
    await harness.silence(agent_thread)
    assert harness.timeline("interruption") == []


async def test_13_an_interrupt_that_crosses_the_conclusion_is_not_active(
    harness: Harness, agent_thread: AgentThread
) -> None:
    """The run has ended here, and the gateway does not know it yet: the conclusion waits behind a full line."""
    run = await harness.run(agent_thread, "soft", "tour")
    client, held, free = agent_thread.agent.client, asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with client._outgoing.wire:
            held.set()
            await free.wait()

    agent_thread.do(lambda: asyncio.ensure_future(hold()))
    await agent_thread.ask(held.wait)
    run.cue(None)
    await agent_thread.ask(lambda: _until(lambda: bool(harness.timeline("run_concluded", of=run.id))))
    ack = await run.interrupted("crossing")
    assert (ack["status"], ack["reason_code"]) == ("ignored", "not_active")
    agent_thread.do(free.set)
    assert (await run.concluded())["payload"]["outcome"] == "completed"
    told = harness.decided("crossing")
    assert (told["trace"], told["span"], told["outcome"], told["run"]) == (None, None, "rejected", run.id)


async def test_13_a_repeated_interrupt_is_a_duplicate_and_the_first_stands(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupted("stop")
    await run.interrupt("stop", class_="cancel")
    assert (await harness.human.error("duplicate_id"))["correlation_id"] == ["stop"]
    run.cue(boundary)
    await run.concluded()
    assert len(harness.timeline("decided", cause="stop")) == 1


async def test_13_an_ack_that_was_lost_is_said_again_byte_for_byte(harness: Harness, agent_thread: AgentThread) -> None:
    """§2.2: the line breaks under the ack; the gateway delivers the interrupt again, and the decision stands."""
    run = await harness.run(agent_thread, "soft", "tour")
    await run.think("one")
    harness.link_fault.breaks_next = True
    await run.interrupt("stop", class_="cancel")
    ack = await harness.ack("stop")
    assert ack["status"] == "completing_thought"
    run.cue(thought("two"), thought("three"))
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    await harness.silence(agent_thread)
    assert run.said == ["start", "one", "completing_thought", "two", "conclusion"]
    inputs = [one for one in harness.timeline("input") if one.data["event"]["type"] == "Interrupted"]
    assert [one.data["event"]["interrupt"]["id"] for one in inputs] == ["stop", "stop"]  # it came twice,
    assert len(harness.timeline("decided", cause="stop")) == 1  # and was decided once
    assert not harness.link_fault.breaks_next


async def test_13_a_strangers_ack_is_refused(harness: Harness, agent_thread: AgentThread) -> None:
    async with harness.client("second") as second:
        run = await harness.run(agent_thread, "soft", "tour")
        await run.interrupted("stop")
        await acknowledge(second, "stop", "continuing")
        assert (await refusal(second))["error"] == "not_target"
    run.cue(boundary)
    await run.concluded()
    assert (await harness.record("stop"))["ack"]["status"] == "completing_thought"


async def test_13_a_second_ack_and_one_of_nothing_are_refused(harness: Harness) -> None:
    async with harness.client("agent") as agent:
        await think(agent, harness)
        await interrupt(harness.human, "stop")
        await acknowledge(agent, "stop", "continuing")
        await harness.ack("stop")
        await acknowledge(agent, "stop", "stopping")
        assert (await refusal(agent))["error"] == "already_acked"
        await acknowledge(agent, "nothing", "stopping")
        assert (await refusal(agent))["error"] == "unknown_interrupt"


async def test_13_an_ack_after_the_conclusion_is_taken_and_honoured(harness: Harness) -> None:
    async with harness.client("agent") as agent:
        await think(agent, harness)
        await interrupt(harness.human, "stop")
        await harness.human.until("reasoning/interrupt")
        await agent.send("reasoning/conclusion", {}, context="run")
        await acknowledge(agent, "stop", "stopping")
        await harness.ack("stop")
    assert (await harness.record("stop"))["status"] == "honoured"


async def test_13_a_late_ack_is_taken_as_late_and_binds(harness: Harness) -> None:
    async with harness.client("agent") as agent:
        await think(agent, harness)
        await interrupt(harness.human, "stop")
        await harness.human.until("reasoning/interrupt")
        await harness.pass_time(30_000)
        assert (await harness.human.error("interrupt_ack_timeout"))["correlation_id"] == ["stop"]
        await acknowledge(agent, "stop", "stopping")
        await harness.ack("stop")
        assert (await harness.record("stop"))["status"] == "late"
        await agent.send("reasoning/thought", {"message": "current"}, context="run")
        await agent.send("reasoning/thought", {"message": "on"}, context="run")
        assert (await refusal(agent))["error"] == "interrupt_ack_timeout"
        assert (await refusal(agent))["error"] == "sequence_interrupted"
        await agent.send("reasoning/conclusion", {}, context="run")
        await harness.human.until("reasoning/conclusion")
    assert (await harness.record("stop"))["status"] == "honoured"


# Peers that know less.


@pytest.mark.parametrize(
    ("capability", "status"),
    [("soft", "completing_thought"), ("hard", "stopping"), ("checkpointed", "stopping"), ("firm", "ignored")],
)
async def test_a_cancel_in_the_words_of_v04(
    harness: Harness, agent_thread: AgentThread, capability: str, status: str
) -> None:
    run = await harness.run(agent_thread, capability, "tour")
    await run.think("one")
    await harness.human.send("reasoning/cancel", {"reason": "superseded"}, id="stop", context=run.id)
    ack = await harness.ack("stop")
    assert (ack["status"], ack["class"]) == (status, "cancel")
    if capability == "firm":
        assert (await run.end())["payload"]["outcome"] == "completed"
    else:
        run.cue(thought("two"), thought("three"))
        end = (await run.concluded())["payload"]
        assert (end["interrupt_id"], end["outcome"]) == ("stop", "interrupted")
    await harness.silence(agent_thread)
    told = harness.decided("stop")
    assert (told["source"], told["rule"], told["class"]) == ("wire", "reasoning/cancel", "cancel")


@pytest.mark.parametrize(
    ("reason", "class_"),
    [
        ("timeout", "cancel"),
        ("resource_limit", "cancel"),
        ("error", "cancel"),
        ("user_request", "cancel"),
        ("redirect", "override"),
    ],
)
async def test_an_interrupt_that_has_nothing_but_a_reason(
    harness: Harness, agent_thread: AgentThread, reason: str, class_: str
) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupt("stop", class_=None, reason=reason, message=None)
    ack = await harness.ack("stop")
    assert (ack["status"], ack["class"]) == ("completing_thought", class_)
    run.cue(boundary)
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    await harness.silence(agent_thread)  # an override without words has nothing to begin
    assert harness.decided("stop")["rule"] == f"reason:{reason}"


async def test_the_reason_other_asks_for_a_stop(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupt("other", class_=None, reason="other", message="the fire alarm rings")
    ack = await harness.ack("other")
    assert (ack["outcome"], ack["class"]) == ("stopped", "cancel")
    await run.end()


async def test_who_is_paused_on_the_way_out_stands_in_nobodys_way(harness: Harness, agent_thread: AgentThread) -> None:
    """A thought waits for its pace, which is where a hard stop may hold its run: what else the agent says leaves."""
    run = await harness.run(agent_thread, "hard", "tour")
    waiting = len(harness.timers.waiting)
    run.cue(*(thought(f"{n}") for n in range(int(_BURST) + 10)), None)
    await _until(lambda: len(harness.timers.waiting) > waiting)
    ack = await run.interrupted("i", class_="clarification", input="soft errand")
    assert (ack["status"], ack["outcome"]) == ("continuing", "paused")
    before = len(run.said)
    await harness.pass_time(1_000)
    await harness.human.until("chat", text="paused: soft errand")
    assert len(run.said) == before, "and no thought before it is told to go on"
    await harness.human.send("chat", {"text": "go on"}, to=["agent"])
    assert (await run.concluded())["payload"]["outcome"] == "completed"
    assert sum(said.isdigit() for said in run.said) == int(_BURST) + 10


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed", "firm"])
@pytest.mark.parametrize("class_", ["cancel", "clarification", "queue"])
async def test_a_peer_that_reads_only_the_status_is_told_the_truth(
    harness: Harness, agent_thread: AgentThread, capability: str, class_: str
) -> None:
    """Seed 004 knows four words: after `stopping` no thought, after `completing_thought` at most one, otherwise on."""
    run = await harness.run(agent_thread, capability, "tour")
    await run.interrupt("i", class_=class_, message="soft errand")
    status = (await harness.ack("i"))["status"]
    run.cue(thought("one"), thought("two"), None)
    if class_ == "clarification" and capability != "firm":
        await harness.human.until("chat", text="paused: soft errand")
        await harness.human.send("chat", {"text": "go on"}, to=["agent"])
    await run.concluded()
    if class_ != "cancel" and not (class_ == "clarification" and capability != "firm"):
        await (await harness.begun(agent_thread, "errand")).end()
    thoughts = run.said.count("one") + run.said.count("two")
    if status == "completing_thought":
        assert thoughts <= 1
    else:
        assert thoughts == {"stopping": 0, "continuing": 2, "ignored": 2}[status]
    await harness.silence(agent_thread)


async def _until(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0)
