"""What a peer has yet to take: bounded, shared between connections where it can be, and watched for a standstill.

Small pieces are written at once. All others count: what all connections together are given in a pass of the loop is
bounded (`WriteTurns`), and what is beyond that waits for the next passes, a portion of each connection in turn. So one
large envelope to many readers does not hold up what the others say.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import sys
import termios
from collections import deque

from ..broker.ports import Callbacks

_PORTION = 65_536  # bytes that a transport is given at once, and has a copy of until the system takes them
_SMALL = 4_096  # bytes of a piece that is written at once: calling the system costs more than copying it
_PASS = 2_097_152  # bytes of all other pieces in a pass of the loop: half a millisecond to a millisecond
_UNSENT = 262_144  # bytes that the system holds for a peer that takes nothing; without a bound it takes 4 MiB


def bound_unsent(listener: socket.socket) -> None:
    """Have whatever the listener accepts hold little that cannot be sent yet: a peer that stops is soon noticed.

    What is on its way to a peer far off does not count: nothing gets slower.
    """
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # Linux and macOS have it
    if option is not None:
        listener.setsockopt(socket.IPPROTO_TCP, option, _UNSENT)


def unacknowledged(transport: asyncio.Transport) -> int:
    """Bytes that the system has taken from us and the peer has not, where the system tells."""
    descriptor = transport.get_extra_info("socket").fileno()
    if descriptor < 0:
        return 0
    try:
        return int.from_bytes(fcntl.ioctl(descriptor, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
    except OSError:
        return 0


class WriteTurns:
    """Bounds the bytes that the outboxes of a gateway write in a pass of the loop, and gives them turns."""

    def __init__(self, loop: Callbacks) -> None:
        self._loop = loop
        self._left = _PASS  # bytes of this pass
        self._waiting: deque[Outbox] = deque()  # each once
        self._is_running = False

    def affords(self, size: int) -> bool:
        """Count so many bytes to this pass; False if they have to wait for another."""
        if self._left <= 0:
            return False
        self._left -= size
        self._run()
        return True

    def put(self, outbox: Outbox) -> None:
        """Have an outbox write in its turn."""
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
    """What is written to one connection, in order, in pieces of whole frames.

    A transport copies what the system does not take from it. So while one holds anything, further pieces wait here as
    they came: a piece that many connections wait for is in memory once.
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
        transport.set_write_buffer_limits(1, 0)  # it says when not all was taken, and when everything is
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
    def is_behind(self) -> bool:
        """Return whether something has yet to be written, or taken by the system."""
        return self.is_blocked or bool(self._waiting)

    @property
    def size(self) -> int:
        """Bytes that the system has yet to take."""
        return self._held + self._transport.get_write_buffer_size()

    def put(self, data: bytes) -> None:
        """Write it, now or in its turn."""
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
        """Write what waits without a turn, until the system takes no more."""
        while self._waiting and not self.is_blocked and not self._transport.is_closing():
            self._transport.write(self._portion())

    def end(self) -> None:
        """End our side behind what is written. The peer's is read on until it ends, too: to close with bytes unread is
        to reset the connection, and what we said last is lost on the way (RFC 6455 §7.1.1)."""
        self._is_last = True
        if not (self.is_blocked or self._waiting):
            self._end()

    def drop(self) -> None:
        """Let go of what waits, but for the rest of a piece that has been begun."""
        begun = [piece for piece in self._waiting if isinstance(piece, memoryview)]
        self._waiting = deque(begun)
        self._held = sum(map(len, begun))

    def block(self) -> None:
        """The transport holds what the system did not take."""
        self.is_blocked = True

    def unblock(self) -> None:
        """The transport holds nothing any more."""
        self.is_blocked = False
        self._taken = None
        if self._waiting:
            self._await_turn()
        elif self._is_last:
            self._end()

    def write_portion(self) -> int:
        """Write a portion of what waits, and ask for another turn if there is more; how many bytes that was."""
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
        """Since when nothing is taken, as far as looks like this one can tell; now, if something was."""
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
            except OSError:  # the peer has reset the connection, and asyncio is about to say so
                self._transport.abort()
        else:  # TLS has no such thing
            self._transport.close()

    def _portion(self) -> bytes | memoryview:
        """As many whole pieces as make a portion, or the beginning of one that is longer."""
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
