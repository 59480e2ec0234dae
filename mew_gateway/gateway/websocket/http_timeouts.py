"""The HTTP protocol of the gateway's port: uvicorn's, with time limits and bounded parsing.

A request has to arrive in time, and its response has to be taken in time. h11 parses all input that it is given at
once, 15 µs a chunk, and one read may have 43,690 chunks. So it is given a few lines at a time, in turns of the
request's party (`work_queue`), one request after the other.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mew_gateway.protocol.http_statuses import FAULTS

from ..broker.stalls import AwakeTimer, Stalls
from .outbox import unacknowledged
from .work_queue import STRANGERS, WorkQueue

LONGEST_HEAD = 16_384  # bytes of a request's line and headers
MOST_LINES = 128  # of a head, or after the last chunk of a body
CONNECTION = "mew.connection"  # key of the state in a request's scope: the transport
PARTY = "mew.party"  # key of a request's scope: its participant, as soon as that is known
_LINES = 32  # parsed in a step: a chunk has two
_PIECE = 65_536  # bytes parsed in a step
_HELD = 65_536  # bytes that wait to be parsed; with more, reading pauses
_REQUEST = 0.0006  # seconds that answering a request takes, after its parsing: several steps of a task, and a close
_FEW_LINES = re.compile(rb"(?:[^\n]*\n){1,%d}" % _LINES)
_HEAD_END = re.compile(rb"\n\r?\n")
_LEAST = 16_384  # bytes of a response, or all, that a peer has to take in `stall_timeout`; else it could take hours


class _BoundedHeads(h11.Connection):
    """h11 with a bound on complete heads: its own bound is only on incomplete ones."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request) and _size_of(event) > LONGEST_HEAD:
            raise h11.RemoteProtocolError(f"A request's head has at most {LONGEST_HEAD} bytes.")
        if isinstance(event, h11.Request | h11.EndOfMessage) and len(event.headers) + 2 > MOST_LINES:
            raise h11.RemoteProtocolError(f"A request's head has at most {MOST_LINES} lines.")
        return event


def _size_of(request: h11.Request) -> int:
    """Return the bytes of a request's head in its usual form."""
    line = len(request.method) + len(request.target) + len("  HTTP/1.1\r\n")
    return line + sum(len(name) + len(value) + len(": \r\n") for name, value in request.headers) + len("\r\n")


class _Flow(FlowControl):
    """uvicorn's flow control for a protocol that buffers input itself; calls `resumed` when the request reads on."""

    def __init__(self, transport: asyncio.Transport, resumed: Callable[[], object]) -> None:
        super().__init__(transport)
        self._resumed = resumed

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._resumed()


