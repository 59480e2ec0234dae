"""A gateway that is stopping: nobody gets in any more, and nothing that was accepted is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest
import websockets

TIMEOUT = 10.0


async def refused_with(socket: Any) -> int:
    """The close code of a connection that is told nothing else."""
    async with asyncio.timeout(TIMEOUT):
        with pytest.raises(websockets.ConnectionClosed):
            await socket.recv()
    return int(socket.close_code)


async def test_nobody_joins_once_the_gateway_drains(site: Any) -> None:
    human = await site.join("human")
    waiting = await websockets.connect(site.url.replace("http", "ws"))  # its join frame is still to come
    site.gateway.hub.drain()
    url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
    async with websockets.connect(url, additional_headers={"Authorization": f"Bearer {site.token('agent')}"}) as late:
        assert await refused_with(late) == 1012
    async with websockets.connect(site.url.replace("http", "ws")) as without_token:
        assert await refused_with(without_token) == 1012
    await waiting.send(json.dumps({"type": "join", "space": "demo", "token": site.token("agent")}))
    assert await refused_with(waiting) == 1012
    assert (await site.get("/ready"))[0] == 503
    assert [one for one in await human.settle() if one["kind"] == "system/presence"] == []


async def test_what_is_accepted_while_it_drains_is_there_afterwards(start_gateway: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        site.gateway.hub.drain()
        await human.send("chat", {"text": "one more"}, id="last")
        await human.until("chat", text="one more")
    async with start_gateway() as site:
        _, body = await site.get("/participants/human/messages?space=demo", participant="human")
        assert "last" in [one["id"] for one in body["messages"]]


async def test_what_arrives_with_the_end_is_accepted_and_kept_or_neither(start_gateway: Any) -> None:
    """Whoever goes on talking until it is closed may say again what it saw no answer to."""
    async with start_gateway() as site:
        human = await site.join("human")
        talking = asyncio.create_task(talk(human))
        await human.until("chat")
    said = await talking
    await human.closed()
    seen = [one["id"] for one in human.seen if one["kind"] == "chat"]
    async with start_gateway() as site:
        human = await site.join("human")
        for id in said:
            await human.send("chat", {"text": "x"}, id=id)
        accepted = [one["id"] for one in await human.settle() if one["kind"] == "chat"]
        _, body = await site.get(
            "/participants/human/messages?space=demo&limit=1000&since=1970-01-01T00:00:00Z", participant="human"
        )
        assert [one["id"] for one in body["messages"] if one["kind"] == "chat"] == said
        assert not set(seen) & set(accepted)


async def talk(peer: Any) -> list[str]:
    """Chat until the connection ends; what was said."""
    said: list[str] = []
    with contextlib.suppress(websockets.ConnectionClosed):
        while len(said) < 300:
            said.append(f"n{len(said)}")
            await peer.send("chat", {"text": "x"}, id=said[-1])
            await asyncio.sleep(0)
    return said
