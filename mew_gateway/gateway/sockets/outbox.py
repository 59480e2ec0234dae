"""What a peer has yet to take: bounded, shared between connections where it can be, and watched for a standstill."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import sys
import termios
from collections import deque

_PORTION = 524_288  # bytes that a transport is given at once, and has a copy of until the system takes them
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


class Outbox:
    """What is written to one connection, in order, in pieces of whole frames.

    A transport copies what the system does not take from it. So while one holds anything, further pieces wait here as
    they came: a piece that many connections wait for is in memory once.
    """

    __slots__ = ("_added", "_held", "_is_last", "_taken", "_taken_at", "_transport", "_waiting", "is_blocked")

    def __init__(self, transport: asyncio.Transport) -> None:
        transport.set_write_buffer_limits(1, 0)  # it says when not all was taken, and when everything is
        self._transport = transport
        self._waiting: deque[bytes | memoryview] = deque()
        self._held = 0  # bytes of them
        self._is_last = False
        self._added = 0  # bytes that came while it was blocked
        self._taken: int | None = None
        self._taken_at = 0
        self.is_blocked = transport.get_write_buffer_size() > 0

    @property
    def size(self) -> int:
        """Bytes that the system has yet to take."""
        return self._held + self._transport.get_write_buffer_size()

    def put(self, data: bytes) -> None:
        """Write it, now or in its turn."""
        if not self.is_blocked and len(data) <= _PORTION:
            self._transport.write(data)
            return
        self._waiting.append(data)
        self._held += len(data)
        self._added += len(data)
        if not self.is_blocked:
            self._go_on()

    def end(self) -> None:
        """End our side behind what is written. The peer's is read on until it ends, too: to close with bytes unread is
        to reset the connection, and what we said last is lost on the way (RFC 6455 §7.1.1)."""
        self._is_last = True
        if not self.is_blocked:
            self._go_on()

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
        self._go_on()

    def stalled_since(self, now: int) -> int:
        """Since when nothing is taken, as far as looks like this one can tell; now, if something was."""
        taken = self._added - self.size - unacknowledged(self._transport)
        if not self.is_blocked or taken != self._taken:
            self._taken, self._taken_at = taken, now
        return self._taken_at

    def _go_on(self) -> None:
        if self._transport.is_closing():  # the peer has ended: what asyncio fails to send it then, it loses twice
            return
        while self._waiting and not self.is_blocked:
            self._transport.write(self._portion())
        if self._is_last and not self._waiting:
            if self._transport.can_write_eof():
                self._transport.write_eof()
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
