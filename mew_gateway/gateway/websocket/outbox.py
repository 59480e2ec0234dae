"""Outbox of a connection: data that its peer has not taken yet, bounded and watched for stalls.

Small pieces are written at once. Larger ones share a budget: the bytes that all connections write in a pass of the
event loop are bounded (`WriteTurns`). The rest waits for the next passes, in which the connections take turns with a
portion each. So one large envelope to many readers does not delay the envelopes of others. A piece that waits for
many connections is in memory once.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import sys
import termios
from collections import deque

from ..broker.interfaces import Callbacks

_PORTION = 65_536  # bytes that a transport is given at once, and has a copy of until the system takes them
_SMALL = 4_096  # bytes of a piece that is written at once: calling the system costs more than copying it
_PASS = 2_097_152  # bytes of all other pieces in a pass of the loop: half a millisecond to a millisecond
_UNSENT = 262_144  # bytes that the system holds for a peer that takes nothing; without a bound it takes 4 MiB


def bound_unsent(listener: socket.socket) -> None:
    """Bound the unsent bytes that the system buffers for accepted connections, so that stalls are noticed soon.

    Bytes in flight do not count: a distant peer gets no slower.
    """
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # Linux and macOS have it
    if option is not None:
        listener.setsockopt(socket.IPPROTO_TCP, option, _UNSENT)


def unacknowledged(transport: asyncio.Transport) -> int:
    """Return the bytes that the system has taken and the peer has not acknowledged; 0 if the system cannot say."""
    descriptor = transport.get_extra_info("socket").fileno()
    if descriptor < 0:
        return 0
    try:
        return int.from_bytes(fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
    except OSError:
        return 0


class WriteTurns:
    """Bounds the bytes that all outboxes write in a pass of the event loop, and gives them turns."""

    def __init__(self, loop: Callbacks) -> None:
        self._loop = loop
        self._left = _PASS  # bytes of this pass
        self._waiting: deque[Outbox] = deque()  # each once
        self._is_running = False

    def affords(self, size: int) -> bool:
        """Take so many bytes from this pass's budget; return false if they have to wait for another pass."""
        if self._left <= 0:
            return False
        self._left -= size
        self._run()
        return True

    def put(self, outbox: Outbox) -> None:
        """Queue an outbox for a turn to write."""
        self._waiting.append(outbox)
        self._run()

    def _run(self) -> None:
        if not self._is_running:
            self._is_running = True
            self._loop.call_soon(self._pass)

    def _pass(self) -> None:
        self._is_running = False
        self._left = _PASS
        while self._waiting and self._left > 0:
            outbox = self._waiting.popleft()
            self._left -= outbox.write_portion()
        if self._left < _PASS:
            self._run()


class Outbox:
    """Ordered data for one connection, in pieces of whole frames.

    A transport copies what the system does not take from it. So while it holds anything, further pieces wait here
    uncopied: a piece that waits for many connections is in memory once.
    """

    __slots__ = (
        "_added",
        "_has_turn",
        "_held",
        "_is_last",
        "_taken",
        "_taken_at",
        "_transport",
        "_turns",
        "_waiting",
        "is_blocked",
    )

    def __init__(self, transport: asyncio.Transport, *, turns: WriteTurns) -> None:
        transport.set_write_buffer_limits(1, 0)  # report when not all is taken, and when all is
        self._transport = transport
        self._turns = turns
        self._has_turn = False  # a turn to write is coming
        self._waiting: deque[bytes | memoryview] = deque()
        self._held = 0  # bytes of them
        self._is_last = False
        self._added = 0  # bytes that came while it was blocked
        self._taken: int | None = None
        self._taken_at = 0
        self.is_blocked = transport.get_write_buffer_size() > 0

    @property
    def is_lagging(self) -> bool:
        """True if data has yet to be written, or to be taken by the system."""
        return self.is_blocked or bool(self._waiting)

    @property
    def size(self) -> int:
        """Bytes that the system has yet to take."""
        return self._held + self._transport.get_write_buffer_size()

    def put(self, data: bytes) -> None:
        """Write a piece, now or in a turn."""
        size = len(data)
        is_next = not (self.is_blocked or self._waiting)
        if is_next and (size <= _SMALL or (size <= _PORTION and self._turns.affords(size))):
            self._transport.write(data)
            return
        self._waiting.append(data)
        self._held += size
        self._added += size
        self._await_turn()

    def flush(self) -> None:
        """Write the waiting data without a turn, until the system takes no more."""
        while self._waiting and not self.is_blocked and not self._transport.is_closing():
            self._transport.write(self._portion())

    def end(self) -> None:
        """End our side after the waiting data.

        The peer's side is read until it ends: closing with unread bytes would reset the connection, and our last data
        could be lost (RFC 6455 §7.1.1).
        """
        self._is_last = True
        if not (self.is_blocked or self._waiting):
            self._end()

    def drop(self) -> None:
        """Drop the waiting data except the rest of a partly written piece."""
        begun = [piece for piece in self._waiting if isinstance(piece, memoryview)]
        self._waiting = deque(begun)
        self._held = sum(map(len, begun))

    def block(self) -> None:
        """Note that the transport holds data that the system did not take."""
        self.is_blocked = True

    def unblock(self) -> None:
        """Note that the transport holds nothing any more, and go on."""
        self.is_blocked = False
        self._taken = None
        if self._waiting:
            self._await_turn()
        elif self._is_last:
            self._end()

    def write_portion(self) -> int:
        """Write a portion of the waiting data, and queue for another turn if there is more. Return its bytes."""
        self._has_turn = False
        if self.is_blocked or self._transport.is_closing():  # the peer has ended: asyncio would count it lost twice
            return 0
        portion = self._portion() if self._waiting else b""
        if portion:
            self._transport.write(portion)
        if self._waiting:
            self._await_turn()
        elif self._is_last and not self.is_blocked:
            self._end()
        return len(portion)

    def stalled_since(self, now: int) -> int:
        """Return the time since which calls of this method saw nothing taken; `now` if something was."""
        taken = self._added - self.size - unacknowledged(self._transport)
        if not self.is_blocked or taken != self._taken:
            self._taken, self._taken_at = taken, now
        return self._taken_at

    def _await_turn(self) -> None:
        if not (self.is_blocked or self._has_turn):
            self._has_turn = True
            self._turns.put(self)

    def _end(self) -> None:
        if self._transport.is_closing():
            return
        if self._transport.can_write_eof():
            try:
                self._transport.write_eof()
            except OSError:  # the peer has reset the connection; asyncio is about to report it
                self._transport.abort()
        else:  # TLS cannot end one side
            self._transport.close()

    def _portion(self) -> bytes | memoryview:
        """Remove and return as many whole pieces as fit into a portion, or the beginning of a longer one."""
        pieces: list[bytes | memoryview] = []
        left = _PORTION
        while self._waiting and len(self._waiting[0]) <= left:
            pieces.append(self._waiting.popleft())
            left -= len(pieces[-1])
        if not pieces:
            long = memoryview(self._waiting[0])
            self._waiting[0] = long[_PORTION:]
            pieces.append(long[:_PORTION])
            left = 0
        self._held -= _PORTION - left
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
