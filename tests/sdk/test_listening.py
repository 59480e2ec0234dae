"""An agent that listens: a span of the kind `listen` reads a stream, and can be interrupted while it waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Span, capability
from mew_gateway.sdk.testing import Space

from .conftest import said


class Listener(Agent):
    """Hears what somebody says over a stream, until nobody wants it to."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []

    @capability(policy="soft-stop", kind="listen", chat=True)
    async def listen(self, run: Span, stream: str) -> None:
        frames = aiter(self.participant.stream(stream))
        while True:
            self.heard.append(await run.waiting(frames.__anext__()))


@pytest.mark.parametrize("class_", ["cancel", "clarification"])
async def test_listening_is_interrupted_while_nobody_speaks(space: Space, class_: str) -> None:
    human, agent = await space.join("human"), Listener()
    await space.run(agent)
    opening = human.open_stream(content_type="text/plain", description="speech", target=["agent"])
    async with asyncio.timeout(60), opening as stream:
        await human.send("chat", {"text": stream.id}, to=["agent"])
        await space.settle()
        await stream.write("one")
        await space.settle()
        (start,) = said(space, "reasoning/start")
        assert (start.payload["span"]["kind"], start.payload["span"]["interruptible"]) == ("listen", True)
        told = {"reason": "user_request", "message": "wait", "class": class_}
        await human.send("reasoning/interrupt", told, to=["agent"], correlation_id=[start.id])
        await space.settle()
        await stream.write("two")
        await space.settle()
    (ack,) = said(space, "reasoning/interrupt-ack")
    ended = [one.payload["interrupted"] for one in said(space, "reasoning/conclusion")]
    if class_ == "cancel":  # waiting is a boundary: there is no thought to complete
        assert (ack.payload["status"], ended, agent.heard) == ("stopping", [True], ["one"])
    else:
        assert (ack.payload["outcome"], ended, agent.heard) == ("paused", [], ["one"])
        await human.send("chat", {"text": "go on"}, to=["agent"])
        await space.settle()
        assert agent.heard == ["one", "two"]
