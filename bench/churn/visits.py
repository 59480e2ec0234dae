"""Those who come and go: each visit is one way to connect, and one to end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from bench.churn.process import CAST, VISITORS, Gateway
from bench.wire import envelope, frame, upgrade

_PATIENCE = 20.0  # seconds for anything that must happen on a visit
_MOST = 4_194_304  # bytes that are looked through for what must come


class Wire:
    """A bare connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, port: int) -> Wire:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=_MOST))

    def say(self, data: bytes) -> None:
        self._writer.write(data)

    async def until(self, found: bytes) -> bytes:
        """Everything up to these bytes."""
        return await self._reader.readuntil(found)

    async def ended(self) -> None:
        """Wait for the other side to end it."""
        with contextlib.suppress(OSError):
            while await self._reader.read(65_536):
                pass
        self.end()

    def end(self) -> None:
        self._writer.close()

    def reset(self) -> None:
        """End it without another word: RST."""
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()


def framed(kind: str, payload: dict[str, Any], **fields: Any) -> bytes:
    """A frame with an envelope."""
    return frame(envelope(kind, payload, **fields).encode())


class Visits:
    """Makes visits, at random, each by a visitor at random. `counts` says how many of each there were, `faults` on how
    many something did not happen that must, and `fault` what it was the last time."""

    def __init__(self, gateway: Gateway, draw: random.Random) -> None:
        self._gateway = gateway
        self._draw = draw
        self.counts: dict[str, int] = {}
        self.faults: dict[str, int] = {}
        self.fault = ""
        self.latest = ""  # id of a chat that was said lately

    async def one(self) -> None:
        """The next."""
        visit = self._draw.choice(_VISITS)
        name = visit.__name__.removeprefix("_").replace("_", " ")
        self.counts[name] = self.counts.get(name, 0) + 1
        try:
            async with asyncio.timeout(_PATIENCE):
                await visit(self)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as error:
            self.faults[name] = self.faults.get(name, 0) + 1
            self.fault = f"{name}: {error!r}"

    async def wire(self) -> Wire:
        return await Wire.to(self._gateway.server.port)

    def token(self, number: int | None = None) -> str:
        """Of the participant with this number, or of some visitor."""
        return self._gateway.server.token % (CAST + self._draw.randrange(VISITORS) if number is None else number)

    async def joined(self, *, after: str = "") -> Wire:
        wire = await self.wire()
        wire.say(upgrade(self.token(), after=after))
        await wire.until(b"system/welcome")
        return wire

    async def request(self, method: str, path: str, token: str, body: bytes = b"") -> None:
        wire = await self.wire()
        wire.say(
            f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await wire.ended()


async def _leave_cleanly(visits: Visits) -> None:
    wire = await visits.joined()
    wire.say(framed("chat", {"text": "hello"}) + frame(b"\x03\xe8", first=0x88))
    await wire.ended()


async def _are_reset(visits: Visits) -> None:
    (await visits.joined()).reset()


async def _are_reset_amid_a_frame(visits: Visits) -> None:
    wire = await visits.joined()
    wire.say(framed("chat", {"text": "x" * 1000})[:500])
    wire.reset()


async def _end_amid_the_request(visits: Visits) -> None:
    wire = await visits.wire()
    wire.say(upgrade(visits.token())[:60])
    wire.reset()


async def _drip_and_are_cut(visits: Visits) -> None:
    wire = await visits.wire()
    wire.say(b"GET /health HTTP/1.1\r\nX-Drip: ")
    await wire.ended()


async def _have_a_wrong_token(visits: Visits) -> None:
    wire = await visits.wire()
    wire.say(upgrade("mew_wrong_token_wrong_token"))
    await wire.until(b" 401 ")
    await wire.ended()


async def _join_wrongly(visits: Visits) -> None:
    wire = await visits.wire()
    wire.say(upgrade(None) + frame(b'{"type":"join","token":"mew_wrong"}'))
    await wire.ended()


async def _join_by_another_name(visits: Visits) -> None:
    wire = await visits.wire()
    join = {"type": "join", "space": "bench", "token": visits.token(), "participantId": f"n-{os.urandom(4).hex()}"}
    wire.say(upgrade(None) + frame(json.dumps(join).encode()))
    await wire.until(b"system/welcome")
    wire.reset()


async def _say_garbage(visits: Visits) -> None:
    wire = await visits.joined()
    wire.say(frame(b'{"kind":') + framed("x/y", {}, **{"from": "somebody"}))
    await wire.until(b"identity_mismatch")
    wire.say(frame(os.urandom(20), first=0x83))
    await wire.ended()


async def _say_no_http(visits: Visits) -> None:
    wire = await visits.wire()
    wire.say(os.urandom(40).replace(b"\n", b" ") + b"\r\n\r\n")
    await wire.ended()


async def _resume(visits: Visits) -> None:
    (await visits.joined(after=visits.latest or "unknown")).reset()


async def _post(visits: Visits) -> None:
    token, path = visits.token(CAST), f"/participants/p{CAST}/messages"
    for payload in ({"text": "posted"}, {}):
        await visits.request("POST", path, token, envelope("chat", payload).encode())


async def _read(visits: Visits) -> None:
    for path in ("/spaces/bench/history?limit=5", "/spaces/bench/timeline?limit=5", "/metrics", "/nothing"):
        await visits.request("GET", path, visits.token())


async def _leave_everything_open(visits: Visits) -> None:
    wire = await visits.joined()
    run = os.urandom(6).hex()
    wire.say(
        framed("reasoning/start", {"message": "and gone"}, id=run)
        + framed("stream/request", {"direction": "upload"})
        + framed("mcp/request", {"method": "tools/list"}, to=["p0"])
        + framed("mcp/proposal", {"method": "tools/list"})
        + framed("reasoning/interrupt", {"reason": "timeout", "message": "x"}, to=["p0"], correlation_id=[run])
    )
    await wire.until(b"stream/open")
    wire.reset()


async def _are_invited_and_kicked(visits: Visits) -> None:
    host, name = await visits.joined(), f"guest-{os.urandom(4).hex()}"
    host.say(framed("space/invite", {"participant_id": name, "email": "a@b.example"}))
    await host.until(b'"space/invite-ack"')
    token = (await host.until(b'"token":"') and await host.until(b'"'))[:-1].decode()
    guest = await visits.wire()
    guest.say(upgrade(token))
    await guest.until(b"system/welcome")
    host.say(framed("space/kick", {"participant_id": name}))
    await guest.ended()
    host.reset()


Visit: TypeAlias = Callable[[Visits], Awaitable[None]]
_VISITS: tuple[Visit, ...] = (
    _leave_cleanly,
    _are_reset,
    _are_reset_amid_a_frame,
    _end_amid_the_request,
    _drip_and_are_cut,
    _have_a_wrong_token,
    _join_wrongly,
    _join_by_another_name,
    _say_garbage,
    _say_no_http,
    _resume,
    _post,
    _read,
    _leave_everything_open,
    _are_invited_and_kicked,
)
