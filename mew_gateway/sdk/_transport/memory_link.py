"""Link within one process: what a client sends is handed over at once."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from mew_gateway.errors import MewError

from .reconnect import ended

_ABNORMAL = 1006


class Peer(Protocol):
    """Other end of a memory link."""

    def take(self, link: MemoryLink, data: bytes, *, text: bool) -> None:
        """Take a frame that the client sent."""

    def leave(self, link: MemoryLink) -> None:
        """Note that the client has ended the link."""


class MemoryLink:
    """Link without a socket. `connection` is its number at the peer, `participant` is the owner's id."""

    def __init__(self, peer: Peer, connection: int, participant: str) -> None:
        self.connection = connection
        self.participant = participant
        self._peer = peer
        self._frames: deque[str | bytes] = deque()
        self._arrived = asyncio.Event()
        self._end: MewError | None = None

    async def send(self, *frames: bytes, text: bool) -> None:
        for data in frames:
            if self._end is not None:
                raise self._end
            self._peer.take(self, data, text=text)

    async def receive(self) -> str | bytes:
        while not self._frames:
            if self._end is not None:
                raise self._end
            self._arrived.clear()
            await self._arrived.wait()
        return self._frames.popleft()

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self._end is None:
            self.end(_ABNORMAL, "")
            self._peer.leave(self)

    def put(self, data: bytes, *, text: bool = True) -> None:
        """Deliver a frame to the client."""
        self._frames.append(data.decode() if text else data)
        self._arrived.set()

    def end(self, code: int, reason: str) -> None:
        """End the link with a close code: no more frames come."""
        self._end = ended(code, reason)
        self._arrived.set()
