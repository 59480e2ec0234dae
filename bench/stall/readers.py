"""Bare WebSocket clients: one that speaks, many that listen, some that stop reading."""

from __future__ import annotations

import array
import asyncio
import contextlib
import fcntl
import json
import socket
import termios
import time
from typing import Any

from bench.failure import BenchFailure
from bench.wire import frame, upgrade

_PATIENCE = 30.0  # seconds for anything that must happen
_NARROW = 4096  # bytes that the system takes for a reader that does not read; it doubles them


class Listener(asyncio.Protocol):
    """Reads all the time. `late` has for each chat when it was sent (s, monotonic) and how long it took.

    `left` has, by participant, when it was told that they had left.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._buffer = bytearray()
        self._is_open = False
        self.joined = asyncio.get_running_loop().create_future()
        self.late: list[tuple[float, float]] = []
        self.left: dict[str, float] = {}
        self.fault: str | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(upgrade(self._token))

    def connection_lost(self, _: Exception | None) -> None:
        self.fault = self.fault or "a connection ended"
        if not self.joined.done():
            self.joined.set_exception(BenchFailure("A connection was refused."))

    def data_received(self, data: bytes) -> None:
        now, buffer = time.monotonic(), self._buffer
        buffer += data
        if not self._is_open:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            del buffer[: end + 4]
            self._is_open = True
        at = 0
        while (body := _body(buffer, at)) is not None:
            self._take(buffer, *body, now)
            at = body[1]
        del buffer[:at]

    def say(self, text: bytes) -> None:
        """Send a text frame."""
        self.transport.write(frame(text))

    def _take(self, buffer: bytearray, start: int, end: int, now: float) -> None:
        at = buffer.find(b'"payload":{"sent":', start, min(end, start + 400))
        if at >= 0:
            comma = buffer.index(b",", at)
            second = buffer.index(b",", comma + 1)
            sent, number = float(buffer[at + 18 : comma]), int(buffer[comma + 10 : second])
            if number != len(self.late):
                self.fault = f"chat {len(self.late)} was missing where {number} came"
            self.late.append((sent, now - sent))
            return
        envelope = json.loads(buffer[start:end]) if buffer[start - 2] != 0x88 else {}
        if envelope.get("kind") == "system/welcome":
            self.joined.set_result(None)
        elif envelope.get("kind") == "system/presence" and envelope["payload"]["event"] == "leave":
            self.left[envelope["payload"]["participant"]["id"]] = now
        elif envelope.get("kind") == "system/error":
            self.fault = f"an error came: {envelope['payload']}"


def _body(buffer: bytearray, at: int) -> tuple[int, int] | None:
    """Where the contents of the frame at a place are, if it is whole."""
    if len(buffer) - at < 2:
        return None
    size, start = buffer[at + 1] & 0x7F, at + 2
    if size == 126:
        size, start = int.from_bytes(buffer[at + 2 : at + 4]), at + 4
    elif size == 127:
        size, start = int.from_bytes(buffer[at + 2 : at + 10]), at + 10
    return (start, start + size) if start + size <= len(buffer) else None


def chat(number: int, size: int) -> bytes:
    """A chat of about so many bytes that says when it was sent."""
    head = f'{{"kind":"chat","payload":{{"sent":{time.monotonic():.6f},"number":{number},"text":"'
    return head.encode() + b"x" * (size - len(head) - 3) + b'"}}'


class Sleeper:
    """A connection that is read until `stop`, and never again."""

    def __init__(self, participant: str) -> None:
        self.participant = participant
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _NARROW)
        self._socket.setblocking(False)
        self._reading: asyncio.Task[None] | None = None
        self._held = -1
        self.full_at = 0.0  # when the system took something for it last

    async def join(self, port: int, token: str) -> None:
        """Join, and read from here on."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(_PATIENCE):
            await loop.sock_connect(self._socket, ("127.0.0.1", port))
            await loop.sock_sendall(self._socket, upgrade(token))
            came = b""
            while b"system/welcome" not in came:
                came += await loop.sock_recv(self._socket, 65_536)
        self._reading = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """Read nothing any more."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self.full_at = time.monotonic()

    def look(self) -> None:
        """See whether the system has taken something for it since the look before."""
        held = array.array("i", [0])
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._socket, termios.FIONREAD, held)
        if held[0] > self._held:
            self._held, self.full_at = held[0], time.monotonic()

    def close(self) -> None:
        self._socket.close()

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        while await loop.sock_recv(self._socket, 65_536):
            pass
