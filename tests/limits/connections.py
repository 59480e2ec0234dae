"""Cases of the limits on connections: their number, and rates of connecting."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from ..kit.gateway import TIMEOUT, Peer, Site
from ..kit.raw_connections import code_of, join, opened
from .limit import Pair
from .limit_fixture import LimitFixture, chats, joined, unchanged
from .wire import aliased, resumed

_Arrive = Callable[[Site], Awaitable[Peer]]


async def _by_header(site: Site) -> Peer:
    return await joined(site, "human")


async def _turned_away(site: Site, participant: str = "human", **fields: Any) -> int:
    """Return the close code of one more connection, joined by a frame with these fields, or by header."""
    if fields:
        async with opened(site) as late:
            await late.send(json.dumps(join(site, participant, **fields)))
            return await code_of(late)
    headers = {"Authorization": f"Bearer {site.token(participant)}"}
    async with opened(site, "/ws?space=demo", additional_headers=headers) as late:
        return await code_of(late)


async def _own_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections_per_participant: 3}") as site:
        peers = [await arrive(site) for arrive in (_by_header, aliased, resumed)]
        other = await joined(site, "other")
        for peer in peers:
            await chats(peer, other)


async def _own_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections_per_participant: 3}") as site:
        peers = [await arrive(site) for arrive in (_by_header, aliased, resumed)]
        other = await joined(site, "other")
        before = unchanged(site)
        assert await _turned_away(site) == 4009
        assert await _turned_away(site, participantId="client-2") == 4009
        assert await _turned_away(site, after="something") == 4009
        assert unchanged(site) == before
        assert list(site.gateway.broker.engine["demo"].aliases) == ["client-1"]
        status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "needs no connection"}})
        assert status == 200
        await site.leave(peers[0])
        await chats(await joined(site, "human"), other)
        assert await _turned_away(site) == 4009


OWN = Pair(_own_at, _own_past)


async def _all_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections: 3}") as site:
        peers = [await joined(site, name) for name in ("human", "agent", "other")]
        await chats(peers[0], peers[2])


async def _all_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections: 3}") as site:
        human, agent, other = [await joined(site, name) for name in ("human", "agent", "other")]
        before = unchanged(site)
        assert await _turned_away(site) == 4009
        assert await _turned_away(site, "agent", participantId="client-2") == 4009
        assert unchanged(site) == before
        await site.leave(agent)
        await chats(await joined(site, "agent"), other)
        await chats(human, other, "still here")


ALL = Pair(_all_at, _all_past)


async def _waiting_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections: 2}") as site, opened(site), opened(site) as second:
        await second.send(json.dumps(join(site)))
        await Peer(second, "human").until("system/welcome")
        assert len(site.gateway.accept_context.waiting) == 1


async def _waiting_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{connections: 2}") as site, opened(site), opened(site) as second:
        async with opened(site) as third:
            assert await code_of(third) == 4009
        human = await joined(site, "human")  # whoever has a token takes no place among those who wait
        await second.send(json.dumps(join(site, "other")))
        other = Peer(second, "other")
        await other.until("system/welcome")
        await chats(human, other)


WAITING = Pair(_waiting_at, _waiting_past)


_OFTEN = "{connects: 3/10s}"


async def _refused_upgrade(site: Site, path: str = "/ws?space=demo", *, token: str | None = None) -> dict[str, Any]:
    """Return the answer to a refused upgrade, with status and Retry-After."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with pytest.raises(InvalidStatus) as refused:
        async with opened(site, path, additional_headers=headers):
            pass
    response = refused.value.response
    return {**json.loads(response.body), "status": response.status_code, "after": response.headers.get("Retry-After")}


async def _is_listening(site: Site) -> tuple[int, Any]:
    """Return the first answer of an event stream; for an accepted one only the acceptance."""
    headers = {"Authorization": f"Bearer {site.token('human')}", "Connection": "close"}
    request = urllib.request.Request(f"{site.url}/spaces/demo/events", headers=headers)

    def ask() -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                return response.status, None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    return await asyncio.to_thread(ask)


async def _connected_thrice(site: Site) -> None:
    """Connect by a token in the upgrade, by a join frame, and as an event stream; close each."""
    await site.leave(await joined(site, "human"))
    await site.leave(await aliased(site))
    assert (await _is_listening(site))[0] == 200


async def _connects_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_OFTEN) as site:
        await _connected_thrice(site)
        site.clock.advance(10_000)
        await _connected_thrice(site)


async def _connects_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_OFTEN) as site:
        other = await joined(site, "other")
        await _connected_thrice(site)
        site.clock.advance(1_500)
        told = await _refused_upgrade(site, token=site.token("human"))
        assert (told["status"], told["error"], told["retry_after_ms"], told["after"]) == (
            429,
            "rate_limited",
            8_500,
            "9",
        )
        async with opened(site) as late:
            await late.send(json.dumps(join(site)))
            answer = json.loads(await late.recv())
            assert (answer["payload"]["error"], answer["payload"]["retry_after_ms"]) == ("rate_limited", 8_500)
            assert await code_of(late) == 4029
        status, body = await _is_listening(site)
        assert (status, body["error"], body["retry_after_ms"]) == (429, "rate_limited", 8_500)
        site.clock.advance(8_499)
        assert (await _refused_upgrade(site, token=site.token("human")))["retry_after_ms"] == 1
        site.clock.advance(1)
        await chats(await joined(site, "human"), other)


CONNECTS = Pair(_connects_at, _connects_past)


async def _strange(site: Site) -> None:
    """Connect three times without a valid token: twice with a wrong one, once with none before the join frame."""
    assert (await _refused_upgrade(site, token="mew_nobodys"))["status"] == 401
    assert (await site.get("/spaces/demo/participants", token="mew_nobodys"))[0] == 401
    async with opened(site):
        pass


async def _strangers_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{strangers: 3/10s}") as site:
        await _strange(site)
        site.clock.advance(10_000)
        await _strange(site)


async def _strangers_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{strangers: 3/10s}") as site:
        await _strange(site)
        site.clock.advance(1_500)
        for token in (None, "mew_nobodys"):
            told = await _refused_upgrade(site, "/", token=token)
            assert (told["status"], told["error"], told["retry_after_ms"], told["after"]) == (
                429,
                "rate_limited",
                8_500,
                "9",
            )
        for path in ("/spaces/demo/participants", "/nowhere"):
            status, answer = await site.get(path)
            assert (status, answer["error"], answer["retry_after_ms"]) == (429, "rate_limited", 8_500)
        assert [(await site.get(path))[0] for path in ("/health", "/ready", "/metrics")] == [200, 200, 200]
        human, other = await joined(site, "human"), await joined(site, "other")  # who has a token meets it never
        await chats(human, other)
        assert (await site.get("/spaces/demo/participants", participant="human"))[0] == 200
        site.clock.advance(8_500)
        await _strange(site)


STRANGERS = Pair(_strangers_at, _strangers_past)
