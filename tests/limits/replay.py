"""Cases of the limits on a resume's replay, and on the lists of a welcome."""

from __future__ import annotations

import json
from typing import Any

from mew_gateway.gateway.broker import rate_limiter
from mew_gateway.gateway.broker.spaces import resume_search
from mew_gateway.space.participants import joining
from mew_gateway.space.settings import Bounds

from ..kit.gateway import Peer, Site
from ..kit.raw_connections import join, opened
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, chats, joined, told, weighing

_MOST = 5  # envelopes, here


async def _resumed(site: Site, human: Peer, sizes: list[int]) -> tuple[int | None, list[str]]:
    """Return the count that a resume of `agent` reports, and the replayed ids, after envelopes of these sizes."""
    for number, size in enumerate([300, *sizes]):
        await human.raw(weighing(size, "human", "chat", f"c{number}", {}, pad="text").decode())
        await human.until("chat")
    async with opened(site, max_queue=None) as socket:
        await socket.send(json.dumps(join(site, "agent", after="c0")))
        agent = Peer(socket, "agent")
        count = (await agent.until("system/welcome"))["payload"]["resume"]["count"]
        if count is None:
            await agent.error("history_unavailable")
        await chats(human, agent, "live")
        return count, [one["id"] for one in agent.seen if one["kind"] == "chat"][:-1]


async def _missed_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(resume_search, "MOST", _MOST)
    async with fixture.gateway() as site:
        human = await joined(site, "human")
        assert await _resumed(site, human, [200] * _MOST) == (_MOST, [f"c{n + 1}" for n in range(_MOST)])


async def _missed_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(resume_search, "MOST", _MOST)
    async with fixture.gateway() as site:
        human = await joined(site, "human")
        assert await _resumed(site, human, [200] * (_MOST + 1)) == (None, [])


MISSED = Pair(_missed_at, _missed_past)

_SMALL = "{outbox_bytes: 16384, frame_bytes: 4096}"  # half an outbox is replayed


async def _bytes_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_SMALL) as site:
        assert (await _resumed(site, await joined(site, "human"), [4_096, 4_096]))[0] == 2


async def _bytes_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_SMALL) as site:
        assert await _resumed(site, await joined(site, "human"), [4_096, 3_800, 297]) == (None, [])


MISSED_BYTES = Pair(_bytes_at, _bytes_past)


async def _read_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(rate_limiter, "READS", resume_search._LOOKUP_COST + 1 + _MOST)
    async with fixture.gateway() as site:
        assert (await _resumed(site, await joined(site, "human"), [200] * _MOST))[0] == _MOST


async def _read_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(rate_limiter, "READS", resume_search._LOOKUP_COST + 1 + _MOST - 1)
    async with fixture.gateway() as site:
        assert await _resumed(site, await joined(site, "human"), [200] * _MOST) == (None, [])


READ = Pair(_read_at, _read_past)


def _open(fixture: LimitFixture, many: int) -> dict[str, Any]:
    """Return a welcome's list for this number of open sequences."""
    driver = fixture.driver(bounds=Bounds(open_sequences=many))
    for number in range(many):
        accepted(driver, "worker", "reasoning/start", f"s{number}")
    listed: dict[str, Any] = told(driver.join("watcher")[:1])["sequences"]
    return listed


def _listed_at(fixture: LimitFixture) -> None:
    listed = _open(fixture, joining._LISTED)
    assert [one["id"] for one in listed["open"]] == [f"s{n}" for n in range(joining._LISTED)]


def _listed_past(fixture: LimitFixture) -> None:
    listed = _open(fixture, joining._LISTED + 1)
    assert listed["count"] == joining._LISTED + 1
    assert [one["id"] for one in listed["open"]] == [f"s{n + 1}" for n in range(joining._LISTED)]


LISTED = Pair(_listed_at, _listed_past)
