"""Cases of the limits on concurrent HTTP requests, and on concurrent reads of the history."""

from __future__ import annotations

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mew_gateway.gateway.http import fair_queue

from ..kit.gateway import TIMEOUT, Site
from .limit import Pair
from .limit_fixture import LimitFixture, joined

_MOST = 3  # requests, and readings, here
_PAGE = 3_000_000  # bytes, more than a socket takes of itself


@asynccontextmanager
async def _asked(site: Site, head: str) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Send a request of `human` without reading its answer."""
    host, port = site.url.removeprefix("http://").split(":")
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=plug, limit=4_096)
    writer.write(f"{head}Host: x\r\nAuthorization: Bearer {site.token('human')}\r\n\r\n".encode())
    try:
        yield reader, writer
    finally:
        writer.close()


# Without its body, it lasts.
_POST = "POST /participants/human/messages HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
_READ = "GET /spaces/demo/history HTTP/1.1\r\n"


async def _until(site: Site, requests: int) -> None:
    """Wait until this number of requests of `human` is being answered."""
    lines = site.gateway.queue._lines
    async with asyncio.timeout(TIMEOUT):
        while (lines[("demo", "human")].requests if lines else 0) != requests:
            await asyncio.sleep(0)


async def _hold(held: AsyncExitStack, site: Site, head: str, many: int) -> list[tuple[StreamReader, StreamWriter]]:
    """Keep this number of requests open until the stack closes."""
    asked = [await held.enter_async_context(_asked(site, head)) for _ in range(many)]
    await _until(site, many)
    return asked


async def _requests_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "MOST", _MOST)
    async with fixture.gateway() as site, AsyncExitStack() as held:
        await _hold(held, site, _POST, _MOST - 1)
        assert (await site.get("/spaces/demo/participants", participant="human"))[0] == 200


async def _requests_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "MOST", _MOST)
    async with fixture.gateway() as site:
        async with AsyncExitStack() as held:
            await _hold(held, site, _POST, _MOST)
            for path in ("/spaces/demo/participants", "/spaces/demo/history"):
                status, told = await site.get(path, participant="human")
                assert (status, told["error"], told["retry_after_ms"]) == (429, "rate_limited", 1_000)
            assert (await site.post("human", {"kind": "chat"}))[0] == 429
            assert (await site.get("/spaces/demo/participants", participant="other"))[0] == 200
            assert (await site.get("/ready"))[0] == 200
        await _until(site, 0)
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
        await _hold(held, site, _READ, _MOST - 1)
        assert (await site.get("/spaces/demo/history", participant="human"))[0] == 200


async def _readings_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(fair_queue, "READS", _MOST)
    async with fixture.gateway() as site, AsyncExitStack() as held:
        await _filled(site)
        slow = await _hold(held, site, _READ, _MOST)
        reading = asyncio.create_task(site.get("/spaces/demo/history", participant="human"))
        await _until(site, _MOST + 1)
        for path, who in (("/spaces/demo/participants", "human"), ("/spaces/demo/history", "other")):
            assert (await site.get(path, participant=who))[0] == 200
        assert not reading.done()
        reader, _ = slow[0]
        async with asyncio.timeout(TIMEOUT):
            taken = 0
            while taken < _PAGE:
                taken += len(await reader.read(65_536))
            assert (await reading)[0] == 200


READINGS = Pair(_readings_at, _readings_past)
