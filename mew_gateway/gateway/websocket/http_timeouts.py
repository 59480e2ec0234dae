"""The HTTP protocol of the port: uvicorn's, with limits on how long a request may take to arrive, and its answer to be
taken; and with a bound on how much of what arrived is parsed at once.

h11 takes 15 µs a chunk and all that it is given at once: one read may have 43,690 of them. It is given a few lines at a
time, in the turn of whose request it is (`work_queue`), one request after the other.
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

from mew_gateway.protocol.statuses import FAULTS

from ..broker.stalls import AwakeTimer, Stalls
from .outbox import unacknowledged
from .work_queue import STRANGERS, WorkQueue

LONGEST_HEAD = 16_384  # bytes of a request's line and headers
MOST_LINES = 128  # of a head, or behind the last chunk of a body
PARTY = "mew.party"  # of a request's scope: whose it is, as soon as that is known
_LINES = 32  # parsed in a step: a chunk has two
_PIECE = 65_536  # bytes parsed in a step
_HELD = 65_536  # bytes that wait to be parsed, until no more are read
_REQUEST = 0.0006  # seconds that answering a request takes, after its parsing: several steps of a task, and a close
_FEW_LINES = re.compile(rb"(?:[^\n]*\n){1,%d}" % _LINES)
_HEAD_END = re.compile(rb"\n\r?\n")
_LEAST = 16_384  # bytes of an answer that a peer takes in `stall_timeout`, or all: else it would take hours


class _BoundedHeads(h11.Connection):
    """h11, with a bound on heads that holds for those that come at once, too: its own is on what is incomplete."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request) and _size_of(event) > LONGEST_HEAD:
            raise h11.RemoteProtocolError(f"A request's head has at most {LONGEST_HEAD} bytes.")
        if isinstance(event, h11.Request | h11.EndOfMessage) and len(event.headers) + 2 > MOST_LINES:
            raise h11.RemoteProtocolError(f"A request's head has at most {MOST_LINES} lines.")
        return event


def _size_of(request: h11.Request) -> int:
    """Bytes of a request's head as it is usually written."""
    line = len(request.method) + len(request.target) + len("  HTTP/1.1\r\n")
    return line + sum(len(name) + len(value) + len(": \r\n") for name, value in request.headers) + len("\r\n")


class _Flow(FlowControl):
    """uvicorn's, for a protocol that holds input of its own: `resumed` is called when the request takes more."""

    def __init__(self, transport: asyncio.Transport, resumed: Callable[[], object]) -> None:
        super().__init__(transport)
        self._resumed = resumed

    def resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self._resumed()


class TimedHttpProtocol(H11Protocol):
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
        self.flow = _Flow(transport, self._go_on)
        # `pause_writing` says that not all was taken at once. With 0 for 1 it would say so behind TLS when all was.
        transport.set_write_buffer_limits(1, 0)
        self._stalls.expect(self)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_arrived()
        self._taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._input += data
        if len(self._input) > _HELD:
            self.transport.pause_reading()
        self._wait()

    def handle_events(self) -> None:
        """uvicorn's loop over what h11 has parsed, in a turn of ours: also for a request that came behind one."""
        if self._is_parsing:
            super().handle_events()
        else:
            self._wait()

    def _go_on(self) -> None:
        """The request takes more of its body, or has its answer."""
        if self._input:
            self._wait()
        else:
            self.transport.resume_reading()

    def _wait(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            self._work_queue.put(self._party, self._parse)

    @property
    def _party(self) -> Hashable:
        party: Hashable = STRANGERS if self.scope is None else cast(dict[str, Any], self.scope).get(PARTY, STRANGERS)
        return party

    def _parse(self) -> bool:
        """Parse the next few lines. Whether there are more."""
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
        return False  # it waits again itself: whose the request is may be known by now

    @property
    def _is_busy(self) -> bool:
        """Whether nothing more may be parsed: the request has not taken its body, or has no answer yet."""
        return self.flow.read_paused or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def _piece(self) -> bytes:
        """The next few lines; of what comes behind the end of a head nothing."""
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
            self._wait()
        elif not self._input and not self.flow.read_paused:
            self.transport.resume_reading()
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
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # an answer has been begun
            self.transport.close()
            return
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
        behind += bytes(self._input)
        self.transport.resume_reading()
        protocol = self._upgrade()
        protocol.connection_made(self.transport)
        self.transport.set_protocol(protocol)
        protocol.data_received(b"".join(head))
        if behind:
            protocol.data_received(behind)

    def _await_head(self) -> None:
        self._head_timer = self._stalls.call_later(self._head_timeout, self.transport.abort)

    def _head_arrived(self) -> None:
        self._stalls.heard(self)
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
