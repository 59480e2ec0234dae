"""A TCP connection to a gateway, for requests and frames that no client library would send."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from .frames import CLOSE, PONG, TEXT, Frame, taken

TIMEOUT = 30.0  # seconds a test waits for what must come; never part of what it asserts


class Caller:
    """Bytes there, and back."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, *segments: bytes) -> None:
        """Each in a write of its own. A gateway that has hung up meanwhile is no error."""
        with contextlib.suppress(ConnectionError):
            for segment in segments:
                self._writer.write(segment)
                await self._writer.drain()

    async def head(self) -> str:
        """The head of an HTTP answer."""
        async with asyncio.timeout(TIMEOUT):
            return (await self._reader.readuntil(b"\r\n\r\n")).decode()

    async def rest(self) -> bytes:
        """All that comes until the gateway hangs up."""
        async with asyncio.timeout(TIMEOUT):
            return await self._reader.read()

    async def frame(self) -> Frame:
        """The next frame."""
        async with asyncio.timeout(TIMEOUT):
            head = await self._reader.readexactly(2)
            wide = {126: 2, 127: 8}.get(head[1], 0)
            length = await self._reader.readexactly(wide)
            data = await self._reader.readexactly(int.from_bytes(length, "big") if wide else head[1])
        (frame,) = taken(head + length + data)
        return frame

    async def answers(self, *, until: bytes) -> list[Frame]:
        """The control frames that come, up to a pong with these bytes or the close frame, which is the last."""
        found: list[Frame] = []
        while True:
            frame = await self.frame()
            if frame.first == 0x80 | TEXT:
                json.loads(frame.data)  # its own messages, or what it is told about them
                continue
            found.append(frame)
            if frame == (0x80 | PONG, until) or frame.first == 0x80 | CLOSE:
                return found


@contextlib.asynccontextmanager
async def called(url: str) -> AsyncIterator[Caller]:
    """A TCP connection to there."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    try:
        yield Caller(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def request(
    token: str | None, *, line: str = "GET /ws?space=demo HTTP/1.1", **headers: str | list[str] | None
) -> bytes:
    """An upgrade request: as §4.1 has it, but for these headers (`_` for `-`; a list: that often; None: not at all)."""
    usual: dict[str, Any] = {
        "Host": "gateway.example",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",  # §1.3's
        "Sec-WebSocket-Version": "13",
        "Authorization": None if token is None else f"Bearer {token}",
    }
    usual |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [line]
    for name, value in usual.items():
        if value is not None:
            lines += [f"{name}: {each}" for each in (value if isinstance(value, list) else [value])]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
