"""Cases of the limits on concurrent HTTP requests, and on concurrent reads of the history."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from mew_gateway.gateway.http import fair_queue, open_requests

from ..kit.gateway import TIMEOUT, Site
from ..kit.slow_readers import asking, hold, rest_of, until_asked
from .limit import Pair
from .limit_fixture import LimitFixture, joined

_MOST = 3  # requests, and readings, here
_PAGE = 3_000_000  # bytes, more than a socket takes of itself


# Without its body, it lasts.
_POST = "POST /participants/human/messages HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
_READ = "GET /spaces/demo/history HTTP/1.1\r\n"


async def _requests_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "MOST", _MOST)
    async with fixture.gateway() as site, AsyncExitStack() as held:
        await hold(held, site, _POST, _MOST - 1)
        assert (await site.get("/spaces/demo/participants", participant="human"))[0] == 200


async def _requests_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "MOST", _MOST)
    async with fixture.gateway() as site:
        async with AsyncExitStack() as held:
            await hold(held, site, _POST, _MOST)
            for path in ("/spaces/demo/participants", "/spaces/demo/history"):
                status, told = await site.get(path, participant="human")
                assert (status, told["error"], told["retry_after_ms"]) == (429, "rate_limited", 1_000)
            assert (await site.post("human", {"kind": "chat"}))[0] == 429
            assert (await site.get("/spaces/demo/participants", participant="other"))[0] == 200
            assert (await site.get("/ready"))[0] == 200
        await until_asked(site, 0)
        assert (await site.get("/spaces/demo/participants", participant="human"))[0] == 200


REQUESTS = Pair(_requests_at, _requests_past)


async def _filled(site: Site) -> None:
    human = await joined(site, "human")
    for number in range(3):
        await human.send("chat", {"text": "x" * (_PAGE // 3)}, id=f"big {number}")
        await human.until("chat")


async def _readings_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "READS", _MOST)
    async with fixture.gateway() as site, AsyncExitStack() as held:
        await _filled(site)
        await hold(held, site, _READ, _MOST - 1)
        assert (await site.get("/spaces/demo/history", participant="human"))[0] == 200


async def _readings_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "READS", _MOST)
    async with fixture.gateway() as site, AsyncExitStack() as held:
        await _filled(site)
        slow = await hold(held, site, _READ, _MOST)
        reading = asyncio.create_task(site.get("/spaces/demo/history", participant="human"))
        await until_asked(site, _MOST + 1)
        listing = asyncio.create_task(site.get("/spaces/demo/participants", participant="human"))
        await until_asked(site, _MOST + 2)
        assert (await site.post("human", {"kind": "chat", "payload": {"text": "x"}}))[0] == 200
        for path in ("/spaces/demo/history", "/spaces/demo/participants"):
            assert (await site.get(path, participant="other"))[0] == 200
        assert not reading.done()
        assert not listing.done()
        reader, _ = slow[0]
        async with asyncio.timeout(TIMEOUT):
            taken = 0
            while taken < _PAGE:
                taken += len(await reader.read(65_536))
            assert [(await one)[0] for one in (reading, listing)] == [200, 200]


READINGS = Pair(_readings_at, _readings_past)


async def _until_held(site: Site, size: int) -> None:
    async with asyncio.timeout(TIMEOUT):
        while site.gateway.queue.held.total != size:
            await asyncio.sleep(0)


async def _page_held(site: Site, who: str = "human") -> int:
    """Return how many bytes the page of history of a participant holds."""
    async with asking(site, _READ, who) as (reader, writer):
        async with asyncio.timeout(TIMEOUT):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length: ")[2].split()[0])
        await _until_held(site, size)
        writer.transport.abort()
        await _until_held(site, 0)
    return size


async def _answers_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        await _filled(site)
        size, others = await _page_held(site), await _page_held(site, "other")
        fixture.patches.setattr(open_requests, "HELD", 2 * size + others)
        async with AsyncExitStack() as held:
            slow = await hold(held, site, _READ, 2)
            slow += await hold(held, site, _READ, 1, "other")
            await _until_held(site, 2 * size + others)
            for reader, _ in slow:
                async with asyncio.timeout(TIMEOUT):
                    await reader.readuntil(b"\r\n\r\n")
                    await reader.readexactly(others if reader is slow[-1][0] else size)
        await _until_held(site, 0)


async def _answers_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        await _filled(site)
        size, others = await _page_held(site), await _page_held(site, "other")
        fixture.patches.setattr(open_requests, "HELD", 2 * size + others - 1)
        async with AsyncExitStack() as held:
            ((first, _),) = await hold(held, site, _READ, 1)
            await _until_held(site, size)
            await held.enter_async_context(asking(site, _READ))
            await _until_held(site, 2 * size)
            ((other, _),) = await hold(held, site, _READ, 1, "other")
            assert len(await rest_of(first)) < size, "the older one of human's is cut"
            await _until_held(site, size + others)
            async with asyncio.timeout(TIMEOUT):
                await other.readuntil(b"\r\n\r\n")
                await other.readexactly(others)
        await _until_held(site, 0)
        assert (await site.get("/spaces/demo/history", participant="human"))[0] == 200


ANSWERS = Pair(_answers_at, _answers_past)


async def _unsent_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        await _filled(site)
        fixture.patches.setattr(open_requests, "HELD", await _page_held(site))
        assert (await site.get("/spaces/demo/history", participant="human"))[0] == 200


async def _unsent_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        await _filled(site)
        fixture.patches.setattr(open_requests, "HELD", await _page_held(site) - 1)
        status, told = await site.get("/spaces/demo/history", participant="human")
        assert (status, told["error"], told["retry_after_ms"]) == (429, "rate_limited", 1_000)
        assert (await site.get("/spaces/demo/history?limit=1", participant="human"))[0] == 200


UNSENT = Pair(_unsent_at, _unsent_past)
