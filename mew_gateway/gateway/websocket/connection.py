"""One WebSocket connection: handshake, messages in, frames out, and every way it can end (docs/protocol.md §1).

A connection takes the transport over from the HTTP protocol with the upgrade request. Its phases:

1. Handshake. `handshake.examine` checks the request and authenticates its token, if there is one. Without a token the
   connection waits for a join frame (`join_frame`); until then the peer is a stranger, with small bounds.
2. Joined. `FrameReader` makes messages of the input, and the broker receives them. Large input is processed in turns
   of the `WorkQueue`. The broker writes through `interfaces.Link`; `Outbox` holds what the peer has not taken.
3. Closing. After our close frame the input is read only for the peer's close frame, within bounds and for `_LINGER`
   seconds; then the transport is aborted.

Every way to close is counted once, by its code. `check` and `check_stalled` are called by the server's timer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Fatal, Rejected

from ..broker.batch import Message
from ..broker.broker import Broker
from ..broker.ingress import most_at_once
from ..broker.metrics import Counters
from ..broker.spaces.fanout import header
from . import join_frame as joining
from .frame_reader import FrameReader
from .handshake import (
    SUBPROTOCOL,
    Authenticator,
    Handshake,
    examine,
    open_for,
    select_subprotocol,
    too_often,
    unreadable,
)
from .outbox import Outbox, WriteTurns
from .work_queue import STRANGERS, WorkQueue

_HEAD = 14  # bytes of the longest head of a frame (RFC 6455 §5.2)
_LINGER = 2.0  # seconds that a peer gets to answer our close frame, before the transport is aborted
STRANGERS_FRAMES = 20  # control frames and short fragments from a peer that has not joined
STRANGERS_AFTER_CLOSE = 65_536  # bytes that are read from a stranger after our close frame, its close frame included
_STRANGERS_MESSAGES = 100  # or that many messages
_EARLY = 10  # the last tenth of `outbox_stalled` is for data that the system takes before it reports a full buffer
_wire = logging.getLogger("mew.wire")


@dataclass(frozen=True, kw_only=True)
class AcceptContext:
    """Services, limits and registries that all connections of a gateway share.

    `is_allowed_origin` is called with a browser's `Origin` and `Host`. `open` has all connections with an open
    transport; `waiting` those that have to send a join frame, with their handshakes; `lagging` those that have not
    taken all that was written.
    """

    broker: Broker
    work_queue: WorkQueue
    writing: WriteTurns
    authenticator: Authenticator
    limits: GatewayLimits
    counters: Counters
    is_allowed_origin: Callable[[str, str], bool]
    open: set[Connection] = field(default_factory=set)
    waiting: dict[Connection, Handshake] = field(default_factory=dict)
    lagging: set[Connection] = field(default_factory=set)


class Connection(asyncio.Protocol):
    """An `interfaces.Link` over a transport. Takes over from the HTTP protocol with the upgrade request."""

    __slots__ = (
        "_admitted_at",
        "_awaiting_pong_since",
        "_closing",
        "_context",
        "_heard_at",
        "_is_full",
        "_is_waiting",
        "_left_after_close",
        "_linger",
        "_number",
        "_outbox",
        "_party",
        "_protocol",
        "_reader",
        "_transport",
        "_undelivered",
    )

    def __init__(self, context: AcceptContext) -> None:
        self._context = context
        self._protocol = ServerProtocol(
            max_size=None,  # the frame reader bounds it
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=select_subprotocol,
            logger=_wire,
        )
        self._reader = FrameReader(
            self._protocol, limit=context.limits.frame_bytes, frames_left=STRANGERS_FRAMES, most=1
        )
        self._number: int | None = None
        self._party: Hashable = STRANGERS
        self._undelivered: Sequence[Message] = ()  # messages that the broker has not received yet
        self._is_waiting = False  # for a turn of the work_queue
        self._is_full = False  # the inbox: nothing more is read
        self._closing = False
        self._left_after_close = STRANGERS_AFTER_CLOSE
        self._linger: asyncio.TimerHandle | None = None
        self._heard_at = self._admitted_at = context.broker.awake
        self._reader.completed(self._heard_at)
        self._awaiting_pong_since: int | None = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._outbox = Outbox(transport, turns=self._context.writing)
        self._context.open.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None
        self._context.open.discard(self)
        self._context.lagging.discard(self)
        self._leave()

    def pause_writing(self) -> None:
        self._outbox.block()
        self._context.lagging.add(self)

    def resume_writing(self) -> None:
        self._outbox.unblock()
        if not self._outbox.is_blocked:
            self._context.lagging.discard(self)

    def eof_received(self) -> None:
        return None  # the transport closes itself

    def data_received(self, data: bytes) -> None:
        if self._closing:
            self._await_peer_close(data)
            return
        if self._protocol.state is State.CONNECTING:
            self._handshake(data)
            return
        self._heard_at, self._awaiting_pong_since = self._context.broker.awake, None  # a peer that sends is alive
        if self._is_waiting:
            self._reader.hold(data)
            return
        self._process(data)
        if (self._undelivered or self._reader.stopped_early) and not self._closing:
            self._is_waiting = True
            self._transport.pause_reading()
            self._context.work_queue.put(self._party, self._continue)

    def _continue(self) -> bool:
        """Process the next part of the input. Return true if there is more."""
        if not (self._closing or self._transport.is_closing()):
            if self._undelivered:
                self._deliver(self._undelivered, has_turn=True)
                self._flush_protocol()
            else:
                self._process(b"")
            if (self._undelivered or self._reader.stopped_early) and not self._closing:
                return True
        self._is_waiting, self._undelivered = False, ()
        self._maybe_resume_reading()
        return False

    def _process(self, data: bytes) -> None:
        """Process input, as much of it as is done at once."""
        messages = self._feed(data)
        if messages:
            self._reader.completed(self._heard_at)
            if not self._protocol.eof_sent:
                self._flush_protocol()  # a ping is answered before the message that came after it
            self._deliver(messages)
            if self._closing:
                self._await_peer_close(b"")  # what came with them
        elif self._number is None and self._reader.held > joining.LONGEST + _HEAD:
            self._protocol.fail(CloseCode.MESSAGE_TOO_BIG, f"a join frame has at most {joining.LONGEST} bytes")
        self._flush_protocol()

    # ports.Link

    def write(self, data: bytes) -> None:
        if self._closing or self._transport.is_closing():
            return
        self._outbox.put(data)
        self._bound_outbox()

    def close(self, code: int, reason: str) -> None:
        if self._closing:
            return
        self._closing = True
        if self._number is None:
            self._reader.most = _STRANGERS_MESSAGES
        self._context.counters.closed[code] += 1
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code, reason)
            self._flush_protocol()
        self._leave()
        self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)

    def pause_reading(self) -> None:
        self._is_full = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._is_full = False
        self._maybe_resume_reading()

    def _maybe_resume_reading(self) -> None:
        if not (self._is_full or self._is_waiting or self._transport.is_closing()):
            self._transport.resume_reading()

    # What the server calls

    def abort(self) -> None:
        """Close the transport at once, without a close frame."""
        self._transport.abort()

    def check(self, now: int) -> None:
        """Send a ping if one is due; end a connection that does not answer, is stalled or takes too long for a message.

        `now` in milliseconds.
        """
        limits = self._context.limits
        if self._outbox.is_blocked:
            self.check_stalled(now)
        if self._closing:
            return
        if self._number is None:
            if self in self._context.waiting and now - self._admitted_at >= limits.join_timeout:
                self.close(4010, f"not joined within {limits.join_timeout / 1000:g} s")
            return
        if self._reader.begun_for(now) >= limits.ping_timeout:  # within a frame, a peer cannot answer a ping
            self.close(4008, f"too slow: a message took more than {limits.ping_timeout / 1000:g} s to arrive")
            return
        if self._awaiting_pong_since is not None:
            if now - self._awaiting_pong_since >= limits.ping_timeout:
                self.close(4008, f"no answer to a ping for {limits.ping_timeout / 1000:g} s")
        elif now - self._heard_at >= limits.ping_interval:
            self._awaiting_pong_since = now
            self._protocol.send_ping(b"")
            self._flush_protocol()

    def check_stalled(self, now: int) -> None:
        """Close a connection whose peer takes nothing, early enough that it ends within `outbox_stalled`."""
        stalled = self._context.limits.outbox_stalled
        if now - self._outbox.stalled_since(now) >= stalled - stalled // _EARLY:
            self._drop(f"too slow: nothing was taken for {stalled / 1000:g} s")

    # Inside

    def _await_peer_close(self, data: bytes) -> None:
        """Read input for the close frame that answers ours.

        If the peer sends too much else, stop reading rather than abort: an abort could discard our close frame.
        """
        self._left_after_close -= len(data)
        is_enough = self._left_after_close < 0
        if not (is_enough or self._protocol.eof_sent):
            is_enough = len(self._reader.feed(data)) == self._reader.most
            while self._reader.stopped_early and not is_enough:
                is_enough = len(self._reader.feed(b"")) == self._reader.most
            self._flush_protocol()
        if is_enough:
            self._transport.pause_reading()

    def _feed(self, data: bytes) -> list[Message]:
        """Split input into messages. Control frames and fragments count against the participant's rate."""
        if self._number is None:
            return self._reader.feed(data)
        broker, number = self._context.broker, self._number
        self._reader.frames_left = left = broker.frames_left(number)
        messages = self._reader.feed(data)
        broker.spend_frames(number, min(left, left - self._reader.frames_left))
        return messages

    def _deliver(self, messages: Sequence[Message], *, has_turn: bool = False) -> None:
        self._undelivered = ()
        try:
            if self._number is None:
                self._join(messages[0][0])
                if not self._closing:
                    messages = self._feed(b"")  # what came with it
            if self._number is not None:
                if len(messages) == self._reader.most:
                    raise Fatal(4029, f"flooding: {len(messages)} messages came at once")
                self._undelivered = self._context.broker.receive(self._number, messages, has_turn=has_turn)
        except Fatal as fatal:
            self.close(fatal.close_code, fatal.reason)

    def _flush_protocol(self) -> None:
        """Send the protocol's output: handshake, pongs, close frames; b"" is the end of our side."""
        output = self._protocol.data_to_send()
        if not output:
            return
        data = b"".join(output)  # in one write: the input may have had thousands of pings
        if data:
            self._outbox.put(data)
        if b"" in output:
            self._end_side()
        self._bound_outbox()

    def _end_side(self) -> None:
        if not self._closing:
            self._closing = True
            self._count_failure()
            self._leave()
            self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
        self._outbox.end()

    def _bound_outbox(self) -> None:
        outbox, most = self._outbox, self._context.limits.outbox_bytes
        if outbox.is_lagging and outbox.size > most:
            outbox.flush()  # the data may wait for a turn, not for the peer
            if outbox.size > most:
                self._drop("too slow: the outbox is full")

    def _drop(self, reason: str) -> None:
        """Drop the waiting data, which costs memory and would delay the close frame, then close."""
        if not self._closing:
            self._outbox.drop()
            self.close(4008, reason)

    def _count_failure(self) -> None:
        """Count a close frame that we sent first; an echo of the peer's is the same object as the peer's."""
        sent = self._protocol.close_sent
        if sent is not None and sent is not self._protocol.close_rcvd:
            self._context.counters.closed[sent.code] += 1

    def _leave(self) -> None:
        self._context.waiting.pop(self, None)
        self._context.broker.stalls.heard(self)
        if self._number is not None:
            self._context.broker.disconnect(self._number, unread=self._reader.held)

    def _handshake(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        if self._protocol.handshake_exc is not None or self._protocol.parser_exc is not None:
            self._outbox.put(unreadable().serialize())
            self._end_side()
            return
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._admit(event)
                return

    def _admit(self, request: Request) -> None:
        context = self._context
        try:
            handshake = examine(
                request,
                authenticator=context.authenticator,
                is_allowed_origin=context.is_allowed_origin,
                sole_space=context.broker.sole_space,
            )
        except (LookupError, ValueError):
            handshake = unreadable()
        response = open_for(request, self._protocol) if isinstance(handshake, Handshake) else handshake
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            context.broker.activity.refuse_token(self._peer(), "WebSocket")
        try:
            self._count_upgrade(handshake)
        except Rejected as rejected:
            response = too_often(rejected)
        if request.method == "HEAD":
            response.body = b""  # RFC 9110 §9.3.2
        self._protocol.send_response(response)
        self._flush_protocol()
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            assert isinstance(handshake, Handshake)
            self._start_session(handshake)

    def _count_upgrade(self, handshake: Handshake | Response) -> None:
        """Count the upgrade against its participant's rate, or against the strangers'. Raises `Rejected`."""
        if isinstance(handshake, Handshake) and handshake.space is not None and handshake.participant is not None:
            self._context.broker.admit_connect(handshake.space, handshake.participant)
        else:
            self._context.broker.admit_stranger()

    def _peer(self) -> str:
        """Return the address of the peer, for the log."""
        name = self._transport.get_extra_info("peername")
        return str(name[0]) if isinstance(name, tuple) and name else "a local socket"

    def _start_session(self, handshake: Handshake) -> None:
        """Join a participant with a token; without one, wait for a join frame if not too many connections wait."""
        if handshake.space is not None and handshake.participant is not None:
            try:
                self._connect_participant(handshake.space, handshake.participant, after=handshake.after)
            except Fatal as fatal:
                self.close(fatal.close_code, fatal.reason)
        elif (reason := self._context.broker.unready) is not None:  # a join frame would be rejected, too
            self.close(1012, reason)
        elif len(self._context.waiting) >= self._context.limits.connections:
            self.close(4009, "too many connections wait to join")
        else:
            self._context.waiting[self] = handshake
            self._admitted_at = self._context.broker.awake
            self._context.broker.stalls.expect(self)

    def _connect_participant(
        self, space: str, participant: str, *, after: str | None, alias: str | None = None
    ) -> None:
        """Connect to the broker as the participant, with its limits. Raises `Fatal` and `Rejected`."""
        self._number = self._context.broker.connect(space, participant, self, alias=alias, after=after)
        limits = self._context.limits
        self._party, self._reader.most = (space, participant), most_at_once(limits)
        self._left_after_close = max(limits.bytes_per_second, limits.frame_bytes)  # as much as it may have sent at once

    def _join(self, data: bytes) -> None:
        """Handle the join frame, the first message of a connection without a token. Raises `Fatal`."""
        if len(data) > joining.LONGEST:
            raise Fatal(1009, f"a join frame has at most {joining.LONGEST} bytes")
        handshake = self._context.waiting.pop(self)
        self._context.broker.stalls.heard(self)
        try:
            join = joining.read(data)
            space = join.space or handshake.space or self._context.broker.sole_space or ""
            participant = self._context.authenticator.identify(space, join.token)
            if participant is None:
                self._context.broker.activity.refuse_token(self._peer(), "join frame")
                raise Rejected("join_refused", "That is no token of that space.")
            self._context.broker.admit_connect(space, participant)
            alias = None if join.name == participant else join.name
            after = join.after or handshake.after
            self._connect_participant(space, participant, alias=alias, after=after)
        except Rejected as rejected:
            reply = self._context.broker.error_replies.compose(rejected)
            self.write(header(len(reply)) + reply)
            if rejected.code == "rate_limited":
                self.close(4029, "connecting too often")
            else:
                self.close(4501, "unauthorised")
