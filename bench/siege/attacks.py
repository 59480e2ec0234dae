"""The attacks, each on many connections at once, in a process of their own: `python -m bench.siege.attacks`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from bench.command import exit_on_signals
from bench.wire import envelope, upgrade
from bench.wire import frame as short

_AGAIN = 0.01  # seconds until whoever was cut off comes back
_BURST = 65_536  # bytes written at once
ATTACKERS = (2, 5, 6)  # the numbers of the participants who attack


def frame(data: bytes, *, first: int = 0x81) -> bytes:
    """A client's frame of any length, its mask zero."""
    if len(data) < 65_536:
        return short(data, first=first)
    return bytes((first, 0xFF)) + len(data).to_bytes(8) + bytes(4) + data


class Target:
    """The gateway that is attacked; `token` is that of the participant who does."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
        """A connection over TCP."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def upgraded(self, token: str | None) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
        """A WebSocket, whose messages are thrown away."""
        async with self.connected() as (reader, writer):
            writer.write(upgrade(token))
            await reader.readuntil(b"\r\n\r\n")
            swallowing = asyncio.create_task(_swallow(reader))
            try:
                yield reader, writer
            finally:
                swallowing.cancel()

    async def flooded(self, data: bytes, *, token: str | None) -> None:
        """Open a WebSocket and send this as fast as it is taken, until it is cut off."""
        async with self.upgraded(token) as (reader, writer):
            burst = data * max(_BURST // len(data), 1)
            while not reader.at_eof():
                writer.write(burst)
                await writer.drain()
                await asyncio.sleep(0)

    async def paced(self, data: bytes, per_second: float) -> None:
        """Open a WebSocket and send this so often, which is within the rates."""
        async with self.upgraded(self.token) as (reader, writer):
            while not reader.at_eof():
                writer.write(data)
                await writer.drain()
                await asyncio.sleep(1 / per_second)

    async def visited(self, data: bytes) -> None:
        """Open a WebSocket, send this and go."""
        async with self.upgraded(self.token) as (_, writer):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(0.05)

    async def poured(self, head: bytes, data: bytes, *, pause: float = 0) -> None:
        """Send a head over HTTP, and then this, again and again, until it is cut off."""
        async with self.connected() as (reader, writer):
            writer.write(head)
            swallowing = asyncio.create_task(_swallow(reader))
            try:
                while not reader.at_eof():
                    writer.write(data)
                    await writer.drain()
                    await asyncio.sleep(pause)
            finally:
                swallowing.cancel()

    async def asked(self, request: str, body: bytes = b"", *, headers: str = "") -> None:
        """Ask that over HTTP, again and again, each time when the answer is there."""
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        said = f"{request} HTTP/1.1\r\nHost: bench\r\n{bearer}{headers}".encode()
        said += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() if body else b"\r\n"
        async with self.connected() as (reader, writer):
            while True:
                writer.write(said + body)
                head = await reader.readuntil(b"\r\n\r\n")
                _, _, length = head.lower().partition(b"content-length:")
                if length:
                    await reader.readexactly(int(length.split(maxsplit=1)[0]))
                else:
                    await _read_chunks(reader)

    async def refused(self) -> None:
        """Come with a token that is none."""
        async with self.connected() as (reader, writer):
            writer.write(upgrade("mew_nobody"))
            await reader.read()

    async def resumed(self, after: str) -> None:
        """Come back behind an envelope, and go."""
        async with self.connected() as (reader, writer):
            writer.write(upgrade(self.token, after=after))
            await reader.readuntil(b"\r\n\r\n")
            await reader.read(65_536)

    async def listened(self) -> None:
        """Read an event stream, until it ends."""
        async with self.connected() as (reader, writer):
            head = f"GET /spaces/bench/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self.token}\r\n\r\n"
            writer.write(head.encode())
            await _swallow(reader)

    @property
    def chunked(self) -> bytes:
        """The head of a post in chunks."""
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        return (
            f"POST /participants/p2/messages HTTP/1.1\r\nHost: bench\r\n{bearer}"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        ).encode()


async def _read_chunks(reader: asyncio.StreamReader) -> None:
    size = 1
    while size:
        size = int(await reader.readline(), 16)
        await reader.readexactly(size + 2)


async def _swallow(reader: StreamReader) -> None:
    with contextlib.suppress(OSError):
        while await reader.read(262_144):
            pass


Attack: TypeAlias = Callable[[Target], Awaitable[None]]


def _stranger(target: Target) -> Target:
    return Target(target.port, "")


def _chat(more: str) -> bytes:
    return frame(f'{{"kind":"chat","payload":{{"text":"x","more":{more}}}}}'.encode())


def _list(item: str, number: int) -> bytes:
    return _chat("[" + ",".join([item] * number) + "]")


_PING = frame(b"", first=0x89)
_EMPTY = frame(b"")
_GARBAGE = frame(b"{")
_FRAGMENT = frame(b"x", first=0x00)
_POST = envelope("chat", {"text": "x"}, id="always the same").encode()
_CHUNKS = b"1\r\nx\r\n" * (_BURST // 6)
_OBJECTS = _list("{}", 6_600)
_LISTS = _list("[]", 330_000)
_JUST_ALLOWED = _list("[]", 32_000)
_DEEP = _list("[" * 50 + "]" * 50, 190)
_NESTED = _chat("[" * 10_000 + "]" * 10_000)
_QUOTES = _list('""', 300_000)
_ESCAPES = _chat('"' + '\\",' * 300_000 + '"')
_NUMBERS = _list("1", 40_000)
_EXTREME = _list("1e308", 60_000)
_EXTREME_JOIN = frame(f'{{"type":"join","token":"x","more":[{",".join(["1e308"] * 2_600)}]}}'.encode())
_MEGABYTE = envelope("chat", {"text": "x" * 1_000_000}).encode()
_SHORT_FRAGMENTS = frame(b"x", first=0x01) + _FRAGMENT * 1_989
_PINGS = _PING * 1_990
_LONG_FRAGMENTS = frame(b"x" * 256, first=0x01) + frame(b"x" * 256, first=0x00) * 1_998 + frame(b"", first=0x80)
_ENDLESS = frame(b"x" * 256, first=0x01) + frame(b"x" * 256, first=0x00) * 1_999
_HEADERS = b"GET /ready HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * 4_000 + b"\r\n"
_PIPELINE = b"GET /ready HTTP/1.1\r\nHost: x\r\n\r\n" * 1_000
_TRAILERS = b"0\r\n" + b"a:\r\n" * 4_000 + b"\r\n"
_GRANT = frame(
    envelope(
        "capability/grant", {"recipient": "p5", "capabilities": [{"kind": f"x/{'y' * 60}{n}"} for n in range(100)]}
    ).encode()
)
_SMALL_GRANT = frame(envelope("capability/grant", {"recipient": "p5", "capabilities": [{"kind": "chat"}]}).encode())
_REVOCATION = frame(envelope("capability/revoke", {"recipient": "p5", "capabilities": [{"kind": "chat"}]}).encode())
_SMALL_OBJECTS = {"method": "x", "params": {"l": [{"": 0}] * 7_500}}
_PROPOSALS = [f"proposal {number}" for number in range(60)]
_INVITATION = frame(
    envelope(
        "space/invite",
        {"participant_id": "guest", "initial_capabilities": [{"kind": f"x/{'y' * 90}{n}"} for n in range(256)]},
    ).encode()
)
_FAST = frame(envelope("chat", {"text": "x"}).encode())

# By what is done, and by whom: on how many connections, and what each of them does.
ATTACKS: dict[str, tuple[int, Attack]] = {
    "empty messages, strangers": (20, lambda target: target.flooded(_EMPTY, token=None)),
    "pings, strangers": (20, lambda target: target.flooded(_PING, token=None)),
    "wrong tokens, strangers": (20, lambda target: target.refused()),
    "/openapi.json, strangers": (20, lambda target: _stranger(target).asked("GET /openapi.json")),
    "/metrics, strangers": (20, lambda target: _stranger(target).asked("GET /metrics")),
    "chunks of a byte, a stranger": (1, lambda target: target.poured(_stranger(target).chunked, _CHUNKS)),
    "chunks of a byte, 50 strangers": (50, lambda target: target.poured(_stranger(target).chunked, _CHUNKS)),
    "1,000 chunks a second each, 200 strangers": (
        200,
        lambda target: target.poured(_stranger(target).chunked, b"1\r\nx\r\n" * 50, pause=0.05),
    ),
    "heads that drip, 200 strangers": (200, lambda target: target.poured(b"GET / HTTP/1.1\r\n", b"a:\r\n", pause=0.01)),
    "many small headers, strangers": (20, lambda target: target.poured(b"", _HEADERS)),
    "pipelined requests, strangers": (50, lambda target: target.poured(b"", _PIPELINE)),
    "trailers, strangers": (20, lambda target: target.poured(_stranger(target).chunked, _TRAILERS)),
    "come and go, strangers": (50, lambda target: _come_and_go(target)),
    "chunks of a byte, a participant": (1, lambda target: target.poured(target.chunked, _CHUNKS)),
    "empty messages, a participant": (10, lambda target: target.flooded(_EMPTY, token=target.token)),
    "garbage, a participant": (10, lambda target: target.flooded(_GARBAGE, token=target.token)),
    "pings, a participant": (10, lambda target: target.flooded(_PING, token=target.token)),
    "fast frames, a participant": (8, lambda target: target.flooded(_FAST, token=target.token)),
    "20 KB of {} 190 times a second, a participant": (1, lambda target: target.paced(_OBJECTS, 190)),
    "20 KB of {} on 8, a participant": (8, lambda target: target.flooded(_OBJECTS, token=target.token)),
    "1 MB of [] 4 times a second, a participant": (1, lambda target: target.paced(_LISTS, 4)),
    "the most tokens that are allowed, a participant": (8, lambda target: target.paced(_JUST_ALLOWED, 4)),
    "50 levels, a participant": (1, lambda target: target.paced(_DEEP, 100)),
    "10,000 levels, a participant": (8, lambda target: target.paced(_NESTED, 25)),
    "1 MB of quotes, a participant": (4, lambda target: target.paced(_QUOTES, 1)),
    "1 MB of escapes, a participant": (4, lambda target: target.paced(_ESCAPES, 1)),
    "80 KB of numbers, a participant": (1, lambda target: target.paced(_NUMBERS, 50)),
    "short fragments and away, a participant": (8, lambda target: target.visited(_SHORT_FRAGMENTS)),
    "pings and away, a participant": (8, lambda target: target.visited(_PINGS)),
    "a message that never ends, a participant": (8, lambda target: target.visited(_ENDLESS)),
    "messages of 2,000 fragments, a participant": (8, lambda target: target.paced(_LONG_FRAGMENTS, 1)),
    "reconnects in circles, a participant": (8, lambda target: target.visited(b"")),
    "history, a participant": (50, lambda target: target.asked("GET /spaces/bench/history?limit=1000")),
    "timeline, a participant": (50, lambda target: target.asked("GET /spaces/bench/timeline?limit=1000")),
    "interrupts listed, a participant": (50, lambda target: target.asked("GET /spaces/bench/interrupts?limit=1000")),
    "sequences listed, a participant": (50, lambda target: target.asked("GET /spaces/bench/sequences?limit=1000")),
    "posts, a participant": (50, lambda target: target.asked("POST /participants/p2/messages", _POST)),
    "grants and their welcomes, a participant": (1, lambda target: target.paced(_GRANT, 100)),
    "1,000 grants of a few bytes and back, a participant": (1, lambda target: _granted_and_revoked(target)),
    "requests that name 60 proposals of 60 KB, a participant": (1, lambda target: _compared(target)),
    "the same guest invited, a participant": (1, lambda target: target.paced(_INVITATION, 100)),
    "resumes behind what was refused, a participant": (8, lambda target: target.resumed("always+the+same")),
    "resumes behind all that is on record, a participant": (8, lambda target: target.resumed("gw-at-0-x")),
    "extreme numbers, a participant": (8, lambda target: target.paced(_EXTREME, 4)),
    "extreme numbers in join frames, strangers": (20, lambda target: target.flooded(_EXTREME_JOIN, token=None)),
    "1 MB to 7 event streams, a participant": (1, lambda target: _to_listeners(target)),
    "1 MB that is refused, posts of a participant": (
        8,
        lambda target: target.asked("POST /participants/p2/messages", _MEGABYTE),
    ),
}
# Three attackers, each with one of these.
TOGETHER: dict[str, tuple[str, ...]] = {
    "three: {}, chunks, listings": (
        "20 KB of {} 190 times a second, a participant",
        "chunks of a byte, 50 strangers",
        "interrupts listed, a participant",
    ),
    "three of 20 KB of {}": ("20 KB of {} 190 times a second, a participant",) * 3,
    "three: [], pings and away, pipelines": (
        "1 MB of [] 4 times a second, a participant",
        "pings and away, a participant",
        "pipelined requests, strangers",
    ),
}
NAMES = (*ATTACKS, *TOGETHER)


async def _to_listeners(target: Target) -> None:
    """A megabyte three times a second to event streams of one's own: with the sender's, as many as one may have."""
    listening = [asyncio.create_task(target.listened()) for _ in range(7)]
    try:
        await target.paced(frame(_MEGABYTE), 3)
    finally:
        for one in listening:
            one.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def _granted_and_revoked(target: Target) -> None:
    """Grants of a few bytes each to one participant, as fast as they are taken, and all of them back."""
    async with target.upgraded(target.token) as (reader, writer):
        while not reader.at_eof():
            for number in range(1_010):
                writer.write(_SMALL_GRANT if number < 1_000 else _REVOCATION)
                await writer.drain()
                await asyncio.sleep(1 / 180)


async def _compared(target: Target) -> None:
    """Proposals that ask for the same, and requests that name all of them and differ from the last one."""
    async with target.upgraded(target.token) as (reader, writer):

        async def said(kind: str, pause: float, **fields: object) -> None:
            payload = fields.pop("payload", _SMALL_OBJECTS)
            assert isinstance(payload, dict)
            writer.write(frame(envelope(kind, payload, **fields).encode()))
            await writer.drain()
            await asyncio.sleep(pause)

        await said("mcp/proposal", 0, id="another", payload={"method": "x", "params": {}})
        while not reader.at_eof():
            for id in _PROPOSALS:  # those that are open are refused
                await said("mcp/proposal", 0.02, id=id)
                await said("mcp/request", 0.02, correlation_id=[*_PROPOSALS, "another"])


async def _come_and_go(target: Target) -> None:
    async with target.connected():
        pass


async def attack(name: str, targets: list[Target]) -> None:
    """Keep it up, until cancelled: each of those together is somebody else's."""

    async def again(once: Attack, target: Target) -> None:
        while True:
            with contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError):
                await once(target)
            await asyncio.sleep(_AGAIN)

    going = []
    for nth, one in enumerate(TOGETHER.get(name, (name,))):
        connections, once = ATTACKS[one]
        going += [again(once, targets[nth]) for _ in range(connections)]
    await asyncio.gather(*going)


class _Dummy(asyncio.Protocol):
    """Takes everything and understands nothing; whoever waits for an answer has one."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if b"\r\n\r\n" in data:
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


async def _main(name: str, port: int, token: str) -> None:
    if not port:  # what attackers take of the processor is not the gateway's doing
        server = await asyncio.get_running_loop().create_server(_Dummy, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
    await attack(name, [Target(port, token % number) for number in ATTACKERS])


if __name__ == "__main__":
    exit_on_signals()
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
