"""Case 14: a replay decides as it was decided, from the recorded inputs alone. Every other test of this folder is
replayed behind it; here, that a replay would tell."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.sdk.execution import policy
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.replay import INPUT, Difference, Replayed, replayed
from mew_gateway.sdk.timeline.verify import faults

from .agent_thread import AgentThread
from .harness import Harness
from .scripted import Scripted, boundary, thought


async def story(harness: Harness, agent_thread: AgentThread) -> list[Entry]:
    """Two lives of an agent, in which everything happens that may; the whole timeline of both."""
    guardian = await harness.join("guardian")
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupted("later", class_="queue", input="hard errand")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(thought("one"))
    await harness.human.until("chat", text="paused: which city?")
    await harness.human.send("chat", {"text": "Lisbon"}, to=["agent"])
    await harness.human.send("chat", {"text": "no, mejor mañana", "confidence": 0.95}, to=["agent"], id="words")
    await harness.human.until("chat/acknowledge")
    run.cue(boundary)
    await run.concluded()
    await (await harness.begun(agent_thread, "no, mejor mañana")).end()
    errand = await harness.begun(agent_thread, "errand")
    await errand.interrupted("stop")
    await errand.concluded()
    payment = await harness.run(agent_thread, "firm", "payment")
    await payment.interrupted("alarm", by=guardian, class_="emergency")
    await payment.end()
    await harness.leave(agent_thread)
    again = await harness.start_agent(Scripted())
    await guardian.send("participant/resume", {}, to=["agent"], correlation_id=["alarm"])
    await (await harness.run(again, "soft", "afterwards")).end()
    await harness.leave(again)
    return harness.timeline()


async def test_14_a_replay_finds_every_decision_again(harness: Harness, agent_thread: AgentThread) -> None:
    entries = await story(harness, agent_thread)
    found = replayed(entries)
    assert isinstance(found, Replayed)
    assert found.lives == 2
    assert {one.data["class"] for one in entries if one.kind == "decided"} == {
        "queue",
        "clarification",
        "override",
        "cancel",
        "emergency",
    }


@pytest.mark.parametrize(
    ("cell", "rule", "subject"),
    [
        (("queue", "soft-stop"), policy.TABLE[("cancel", "soft-stop")], "later"),
        (("override", "soft-stop"), policy.TABLE[("queue", "soft-stop")], "words"),
        (("cancel", "hard-stop"), policy.TABLE[("queue", "hard-stop")], "stop"),
        (("emergency", "non-interruptible"), policy.TABLE[("cancel", "non-interruptible")], "alarm"),
    ],
)
async def test_14_a_replay_tells_of_the_first_decision_that_another_rule_changes(
    harness: Harness,
    agent_thread: AgentThread,
    monkeypatch: pytest.MonkeyPatch,
    cell: Any,
    rule: policy.Rule,
    subject: str,
) -> None:
    entries = await story(harness, agent_thread)
    with monkeypatch.context() as changed:
        changed.setitem(policy.TABLE, cell, rule)
        found = replayed(entries)
    assert isinstance(found, Difference)
    (first,) = [one for one in entries if one.kind == "interruption" and one.cause_id == subject]
    inputs = [one.seq for one in entries if one.kind == INPUT and one.seq < first.seq]
    assert (found.seq, found.subject) == (inputs[-1], subject)


async def test_14_a_timeline_that_lacks_an_entry_is_found_out(harness: Harness, agent_thread: AgentThread) -> None:
    entries = await story(harness, agent_thread)
    (decided,) = [one for one in entries if one.kind == "decided" and one.cause_id == "stop"]
    (fault,) = faults([one for one in entries if one is not decided])
    assert (fault.seq, fault.what) == (decided.seq, "missing")
