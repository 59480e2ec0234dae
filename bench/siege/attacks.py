"""The attacks, each on many connections at once, in a process of their own: `python -m bench.siege.attacks`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

from bench.command import exit_on_signals
from bench.wire import envelope, frame, upgrade

_AGAIN = 0.01  # seconds until whoever was cut off comes back
_BURST = 65_536  # bytes written at once

_PING = frame(b"", first=0x89)
_EMPTY = frame(b"")
_GARBAGE = frame(b"{")


class Target:
    """The gateway that is attacked; `token` is that of a participant."""

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

    async def flooded(self, data: bytes, *, token: str | None) -> None:
        """Open a WebSocket and send this as fast as it is taken, until it is cut off."""
        async with self.connected() as (reader, writer):
            writer.write(upgrade(token))
            await reader.readuntil(b"\r\n\r\n")
            burst = data * (_BURST // len(data))
            while not reader.at_eof():
                writer.write(burst)
                await writer.drain()
                await asyncio.sleep(0)

    async def asked(self, request: str, body: bytes = b"") -> None:
        """Ask that over HTTP, again and again, each time when the answer is there."""
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        said = f"{request} HTTP/1.1\r\nHost: bench\r\n{bearer}".encode()
        said += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() if body else b"\r\n"
        async with self.connected() as (reader, writer):
            while True:
                writer.write(said + body)
                head = await reader.readuntil(b"\r\n\r\n")
                _, _, length = head.lower().partition(b"content-length:")
                await reader.readexactly(int(length.split(maxsplit=1)[0]))

    async def refused(self) -> None:
        """Come with a token that is none."""
        async with self.connected() as (reader, writer):
            writer.write(upgrade("mew_nobody"))
            await reader.read()


Attack: TypeAlias = Callable[[Target], Awaitable[None]]

_POST = envelope("chat", {"text": "x"}, id="always the same").encode()

# By what is done, and by whom: on how many connections, and what each of them does.
ATTACKS: dict[str, tuple[int, Attack]] = {
    "empty messages, strangers": (20, lambda target: target.flooded(_EMPTY, token=None)),
    "pings, strangers": (20, lambda target: target.flooded(_PING, token=None)),
    "wrong tokens, strangers": (20, lambda target: target.refused()),
    "/openapi.json, strangers": (20, lambda target: Target(target.port, "").asked("GET /openapi.json")),
    "empty messages, a participant": (10, lambda target: target.flooded(_EMPTY, token=target.token)),
    "garbage, a participant": (10, lambda target: target.flooded(_GARBAGE, token=target.token)),
    "pings, a participant": (10, lambda target: target.flooded(_PING, token=target.token)),
    "history, a participant": (50, lambda target: target.asked("GET /spaces/bench/history?limit=1000")),
    "timeline, a participant": (50, lambda target: target.asked("GET /spaces/bench/timeline?limit=1000")),
    "posts, a participant": (50, lambda target: target.asked("POST /participants/p2/messages", _POST)),
}


async def attack(name: str, target: Target) -> None:
    """Keep it up, until cancelled."""
    connections, once = ATTACKS[name]

    async def again() -> None:
        while True:
            with contextlib.suppress(OSError, EOFError):
                await once(target)
            await asyncio.sleep(_AGAIN)

    await asyncio.gather(*(again() for _ in range(connections)))


if __name__ == "__main__":
    exit_on_signals()
    asyncio.run(attack(sys.argv[1], Target(int(sys.argv[2]), sys.argv[3])))
