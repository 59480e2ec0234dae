"""What a run writes and asks of others while it is being stopped: nothing leaves that the gateway would refuse."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Chat, Refused, Span, capability
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import said


class Writer(Agent):
    """Writes, and is told to stop in between."""

    def __init__(self) -> None:
        super().__init__()
        self.came_by: list[str] = []

    @capability(policy="soft-stop")
    async def write(self, run: Span, words: str) -> None:
        async with self.participant.open_stream() as stream:
            await run.write(stream, "before")
            await self.alert(words, run=run)
            self.came_by.append("told")
            await run.write(stream, "after")
            self.came_by.append("wrote")


class Asker(Agent):
    """Asks for a stream once it is to stop: too late."""

    refused: Refused | None = None

    @capability(policy="soft-stop")
    async def ask(self, run: Span, _: str) -> None:
        await run.sleep(3_600)
        try:
            async with self.participant.open_stream():
                pass
        except Refused as refused:
            self.refused = refused
            raise


class Hurried(Agent):
    """Has something to say which waits for its turn, in a run that may be paused wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    @capability(policy="hard-stop")
    async def frame(self, run: Span, _: str) -> None:
        async with self.participant.open_stream() as stream:
            await self.go.wait()
            await run.write(stream, "late")

    @capability(policy="hard-stop")
    async def thought(self, run: Span, _: str) -> None:
        await self.go.wait()
        await run.thought("late")

    @capability(policy="hard-stop")
    async def within(self, run: Span, _: str) -> None:
        async with run.span(policy="soft-stop", foreground=False) as part:
            await self.go.wait()
            await part.thought("late")

    async def on_chat(self, chat: Chat) -> None:
        await getattr(self, chat.text)(chat.text)


@pytest.mark.parametrize("what", ["frame", "thought", "within"])
async def test_nothing_leaves_behind_the_answer_that_it_pauses(space: Space, what: str) -> None:
    """It was about to be said when the pause came, and waited for its turn: it still does when its turn has come."""
    human, agent = await space.join("human"), Hurried()
    streams = human.streams.follow()
    await space.run(agent)
    await human.send("chat", {"text": what}, to="agent")
    await space.settle()
    heard: list[Any] = []

    async def listen() -> None:
        async for chunk in await anext(streams):
            heard.append(chunk)

    listening = asyncio.create_task(listen())
    async with agent.client._outgoing.turn:  # somebody else's, who has a pace to keep
        agent.go.set()
        await space.settle()
        run = said(space, "reasoning/start")[0].id
        asked = {"reason": "other", "message": "which?", "class": "clarification"}
        await human.send("reasoning/interrupt", asked, to="agent", correlation_id=run)
        await space.settle()
        (ack,) = said(space, "reasoning/interrupt-ack")
        assert (ack.payload["status"], ack.payload["outcome"]) == ("continuing", "paused")
    await space.settle()
    assert (heard, [one.payload["message"] for one in said(space, "reasoning/thought")]) == ([], [])
    await human.send("chat", {"text": "the first"}, to="agent")
    await space.settle()
    assert heard + [one.payload["message"] for one in said(space, "reasoning/thought")] == ["late"]
    assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "completed"
    listening.cancel()


async def test_no_frame_is_written_once_the_span_is_to_end(space: Space) -> None:
    human, agent = await space.join("human"), Writer()
    new = human.streams.follow()
    await space.run(agent)
    await human.send("chat", {"text": "enough"}, to="agent")
    await space.settle()
    assert [chunk async for chunk in await anext(new)] == ["before"]
    assert agent.came_by == ["told"]
    assert said(space, "stream/close")[0].payload["reason"] == "interrupted"
    assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "interrupted"


@pytest.mark.parametrize(("class_", "code"), [("cancel", "fenced"), ("emergency", "halted")])
async def test_what_is_refused_because_it_is_to_stop_is_its_stop_and_no_failure(class_: str, code: str) -> None:
    anything: list[dict[str, Any]] = [{"kind": "*"}]
    async with Space({"guardian": [*anything, {"kind": "reasoning/interrupt"}], "agent": anything}) as space:
        guardian, agent = await space.join("guardian"), Asker()
        await space.run(agent)
        await guardian.send("chat", {"text": "go"}, to="agent")
        await space.settle()
        payload = {"reason": "other", "message": "stop", "class": class_}
        run = said(space, "reasoning/start")[0].id
        await guardian.send("reasoning/interrupt", payload, to="agent", correlation_id=run)
        await space.settle()
        assert agent.refused is not None and agent.refused.code in (code, "fenced")
        (end,) = said(space, "reasoning/conclusion")
        assert (end.payload["outcome"], end.payload["interrupted"]) == ("interrupted", True)


async def test_what_is_refused_for_another_reason_is_a_failure(space: Space) -> None:
    class Wrong(Agent):
        @capability(policy="soft-stop")
        async def fail(self, run: Span, words: str) -> None:
            raise Refused("fenced", f"not of {run.id}: {words}")

    human = await space.join("human")
    await space.run(Wrong())
    await human.send("chat", {"text": "go"}, to="agent")
    await space.settle()
    assert said(space, "reasoning/conclusion")[0].payload["outcome"] == "failed"
