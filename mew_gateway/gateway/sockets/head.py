"""The HTTP protocol of the port: uvicorn's, with limits on how long a request may take to arrive, and its answer to be
taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mew_gateway.protocol.statuses import FAULTS

from ..stalls import AwakeTimer, Stalls
from .outbox import unacknowledged

LONGEST_HEAD = 16_384  # bytes of a request's line and headers
_LEAST = 16_384  # bytes of an answer that a peer takes in `stall_timeout`, or all: else it would take hours


class _BoundedHeads(h11.Connection):
    """h11, with a bound on heads that holds for those that come at once, too: its own is on what is incomplete."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request) and _size_of(event) > LONGEST_HEAD:
            raise h11.RemoteProtocolError(f"A request's head has at most {LONGEST_HEAD} bytes.")
        return event


def _size_of(request: h11.Request) -> int:
    """Bytes of a request's head as it is usually written."""
    line = len(request.method) + len(request.target) + len("  HTTP/1.1\r\n")
    return line + sum(len(name) + len(value) + len(": \r\n") for name, value in request.headers) + len("\r\n")


class HeadTimedProtocol(H11Protocol):
    """Aborts a peer that has not sent a whole request in time or hardly takes anything of its answer, and hands an
    upgrade to our connection. Both times are in seconds.

    uvicorn alone waits forever for a peer that drips its request, and for one that reads no answer.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        head_timeout: float,
        stall_timeout: float,
        stalls: Stalls,
        upgrade: Callable[[], asyncio.Protocol],
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = _BoundedHeads(h11.SERVER, LONGEST_HEAD)
        self._head_timeout = head_timeout
        self._stall_timeout = stall_timeout
        self._stalls = stalls
        self._upgrade = upgrade
        self._head_timer: AwakeTimer | None = None
        self._stall_timer: AwakeTimer | None = None
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # `pause_writing` says that not all was taken at once. With 0 for 1 it would say so behind TLS when all was.
        transport.set_write_buffer_limits(1, 0)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_arrived()
        self._taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._upgraded:
            return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._head_timer is None and not self.transport.is_closing():
                self._await_head()
        else:
            self._head_arrived()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_taking()

    def resume_writing(self) -> None:
        self._taken()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Say that what came is no HTTP: in JSON, as everything (docs/protocol.md §6)."""
        body = json.dumps({"error": FAULTS[400], "message": msg}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        head = h11.Response(status_code=400, headers=[*headers, (b"connection", b"close")], reason=b"Bad Request")
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Give the transport to a connection of ours, with the request head and whatever came behind it."""
        self._upgraded = True
        self._head_arrived()
        self._taken()
        self.connections.discard(self)
        head = [event.method, b" ", event.target, b" HTTP/", event.http_version, b"\r\n"]
        for name, value in self.headers:
            head += [name, b": ", value, b"\r\n"]
        head.append(b"\r\n")
        behind, _ = self.conn.trailing_data
        protocol = self._upgrade()
        protocol.connection_made(self.transport)
        self.transport.set_protocol(protocol)
        protocol.data_received(b"".join(head))
        if behind:
            protocol.data_received(behind)

    def _await_head(self) -> None:
        self._head_timer = self._stalls.call_later(self._head_timeout, self.transport.abort)

    def _head_arrived(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _await_taking(self) -> None:
        self._stall_timer = self._stalls.call_later(self._stall_timeout, partial(self._check_taking, self._left()))

    def _left(self) -> int:
        return self.transport.get_write_buffer_size() + unacknowledged(self.transport)

    def _check_taking(self, before: int) -> None:
        if before - self._left() >= _LEAST:
            self._await_taking()
        else:  # closing it in good order would wait for this peer, too
            self.transport.abort()

    def _taken(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
