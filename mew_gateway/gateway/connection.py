"""One WebSocket connection: handshake, messages in, frames out, and every way it can end (docs/protocol.md §1)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal

from .frames import FrameReader, Message
from .hub import Hub
from .metrics import Counters

logger = logging.getLogger("mew.connection")

SUBPROTOCOL = "mew.v0.4"
_TOKEN_PREFIX = "mew.token."
_LINGER = 2.0  # seconds that a peer gets to answer our close frame, before the transport is aborted
_wire = logging.getLogger("mew.wire")


class Authenticator(Protocol):
    """Knows whose token it is."""

    def identify(self, space: str, token: str) -> str | None:
        """The participant of that space, or None."""


@dataclass(frozen=True, kw_only=True)
class Door:
    """What every connection of a gateway shares: who may come in, where to, and what it may cost.

    `is_allowed_origin` is asked with a browser's `Origin` and `Host`; `open` has all whose transport still is.
    """

    hub: Hub
    authenticator: Authenticator
    limits: GatewayLimits
    counters: Counters
    is_allowed_origin: Callable[[str, str], bool]
    open: set[Connection] = field(default_factory=set)


class Connection(asyncio.Protocol):
    """A `ports.Link` over a transport. Takes over from the HTTP protocol with the upgrade request."""

    __slots__ = (
        "_awaiting_pong_since",
        "_closing",
        "_door",
        "_heard_at",
        "_linger",
        "_number",
        "_protocol",
        "_reader",
        "_taken",
        "_taken_at",
        "_transport",
        "_written",
    )

    def __init__(self, door: Door) -> None:
        self._door = door
        self._protocol = ServerProtocol(
            max_size=door.limits.frame_bytes,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_select_subprotocol,
            logger=_wire,
        )
        self._reader = FrameReader(self._protocol, limit=door.limits.frame_bytes)
        self._number: int | None = None
        self._closing = False
        self._linger: asyncio.TimerHandle | None = None
        self._written = 0
        self._taken = 0
        self._heard_at = self._taken_at = door.hub.now
        self._awaiting_pong_since: int | None = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._door.open.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None
        self._door.open.discard(self)
        self._leave()

    def eof_received(self) -> None:
        return None  # the transport closes itself

    def data_received(self, data: bytes) -> None:
        if self._closing:
            self._reader.feed(data)  # only for the close frame that answers ours
            self._say()
            return
        if self._number is None:
            self._handshake(data)
            return
        self._heard_at, self._awaiting_pong_since = self._door.hub.now, None  # whoever sends is alive
        messages = self._reader.feed(data)
        if messages:
            self._take(self._number, messages)
        self._say()

    # ports.Link

    def write(self, data: bytes) -> None:
        transport = self._transport
        if self._closing or transport.is_closing():
            return
        transport.write(data)
        self._written += len(data)
        if transport.get_write_buffer_size() > self._door.limits.outbox_bytes:
            self.close(4008, "too slow: the outbox is full")

    def close(self, code: int, reason: str) -> None:
        if self._closing:
            return
        self._closing = True
        self._door.counters.closed[code] += 1
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code, reason)
            self._say()
        self._leave()
        self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    # What the server calls

    def abort(self) -> None:
        """End it without another word."""
        self._transport.abort()

    def check(self, now: int) -> None:
        """Ping when it is time, and end a connection that does not answer or takes nothing. `now` in milliseconds."""
        limits, backlog = self._door.limits, self._transport.get_write_buffer_size()
        taken = self._written - backlog
        if backlog == 0 or taken != self._taken:
            self._taken, self._taken_at = taken, now
        elif now - self._taken_at >= limits.outbox_stalled:
            self.close(4008, f"too slow: nothing was taken for {limits.outbox_stalled / 1000:g} s")
        if self._closing or self._number is None:
            return
        if self._awaiting_pong_since is not None:
            if now - self._awaiting_pong_since >= limits.ping_timeout:
                self.close(4008, f"no answer to a ping for {limits.ping_timeout / 1000:g} s")
        elif now - self._heard_at >= limits.ping_interval:
            self._awaiting_pong_since = now
            self._protocol.send_ping(b"")
            self._say()

    # Inside

    def _take(self, number: int, messages: list[Message]) -> None:
        good = []
        for data, is_text in messages:
            if is_text and not data.isascii() and not _is_utf8(data):
                break
            good.append(data)
        try:
            self._door.hub.receive(number, good)
        except Fatal as fatal:
            self.close(fatal.close_code, fatal.reason)
        if len(good) < len(messages):
            self._fail(CloseCode.INVALID_DATA, "a text frame that is not UTF-8")

    def _fail(self, code: int, reason: str) -> None:
        self._protocol.fail(code, reason)
        self._door.counters.closed[code] += 1
        self._say()

    def _say(self) -> None:
        """Send what the protocol wants to say: handshake, pongs, close frames; b"" is the end of our side."""
        output = self._protocol.data_to_send()
        if not output:
            return
        for piece in output:
            if piece:
                self._transport.write(piece)
                self._written += len(piece)
            elif not self._closing:
                self._closing = True
                self._leave()
                self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
                self._transport.close()
            else:
                self._transport.close()
        if self._transport.get_write_buffer_size() > self._door.limits.outbox_bytes:
            self.close(4008, "too slow: the outbox is full")

    def _leave(self) -> None:
        if self._number is not None:
            self._door.hub.disconnect(self._number)

    def _handshake(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        if self._protocol.handshake_exc is not None or self._protocol.parser_exc is not None:
            self._transport.write(_unreadable().serialize())
            self._transport.close()
            return
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._admit(event)
                return

    def _admit(self, request: Request) -> None:
        try:
            refusal, space, participant = self._examine(request)
        except (LookupError, ValueError):  # a header twice; an origin or a path that is no URL
            refusal, space, participant = _unreadable(), "", ""
        response = self._protocol.accept(request) if refusal is None else refusal
        self._protocol.send_response(response)
        self._say()
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            return
        try:
            self._number = self._door.hub.connect(space, participant, self)
        except Fatal as fatal:
            self.close(fatal.close_code, fatal.reason)

    def _examine(self, request: Request) -> tuple[Response | None, str, str]:
        """Why the upgrade is refused, or (None, space, participant)."""
        url = urlsplit(request.path)
        if url.path != "/ws":
            return _refusal(HTTPStatus.NOT_FOUND, "not_found", "WebSockets are served at /ws?space=ID."), "", ""
        origin, host = request.headers.get("Origin"), request.headers.get("Host", "")
        if origin is not None and not self._door.is_allowed_origin(origin, host):
            message = f"The origin {origin} is not allowed: list it under gateway.allowed_origins."
            return _refusal(HTTPStatus.FORBIDDEN, "origin_not_allowed", message), "", ""
        space = parse_qs(url.query).get("space", [""])[0]
        token = _token(request.headers)
        participant = self._door.authenticator.identify(space, token) if token else None
        if participant is None:
            message = "A valid token of that space is needed: `Authorization: Bearer TOKEN` and `?space=ID`."
            return _refusal(HTTPStatus.UNAUTHORIZED, "unauthorized", message), "", ""
        return None, space, participant


def _select_subprotocol(_: ServerProtocol, offered: object) -> Subprotocol | None:
    chosen = Subprotocol(SUBPROTOCOL)
    return chosen if isinstance(offered, list | tuple) and chosen in offered else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _token(headers: Headers) -> str | None:
    """The bearer token, from the header, or for browsers from `Sec-WebSocket-Protocol: mew.v0.4, mew.token.TOKEN`."""
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    for line in headers.get_all("Sec-WebSocket-Protocol"):
        for offered in line.split(","):
            if offered.strip().startswith(_TOKEN_PREFIX):
                return offered.strip().removeprefix(_TOKEN_PREFIX)
    return None


def _unreadable() -> Response:
    return _refusal(HTTPStatus.BAD_REQUEST, "bad_request", "The upgrade request cannot be read.")


def _refusal(status: HTTPStatus, code: str, message: str) -> Response:
    body = json.dumps({"error": code, "message": message}).encode()
    headers = Headers()
    headers["Content-Type"] = "application/json"
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(status.value, status.phrase, headers, body)
