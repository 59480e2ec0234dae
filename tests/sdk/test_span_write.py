"""What a run writes and asks of others while it is being stopped: nothing leaves that the gateway would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.sdk import Agent, Refused, Span, capability
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
