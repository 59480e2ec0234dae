"""How many connections there may be, and how long one may keep us waiting, with a message, an answer or a reading."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from ..conftest import Peer, Site
from ..gateway.test_join import code_of, join, opened
from .ground import Ground, chats, joined, unchanged
from .limit import Pair
from .wire import aliased, resumed

_Arrive = Callable[[Site], Awaitable[Peer]]


async def _by_header(site: Site) -> Peer:
    return await joined(site, "human")


async def _turned_away(site: Site, participant: str = "human", **fields: Any) -> int:
    """The close code of one more connection, by a join frame with these fields, or by header without any."""
    if fields:
        async with opened(site) as late:
            await late.send(json.dumps(join(site, participant, **fields)))
            return await code_of(late)
    headers = {"Authorization": f"Bearer {site.token(participant)}"}
    async with opened(site, "/ws?space=demo", additional_headers=headers) as late:
        return await code_of(late)


async def _own_at(ground: Ground) -> None:
    async with ground.gateway(limits="{connections_per_participant: 3}") as site:
        peers = [await arrive(site) for arrive in (_by_header, aliased, resumed)]
        other = await joined(site, "other")
        for peer in peers:
            await chats(peer, other)


async def _own_past(ground: Ground) -> None:
    async with ground.gateway(limits="{connections_per_participant: 3}") as site:
        peers = [await arrive(site) for arrive in (_by_header, aliased, resumed)]
        other = await joined(site, "other")
        before = unchanged(site)
        assert await _turned_away(site) == 4009
        assert await _turned_away(site, participantId="client-2") == 4009
        assert await _turned_away(site, after="something") == 4009
        assert unchanged(site) == before
        assert list(site.gateway.hub.spaces["demo"].aliases) == ["client-1"]
        status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "needs no connection"}})
        assert status == 200
        await site.leave(peers[0])
        await chats(await joined(site, "human"), other)
        assert await _turned_away(site) == 4009


OWN = Pair(_own_at, _own_past)


async def _all_at(ground: Ground) -> None:
    async with ground.gateway(limits="{connections: 3}") as site:
        peers = [await joined(site, name) for name in ("human", "agent", "other")]
        await chats(peers[0], peers[2])


async def _all_past(ground: Ground) -> None:
    async with ground.gateway(limits="{connections: 3}") as site:
        human, agent, other = [await joined(site, name) for name in ("human", "agent", "other")]
        before = unchanged(site)
        assert await _turned_away(site) == 4009
        assert await _turned_away(site, "agent", participantId="client-2") == 4009
        assert unchanged(site) == before
        await site.leave(agent)
        await chats(await joined(site, "agent"), other)
        await chats(human, other, "still here")


ALL = Pair(_all_at, _all_past)


async def _waiting_at(ground: Ground) -> None:
    async with ground.gateway(limits="{connections: 2}") as site, opened(site), opened(site) as second:
        await second.send(json.dumps(join(site)))
        await Peer(second, "human").until("system/welcome")
        assert len(site.gateway.door.waiting) == 1


async def _waiting_past(ground: Ground) -> None:
    async with ground.gateway(limits="{connections: 2}") as site, opened(site), opened(site) as second:
        async with opened(site) as third:
            assert await code_of(third) == 4009
        human = await joined(site, "human")  # whoever has a token takes no place among those who wait
        await second.send(json.dumps(join(site, "other")))
        other = Peer(second, "other")
        await other.until("system/welcome")
        await chats(human, other)


WAITING = Pair(_waiting_at, _waiting_past)
