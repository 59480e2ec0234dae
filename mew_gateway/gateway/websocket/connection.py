"""One WebSocket connection: handshake, messages in, frames out, and every way it can end (docs/protocol.md §1)."""

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
from ..broker.fanout import header
from ..broker.ingress import most_at_once
from ..broker.metrics import Counters
from . import join_frame as joining
from .frames import FrameReader
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

_HEAD = 14  # bytes of the longest head of a frame (RFC 6455 §5.2), which are not its message's
_LINGER = 2.0  # seconds that a peer gets to answer our close frame, before the transport is aborted
STRANGERS_FRAMES = 20  # of them, from whoever has yet to join
STRANGERS_LAST = 65_536  # bytes of a stranger's behind our close frame; the close frame that answers it is among them
_STRANGERS_MESSAGES = 100  # or that many messages
_EARLY = 10  # of `outbox_stalled`, the last part is for what the system takes before it says that the peer does not
_wire = logging.getLogger("mew.wire")


@dataclass(frozen=True, kw_only=True)
class AcceptContext:
    """What every connection of a gateway shares: who may come in, where to, and what it may cost.

    `is_allowed_origin` is asked with a browser's `Origin` and `Host`; `open` has all whose transport still is,
    `waiting` those that have yet to send a join frame, with what their upgrade said, `behind` those that have yet to
    take what was written.
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
    behind: set[Connection] = field(default_factory=set)


class Connection(asyncio.Protocol):
    """A `ports.Link` over a transport. Takes over from the HTTP protocol with the upgrade request."""

    __slots__ = (
        "_admitted_at",
        "_awaiting_pong_since",
        "_closing",
        "_context",
        "_heard_at",
        "_is_full",
        "_is_waiting",
        "_last",
        "_linger",
        "_number",
        "_outbox",
        "_party",
        "_protocol",
        "_reader",
        "_rest",
        "_transport",
        "_whole_at",
    )

    def __init__(self, context: AcceptContext) -> None:
        self._context = context
        self._protocol = ServerProtocol(
            max_size=None,  # the reader's to keep
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=select_subprotocol,
            logger=_wire,
        )
        self._reader = FrameReader(self._protocol, limit=context.limits.frame_bytes, patience=STRANGERS_FRAMES, most=1)
        self._number: int | None = None
        self._party: Hashable = STRANGERS
        self._rest: Sequence[Message] = ()  # what was said and has yet to be taken
        self._is_waiting = False  # for a turn of the work_queue
        self._is_full = False  # the inbox: nothing more is read
        self._closing = False
        self._last = STRANGERS_LAST
        self._linger: asyncio.TimerHandle | None = None
        self._heard_at = self._whole_at = self._admitted_at = context.broker.awake
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
        self._context.behind.discard(self)
        self._leave()

    def pause_writing(self) -> None:
        self._outbox.block()
        self._context.behind.add(self)

    def resume_writing(self) -> None:
        self._outbox.unblock()
        if not self._outbox.is_blocked:
            self._context.behind.discard(self)

    def eof_received(self) -> None:
        return None  # the transport closes itself

    def data_received(self, data: bytes) -> None:
        if self._closing:
            self._hear_out(data)
            return
        if self._protocol.state is State.CONNECTING:
            self._handshake(data)
            return
        self._heard_at, self._awaiting_pong_since = self._context.broker.awake, None  # whoever sends is alive
        if self._is_waiting:
            self._reader.hold(data)
            return
        self._look(data)
        if (self._rest or self._reader.is_amid) and not self._closing:
            self._is_waiting = True
            self._transport.pause_reading()
            self._context.work_queue.put(self._party, self._go_on)

    def _go_on(self) -> bool:
        """Take the next of what has come. Whether there is more."""
        if not (self._closing or self._transport.is_closing()):
            if self._rest:
                self._take(self._rest, has_turn=True)
                self._say()
            else:
                self._look(b"")
            if (self._rest or self._reader.is_amid) and not self._closing:
                return True
        self._is_waiting, self._rest = False, ()
        self._read_on()
        return False

    def _look(self, data: bytes) -> None:
        """Look at what has come, as far as is done at once."""
        messages = self._feed(data)
        if messages:
            self._whole_at = self._heard_at
            if not self._protocol.eof_sent:
                self._say()  # a ping that came before it is answered before it
            self._take(messages)
            if self._closing:
                self._hear_out(b"")  # what came with them
        elif self._number is None and self._reader.held > joining.LONGEST + _HEAD:
            self._protocol.fail(CloseCode.MESSAGE_TOO_BIG, f"a join frame has at most {joining.LONGEST} bytes")
        self._say()

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
            self._say()
        self._leave()
        self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)

    def pause_reading(self) -> None:
        self._is_full = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._is_full = False
        self._read_on()

    def _read_on(self) -> None:
        if not (self._is_full or self._is_waiting or self._transport.is_closing()):
            self._transport.resume_reading()

    # What the server calls

    def abort(self) -> None:
        """End it without another word."""
        self._transport.abort()

    def check(self, now: int) -> None:
        """Ping when it is time, and end a connection that does not answer, takes nothing, or is too long about a
        message. `now` in milliseconds."""
        limits = self._context.limits
        if self._outbox.is_blocked:
            self.check_taking(now)
        if self._closing:
            return
        if self._number is None:
            if self in self._context.waiting and now - self._admitted_at >= limits.join_timeout:
                self.close(4010, f"not joined within {limits.join_timeout / 1000:g} s")
            return
        if not self._reader.held:
            self._whole_at = now
        elif now - self._whole_at >= limits.ping_timeout:  # whoever is amid a frame cannot answer a ping
            self.close(4008, f"too slow: a message took more than {limits.ping_timeout / 1000:g} s to arrive")
            return
        if self._awaiting_pong_since is not None:
            if now - self._awaiting_pong_since >= limits.ping_timeout:
                self.close(4008, f"no answer to a ping for {limits.ping_timeout / 1000:g} s")
        elif now - self._heard_at >= limits.ping_interval:
            self._awaiting_pong_since = now
            self._protocol.send_ping(b"")
            self._say()

    def check_taking(self, now: int) -> None:
        """End a connection that takes nothing, so early that it is gone within `outbox_stalled`."""
        stalled = self._context.limits.outbox_stalled
        if now - self._outbox.stalled_since(now) >= stalled - stalled // _EARLY:
            self._drop(f"too slow: nothing was taken for {stalled / 1000:g} s")

    # Inside

    def _hear_out(self, data: bytes) -> None:
        """Look for the close frame that answers ours. Who sends too much else is read no more: that costs nothing, and
        our close frame reaches it, where to cut it would be to take that away from it."""
        self._last -= len(data)
        is_enough = self._last < 0
        if not (is_enough or self._protocol.eof_sent):
            is_enough = len(self._reader.feed(data)) == self._reader.most
            while self._reader.is_amid and not is_enough:
                is_enough = len(self._reader.feed(b"")) == self._reader.most
            self._say()
        if is_enough:
            self._transport.pause_reading()

    def _feed(self, data: bytes) -> list[Message]:
        """Cut it into messages. Its control frames and fragments are counted to its participant."""
        if self._number is None:
            return self._reader.feed(data)
        broker, number = self._context.broker, self._number
        self._reader.patience = left = broker.frames_left(number)
        messages = self._reader.feed(data)
        broker.spend_frames(number, min(left, left - self._reader.patience))
        return messages

    def _take(self, messages: Sequence[Message], *, has_turn: bool = False) -> None:
        self._rest = ()
        try:
            if self._number is None:
                self._join(messages[0][0])
                if not self._closing:
                    messages = self._feed(b"")  # what came with it
            if self._number is not None:
                if len(messages) == self._reader.most:
                    raise Fatal(4029, f"flooding: {len(messages)} messages came at once")
                self._rest = self._context.broker.receive(self._number, messages, has_turn=has_turn)
        except Fatal as fatal:
            self.close(fatal.close_code, fatal.reason)

    def _say(self) -> None:
        """Send what the protocol wants to say: handshake, pongs, close frames; b"" is the end of our side."""
        output = self._protocol.data_to_send()
        if not output:
            return
        said = b"".join(output)  # at once: there may be thousands of pings in what came
        if said:
            self._outbox.put(said)
        if b"" in output:
            self._hang_up()
        self._bound_outbox()

    def _hang_up(self) -> None:
        if not self._closing:
            self._closing = True
            self._count_failure()
            self._leave()
            self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
        self._outbox.end()

    def _bound_outbox(self) -> None:
        outbox, most = self._outbox, self._context.limits.outbox_bytes
        if outbox.is_behind and outbox.size > most:
            outbox.flush()  # it may be us who are late
            if outbox.size > most:
                self._drop("too slow: the outbox is full")

    def _drop(self, reason: str) -> None:
        """Close it without what it has not taken: it is memory, and would only be in the way of the reason."""
        if not self._closing:
            self._outbox.drop()
            self.close(4008, reason)

    def _count_failure(self) -> None:
        """Count a close frame that was ours; the echo of the peer's own is the same object."""
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
            self._hang_up()
            return
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._admit(event)
                return

    def _admit(self, request: Request) -> None:
        context = self._context
        try:
            ticket = examine(
                request,
                authenticator=context.authenticator,
                is_allowed_origin=context.is_allowed_origin,
                sole_space=context.broker.sole_space,
            )
        except (LookupError, ValueError):
            ticket = unreadable()
        response = open_for(request, self._protocol) if isinstance(ticket, Handshake) else ticket
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            context.broker.activity.refuse_token(self._peer(), "WebSocket")
        try:
            self._count_arrival(ticket)
        except Rejected as rejected:
            response = too_often(rejected)
        if request.method == "HEAD":
            response.body = b""  # RFC 9110 §9.3.2
        self._protocol.send_response(response)
        self._say()
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            assert isinstance(ticket, Handshake)
            self._seat(ticket)

    def _count_arrival(self, ticket: Handshake | Response) -> None:
        """Count the upgrade to its participant, or to the strangers. Raises `Rejected`."""
        if isinstance(ticket, Handshake) and ticket.space is not None and ticket.participant is not None:
            self._context.broker.admit_connect(ticket.space, ticket.participant)
        else:
            self._context.broker.admit_stranger()

    def _peer(self) -> str:
        """The address of the other side."""
        name = self._transport.get_extra_info("peername")
        return str(name[0]) if isinstance(name, tuple) and name else "a local socket"

    def _seat(self, ticket: Handshake) -> None:
        """Join whoever has a token; the others wait for their join frame, and not too many of them."""
        if ticket.space is not None and ticket.participant is not None:
            try:
                self._sit(ticket.space, ticket.participant, after=ticket.after)
            except Fatal as fatal:
                self.close(fatal.close_code, fatal.reason)
        elif (
            reason := self._context.broker.unready
        ) is not None:  # it could not join anyhow, and nobody would tell it so
            self.close(1012, reason)
        elif len(self._context.waiting) >= self._context.limits.connections:
            self.close(4009, "too many connections wait to join")
        else:
            self._context.waiting[self] = ticket
            self._admitted_at = self._context.broker.awake
            self._context.broker.stalls.expect(self)

    def _sit(self, space: str, participant: str, *, after: str | None, alias: str | None = None) -> None:
        """Take the participant's seat. Raises `Fatal` and `Rejected`."""
        self._number = self._context.broker.connect(space, participant, self, alias=alias, after=after)
        limits = self._context.limits
        self._party, self._reader.most = (space, participant), most_at_once(limits)
        self._last = max(limits.bytes_per_second, limits.frame_bytes)  # as much as it may have sent at once

    def _join(self, data: bytes) -> None:
        """Take the first message of a connection that brought no token. Raises `Fatal`."""
        if len(data) > joining.LONGEST:
            raise Fatal(1009, f"a join frame has at most {joining.LONGEST} bytes")
        ticket = self._context.waiting.pop(self)
        self._context.broker.stalls.heard(self)
        try:
            join = joining.read(data)
            space = join.space or ticket.space or self._context.broker.sole_space or ""
            participant = self._context.authenticator.identify(space, join.token)
            if participant is None:
                self._context.broker.activity.refuse_token(self._peer(), "join frame")
                raise Rejected("join_refused", "That is no token of that space.")
            self._context.broker.admit_connect(space, participant)
            alias = None if join.name == participant else join.name
            after = join.after or ticket.after
            self._sit(space, participant, alias=alias, after=after)
        except Rejected as rejected:
            complaint = self._context.broker.error_replies.compose(rejected)
            self.write(header(len(complaint)) + complaint)
            if rejected.code == "rate_limited":
                self.close(4029, "connecting too often")
            else:
                self.close(4501, "unauthorised")
