"""A lost connection: nothing is missing afterwards, nothing comes twice, and what was asked is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mew_gateway.backoff import Backoff
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Client, Participant, Reconnected
from mew_gateway.sdk.client import Item
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import begin, payload_of, said

TELLS = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "*"}]}
      agent: {capabilities: [{kind: "*"}]}
      novice: {capabilities: [{kind: mcp/proposal}, {kind: mcp/withdraw}]}
"""


def sever(space: Space, name: str) -> None:
    """A participant's connections break; it has not noticed yet."""
    for link in [link for link in space._links.values() if link.participant == name]:
        link.abort()


async def taken(client: Client, space: Space) -> list[Item]:
    """What the client has for its application by now."""
    await space.settle()
    return [await client.receive() for _ in range(client._received.statistics().current_buffer_used)]


def errors(items: list[Item]) -> list[str]:
    return [payload_of(one)["error"] for one in items if isinstance(one, Envelope) and one.kind == "system/error"]


def texts(items: list[Item]) -> list[str]:
    return [one.payload["text"] for one in items if isinstance(one, Envelope) and one.kind == "chat" and one.payload]


async def test_what_was_said_meanwhile_follows_and_nothing_comes_twice(space: Space) -> None:
    human = await space.join("human")
    async with space.client("agent") as agent:
        for text in ("one", "two"):
            await human.send("chat", {"text": text})
        sever(space, "agent")
        for text in ("three", "four"):
            await human.send("chat", {"text": text})
        items = await taken(agent, space)
        await human.send("chat", {"text": "five"})
        items += await taken(agent, space)
        assert texts(items) == ["one", "two", "three", "four", "five"]
        reconnections = [one for one in items if isinstance(one, Reconnected)]
        assert [(one.missed, one.welcome.resume is not None) for one in reconnections] == [(False, True)]
        assert texts(items[: items.index(reconnections[0])]) == ["one", "two"]


