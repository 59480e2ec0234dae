"""The HTTP protocol of the port: uvicorn's, with limits on how long a request may take to arrive, and its answer to be
taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mew_gateway.protocol.statuses import FAULTS


class HeadTimedProtocol(H11Protocol):
    """Aborts a peer that has not sent a whole request in time or takes nothing of its answer, and hands an upgrade to
    our connection. Both times are in seconds.

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
        upgrade: Callable[[], asyncio.Protocol],
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._head_timeout = head_timeout
        self._stall_timeout = stall_timeout
        self._upgrade = upgrade
        self._head_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # `pause_writing` says that not all was taken at once, however little
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
        self.transport.set_write_buffer_limits()
        self.connections.discard(self)
        head = [event.method, b" ", event.target, b" HTTP/1.1\r\n"]
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
        self._head_timer = self.loop.call_later(self._head_timeout, self.transport.abort)

    def _head_arrived(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _await_taking(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(self._stall_timeout, self._check_taking, left)

    def _check_taking(self, before: int) -> None:
        if self.transport.get_write_buffer_size() < before:
            self._await_taking()
        else:  # closing it in good order would wait for this peer, too
            self.transport.abort()

    def _taken(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
