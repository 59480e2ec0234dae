"""What an agent does beside answering, what it is told of halts, and the history it may read."""

from __future__ import annotations

import asyncio
from typing import Any

from mew_gateway.sdk import Agent, Envelope
from mew_gateway.sdk.client import Item
from mew_gateway.sdk.testing import Space

from .conftest import ANYTHING, payload_of


class Busy(Agent):
    """Notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.may = asyncio.Event()

    async def beside(self) -> None:
        self.told.append("beside")

    def arrived(self, item: Item) -> None:
        if isinstance(item, Envelope) and item.kind == "chat":
            self.told.append(str(payload_of(item)["text"]))

    async def on_halted(self) -> None:
        self.told.append("halted")

    async def on_released(self) -> None:
        await self.may.wait()
        self.told.append("released")

    async def on_chat(self, chat: Any) -> None:
        self.told.append(f"on_chat {chat.text}")


async def test_what_waits_under_a_halt_begins_when_the_agent_is_ready_for_it() -> None:
    agent = Busy()
    async with Space({"human": [*ANYTHING, {"kind": "reasoning/interrupt"}], "agent": ANYTHING}) as space:
        await space.run(agent)
        human = await space.join("human")
        await agent.alert("stop everything", class_="emergency")
        await space.settle()
        assert agent.halted
        await human.send("chat", {"text": "hello"}, to="agent")
        await space.settle()
        assert agent.told == ["beside", "halted", "hello"]
        await human.send("participant/resume", {}, to="agent")
        await space.settle()
        assert agent.told == ["beside", "halted", "hello"]
        agent.may.set()
        await space.settle()
        assert agent.told == ["beside", "halted", "hello", "released", "on_chat hello"]


async def test_the_history_is_what_came_behind_an_envelope(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    since = await human.send("chat", {"text": "one"})
    await human.send("chat", {"text": "two"})
    await human.send("chat", {"text": "three"})
    assert novice.client.newest == space.envelopes[-1].id
    assert novice.client.first is not None
    all_of_it = await novice.client.history(novice.client.first)
    assert all_of_it is not None
    assert [payload_of(one)["text"] for one in all_of_it if one.kind == "chat"] == ["one", "two", "three"]
    found = await novice.client.history(since)
    assert found is not None
    assert [payload_of(one)["text"] for one in found if one.kind == "chat"] == ["two", "three"]
    assert await novice.client.history("unheard-of") is None


async def test_the_time_is_the_gateways(space: Space) -> None:
    human = await space.join("human")
    assert human.client.gateway_time() == human.client.now()
    assert human.client.space == "test"
