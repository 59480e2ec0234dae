"""Cases of the timeouts of a connection: request, join frame, ping answer, and slow reading."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

from mew_gateway.gateway.broker.spaces.fanout import header
from mew_gateway.gateway.websocket import connection as sockets
from mew_gateway.gateway.websocket.connection import Connection

from ..kit.gateway import TIMEOUT, Peer, Site
from ..kit.raw_connections import code_of, join, opened, read_frame, upgraded
from .limit import Pair
from .limit_fixture import LimitFixture, chats, joined, unchanged


def _connection(site: Site) -> Connection:
    """Return the gateway's end of the only connection."""
    (found,) = site.gateway.accept_context.open
    return found


async def _patient_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{join_timeout: 7s}") as site, opened(site) as socket:
        site.clock.advance(6_999)
        _connection(site).check(site.clock.now())
        await socket.send(json.dumps(join(site)))
        peer = Peer(socket, "human")
        await peer.until("system/welcome")
        site.clock.advance(1)
        _connection(site).check(site.clock.now())
        await chats(peer, peer)


async def _patient_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{join_timeout: 7s}") as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        async with opened(site) as socket:
            await human.send("chat", {"text": "the upgrade is through"})
            await other.until("chat")
            before = unchanged(site)
            site.clock.advance(7_000)
            for one in list(site.gateway.accept_context.open):
                one.check(site.clock.now())
            assert await code_of(socket) == 4010
            assert unchanged(site) == before
        assert site.gateway.counters.closed == {4010: 1}
        await chats(human, other)


JOIN_TIMEOUT = Pair(_patient_at, _patient_past)


async def _dripped(site: Site, begin: bytes) -> bytes:
    """Return all that a peer receives that sends this and no more."""
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(begin)
    told = b""
    async with asyncio.timeout(TIMEOUT):
        with contextlib.suppress(ConnectionError):
            while some := await reader.read(4096):
                told += some
    writer.close()
    return told


