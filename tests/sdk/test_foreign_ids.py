"""Ids that somebody else uses too, at the same time or before: what they are about is told by the sender as well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Chat, Classification, Participant, Refused, Span, capability
from mew_gateway.sdk.client import new_id
from mew_gateway.sdk.testing import Space

from ..kit.gateway import TIMEOUT
from .conftest import ANYTHING, _cancel_everything, begin, said

CHAT: list[dict[str, Any]] = [{"kind": "chat"}]
TO_HERSELF: list[dict[str, Any]] = [{"kind": "chat"}, {"kind": "*", "to": "mallory"}]


class Notes(Agent):
    """Thinks as often as it is told to; writes down what is said to it meanwhile."""

    hears = "any"

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []
        self.thoughts: asyncio.Queue[str] = asyncio.Queue()

    @capability(policy="soft-stop")
    async def think(self, run: Span, subject: str) -> str:
        while (thought := await self.thoughts.get()) != "":
            await run.thought(thought)
        return f"I thought about {subject}"

    async def on_chat(self, chat: Chat) -> None:
        self.heard.append(f"{chat.sender}: {chat.text}")
        if chat.text == "think":
            await self.think(chat.text)


@pytest.fixture
async def space() -> AsyncIterator[Space]:
    guard = asyncio.get_running_loop().call_later(TIMEOUT, _cancel_everything)
    people = {"human": ANYTHING, "agent": ANYTHING, "other": CHAT, "mallory": TO_HERSELF}
    async with Space(people) as space:
        yield space
    guard.cancel()


async def joined(space: Space) -> tuple[Participant, Participant, Notes]:
    human, mallory, agent = await space.join("human"), Participant(space.client("mallory"), answers=False), Notes()
    await space._stack.enter_async_context(mallory)
    await space.run(agent)
    return human, mallory, agent


async def test_nobody_cancels_what_somebody_else_said(space: Space) -> None:
    human, mallory, agent = await joined(space)
    other = await space.join("other")
    await human.send("participant/pause", {}, to=["agent"])
    await other.client.send("chat", {"text": "hello"}, to="agent", id="one")
    await other.client.send("chat", {"text": "hello again"}, to="agent", id="two")
    await mallory.client.send("chat/cancel", {}, to="mallory", correlation_id="one")
    await human.client.send("chat", {"text": "never mind"}, to="agent", id="two")
    await human.client.send("chat/cancel", {}, correlation_id="two")  # that is their own
    await human.send("participant/resume", {}, to=["agent"])
    await space.settle()
    assert agent.heard == ["other: hello", "other: hello again"]


async def test_a_promise_to_hear_somebody_is_kept_whoever_cancels_what(space: Space) -> None:
    human, mallory, agent = await joined(space)
    await human.client.send("chat", {"text": "think"}, to="agent", id="zero")
    await human.client.send("chat", {"text": "and tell me about it"}, to="agent", id="one")
    await space.settle()
    await mallory.client.send("chat/cancel", {}, to="mallory", correlation_id="one")
    await space.settle()
    agent.thoughts.put_nowait("")
    await space.settle()
    assert agent.heard == ["human: think", "human: and tell me about it"]


class Waiting:
    """A model that decides when it is told to."""

    within = 1_000

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def classify(self, text: str) -> Classification:
        await self.go.wait()
        return Classification("cancel", confidence=1.0, rule="model")


async def test_two_may_use_one_id_while_it_is_decided_what_they_mean(space: Space) -> None:
    human, mallory, agent = await joined(space)
    agent.classifier = model = Waiting()
    await human.client.send("chat", {"text": "think"}, to="agent", id="zero")
    await space.settle()
    await human.client.send("chat", {"text": "mine"}, to="agent", id="one")
    await mallory.client.send("chat", {"text": "hers"}, to="agent", id="one")
    await space.settle()
    agent.thoughts.put_nowait("")  # the run that the words met is over when they are understood
    await space.settle()
    model.go.set()
    await space.settle()
    assert agent.heard == ["human: think", "mallory: hers", "human: mine"]


async def test_an_id_that_was_said_before_does_not_keep_a_stop_from_stopping(space: Space) -> None:
    human, mallory, agent = await joined(space)
    await human.client.send("chat", {"text": "think"}, to="agent", id="human-1")
    await mallory.client.send("chat", {"text": "stop"}, to="agent", id="human-2")
    await human.client.send("chat", {"text": "stop"}, to="agent", id="human-2")
    await space.settle()
    agent.thoughts.put_nowait("on")
    await space.settle()
    (end,) = said(space, "reasoning/conclusion")
    assert (end.payload["interrupted"], end.payload["interrupt_id"]) == (True, "human-2")
    assert agent.heard == ["human: think", "mallory: stop"]


async def test_a_sequence_under_the_id_of_our_thought_that_is_lost_is_not_ours(space: Space) -> None:
    human, mallory, agent = await space.join("human"), space.client("mallory"), Notes()
    await space.run(agent)
    await mallory.connect()
    await human.client.send("chat", {"text": "think"}, to="agent")
    agent.thoughts.put_nowait("first")
    await space.settle()
    (thought,) = said(space, "reasoning/thought")
    await mallory.send("reasoning/start", {}, to="mallory", id=thought.id)
    await space.settle()
    await mallory.aclose()
    await space.advance(31)
    (lost,) = [one for one in said(space, "system/error") if one.payload["error"] == "sequence_lost"]
    assert lost.payload["sequence_id"] == thought.id
    agent.thoughts.put_nowait("second")
    agent.thoughts.put_nowait("")
    await space.settle()
    assert [one.payload["message"] for one in said(space, "reasoning/thought")] == ["first", "second"]
    assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "completed"


async def test_of_ids_that_are_taken_in_advance_a_request_tries_a_few(space: Space) -> None:
    """This space counts ids, so that they can be known before."""
    human, mallory, _ = await joined(space)
    next_number = int((await human.send("chat", {"text": "hello"})).partition("-")[2]) + 1
    for number in range(next_number, next_number + 3):
        held = {"method": "tools/call", "params": {"name": "none"}}
        await mallory.client.send("mcp/request", held, to="mallory", id=f"human-{number}")
    await space.settle()
    assert await human.send("chat", {"text": "heard all the same"}) == f"human-{next_number + 3}"
    for number in range(next_number + 4, next_number + 8):
        await mallory.client.send("mcp/request", held, to="mallory", id=f"human-{number}")
    await space.settle()
    refusing = await begin(space, human.send("chat", {"text": "too many"}))
    with pytest.raises(Refused, match="duplicate_id"):
        await refusing


def test_nobody_knows_an_id_in_advance() -> None:
    """The last 32 bits of each are drawn anew, also within a millisecond."""
    ends = [int(new_id().replace("-", ""), 16) % (1 << 32) for _ in range(1_000)]
    assert len(set(ends)) > 990
    assert 300 < sum(one < other for one, other in pairwise(ends)) < 700


async def test_a_stranger_who_closes_its_own_stream_closes_no_other(space: Space) -> None:
    human, mallory, agent = await space.join("human"), space.client("mallory"), await space.join("agent")
    await mallory.connect()
    async with agent.open_stream() as stream:
        await space.settle()
        (theirs,) = human.streams.open
        (opened,) = said(space, "stream/open")
        await mallory.send("stream/request", {"direction": "upload"}, to=["mallory"])
        await space.settle()
        own = human.streams.open[-1]
        about = [opened.id, *(opened.correlation_id or ())]
        await mallory.send("stream/close", {"stream_id": own.id}, to=["mallory"], correlation_id=about)
        await space.settle()
        assert own.closed is not None
        assert (theirs.closed, stream.closed) == (None, None)
        await stream.write("on it goes")
    assert theirs.closed == "complete"
    await mallory.aclose()


async def test_a_stream_without_a_name_in_the_close_is_the_senders(space: Space) -> None:
    """Two participants ask under one id: a close that correlates to it closes its sender's stream."""
    human, mallory, agent = await space.join("human"), space.client("mallory"), space.client("agent")
    for client in (agent, mallory):
        await client.connect()
        fields = {"direction": "upload", "description": f"of {client.welcome.you.id}"}
        await client.send("stream/request", fields, id="one", to=["mallory"])
    await space.settle()
    theirs, own = human.streams.open
    assert [one.fields["description"] for one in (theirs, own)] == ["of agent", "of mallory"]
    await agent.send("stream/close", {}, correlation_id=["one"])
    await space.settle()
    assert (theirs.closed, own.closed) == ("closed", None)
    for client in (agent, mallory):
        await client.aclose()
