"""A gateway that is stopping: nobody gets in any more, and nothing that was accepted is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any
from urllib.parse import quote

import pytest
import websockets

from ..kit.gateway import SPACES, TIMEOUT

LIMITS = "limits: {envelopes_per_second: 100000, envelopes_burst: 100000}"
TALKATIVE = SPACES.replace("\nspaces:", f"\n  {LIMITS}\nspaces:", 1)


async def refused_with(socket: Any) -> int:
    """The close code of a connection that is told nothing else."""
    async with asyncio.timeout(TIMEOUT):
        with pytest.raises(websockets.ConnectionClosed):
            await socket.recv()
    return int(socket.close_code)


async def test_a_draining_gateway_refuses_joins(site: Any) -> None:
    human = await site.join("human")
    waiting = await websockets.connect(site.url.replace("http", "ws"))  # its join frame is still to come
    site.gateway.broker.drain()
    url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
    async with websockets.connect(url, additional_headers={"Authorization": f"Bearer {site.token('agent')}"}) as late:
        assert await refused_with(late) == 1012
    async with websockets.connect(site.url.replace("http", "ws")) as without_token:
        assert await refused_with(without_token) == 1012
    await waiting.send(json.dumps({"type": "join", "space": "demo", "token": site.token("agent")}))
    assert await refused_with(waiting) == 1012
    assert (await site.get("/ready"))[0] == 503
    assert [one for one in await human.settle() if one["kind"] == "system/presence"] == []


async def test_envelopes_accepted_while_draining_are_kept(start_gateway: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        site.gateway.broker.drain()
        await human.send("chat", {"text": "one more"}, id="last")
        await human.until("chat", text="one more")
    async with start_gateway() as site:
        _, body = await site.get("/participants/human/messages?space=demo", participant="human")
        assert "last" in [one["id"] for one in body["messages"]]


async def test_input_at_the_end_is_accepted_and_kept_or_neither(start_gateway: Any) -> None:
    """Whoever goes on talking until it is closed may say again what it saw no answer to."""
    async with start_gateway(TALKATIVE) as site:
        human = await site.join("human")
        hearing, talking = asyncio.create_task(hear(human)), asyncio.create_task(talk(human))
        async with asyncio.timeout(TIMEOUT):
            while len(chats(human.seen)) < 20:
                await asyncio.sleep(0)
    async with asyncio.timeout(TIMEOUT):
        said, _ = await asyncio.gather(talking, hearing)
    seen = chats(human.seen)
    assert seen == said[: len(seen)]
    assert 0 < len(seen) < len(said)
    async with start_gateway(TALKATIVE) as site:
        human = await site.join("human")
        for id in said:
            await human.send("chat", {"text": "x"}, id=id)
        accepted = chats(await human.settle())
        assert chats(await held(site)) == said
        assert not set(seen) & set(accepted)


def chats(envelopes: list[dict[str, Any]]) -> list[str]:
    """The ids of the chats among them."""
    return [one["id"] for one in envelopes if one["kind"] == "chat"]


async def held(site: Any) -> list[dict[str, Any]]:
    """All that the gateway holds for `human`."""
    found: list[dict[str, Any]] = []
    since: str | None = "1970-01-01T00:00:00Z"
    while since is not None:
        path = f"/participants/human/messages?space=demo&limit=1000&since={quote(since)}"
        _, body = await site.get(path, participant="human")
        found += body["messages"]
        since = body["next"]
    return found


async def hear(peer: Any) -> None:
    """Take what comes until the connection ends."""
    with contextlib.suppress(websockets.ConnectionClosed):
        while True:
            await peer.receive()


async def talk(peer: Any) -> list[str]:
    """Chat until the connection ends; what was said."""
    said: list[str] = []
    with contextlib.suppress(websockets.ConnectionClosed):
        while True:
            said.append(f"n{len(said)}")
            await peer.send("chat", {"text": "x"}, id=said[-1])
            await asyncio.sleep(0)
    return said