class TimedHttpProtocol(H11Protocol):
    """HTTP protocol that aborts slow peers, and passes an upgrade to the protocol that `upgrade` returns.

    A peer is aborted if it has not sent a whole request in `head_timeout`, or takes hardly anything of its response in
    `stall_timeout` (both in seconds). uvicorn alone waits forever in both cases.
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
        work_queue: WorkQueue,
        upgrade: Callable[[], asyncio.Protocol],
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = _BoundedHeads(h11.SERVER, LONGEST_HEAD)
        self._head_timeout = head_timeout
        self._stall_timeout = stall_timeout
        self._stalls = stalls
        self._work_queue = work_queue
        self._input = bytearray()  # that has yet to be parsed
        self._is_waiting = False  # for a turn of the work_queue
        self._is_parsing = False
        self._upgrade = upgrade
        self._head_timer: AwakeTimer | None = None
        self._stall_timer: AwakeTimer | None = None
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state[CONNECTION] = transport
        self.flow = _Flow(transport, self._continue)
        # With 1, `pause_writing` is called if not all was taken at once. With 0, over TLS, it is called if all was.
        transport.set_write_buffer_limits(1, 0)
        self._stalls.expect(self)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._input += data
        if len(self._input) > _HELD:
            self.transport.pause_reading()
        self._request_turn()

    def handle_events(self) -> None:
        """Run uvicorn's loop over the parsed events, in a turn of the work queue; also for a pipelined request."""
        if self._is_parsing:
            super().handle_events()
        else:
            self._request_turn()

    def _continue(self) -> None:
        """Continue when the request reads more of its body, or is answered."""
        if self._input:
            self._request_turn()
        else:
            self.transport.resume_reading()

    def _request_turn(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            self._work_queue.put(self._party, self._parse)

    @property
    def _party(self) -> Hashable:
        party: Hashable = STRANGERS if self.scope is None else cast(dict[str, Any], self.scope).get(PARTY, STRANGERS)
        return party

    def _parse(self) -> bool:
        """Parse the next few lines. Return false: if there are more, it queues itself again."""
        self._is_waiting = False
        if self.transport.is_closing() or self._upgraded:
            self._input.clear()
            return False
        cycle = self.cycle
        self._is_parsing = True
        try:
            piece = b"" if self._is_busy else self._piece()
            if piece:
                super().data_received(piece)
            else:
                super().handle_events()
        finally:
            self._is_parsing = False
        if self.cycle is not cycle:
            self._work_queue.charge(_REQUEST)
        if not (self._upgraded or self.transport.is_closing()):
            self._parsed()
        return False  # queued again by `_parsed`: the request's party may be known by now

    @property
    def _is_busy(self) -> bool:
        """True if nothing more may be parsed: the request has not read its body, or is not answered yet."""
        return self.flow.read_paused or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def _piece(self) -> bytes:
        """Remove and return the next few lines, not beyond the end of a head."""
        found = _FEW_LINES.match(self._input, 0, _PIECE)
        end = _PIECE if found is None else found.end()
        if self.conn.their_state is h11.IDLE:
            head_end = _HEAD_END.search(self._input, 0, end)
            end = end if head_end is None else head_end.end()
        piece = bytes(self._input[:end])
        del self._input[:end]
        return piece

    def _parsed(self) -> None:
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and self.conn.trailing_data[0].count(b"\n") > MOST_LINES:
            self.send_400_response(f"A request's head has at most {MOST_LINES} lines.")
            return
        if self._input and not self._is_busy:
            self._request_turn()
        elif not self._input and not self.flow.read_paused:
            self.transport.resume_reading()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._head_timer is None and not self.transport.is_closing():
                self._start_head_timer()
        else:
            self._stop_head_timer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        self._stop_stall_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Report input that is no HTTP, in JSON like every error (docs/protocol.md §6)."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # a response has been started
            self.transport.close()
            return
        body = json.dumps({"error": FAULTS[400], "message": msg}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        head = h11.Response(status_code=400, headers=[*headers, (b"connection", b"close")], reason=b"Bad Request")
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Pass the transport to a WebSocket connection, with the request's head and the bytes after it."""
        self._upgraded = True
        self._stop_head_timer()
        self._stop_stall_timer()
        self.connections.discard(self)
        head = [event.method, b" ", event.target, b" HTTP/", event.http_version, b"\r\n"]
        for name, value in self.headers:
            head += [name, b": ", value, b"\r\n"]
        head.append(b"\r\n")
        after_head, _ = self.conn.trailing_data
        after_head += bytes(self._input)
        self.transport.resume_reading()
        protocol = self._upgrade()
        protocol.connection_made(self.transport)
        self.transport.set_protocol(protocol)
        protocol.data_received(b"".join(head))
        if after_head:
            protocol.data_received(after_head)

    def _start_head_timer(self) -> None:
        self._head_timer = self._stalls.call_later(self._head_timeout, self.transport.abort)

    def _stop_head_timer(self) -> None:
        self._stalls.heard(self)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _start_stall_timer(self) -> None:
        self._stall_timer = self._stalls.call_later(self._stall_timeout, partial(self._check_stalled, self._unsent()))

    def _unsent(self) -> int:
        return self.transport.get_write_buffer_size() + unacknowledged(self.transport)

    def _check_stalled(self, before: int) -> None:
        if before - self._unsent() >= _LEAST:
            self._start_stall_timer()
        else:  # an orderly close would wait for this peer, too
            self.transport.abort()

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
