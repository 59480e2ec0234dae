"""`GET /spaces/{space}/events`: a session that only listens, as server-sent events (docs/protocol.md §6).

It is a connection like any other: it joins, counts as presence and against the limits, is given what its participant
may see and closed as a WebSocket is. What its participant says, it posts.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal, Rejected
from mew_gateway.protocol.ids import GATEWAY, is_gateway_id

from ..broker.broker import Broker
from ..broker.fanout import TEXT, line_of, messages_in
from .auth import Authentication
from .fair_queue import Turn

MEDIA = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nothing between holds it back
_ALIVE = b": alive\n\n"
_PIECE = 65_536  # bytes
_RETRY_AFTER = 1_000  # ms


class Wording:
    """Makes events of what a link is given, once for all streams in a row that are given the same."""

    def __init__(self) -> None:
        self._data = b""
        self._events: tuple[bytes, ...] = ()

    def events_of(self, data: bytes) -> tuple[bytes, ...]:
        """Return the events of all messages in it."""
        if data is not self._data:
            self._data = data
            self._events = tuple(_told(message, is_text=opcode == TEXT) for opcode, message in messages_in(data))
        return self._events

    def forget(self) -> None:
        """Let go of what nobody may be given again."""
        self._data, self._events = b"", ()


class EventStream:
    """A `ports.Link` whose peer takes events over HTTP. At most `most` bytes wait for it; then it is closed (4008).

    `left` is called once, when it ends, whoever ends it. `wording` is shared by all streams.
    """

    def __init__(self, *, most: int, left: Callable[[], object], wording: Wording) -> None:
        self._wording = wording
        self._most = most
        self._left = left
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._is_closed = False
        self._changed = asyncio.Event()

    def write(self, data: bytes) -> None:
        if self._is_closed:
            return
        for event in self._wording.events_of(data):
            self._put(event)
        if self._size > self._most:
            self._waiting.clear()
            self.close(4008, "too slow: the outbox is full")

    def close(self, code: int, reason: str) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._put(_event(msgspec.json.encode({"code": code, "reason": reason}), name=b"close"))
        self._left()

    def pause_reading(self) -> None:
        return None  # it never says anything

    def resume_reading(self) -> None:
        return None

    async def take(self, patience: float) -> bytes | None:
        """What waits, as soon as there is something; nothing after `patience` seconds; None at its end."""
        if not self._waiting and not self._is_closed:
            self._changed.clear()
            try:
                async with asyncio.timeout(patience):
                    await self._changed.wait()
            except TimeoutError:
                return b""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        return taken or None

    def _put(self, event: bytes) -> None:
        self._waiting.append(event)
        self._size += len(event)
        self._changed.set()


@dataclass(frozen=True, kw_only=True)
class Events:
    """The endpoint. `open` has the streams that are."""

    broker: Broker
    authentication: Authentication
    limits: GatewayLimits
    open: set[EventStream] = field(default_factory=set)
    wording: Wording = field(default_factory=Wording)

    async def __call__(self, request: Request) -> Response:
        visitor = await self.authentication.in_space(request, request.path_params["space"])
        if request.method == "HEAD":
            return Response(media_type=MEDIA, headers=_HEADERS)
        connection: int | None = None

        def left() -> None:
            self.open.discard(stream)
            self.wording.forget()
            if connection is not None:
                self.broker.disconnect(connection)

        stream = EventStream(most=self.limits.outbox_bytes, left=left, wording=self.wording)
        self.broker.admit_connect(visitor.space, visitor.participant)
        try:
            connection = self.broker.connect(visitor.space, visitor.participant, stream, after=_last_id(request))
        except Fatal as fatal:
            _refuse(fatal)
        self.open.add(stream)
        return _Answer(stream, patience=self.limits.ping_interval / 1000, turn=visitor.turn)


class _Answer(StreamingResponse):
    """Tells a stream's events until it is closed, or the peer has gone."""

    def __init__(self, stream: EventStream, *, patience: float, turn: Turn) -> None:
        super().__init__(_events(stream, patience, turn), media_type=MEDIA, headers=_HEADERS)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.close(1000, "the peer has gone")


async def _events(stream: EventStream, patience: float, turn: Turn) -> AsyncIterator[bytes]:
    """What the stream has to tell, with a turn before each piece of what is large: there may be many streams."""
    while (events := await stream.take(patience)) is not None:
        if len(events) <= _PIECE:
            yield events or _ALIVE
            continue
        for at in range(0, len(events), _PIECE):
            await turn()
            yield events[at : at + _PIECE]


def _refuse(fatal: Fatal) -> NoReturn:
    """It cannot join: answered over HTTP with the code that says so."""
    more: dict[str, Any] = {"retry_after_ms": _RETRY_AFTER} if _code_of(fatal.close_code) == "rate_limited" else {}
    raise Rejected(_code_of(fatal.close_code), fatal.reason, **more)


def _code_of(close_code: int) -> str:
    if close_code == 1012:
        return "journal_unavailable"
    if close_code == 4503:
        return "removed"
    return "rate_limited"


def _last_id(request: Request) -> str | None:
    """The envelope to go on behind, as the `EventSource` of a browser names it."""
    id = request.headers.get("last-event-id")
    return id.encode("latin-1").decode(errors="replace") if id else None


class _Head(msgspec.Struct):
    id: str
    sender: str = msgspec.field(name="from")


_head = msgspec.json.Decoder(_Head)


def _told(message: bytes, *, is_text: bool) -> bytes:
    """The event of an envelope or of a stream's frame. An envelope has its id, if one can go on behind it: refusals on
    the spot are no part of the record."""
    line = line_of(message, is_text=is_text)
    if message.startswith(b"#"):
        return _event(line, name=b"frame")
    head = _head.decode(message)
    is_recorded = head.sender != GATEWAY or is_gateway_id(head.id)
    return _event(line, id=head.id if is_recorded and head.id.isprintable() else None)


def _event(line: bytes, *, name: bytes | None = None, id: str | None = None) -> bytes:
    fields = [] if name is None else [b"event: " + name]
    fields += [] if id is None else [b"id: " + id.encode()]
    return b"\n".join([*fields, b"data: " + line.strip(), b"\n"])
