"""Peers that ask over HTTP and take nothing of the answer until a test reads it."""

from __future__ import annotations

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from .gateway import TIMEOUT, Site


@asynccontextmanager
async def asking(site: Site, head: str, who: str = "human") -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Send a request of a participant without reading its answer."""
    host, port = site.url.removeprefix("http://").split(":")
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=plug, limit=4_096)
    writer.write(f"{head}Host: x\r\nAuthorization: Bearer {site.token(who)}\r\n\r\n".encode())
    try:
        yield reader, writer
    finally:
        writer.close()


async def until_asked(site: Site, requests: int, who: str = "human") -> None:
    """Wait until this number of requests of a participant is being answered."""
    lines = site.gateway.queue._lines
    async with asyncio.timeout(TIMEOUT):
        while (lines[(site.space, who)].requests if (site.space, who) in lines else 0) != requests:
            await asyncio.sleep(0)


async def hold(
    held: AsyncExitStack, site: Site, head: str, many: int, who: str = "human"
) -> list[tuple[StreamReader, StreamWriter]]:
    """Keep this number of requests open until the stack closes."""
    asked = [await held.enter_async_context(asking(site, head, who)) for _ in range(many)]
    await until_asked(site, many, who)
    return asked


async def rest_of(reader: StreamReader) -> bytes:
    """Everything up to the end of the connection; b"" if it was reset."""
    data = bytearray()
    async with asyncio.timeout(TIMEOUT):
        try:
            while piece := await reader.read(65_536):
                data += piece
        except ConnectionError:
            pass
    return bytes(data)
