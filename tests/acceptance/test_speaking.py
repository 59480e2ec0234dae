"""Case 5: somebody speaks while the agent speaks."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.sdk import Span

from .agent_thread import AgentThread
from .harness import Harness, ScriptedRun
from .scripted import Cue, Scripted

PHRASES = ["no, mejor mañana", "no, better tomorrow", "não, melhor amanhã"]


async def speak(harness: Harness, agent_thread: AgentThread, *, by: Any = None) -> ScriptedRun:
    """The agent speaks: its first sentence was heard, of the second the beginning."""
    run = await harness.run(agent_thread, "speak", "the weather", by=by)
    run.cue(say(agent_thread, "Today it rains."), piece(agent_thread, "Tomorrow "))
    assert [await heard(harness) for _ in range(2)] == ["Today it rains.", "Tomorrow "]
    await run.idle()
    return run


def say(agent_thread: AgentThread, text: str) -> Cue:
    """A whole chunk, and a boundary behind it."""

    async def cue(span: Span) -> None:
        await piece(agent_thread, text)(span)
        await span.boundary()

    return cue


def piece(agent_thread: AgentThread, text: str) -> Cue:
    """A part of a chunk: more of it is to follow."""
    assert isinstance(agent_thread.agent, Scripted)
    agent = agent_thread.agent
    return lambda _: agent.stream.write(text)


async def heard(harness: Harness) -> str:
    return str((await harness.human.until("frame"))["payload"]["text"])


def frames(harness: Harness) -> list[str]:
    return [one["payload"]["text"] for one in harness.human.seen if one["kind"] == "frame"]


async def barge_in(harness: Harness, text: str, confidence: float | None, *, by: Any = None, id: str = "words") -> None:
    payload: dict[str, Any] = {"text": text}
    if confidence is not None:
        payload["confidence"] = confidence
    await (by or harness.human).send("chat", payload, to=["agent"], id=id)


async def acknowledged(harness: Harness) -> dict[str, Any]:
    """The decision about the words, as their sender is told."""
    said = await harness.human.until("chat/acknowledge")
    assert (said["from"], said["to"], said["correlation_id"]) == ("agent", ["human"], ["words"])
    payload: dict[str, Any] = said["payload"]
    return payload


@pytest.mark.parametrize("text", PHRASES)
async def test_5_sure_words_end_the_speech_behind_the_chunk_in_flight(
    harness: Harness, agent_thread: AgentThread, text: str
) -> None:
    run = await speak(harness, agent_thread)
    await barge_in(harness, text, 0.95)
    assert await acknowledged(harness) == {
        "status": "completing_thought",
        "class": "override",
        "outcome": "stopped",
        "policy_applied": "soft-stop",
        "span_id": run.span,
    }
    run.cue(say(agent_thread, "the sun shines."), say(agent_thread, "The day after it snows."))
    assert await heard(harness) == "the sun shines."
    end = (await run.concluded())["payload"]
    assert (end["outcome"], end["interrupted"], end["interrupt_id"]) == ("interrupted", True, "words")
    then = await harness.begun(agent_thread, text)
    assert (then.start["correlation_id"], then.start["payload"]["caused_by"]) == (["words"], "words")
    assert then.start["payload"]["message"] == f"soft: {text}"
    await then.end()
    await harness.silence(agent_thread)
    assert frames(harness) == ["Today it rains.", "Tomorrow ", "the sun shines."]
    assert harness.kinds(run.id)[-2:] == ["run_concluded", "trace_sealed"]
    told = harness.decided("words")
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
    (followed,) = harness.timeline("followed")
    assert (followed.cause_id, followed.data) == ("words", {"after": run.id, "when": "instead"})


@pytest.mark.parametrize("text", PHRASES)
async def test_5_words_half_understood_are_queued(harness: Harness, agent_thread: AgentThread, text: str) -> None:
    run = await speak(harness, agent_thread)
    await barge_in(harness, text, 0.55)
    told = await acknowledged(harness)
    assert (told["status"], told["class"], told["outcome"]) == ("continuing", "queue", "queued")
    run.cue(say(agent_thread, "the sun shines."), say(agent_thread, "The day after it snows."))
    assert [await heard(harness), await heard(harness)] == ["the sun shines.", "The day after it snows."]
    assert (await run.end())["payload"]["outcome"] == "completed"
    then = await harness.begun(agent_thread, text)
    assert then.start["correlation_id"] == ["words"]
    await then.end()
    noted = harness.decided("words")
    assert (noted["confidence"], noted["outcome"], noted["class"]) == (0.55, "queued", "queue")
    assert harness.timeline("trace_sealed") == []


@pytest.mark.parametrize("text", PHRASES)
async def test_5_noise_is_ignored(harness: Harness, agent_thread: AgentThread, text: str) -> None:
    run = await speak(harness, agent_thread)
    await barge_in(harness, text, 0.2)
    told = await acknowledged(harness)
    assert (told["status"], told["outcome"], told["reason_code"]) == ("ignored", "rejected", "low_confidence")
    run.cue(say(agent_thread, "the sun shines."))
    assert await heard(harness) == "the sun shines."
    assert (await run.end())["payload"]["outcome"] == "completed"
    await harness.silence(agent_thread)  # nothing comes after it
    noted = harness.decided("words")
    assert (noted["confidence"], noted["status"], noted["reason_code"]) == (0.2, "ignored", "low_confidence")


@pytest.mark.parametrize("text", ["stop", "para", "chega"])
async def test_5_a_stop_word_is_a_cancel(harness: Harness, agent_thread: AgentThread, text: str) -> None:
    run = await speak(harness, agent_thread)
    await barge_in(harness, text, 0.95)
    told = await acknowledged(harness)
    assert (told["status"], told["class"], told["outcome"]) == ("completing_thought", "cancel", "stopped")
    run.cue(say(agent_thread, "the sun shines."))
    await run.concluded()
    await harness.silence(agent_thread)
    assert frames(harness)[-1] == "the sun shines."
    assert [one.cause_id for one in harness.timeline("idle")] == ["words"]


async def test_5_a_stranger_does_not_interrupt_a_speech(harness: Harness, agent_thread: AgentThread) -> None:
    """Its words are an ordinary chat: a run of their own, beside the speech."""
    stranger = await harness.join("stranger")
    run = await speak(harness, agent_thread)
    await barge_in(harness, "stop", 0.95, by=stranger)
    beside = await harness.begun(agent_thread, "stop")
    await beside.end()
    assert harness.timeline("interruption") == []
    run.cue(say(agent_thread, "the sun shines."))
    assert await heard(harness) == "the sun shines."
    assert (await run.end())["payload"]["outcome"] == "completed"


async def test_5_who_asked_may_interrupt_the_answer(harness: Harness, agent_thread: AgentThread) -> None:
    """The run's own user needs no capability for that."""
    stranger = await harness.join("stranger")
    run = await speak(harness, agent_thread, by=stranger)
    await barge_in(harness, "stop", None, by=stranger)
    told = (await harness.human.until("chat/acknowledge"))["payload"]
    assert (told["class"], told["outcome"]) == ("cancel", "stopped")
    run.cue(say(agent_thread, "the sun shines."))
    assert (await run.concluded())["payload"]["interrupt_id"] == "words"
    assert harness.decided("words")["sender"] == "stranger"


async def test_5_the_sixth_barge_in_of_ten_seconds_is_queued(harness: Harness, agent_thread: AgentThread) -> None:
    run = await harness.run(agent_thread, "firm", "the weather")
    for n in range(6):
        await barge_in(harness, "stop", None, id=f"words {n}")
        told = (await harness.human.until("chat/acknowledge"))["payload"]
        assert told["outcome"] == ("rejected" if n < 5 else "queued")
        await harness.pass_time(1_000)
    assert harness.decided("words 5")["rule"] == "too-often"
    await run.end()
    await (await harness.begun(agent_thread, "stop")).end()
