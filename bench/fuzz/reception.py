"""A whole `Connection` without a network: a transport that keeps what is written, and a broker that listens."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Hashable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, cast

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal, Rejected
from mew_gateway.gateway.broker.batch import Message
from mew_gateway.gateway.broker.broker import Broker
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.rate_limiter import FRAMES
from mew_gateway.gateway.websocket.connection import AcceptContext, Connection
from mew_gateway.gateway.websocket.outbox import WriteTurns
from mew_gateway.gateway.websocket.work_queue import Step, WorkQueue

_CODES = (1002, 1007, 1009, 4009, 4501, 4503)  # what a client brings upon itself here


class Reception:
    """Where connections of one participant, `demo`'s `human`, are met one after the other. `limit` bounds a message."""

    def __init__(self, *, limit: int) -> None:
        self._loop = asyncio.new_event_loop()
        weakref.finalize(self, self._loop.close)
        self._limit = limit

    def meet(self, pieces: Iterable[bytes]) -> str:
        """What came of a connection that is sent these bytes, and lost. Raises `AssertionError`."""
        return self._loop.run_until_complete(self._meet(pieces))

    async def _meet(self, pieces: Iterable[bytes]) -> str:
        broker, counters, transport = _Hub(self._limit), Counters(), _Transport()
        door = AcceptContext(
            broker=cast(Broker, broker),
            work_queue=cast(WorkQueue, _AtOnce()),
            writing=WriteTurns(self._loop),
            authenticator=_Authenticator(),
            limits=GatewayLimits(frame_bytes=self._limit),
            counters=counters,
            is_allowed_origin=lambda origin, host: origin.endswith(host),
        )
        connection = Connection(door)
        connection.connection_made(transport)
        for piece in pieces:
            if transport.is_closing():
                break
            connection.data_received(piece)
        connection.check(broker.now)
        connection.connection_lost(None)
        assert set(counters.closed) <= {*_CODES}, f"closed with {dict(counters.closed)}"
        assert not door.open and not door.waiting, "a connection that is gone is kept"
        assert broker.seated is None or broker.left, "nobody was told that it left"
        return "not seated" if broker.seated is None else "heard" if broker.heard else "seated"


class _AtOnce:
    def put(self, _party: Hashable, step: Step) -> None:
        while step():
            pass


class _Authenticator:
    def identify(self, space: str, token: str) -> str | None:
        return "human" if (space, token) == ("demo", "right") else None


class _Hub:
    """Listens: what it hears must be whole and readable, and not come from who is gone."""

    def __init__(self, limit: int) -> None:
        self.now = self.awake = self.odd = 0
        self.unready: str | None = None
        self.sole_space = "demo"
        self.activity = SimpleNamespace(refuse_token=lambda _peer, _where: None)
        self.stalls = SimpleNamespace(expect=lambda _connection: None, heard=lambda _connection: None)
        self.error_replies = SimpleNamespace(compose=lambda rejected: rejected.code.encode())
        self.seated: int | None = None
        self.left = False
        self.heard = 0
        self._limit = limit

    def connect(
        self, space: str, participant: str, _: Any, *, alias: str | None = None, after: str | None = None
    ) -> int:
        assert (space, participant) == ("demo", "human")
        if alias is not None and len(alias) > 64:
            raise Rejected("join_refused", "That is no name.")
        if after == "kicked":
            raise Fatal(4503, "removed")
        self.seated = 1
        return 1

    def admit_connect(self, space: str, participant: str) -> None:
        assert (space, participant) == ("demo", "human")

    def admit_stranger(self) -> None:
        """They may come as often as they like."""

    def receive(self, _: int, messages: Sequence[Message], *, has_turn: bool = False) -> tuple[()]:
        assert self.seated is not None and not self.left, "it is heard from who is not here"
        assert not has_turn, "a turn is needed for what was put off, and nothing was"
        self.heard += len(messages)
        for data, is_text in messages:
            assert type(data) is bytes and len(data) <= self._limit
            assert not is_text or data.decode() is not None
        return ()

    def frames_left(self, _: int) -> int:
        return FRAMES - self.odd

    def spend_frames(self, _: int, frames: int) -> None:
        self.odd += frames

    def disconnect(self, _: int, *, unread: int) -> None:
        assert unread >= 0
        self.left = True


class _Transport(asyncio.Transport):
    """Takes everything at once."""

    def __init__(self) -> None:
        super().__init__()
        self._closing = False

    def write(self, data: Any) -> None:
        assert isinstance(data, bytes | bytearray)

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert (high, low) != (None, None)

    def can_write_eof(self) -> bool:
        return False

    def is_closing(self) -> bool:
        return self._closing

    def pause_reading(self) -> None:
        """What is read is in the test's hands."""

    def resume_reading(self) -> None:
        """As above."""

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True
