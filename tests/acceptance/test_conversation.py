"""Cases 7 and 8: a clarification, and what waits for the end of a run."""

from __future__ import annotations

import pytest

from .life import Life
from .scripted import boundary, thought
from .world import World


async def test_7_a_clarification_that_is_answered_resumes_the_same_span(world: World, life: Life) -> None:
    run = await world.run(life, "soft", "tour")
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
    said = await world.human.until("chat", text="paused: which city?")
    assert (said["to"], said["correlation_id"]) == (["human"], ["ask"])
    await world.silence(life)  # it waits
    await world.human.send("chat", {"text": "Lisbon, and then Porto"}, to=["agent"])
    assert (await world.human.until("reasoning/thought"))["payload"]["span_id"] == run.span
    assert run.agent.spans["tour"].answers == ["Lisbon, and then Porto"]
    await run.idle()
    end = (await run.end())["payload"]
    assert (end["outcome"], end["interrupted"], end["partial"]) == ("completed", False, False)
    assert run.said == ["start", "one", "continuing", "two", "three", "conclusion"]
    states = ["running", "paused", "running", "completed"]
    assert world.states(run.id) == [(run.span, state) for state in states]
    assert world.decided("ask")["outcome"] == "paused"


async def test_7_the_agents_own_answer_will_do(world: World, life: Life) -> None:
    async def answer(input: object, interrupt: object) -> str:
        return f"{input} Lisbon."

    life.agent.on_clarification = answer  # type: ignore[method-assign]
    run = await world.run(life, "soft", "tour")
    await run.interrupted("ask", class_="clarification", message="Which city?")
    run.cue(boundary)
    await run.think("one")
    assert run.agent.spans["tour"].answers == ["Which city? Lisbon."]
    await run.end()


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_7_nobody_answers_and_after_five_minutes_it_goes_on(world: World, life: Life, capability: str) -> None:
    run = await world.run(life, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary)
    await world.human.until("chat", text="paused: which city?")
    run.cue(thought("one"))
    await world.pass_time(299_999)
    await world.silence(life)
    await world.pass_time(1)
    await world.human.until("reasoning/thought", message="one")
    await run.idle()
    assert run.agent.spans["tour"].answers == []
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_7_somebody_elses_words_are_no_answer(world: World, life: Life) -> None:
    stranger = await world.join("stranger")
    run = await world.run(life, "soft", "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("one"))
    await world.human.until("chat", text="paused: which city?")
    await stranger.send("chat", {"text": "soft elsewhere"}, to=["agent"])
    await (await world.begun(life, "elsewhere")).end()
    assert run.agent.spans["tour"].answers == []
    await world.human.send("chat", {"text": "here"}, to=["agent"])
    await world.human.until("reasoning/thought", message="one")


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_7_a_cancel_while_it_has_paused_is_stopping(world: World, life: Life, capability: str) -> None:
    """A span that has paused stands at a boundary: nothing is left to complete."""
    run = await world.run(life, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary, thought("one"))
    await world.human.until("chat", text="paused: which city?")
    assert (await run.interrupted("stop"))["status"] == "stopping"
    assert (await run.concluded())["payload"]["interrupt_id"] == "stop"
    await world.silence(life)
    assert "one" not in run.said
    assert [state for _, state in world.states(run.id)] == ["running", "paused", "interrupted", "cancelled"]


async def test_7_a_second_clarification_is_queued(world: World, life: Life) -> None:
    other = await world.join("other")
    run = await world.run(life, "soft", "tour")
    assert (await run.interrupted("ask", class_="clarification", message="which?"))["outcome"] == "paused"
    ack = await run.interrupted("also", by=other, class_="clarification", message="soft and when?")
    assert (ack["status"], ack["outcome"]) == ("continuing", "queued")
    run.cue(boundary)
    await world.human.until("chat", text="paused: which?")
    await world.human.send("chat", {"text": "that one"}, to=["agent"])
    await run.end()
    then = await world.begun(life, "and when?")
    assert then.start["correlation_id"] == ["also"]
    await then.end()


async def test_8_two_queued_inputs_become_two_runs_in_order(world: World, life: Life) -> None:
    run = await world.run(life, "soft", "tour")
    for n in (1, 2):
        ack = await run.interrupted(f"later {n}", class_="queue", input=f"soft errand {n}")
        assert (ack["status"], ack["outcome"]) == ("continuing", "queued")
    await run.think("one", "two")  # untouched
    assert (await run.end())["payload"]["outcome"] == "completed"
    for n in (1, 2):
        then = await world.begun(life, f"errand {n}")
        assert then.start["payload"]["message"] == f"soft: errand {n}"
        assert then.start["payload"]["caused_by"] == f"later {n}"
        await world.silence(life)  # the next waits
        await then.end()
    await world.silence(life)
    followed = world.timeline("followed")
    assert [(one.cause_id, one.data["when"]) for one in followed] == [("later 1", "after"), ("later 2", "after")]


async def test_8_what_takes_a_runs_place_comes_before_what_waited_for_it(world: World, life: Life) -> None:
    run = await world.run(life, "soft", "tour")
    await run.interrupted("later", class_="queue", input="soft errand")
    await run.interrupted("turn", class_="override", input="soft detour")
    run.cue(boundary)
    await run.concluded()
    await (await world.begun(life, "detour")).end()
    await (await world.begun(life, "errand")).end()
    await world.silence(life)


async def test_8_what_was_queued_outlives_a_cancel(world: World, life: Life) -> None:
    run = await world.run(life, "hard", "tour")
    await run.interrupted("later", class_="queue", input="soft errand")
    await run.interrupted("stop")
    await run.concluded()
    await (await world.begun(life, "errand")).end()


@pytest.mark.parametrize("capability", ["soft", "hard", "checkpointed"])
async def test_words_that_end_a_run_at_once_are_answered_before_its_conclusion(
    world: World, life: Life, capability: str
) -> None:
    """An answer to a clarification lets the span go on, and the next words stop it where it stands."""
    run = await world.run(life, capability, "tour")
    await run.interrupted("ask", class_="clarification", message="which city?")
    run.cue(boundary)
    await world.human.until("chat", text="paused: which city?")
    await world.human.send("chat", {"text": "Lisbon"}, to=["agent"])
    await world.human.send("chat", {"text": "stop"}, to=["agent"], id="words")
    run.cue(boundary)
    assert (await world.human.until("chat/acknowledge"))["correlation_id"] == ["words"]
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