async def test_an_id_that_was_used_before_is_no_reason_to_hear_anything_twice(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    async with space.client("agent") as agent:
        await human.client.send("chat", {"text": "one"}, id="1")
        await human.send("chat", {"text": "two"})
        await novice.client.send("chat", {"text": "three"}, id="1")
        items = await taken(agent, space)
        sever(space, "agent")
        await human.send("chat", {"text": "four"})
        items += await taken(agent, space)
        assert texts(items) == ["one", "two", "three", "four"]


async def test_it_goes_on_from_what_it_has_received_not_from_what_was_taken(space: Space) -> None:
    human = await space.join("human")
    async with space.client("agent") as agent:
        for n in range(30):
            await human.send("chat", {"text": str(n)})
            if n % 10 == 9:
                await space.drop("agent")
        assert texts(await taken(agent, space)) == [str(n) for n in range(30)]


async def test_what_is_no_longer_held_was_missed(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    async with space.client("agent") as agent:
        await space.settle()
        monkeypatch.setattr(space, "_history", [])
        sever(space, "agent")
        items = await taken(agent, space)
        assert [one.missed for one in items if isinstance(one, Reconnected)] == [True]
        assert errors(items) == ["history_unavailable"]
        sever(space, "agent")  # and from there on nothing is
        assert [one.missed for one in await taken(agent, space) if isinstance(one, Reconnected)] == [False]


async def test_a_refusal_that_is_in_no_history_is_nothing_to_go_on_from(space: Space) -> None:
    async with space.client("agent") as agent:
        link = agent._outgoing.link
        assert link is not None
        await link.send(b"no envelope", text=True)
        await link.send(b"#no frame", text=True)
        assert errors(await taken(agent, space)) == ["invalid_json", "invalid_frame"]
        sever(space, "agent")
        assert [one.missed for one in await taken(agent, space) if isinstance(one, Reconnected)] == [False]


async def test_an_interrupt_that_waits_for_its_answer_is_given_again_and_no_old_news_with_it(space: Space) -> None:
    """The interrupt is older than the connection: to go on from it would bring back what was before."""
    human = await space.join("human")
    async with space.client("agent") as first:
        await first.send("reasoning/start", {}, id="run")
        await human.send("chat", {"text": "before"})
        await human.send("reasoning/interrupt", {"reason": "user_request"}, to=["agent"], correlation_id=["run"])
    async with space.client("agent") as again:
        assert [one.kind for one in await taken(again, space) if isinstance(one, Envelope)] == ["reasoning/interrupt"]
        sever(space, "agent")
        items = await taken(again, space)
        assert texts(items) == []
        assert [one.kind for one in items if isinstance(one, Envelope)].count("reasoning/interrupt") == 1


async def test_a_request_survives_the_loss_of_either_side(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    agent.tool(double)
    sever(space, "human")
    sever(space, "agent")
    assert (await human.call("agent", "double", {"n": 4})).text == "8"


async def test_an_answer_given_meanwhile_arrives(space: Space) -> None:
    human = await space.join("human")
    async with space.client("agent") as agent:
        asking = await begin(space, human.request("agent", "ping"))
        sever(space, "human")
        await agent.send("mcp/response", {"result": 7}, to=["human"], correlation_id=[said(space, "mcp/request")[0].id])
        assert await asking == 7


async def test_a_proposal_fulfilled_and_answered_meanwhile_is_followed(space: Space) -> None:
    human, novice, agent = await space.join("human"), await space.join("novice"), await space.join("agent")
    agent.tool(double)
    asking = await begin(space, novice.call("agent", "double", {"n": 21}))
    sever(space, "novice")
    await human.fulfil(said(space, "mcp/proposal")[0])
    assert (await asking).text == "42"


async def test_what_was_lost_on_the_way_out_is_said_again_once(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    agent.tool(double)
    monkeypatch.setattr(space, "take", lambda *_, **__: None)  # the line is dead, and nobody knows
    asking = await begin(space, human.call("agent", "double", {"n": 1}))
    monkeypatch.undo()
    assert said(space, "mcp/request") == []
    await space.drop("human")
    assert (await asking).text == "2"
    assert len(said(space, "mcp/request")) == 1


async def test_an_answer_that_was_lost_on_the_way_out_is_said_again_once(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    calls: list[int] = []

    @agent.tool
    def count(n: int) -> int:
        calls.append(n)
        monkeypatch.setattr(space, "take", lambda *_, **__: None)  # the line is dead, and nobody knows
        return n

    asking = await begin(space, human.call("agent", "count", {"n": 1}))
    monkeypatch.undo()
    await space.drop("agent")
    assert (await asking).text == "1"
    assert (calls, len(said(space, "mcp/response"))) == ([1], 1)


def double(n: int) -> int:
    """Twice as much."""
    return 2 * n


@asynccontextmanager
async def joined(site: Any, name: str) -> AsyncIterator[Participant]:
    """A participant over real sockets, which comes back at once."""
    hasty = Backoff(first=1, cap=1, draw=lambda: 0.0)
    client = Client(site.url, space=site.space, token=site.token(name), backoff=hasty)
    async with Participant(client) as participant:
        yield participant


async def test_over_real_sockets_nothing_is_missing_either(start_gateway: Any) -> None:
    async with start_gateway(TELLS) as site, joined(site, "human") as human, joined(site, "agent") as agent:
        listening = agent.listen()
        for n in range(60):
            await human.send("chat", {"text": str(n)})
            if n % 20 == 10:
                assert agent.client._outgoing.link is not None
                agent.client._outgoing.link.abort()
        heard, reconnected = [], []
        async for item in listening:
            if isinstance(item, Reconnected):
                reconnected.append(item.missed)
            elif item.kind == "chat" and item.payload:
                heard.append(item.payload["text"])
                if heard[-1] == "59":
                    break
        assert heard == [str(n) for n in range(60)]
        assert set(reconnected) == {False}


async def test_over_real_sockets_requests_proposals_and_streams(start_gateway: Any) -> None:
    async with (
        start_gateway(TELLS) as site,
        joined(site, "human") as human,
        joined(site, "agent") as agent,
        joined(site, "novice") as novice,
    ):
        agent.tool(double)
        assert [one.name for one in await human.tools("agent")] == ["double"]
        assert (await human.call("agent", "double", {"n": 2})).text == "4"
        watching = human.listen()
        asking = asyncio.create_task(novice.call("agent", "double", {"n": 3}))
        async for item in watching:
            if isinstance(item, Envelope) and item.kind == "mcp/proposal":
                await human.fulfil(item)
                break
        assert (await asking).text == "6"
        new = human.streams.follow()
        async with agent.open_stream(content_type="application/octet-stream") as stream:
            chunks = [bytes([n]) * 65_536 if n % 2 else f"text {n}" for n in range(20)]
            for chunk in chunks:
                await stream.write(chunk)
            reader = aiter(await anext(new))
            assert [await anext(reader) for _ in chunks] == chunks
        assert [chunk async for chunk in reader] == []
