"""A joined connection without a socket, fed with a client's bytes in any segments."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from mew_gateway.config import GatewayLimits
from mew_gateway.gateway.broker.broker import Broker
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.rate_limiter import FRAMES
from mew_gateway.gateway.websocket.connection import AcceptContext, Connection
from mew_gateway.gateway.websocket.outbox import Outbox, WriteTurns
from mew_gateway.gateway.websocket.work_queue import Step, WorkQueue

from ...kit.frames import Frame, taken
from .cases import LIMIT

HEAD = (
    b"GET /ws?space=demo HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer T\r\n\r\n"
)


class Outcome(NamedTuple):
    """The messages received, the frames answered, and whether the connection has ended."""

    messages: tuple[tuple[bytes, bool], ...]
    answers: tuple[Frame, ...]
    has_ended: bool


class MemoryTransport(asyncio.Transport):
    """Transport that keeps the written bytes. `is_closed`: our side has ended; input is still read."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.writes = 0
        self.is_closed = self.is_cut = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes += 1
        if not self.is_closed:
            self.written += data

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = self.is_cut = True

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed

    def pause_reading(self) -> None:
        """Do nothing: the test decides what is read."""

    def resume_reading(self) -> None:
        """Do nothing, as above."""

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: it buffers nothing."""


class BrokerStub:
    """The part of a broker that a connection uses; it admits everything."""

    def __init__(self) -> None:
        self.now = self.awake = self.small_frames = 0
        self.sole_space = "demo"
        self.stalls = SimpleNamespace(expect=lambda _connection: None, heard=lambda _connection: None)
        self.activity = SimpleNamespace(refuse_token=lambda _peer, _where: None)
        self.heard: list[tuple[bytes, bool]] = []
        self.left = 0

    def identify(self, _space: str, _token: str) -> str:
        return "human"

    def connect(self, *_: Any, **__: Any) -> int:
        return 1

    def admit_connect(self, _space: str, _participant: str) -> None:
        """Admit any number of connections."""

    def receive(self, _connection: int, messages: Sequence[tuple[bytes, bool]], *, has_turn: bool = False) -> tuple[()]:
        self.heard += messages
        return ()

    def frames_left(self, _connection: int) -> int:
        return FRAMES - self.small_frames

    def spend_frames(self, _connection: int, frames: int) -> None:
        self.small_frames += frames

    def disconnect(self, _connection: int, *, unread: int) -> None:
        self.left += 1


class ImmediateQueue:
    """Work queue that runs steps at once."""

    def put(self, _party: Hashable, step: Step) -> None:
        while step():
            pass


class UnboundedTurns:
    """Write turns without a bound."""

    def affords(self, _size: int) -> bool:
        return True

    def put(self, outbox: Outbox) -> None:
        outbox.flush()


class JoinedConnection:
    """A connection that has been upgraded and joined."""

    def __init__(self) -> None:
        self.broker = BrokerStub()
        self.transport = MemoryTransport()
        self.counters = Counters()
        limits = GatewayLimits(frame_bytes=LIMIT)
        self.connection = Connection(
            AcceptContext(
                broker=cast(Broker, self.broker),
                work_queue=cast(WorkQueue, ImmediateQueue()),
                writing=cast(WriteTurns, UnboundedTurns()),
                authenticator=self.broker,
                limits=limits,
                counters=self.counters,
                is_allowed_origin=lambda _origin, _host: True,
            )
        )
        self.connection.connection_made(self.transport)
        self.connection.data_received(HEAD)
        assert self.transport.written.startswith(b"HTTP/1.1 101 ")
        self.transport.written.clear()

    def feed(self, *segments: bytes) -> JoinedConnection:
        """Receive these TCP segments."""
        for segment in segments:
            self.connection.data_received(segment)
        return self

    def outcome(self) -> Outcome:
        """End the connection and return the outcome."""
        self.connection.connection_lost(None)
        return Outcome(tuple(self.broker.heard), tuple(taken(bytes(self.transport.written))), self.transport.is_closed)
