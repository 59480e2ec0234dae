"""Case 5: somebody speaks while the agent speaks."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.sdk import Span

from .life import Life
from .scripted import Cue, Scripted
from .world import Part, World

PHRASES = ["no, mejor mañana", "no, better tomorrow", "não, melhor amanhã"]


async def speak(world: World, life: Life, *, by: Any = None) -> Part:
    """The agent speaks: its first sentence was heard, of the second the beginning."""
    run = await world.run(life, "speak", "the weather", by=by)
    run.cue(say(life, "Today it rains."), piece(life, "Tomorrow "))
    assert [await heard(world) for _ in range(2)] == ["Today it rains.", "Tomorrow "]
    await run.idle()
    return run


def say(life: Life, text: str) -> Cue:
    """A whole chunk, and a boundary behind it."""

    async def cue(span: Span) -> None:
        await piece(life, text)(span)
        await span.boundary()

    return cue


def piece(life: Life, text: str) -> Cue:
    """A part of a chunk: more of it is to follow."""
    assert isinstance(life.agent, Scripted)
    agent = life.agent
    return lambda _: agent.stream.write(text)


async def heard(world: World) -> str:
    return str((await world.human.until("frame"))["payload"]["text"])


def frames(world: World) -> list[str]:
    return [one["payload"]["text"] for one in world.human.seen if one["kind"] == "frame"]


async def barge_in(world: World, text: str, confidence: float | None, *, by: Any = None, id: str = "words") -> None:
    payload: dict[str, Any] = {"text": text}
    if confidence is not None:
        payload["confidence"] = confidence
    await (by or world.human).send("chat", payload, to=["agent"], id=id)


async def acknowledged(world: World) -> dict[str, Any]:
    """The decision about the words, as their sender is told."""
    said = await world.human.until("chat/acknowledge")
    assert (said["from"], said["to"], said["correlation_id"]) == ("agent", ["human"], ["words"])
    payload: dict[str, Any] = said["payload"]
    return payload


@pytest.mark.parametrize("text", PHRASES)
async def test_5_sure_words_end_the_speech_behind_the_chunk_in_flight(world: World, life: Life, text: str) -> None:
    run = await speak(world, life)
    await barge_in(world, text, 0.95)
    assert await acknowledged(world) == {
        "status": "completing_thought",
        "class": "override",
        "outcome": "stopped",
        "policy_applied": "soft-stop",
        "span_id": run.span,
    }
    run.cue(say(life, "the sun shines."), say(life, "The day after it snows."))
    assert await heard(world) == "the sun shines."
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupted"], end["interrupt_id"]) == ("interrupted", True, "words")
    then = await world.begun(life, text)
    assert (then.start["correlation_id"], then.start["payload"]["caused_by"]) == (["words"], "words")
    assert then.start["payload"]["message"] == f"soft: {text}"
    await then.end()
    await world.silence(life)
    assert frames(world) == ["Today it rains.", "Tomorrow ", "the sun shines."]
    assert world.kinds(run.id)[-2:] == ["run_concluded", "trace_sealed"]
    told = world.decided("words")
    assert told["rule"].endswith("turn")
    assert {key: told[key] for key in ("source", "sender", "class", "confidence", "policy", "outcome")} == {
        "source": "chat",
        "sender": "human",
        "class": "override",
        "confidence": 0.95,
        "policy": "soft-stop",
        "outcome": "stopped",
    }
    assert (told["trace"], told["span"]) == (run.id, run.span)
    (followed,) = world.timeline("followed")
    assert (followed.cause_id, followed.data) == ("words", {"after": run.id, "when": "instead"})


@pytest.mark.parametrize("text", PHRASES)
async def test_5_words_half_understood_are_queued(world: World, life: Life, text: str) -> None:
    run = await speak(world, life)
    await barge_in(world, text, 0.55)
    told = await acknowledged(world)
    assert (told["status"], told["class"], told["outcome"]) == ("continuing", "queue", "queued")
    run.cue(say(life, "the sun shines."), say(life, "The day after it snows."))
    assert [await heard(world), await heard(world)] == ["the sun shines.", "The day after it snows."]
    assert (await run.end())["payload"]["outcome"] == "completed"
    then = await world.begun(life, text)
    assert then.start["correlation_id"] == ["words"]
    await then.end()
    noted = world.decided("words")
    assert (noted["confidence"], noted["outcome"], noted["class"]) == (0.55, "queued", "queue")
    assert world.timeline("trace_sealed") == []


@pytest.mark.parametrize("text", PHRASES)
async def test_5_noise_is_ignored(world: World, life: Life, text: str) -> None:
    run = await speak(world, life)
    await barge_in(world, text, 0.2)
    told = await acknowledged(world)
    assert (told["status"], told["outcome"], told["reason_code"]) == ("ignored", "rejected", "low_confidence")
    run.cue(say(life, "the sun shines."))
    assert await heard(world) == "the sun shines."
    assert (await run.end())["payload"]["outcome"] == "completed"
    await world.silence(life)  # nothing comes after it
    noted = world.decided("words")
    assert (noted["confidence"], noted["status"], noted["reason_code"]) == (0.2, "ignored", "low_confidence")


@pytest.mark.parametrize("text", ["stop", "para", "chega"])
async def test_5_a_stop_word_is_a_cancel(world: World, life: Life, text: str) -> None:
    run = await speak(world, life)
    await barge_in(world, text, 0.95)
    told = await acknowledged(world)
    assert (told["status"], told["class"], told["outcome"]) == ("completing_thought", "cancel", "stopped")
    run.cue(say(life, "the sun shines."))
    await run.concluded()
    await world.silence(life)
    assert frames(world)[-1] == "the sun shines."
    assert [one.cause_id for one in world.timeline("idle")] == ["words"]


async def test_5_a_stranger_does_not_interrupt_a_speech(world: World, life: Life) -> None:
    """Its words are an ordinary chat: a run of their own, beside the speech."""
    stranger = await world.join("stranger")
    run = await speak(world, life)
    await barge_in(world, "stop", 0.95, by=stranger)
    beside = await world.begun(life, "stop")
    await beside.end()
    assert world.timeline("interruption") == []
    run.cue(say(life, "the sun shines."))
    assert await heard(world) == "the sun shines."
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_5_who_asked_may_interrupt_the_answer(world: World, life: Life) -> None:
    """The run's own user needs no capability for that."""
    stranger = await world.join("stranger")
    run = await speak(world, life, by=stranger)
    await barge_in(world, "stop", None, by=stranger)
    told = (await world.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("cancel", "stopped")
    run.cue(say(life, "the sun shines."))
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    assert world.decided("words")["sender"] == "stranger"


async def test_5_the_sixth_barge_in_of_ten_seconds_is_queued(world: World, life: Life) -> None:
    run = await world.run(life, "firm", "the weather")
    for n in range(6):
        await barge_in(world, "stop", None, id=f"words {n}")
        told = (await world.human.until("chat/acknowledge"))["payload"]
        assert told["outcome"] == ("rejected" if n < 5 else "queued")
        await world.pass_time(1_000)
    assert world.decided("words 5")["rule"] == "too-often"
    await run.end()
    await (await world.begun(life, "stop")).end()
