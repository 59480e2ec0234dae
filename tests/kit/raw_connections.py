"""Connections to a gateway below the level of a client library.

`called` is a TCP connection for any request, `upgraded` one that speaks WebSocket already, for frames that no client
library would send (frames.py). `opened` is a WebSocket of a client library that has not joined, and `join` what it
sends to do so.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import struct
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import websockets
from websockets.asyncio.client import ClientConnection

from .frames import CLOSE, PONG, TEXT, Frame, taken
from .gateway import TIMEOUT, Site


class Caller:
    """A TCP connection: bytes there, and back."""

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


@contextlib.asynccontextmanager
async def upgraded(
    site: Site, participant: str | None = None, *, behind: bytes = b""
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A TCP connection that was upgraded, as a participant whose welcome was read, or without a token.

    `behind` comes in one segment with the request.
    """
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    key = base64.b64encode(os.urandom(16)).decode()
    path, bearer = "/", ""
    if participant is not None:
        path, bearer = "/ws?space=demo", f"Authorization: Bearer {site.token(participant)}\r\n"
    head = (
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{bearer}\r\n"
    )
    writer.write(head.encode() + behind)
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    if participant is not None:
        await read_frame(reader)
    try:
        yield reader, writer
    finally:
        writer.close()


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Return the opcode and the payload of the next frame."""
    async with asyncio.timeout(TIMEOUT):
        first, size = await reader.readexactly(2)
        if size == 126:
            (size,) = struct.unpack("!H", await reader.readexactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", await reader.readexactly(8))
        return first & 0x0F, await reader.readexactly(size)


async def read_payload(reader: asyncio.StreamReader) -> bytes:
    """Return the payload of the next frame."""
    return (await read_frame(reader))[1]


async def close_code(reader: asyncio.StreamReader) -> int:
    """Read frames up to the close frame. Return its code."""
    while True:
        opcode, data = await read_frame(reader)
        if opcode == CLOSE:
            return int(struct.unpack("!H", data[:2])[0])


@contextlib.asynccontextmanager
async def opened(site: Site, path: str = "/", **options: Any) -> AsyncIterator[ClientConnection]:
    """A WebSocket that has not joined yet."""
    async with websockets.connect(site.url.replace("http", "ws") + path, max_size=None, **options) as socket:
        yield socket


def join(site: Site, participant: str = "human", space: str = "demo", **fields: Any) -> dict[str, Any]:
    """Return the frame that joins as a participant."""
    return {"type": "join", "space": space, "token": site.token(participant, space), **fields}


async def code_of(socket: ClientConnection) -> int:
    """Read to the end of a WebSocket. Return its close code."""
    async with asyncio.timeout(TIMEOUT):
        with contextlib.suppress(websockets.ConnectionClosed):
            while True:
                await socket.recv()
    return socket.close_code or 0