async def _head_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{join_timeout: 1h}") as site:
        (answer, *_) = (await _dripped(site, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).split(
            b"\r\n"
        )
        assert answer == b"HTTP/1.1 200 OK"


async def _head_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{join_timeout: 50ms}") as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        before = unchanged(site)
        authorized = f"Authorization: Bearer {site.token('human')}\r\n".encode()
        body = b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        for begin in (
            b"",
            b"GET /health HTTP/1.1\r\nHost: x\r\n",
            b"GET /ws?space=demo HTTP/1.1\r\nUpgrade: websocket\r\n",
            b"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\n" + authorized + body,
        ):
            assert await _dripped(site, begin) == b""
        assert unchanged(site) == before
        await chats(human, other)


HEAD_TIMEOUT = Pair(_head_at, _head_past)


_PINGS = "{ping_interval: 7s, ping_timeout: 3s}"


async def _pong(connection: Connection, site: Site, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x8a\x80\0\0\0\0")
    async with asyncio.timeout(TIMEOUT):
        while connection._heard_at != site.clock.now():
            await asyncio.sleep(0)


async def _ping_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_PINGS) as site, upgraded(site, "human") as (reader, writer):
        connection = _connection(site)
        for _ in range(3):  # it speaks in the last millisecond, and nobody asks
            site.clock.advance(6_999)
            connection.check(site.clock.now())
            await _pong(connection, site, writer)
        writer.write(b"\x89\x80\0\0\0\0")
        assert await read_frame(reader) == (10, b"")  # nothing came before it


@contextlib.asynccontextmanager
async def _pinged(fixture: LimitFixture) -> AsyncIterator[tuple[Site, Connection, Any, Any]]:
    """Return a peer that was silent until the gateway pinged it."""
    async with fixture.gateway(limits=_PINGS) as site, upgraded(site, "human") as (reader, writer):
        connection = _connection(site)
        site.clock.advance(7_000)
        connection.check(site.clock.now())
        assert await read_frame(reader) == (9, b"")
        yield site, connection, reader, writer


async def _ping_past(fixture: LimitFixture) -> None:
    async with _pinged(fixture) as (site, connection, reader, writer):
        site.clock.advance(1)
        await _pong(connection, site, writer)
        site.clock.advance(6_999)
        connection.check(site.clock.now())
        site.clock.advance(1)
        connection.check(site.clock.now())
        assert await read_frame(reader) == (9, b"")  # once in each interval
        assert not site.gateway.counters.closed


PING_INTERVAL = Pair(_ping_at, _ping_past)


async def _pong_at(fixture: LimitFixture) -> None:
    async with _pinged(fixture) as (site, connection, _, writer):
        site.clock.advance(2_999)
        connection.check(site.clock.now())
        await _pong(connection, site, writer)
        site.clock.advance(3_000)
        connection.check(site.clock.now())
        assert not site.gateway.counters.closed


async def _pong_past(fixture: LimitFixture) -> None:
    async with _pinged(fixture) as (site, connection, reader, _):
        human, other = await joined(site, "human"), await joined(site, "other")
        site.clock.advance(3_000)
        connection.check(site.clock.now())
        while (told := await read_frame(reader))[0] != 8:
            pass
        assert told[1][:2] == (4008).to_bytes(2, "big")
        await chats(human, other)


PING_TIMEOUT = Pair(_pong_at, _pong_past)


@contextlib.asynccontextmanager
async def _begun(fixture: LimitFixture) -> AsyncIterator[tuple[Site, Connection, Any, Any]]:
    """Return a peer that sends a message slowly, just under the bound."""
    async with fixture.gateway(limits=_PINGS) as site, upgraded(site, "human") as (reader, writer):
        connection = _connection(site)
        writer.write(b"\x81\xfe\x20\x00mask")
        for _ in range(3):
            site.clock.advance(0 if not connection._reader.held else 1_000)
            writer.write(b"x")
            held = connection._reader.held
            async with asyncio.timeout(TIMEOUT):
                while connection._reader.held <= held:
                    await asyncio.sleep(0)
            connection.check(site.clock.now())
        site.clock.advance(999)
        yield site, connection, reader, writer


async def _message_at(fixture: LimitFixture) -> None:
    async with _begun(fixture) as (site, connection, _, __):
        connection.check(site.clock.now())
        assert not site.gateway.counters.closed


async def _message_past(fixture: LimitFixture) -> None:
    async with _begun(fixture) as (site, connection, reader, _):
        site.clock.advance(1)
        connection.check(site.clock.now())
        opcode, payload = await read_frame(reader)
        assert (opcode, payload[:2]) == (8, (4008).to_bytes(2, "big"))


MESSAGE_TIME = Pair(_message_at, _message_past)


_OUTBOX = 65_536


@contextlib.asynccontextmanager
async def _stuck(fixture: LimitFixture) -> AsyncIterator[tuple[Site, Connection, socket.socket]]:
    """Return a connection whose peer reads nothing, with data waiting."""
    limits = f"{{outbox_bytes: {_OUTBOX}, frame_bytes: 16384, outbox_stalled: 8s}}"
    async with fixture.gateway(limits=limits) as site:
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.setblocking(False)
            await _upgrade(site, peer)
            connection = _connection(site)
            while not connection._outbox.is_blocked:
                connection.write(_FRAMED)
            yield site, connection, peer


_FRAMED = header(1_024) + b" " * 1_024


async def _upgrade(site: Site, peer: socket.socket) -> None:
    host, port = site.url.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    await loop.sock_connect(peer, (host, int(port)))
    head = (
        f"GET /ws?space=demo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Authorization: Bearer {site.token('agent')}\r\n\r\n"
    )
    await loop.sock_sendall(peer, head.encode())
    async with asyncio.timeout(TIMEOUT):
        while not site.gateway.broker.links:
            await asyncio.sleep(0)


async def _outbox_at(fixture: LimitFixture) -> None:
    async with _stuck(fixture) as (site, connection, _):
        connection.write(b" " * (_OUTBOX - connection._outbox.size))  # the system takes nothing in between
        assert connection._outbox.size == _OUTBOX
        assert not site.gateway.counters.closed
        assert len(site.gateway.broker.links) == 1


async def _outbox_past(fixture: LimitFixture) -> None:
    async with _stuck(fixture) as (site, connection, _):
        connection.write(b" " * (_OUTBOX - connection._outbox.size + 1))
        assert site.gateway.counters.closed == {4008: 1}
        assert not site.gateway.broker.links
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)
        await site.leave(human)
        await chats(other, other, "gone without a trace")
        assert "agent" not in site.gateway.broker.engine["demo"].machine.members.present()


OUTBOX = Pair(_outbox_at, _outbox_past)


_STALLED = 8_000 - 8_000 // sockets._EARLY  # milliseconds: so early that it is gone when the time is over


async def _stalled_at(fixture: LimitFixture) -> None:
    async with _stuck(fixture) as (site, connection, _):
        connection.check(site.clock.now())
        site.clock.advance(_STALLED - 1)
        connection.check(site.clock.now())
        assert not site.gateway.counters.closed


async def _stalled_past(fixture: LimitFixture) -> None:
    async with _stuck(fixture) as (site, connection, _):
        connection.check(site.clock.now())
        site.clock.advance(_STALLED)
        connection.check(site.clock.now())
        assert site.gateway.counters.closed == {4008: 1}
        assert not site.gateway.broker.links
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


STALLED = Pair(_stalled_at, _stalled_past)
