"""Cases 7 and 8: a clarification, and what waits for the end of a run."""

from __future__ import annotations

import pytest

from .agent_thread import AgentThread
from .harness import Harness
from .scripted import boundary, thought


async def test_7_a_clarification_that_is_answered_resumes_the_same_span(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.think("one")
    ack = await run.interrupted("ask", class_="clarification", message="which city?")
    assert ack == {
        "status": "continuing",
        "class": "clarification",
        "outcome": "paused",
        "policy_applied": "soft-stop",
        "span_id": run.span,
    }
    run.cue(thought("two"), thought("three"))
    said = await harness.human.until("chat", text="paused: which city?")
    assert (said["to"], said["correlation_id"]) == (["human"], ["ask"])
    await harness.silence(agent_thread)  # it waits
    await harness.human.send("chat", {"text": "Lisbon, and then Porto"}, to=["agent"])
    assert (await harness.human.until("reasoning/thought"))["payload"]["span_id"] == run.span
    assert run.agent.spans["tour"].answers == ["Lisbon, and then Porto"]
    await run.idle()
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("completed", False, False)
    assert run.said == ["start", "one", "continuing", "two", "three", "conclusion"]
    states = ["running", "paused", "running", "completed"]
    assert harness.states(run.id) == [(run.span, state) for state in states]
    assert harness.decided("ask")["outcome"] == "paused"


async def test_7_the_agents_own_answer_will_do(harness: Harness, agent_thread: AgentThread) -> None:
    async def answer(input: object, interrupt: object) -> str:
        return f"{input} Lisbon."

    agent_thread.agent.on_clarification = answer  # type: ignore[method-assign]
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupted("ask", class_="clarification", message="Which city?")
    run.cue(boundary)
    await run.think("one")
    assert run.agent.spans["tour"].answers == ["Which city? Lisbon."]
    await run.end()


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_7_nobody_answers_and_after_five_minutes_it_goes_on(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    run = await harness.run(agent_thread, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary)
    await harness.human.until("chat", text="paused: which city?")
    run.cue(thought("one"))
    await harness.pass_time(299_999)
    await harness.silence(agent_thread)
    await harness.pass_time(1)
    await harness.human.until("reasoning/thought", message="one")
    await run.idle()
    assert run.agent.spans["tour"].answers == []
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_7_somebody_elses_words_are_no_answer(harness: Harness, agent_thread: AgentThread) -> None:
    stranger = await harness.join("stranger")
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("one"))
    await harness.human.until("chat", text="paused: which city?")
    await stranger.send("chat", {"text": "soft elsewhere"}, to=["agent"])
    await (await harness.begun(agent_thread, "elsewhere")).end()
    assert run.agent.spans["tour"].answers == []
    await harness.human.send("chat", {"text": "here"}, to=["agent"])
    await harness.human.until("reasoning/thought", message="one")


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_7_a_cancel_while_it_has_paused_is_stopping(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    """A span that has paused stands at a boundary: nothing is left to complete."""
    run = await harness.run(agent_thread, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("one"))
    await harness.human.until("chat", text="paused: which city?")
    assert (await run.interrupted("stop"))["status"] == "stopping"
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    await harness.silence(agent_thread)
    assert "one" not in run.said
    assert [state for _, state in harness.states(run.id)] == ["running", "paused", "interrupted", "cancelled"]


async def test_7_a_second_clarification_is_queued(harness: Harness, agent_thread: AgentThread) -> None:
    other = await harness.join("other")
    run = await harness.run(agent_thread, "soft", "tour")
    assert (await run.interrupted("ask", class_="clarification", message="which?"))["outcome"] == "paused"
    ack = await run.interrupted("also", by=other, class_="clarification", message="soft and when?")
    assert (ack["status"], ack["outcome"]) == ("continuing", "queued")
    run.cue(boundary)
    await harness.human.until("chat", text="paused: which?")
    await harness.human.send("chat", {"text": "that one"}, to=["agent"])
    await run.end()
    then = await harness.begun(agent_thread, "and when?")
    assert then.start["correlation_id"] == ["also"]
    await then.end()


async def test_8_two_queued_inputs_become_two_runs_in_order(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    for n in (1, 2):
        ack = await run.interrupted(f"later {n}", class_="queue", input=f"soft errand {n}")
        assert (ack["status"], ack["outcome"]) == ("continuing", "queued")
    await run.think("one", "two")  # untouched
    assert (await run.end())["payload"]["outcome"] == "completed"
    for n in (1, 2):
        then = await harness.begun(agent_thread, f"errand {n}")
        assert then.start["payload"]["message"] == f"soft: errand {n}"
        assert then.start["payload"]["caused_by"] == f"later {n}"
        await harness.silence(agent_thread)  # the next waits
        await then.end()
    await harness.silence(agent_thread)
    followed = harness.timeline("followed")
    assert [(one.cause_id, one.data["when"]) for one in followed] == [("later 1", "after"), ("later 2", "after")]


async def test_8_what_takes_a_runs_place_comes_before_what_waited_for_it(
    harness: Harness, agent_thread: AgentThread
) -> None:
    run = await harness.run(agent_thread, "soft", "tour")
    await run.interrupted("later", class_="queue", input="soft errand")
    await run.interrupted("turn", class_="override", input="soft detour")
    run.cue(boundary)
    await run.concluded()
    await (await harness.begun(agent_thread, "detour")).end()
    await (await harness.begun(agent_thread, "errand")).end()
    await harness.silence(agent_thread)


async def test_8_what_was_queued_outlives_a_cancel(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "hard", "tour")
    await run.interrupted("later", class_="queue", input="soft errand")
    await run.interrupted("stop")
    await run.concluded()
    await (await harness.begun(agent_thread, "errand")).end()


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_words_that_end_a_run_at_once_are_answered_before_its_conclusion(
    harness: Harness, agent_thread: AgentThread, capability: str
) -> None:
    """An answer to a clarification lets the span go on, and the next words stop it where it stands."""
    run = await harness.run(agent_thread, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary)
    await harness.human.until("chat", text="paused: which city?")
    await harness.human.send("chat", {"text": "Lisbon"}, to=["agent"])
    await harness.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    run.cue(boundary)
    assert (await harness.human.until("chat/acknowledge"))["correlation_id"] == ["words"]
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
