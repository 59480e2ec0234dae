"""`GET /spaces/{space}/events`: a session that only receives, as server-sent events (docs/protocol.md §6).

It is a connection like any other: it joins, counts as presence and against the limits, receives what its participant
may see, and is closed as a WebSocket is. The participant sends with POST.
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
from ..broker.spaces.fanout import TEXT, line_of, messages_in
from .bearer_token import Authentication
from .open_requests import Turn

MEDIA = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nothing between holds it back
_ALIVE = b": alive\n\n"
_PIECE = 65_536  # bytes
_RETRY_AFTER = 1_000  # ms


class EventEncoder:
    """Encodes messages as events. The last result is kept: many streams in a row are given the same bytes."""

    def __init__(self) -> None:
        self._data = b""
        self._events: tuple[bytes, ...] = ()

    def events_of(self, data: bytes) -> tuple[bytes, ...]:
        """Return the events of all messages in `data`."""
        if data is not self._data:
            self._data = data
            self._events = tuple(_encode(message, is_text=opcode == TEXT) for opcode, message in messages_in(data))
        return self._events

    def forget(self) -> None:
        """Drop the kept result."""
        self._data, self._events = b"", ()


class EventStream:
    """Link whose peer takes events over HTTP. At most `most` bytes wait for it; then it is closed (4008).

    `left` is called once, when the stream ends for any reason. `encoder` is shared by all streams.
    """

    def __init__(self, *, most: int, left: Callable[[], object], encoder: EventEncoder) -> None:
        self._wording = encoder
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
        return None  # the peer sends nothing

    def resume_reading(self) -> None:
        return None

    async def take(self, timeout: float) -> bytes | None:
        """Wait for events and return them; b"" after `timeout` seconds without one, None at the end."""
        if not self._waiting and not self._is_closed:
            self._changed.clear()
            try:
                async with asyncio.timeout(timeout):
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
class EventsEndpoint:
    """The endpoint. `open` has the open streams."""

    broker: Broker
    authentication: Authentication
    limits: GatewayLimits
    open: set[EventStream] = field(default_factory=set)
    encoder: EventEncoder = field(default_factory=EventEncoder)

    async def __call__(self, request: Request) -> Response:
        caller = await self.authentication.in_space(request, request.path_params["space"])
        if request.method == "HEAD":
            return Response(media_type=MEDIA, headers=_HEADERS)
        connection: int | None = None

        def left() -> None:
            self.open.discard(stream)
            self.encoder.forget()
            if connection is not None:
                self.broker.disconnect(connection)

        stream = EventStream(most=self.limits.outbox_bytes, left=left, encoder=self.encoder)
        self.broker.admit_connect(caller.space, caller.participant)
        try:
            connection = self.broker.connect(caller.space, caller.participant, stream, after=_last_id(request))
        except Fatal as fatal:
            _refuse(fatal)
        self.open.add(stream)
        return _EventResponse(stream, timeout=self.limits.ping_interval / 1000, turn=caller.turn)


class _EventResponse(StreamingResponse):
    """Response that sends a stream's events until it is closed or the peer disconnects."""

    def __init__(self, stream: EventStream, *, timeout: float, turn: Turn) -> None:
        super().__init__(_events(stream, timeout, turn), media_type=MEDIA, headers=_HEADERS)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.close(1000, "the peer has gone")


async def _events(stream: EventStream, timeout: float, turn: Turn) -> AsyncIterator[bytes]:
    """Yield the stream's events, with a turn before each piece of a large batch: there may be many streams."""
    while (events := await stream.take(timeout)) is not None:
        if len(events) <= _PIECE:
            yield events or _ALIVE
            continue
        for at in range(0, len(events), _PIECE):
            await turn()
            yield events[at : at + _PIECE]


def _refuse(fatal: Fatal) -> NoReturn:
    """Raise the `Rejected` that reports over HTTP why the stream cannot join."""
    more: dict[str, Any] = {"retry_after_ms": _RETRY_AFTER} if _code_of(fatal.close_code) == "rate_limited" else {}
    raise Rejected(_code_of(fatal.close_code), fatal.reason, **more)


def _code_of(close_code: int) -> str:
    if close_code == 1012:
        return "journal_unavailable"
    if close_code == 4503:
        return "removed"
    return "rate_limited"


def _last_id(request: Request) -> str | None:
    """Return the id of the last envelope that the client has, from the header that a browser's `EventSource` sends."""
    id = request.headers.get("last-event-id")
    return id.encode("latin-1").decode(errors="replace") if id else None


class _Head(msgspec.Struct):
    id: str
    sender: str = msgspec.field(name="from")


_head = msgspec.json.Decoder(_Head)


def _encode(message: bytes, *, is_text: bool) -> bytes:
    """Return the event of an envelope or of a stream's frame.

    The event of an envelope has its id if a client can resume after it. Error replies outside the record have none.
    """
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
