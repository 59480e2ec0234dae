"""The speaker: a sentence a chunk, and whoever may can speak while it does (docs/interruption.md §5, case 5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from mew_agents.speaker import Speaker, SpeakerOptions
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Client, Span
from mew_gateway.sdk._transport.frames import Frame
from mew_gateway.sdk.testing import Space
from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ..kit.gateway import TIMEOUT

SUPERVISOR: list[dict[str, Any]] = [
    {"kind": ["chat", "participant/*"]},
    {"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "override", "clarification", "queue"]}},
]
SAFETY: list[dict[str, Any]] = [{"kind": "reasoning/interrupt"}, {"kind": "participant/resume"}]
SPEAKER: list[dict[str, Any]] = [
    {"kind": ["chat", "chat/acknowledge", "participant/status"]},
    {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]},
    {"kind": ["stream/request", "stream/close"]},
]
SPACES = f"""
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
spaces:
  demo:
    participants:
      human: {{capabilities: {json.dumps(SUPERVISOR)}}}
      other: {{capabilities: {json.dumps(SUPERVISOR)}}}
      agent: {{capabilities: {json.dumps(SPEAKER)}}}
"""
TOLD = {
    "en": ("Tell me about my appointment", "no, better tomorrow", "All right, better tomorrow."),
    "es": ("Cuénteme qué hay en mi cita", "no, mejor mañana", "De acuerdo, mejor mañana."),
    "pt": ("Conte como é a minha consulta", "não, melhor amanhã", "Está bem, melhor amanhã."),
}


class Breathing(Speaker):
    """Says a sentence for as long as there is no breath for the next."""

    def __init__(self, options: SpeakerOptions | None = None) -> None:
        super().__init__(options)
        self.breath = asyncio.Semaphore(0)

    async def pronounce(self, run: Span, sentence: str) -> None:
        async def until_stopped(scope: anyio.CancelScope) -> None:
            await run.sleep(3_600)
            scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(until_stopped, tasks.cancel_scope)
            await self.breath.acquire()
            tasks.cancel_scope.cancel()

    def breathe(self, sentences: int) -> None:
        for _ in range(sentences):
            self.breath.release()


class Ear:
    """Somebody who hears what is said and what is spoken, in one order."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.heard: list[Envelope | Frame] = []
        client.on_frame = self.heard.append

    async def until(self, kind: str, **payload: Any) -> Any:
        """The next envelope of that kind whose payload has these fields."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                item = await self.client.receive()
                assert isinstance(item, Envelope)
                self.heard.append(item)
                said = item.payload or {}
                if item.kind == kind and all(said.get(key) == value for key, value in payload.items()):
                    return item

    async def say(self, text: str, **payload: Any) -> str:
        return await self.client.send("chat", {"text": text, **payload}, to="agent")

    def spoken(self, run: str) -> list[dict[str, Any]]:
        """The chunks of a run, up to now."""
        chunks = [json.loads(one.data) for one in self.heard if isinstance(one, Frame)]
        return [chunk for chunk in chunks if chunk["run"] == run]

    def all(self, kind: str) -> list[Any]:
        return [one for one in self.heard if isinstance(one, Envelope) and one.kind == kind]


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Any]:
    async with start_gateway(SPACES) as running:
        yield running


@asynccontextmanager
async def listening(site: Any, attend: Any, agent: Speaker) -> AsyncIterator[Ear]:
    """A human, who listens to an agent that has joined."""
    other = await site.join("other")
    async with (
        attend(agent, site, other),
        Client(site.url, space="demo", token=site.token("human")) as client,
    ):
        await site.leave(other)
        yield Ear(client)


def timeline(folder: Path) -> list[Entry]:
    with TimelineReader(folder / "agents" / "agent" / "timeline.db") as reader:
        return list(every(reader))


async def begin(ear: Ear, words: str) -> str:
    """The run of a speech whose first sentence is being said."""
    asked = await ear.say(words)
    start = await ear.until("reasoning/start")
    assert (start.correlation_id, start.payload["span"]["kind"]) == ([asked], "speak")
    await ear.until("stream/open")
    while not ear.spoken(start.id):
        await _another(ear)
    return str(start.id)


async def _another(ear: Ear) -> None:
    """Frames come between envelopes: one of our own, and what came before it has been heard."""
    async with asyncio.timeout(TIMEOUT):
        id = await ear.client.send("chat", {"text": "hm"}, to="human")
        while (await ear.until("chat")).id != id:
            pass


# The canonical case, over real sockets.


@pytest.mark.parametrize("language", list(TOLD))
async def test_sure_words_turn_it_to_something_else(site, attend, tmp_path, language):
    words, override, agreed = TOLD[language]
    agent = Breathing()
    async with listening(site, attend, agent) as ear:
        first = await begin(ear, words)
        barge_in = await ear.say(override, confidence=0.95)
        ack = await ear.until("chat/acknowledge")
        assert ack.correlation_id == [barge_in]
        assert {key: ack.payload[key] for key in ("status", "class", "policy_applied", "outcome")} == {
            "status": "completing_thought",
            "class": "override",
            "policy_applied": "soft-stop",
            "outcome": "stopped",
        }
        end = await ear.until("reasoning/conclusion")
        assert end.context == first
        told = {"interrupted": True, "interrupt_id": barge_in, "outcome": "interrupted", "partial": True, "said": 1}
        assert {key: end.payload[key] for key in told} == told
        assert [chunk["n"] for chunk in ear.spoken(first)] == [1]  # the chunk in flight has ended, and no other began
        assert [one.payload["reason"] for one in ear.all("stream/close")] == ["interrupted"]
        agent.breathe(20)
        second = await ear.until("reasoning/start")
        assert (second.correlation_id, second.payload["caused_by"]) == ([barge_in], barge_in)
        whole = await ear.until("reasoning/conclusion")
        assert (whole.context, whole.payload["outcome"], whole.payload["partial"]) == (second.id, "completed", False)
        chunks = ear.spoken(second.id)
        assert [chunk["n"] for chunk in chunks] == list(range(1, whole.payload["of"] + 1))
        assert (chunks[0]["text"], chunks[0]["language"]) == (agreed, language)
        await _another(ear)
        assert not ear.all("system/error")
    entries = timeline(tmp_path)
    trace = [one.kind for one in entries if one.trace_id == first and one.kind != "input"]
    assert trace[-1] == "trace_sealed" and trace.index("interruption") < trace.index("decided")
    (decided,) = [one for one in entries if one.kind == "decided"]
    assert (decided.data["confidence"], decided.data["policy"]) == (0.95, "soft-stop")
    sealed = next(one.seq for one in entries if one.kind == "trace_sealed")
    assert not [one for one in entries if one.seq > sealed and one.trace_id == first]


@pytest.mark.parametrize("language", list(TOLD))
async def test_words_that_may_be_meant_wait_until_it_has_finished(site, attend, language):
    words, override, agreed = TOLD[language]
    agent = Breathing()
    async with listening(site, attend, agent) as ear:
        first = await begin(ear, words)
        barge_in = await ear.say(override, confidence=0.55)
        ack = await ear.until("chat/acknowledge")
        assert (ack.correlation_id, ack.payload["status"]) == ([barge_in], "continuing")
        assert (ack.payload["class"], ack.payload["outcome"]) == ("queue", "queued")
        agent.breathe(40)
        end = await ear.until("reasoning/conclusion")
        assert (end.context, end.payload["outcome"]) == (first, "completed")
        assert [chunk["n"] for chunk in ear.spoken(first)] == list(range(1, end.payload["of"] + 1))
        second = await ear.until("reasoning/start")
        assert (second.correlation_id, second.payload["caused_by"]) == ([barge_in], barge_in)
        await ear.until("reasoning/conclusion")
        assert ear.spoken(second.id)[0]["text"] == agreed


@pytest.mark.parametrize("language", list(TOLD))
async def test_noise_is_ignored_and_the_speech_unbroken(site, attend, tmp_path, language):
    words, override, _ = TOLD[language]
    agent = Breathing()
    async with listening(site, attend, agent) as ear:
        first = await begin(ear, words)
        await ear.say(override, confidence=0.2)
        ack = await ear.until("chat/acknowledge")
        assert (ack.payload["status"], ack.payload["reason_code"]) == ("ignored", "low_confidence")
        agent.breathe(20)
        end = await ear.until("reasoning/conclusion")
        assert [chunk["n"] for chunk in ear.spoken(first)] == list(range(1, end.payload["of"] + 1))
        assert (end.payload["outcome"], end.payload["interrupted"]) == ("completed", False)
        await ear.until("chat", text=end.payload["message"])  # the reply, and nothing after it
        await _another(ear)
        assert len(ear.all("reasoning/start")) == 1
    decided = [one.data["reason_code"] for one in timeline(tmp_path) if one.kind == "decided"]
    assert decided == ["low_confidence"]


async def test_under_the_fence_of_an_interrupt_nothing_of_it_is_refused(site, attend):
    agent = Breathing()
    async with listening(site, attend, agent) as ear:
        run = await begin(ear, "my appointment")
        agent.breathe(2)
        await ear.until("reasoning/thought", n=2)
        interrupt = {"reason": "user_request", "class": "cancel"}
        id = await ear.client.send("reasoning/interrupt", interrupt, to="agent", correlation_id=run)
        ack = await ear.until("reasoning/interrupt-ack")
        assert (ack.correlation_id, ack.payload["outcome"]) == ([id], "stopped")
        at = len(ear.heard)
        end = await ear.until("reasoning/conclusion", interrupt_id=id)
        assert end.payload["said"] == len(ear.spoken(run)) < end.payload["of"]
        await _another(ear)
        assert not [one for one in ear.heard[at:] if isinstance(one, Frame)]
        assert not ear.all("system/error")


# The rest, in memory.


@pytest.fixture
async def space() -> AsyncIterator[Space]:
    participants = {"human": SUPERVISOR, "stranger": [{"kind": "chat"}], "guardian": SAFETY, "agent": SPEAKER}
    async with Space(participants) as space:
        yield space


def said(space: Space, kind: str) -> list[Any]:
    return [one for one in space.envelopes if one.kind == kind and one.sender in ("agent", "system:gateway")]


async def test_somebody_who_does_not_understand_hears_it_again_and_it_goes_on(space):
    human, agent = await space.join("human"), Breathing()
    await space.run(agent)
    await human.send("chat", {"text": "Cuénteme la visita"}, to="agent")
    await space.settle()
    question = await human.send("chat", {"text": "¿Cómo?", "confidence": 0.9}, to="agent")
    await space.settle()
    (ack,) = said(space, "chat/acknowledge")
    assert (ack.payload["class"], ack.payload["outcome"]) == ("clarification", "paused")
    (again,) = said(space, "chat")
    assert again.correlation_id == [question]
    assert again.payload["text"] == "Decía: «Le cuento cómo es la visita, hoy.» Sigo."
    agent.breathe(20)
    await space.settle()
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["outcome"], end.payload["said"]) == ("completed", end.payload["of"])
    assert len(said(space, "reasoning/start")) == len(said(space, "stream/close")) == 1
    thoughts = [one.payload["n"] for one in said(space, "reasoning/thought")]
    assert thoughts == list(range(1, end.payload["of"] + 1))


async def test_a_stranger_waits_for_the_one_voice(space):
    human, stranger, agent = await space.join("human"), await space.join("stranger"), Breathing()
    await space.run(agent)
    await human.send("chat", {"text": "my appointment"}, to="agent")
    await space.settle()
    await stranger.send("chat", {"text": "Stop! Tell me the story."}, to="agent")
    await space.settle()
    assert len(said(space, "reasoning/start")) == 1 and not said(space, "reasoning/conclusion")
    agent.breathe(20)
    await space.settle()
    assert [one.payload["outcome"] for one in said(space, "reasoning/conclusion")] == ["completed", "completed"]


async def test_an_emergency_silences_it_until_whoever_may_lifts_that(space):
    human, guardian, agent = await space.join("human"), await space.join("guardian"), Breathing()
    await space.run(agent)
    await human.send("chat", {"text": "my appointment"}, to="agent")
    await space.settle()
    (start,) = said(space, "reasoning/start")
    payload = {"reason": "other", "message": "smoke", "class": "emergency"}
    id = await guardian.send("reasoning/interrupt", payload, to="agent", correlation_id=start.id)
    await space.settle()
    (ack,) = said(space, "reasoning/interrupt-ack")
    assert (ack.payload["status"], ack.payload["outcome"]) == ("stopping", "stopped")
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["said"], end.payload["interrupted"]) == (1, True)
    await human.send("chat", {"text": "the tour"}, to="agent")
    await space.settle()
    assert len(said(space, "reasoning/start")) == 1
    agent.breathe(20)
    await guardian.send("participant/resume", {}, to="agent", correlation_id=id)
    await space.settle()
    assert len(said(space, "reasoning/start")) == 2
    assert said(space, "reasoning/conclusion")[-1].payload["outcome"] == "completed"
    assert not said(space, "system/error")


async def test_paused_it_holds_its_breath(space):
    human, agent = await space.join("human"), Breathing()
    await space.run(agent)
    await human.send("chat", {"text": "my appointment"}, to="agent")
    await space.settle()
    pause = await human.send("participant/pause", {}, to="agent")
    await space.settle()
    agent.breathe(20)
    await space.settle()
    assert not said(space, "reasoning/thought")
    await human.send("participant/resume", {}, to="agent", correlation_id=pause)
    await space.advance(1)
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["outcome"], end.payload["said"]) == ("completed", end.payload["of"])


async def test_what_replaces_it_may_be_no_text(space):
    human, agent = await space.join("human"), Breathing()
    await space.run(agent)
    await human.send("chat", {"text": "my appointment"}, to="agent")
    await space.settle()
    (start,) = said(space, "reasoning/start")
    payload = {"reason": "redirect", "input": {"when": "tomorrow"}}
    await human.send("reasoning/interrupt", payload, to="agent", correlation_id=start.id)
    agent.breathe(20)
    await space.settle()
    assert [one.payload["outcome"] for one in said(space, "reasoning/conclusion")] == ["interrupted", "completed"]
    assert "tomorrow" in said(space, "reasoning/thought")[2].payload["message"]
