"""Reads WebSocket messages from bytes: a fast path for the common frame, the parser of `websockets` for all others.

The parser neither checks UTF-8 nor joins fragments, and counts a ping to the message that it interrupts. So UTF-8,
fragments and lengths are checked here. The parser is given whole frames only: it is always at a frame boundary, and
the fast path can be used again after any frame.
"""

from __future__ import annotations

from websockets.frames import CloseCode, Frame, Opcode
from websockets.server import ServerProtocol

from ..broker.batch import Message

try:
    from websockets.speedups import apply_mask
except ImportError:  # a platform without the extension: the same function in Python
    from websockets.utils import apply_mask

_PIECES = 64  # fragments are joined when they are so many: empty ones cost nothing
_TEXT, _BINARY = _WHOLE = 0x81, 0x82  # FIN and opcode 1 or 2: a whole message in one frame
SHORT = 4_096  # bytes: longer fragments are bounded by the rate of bytes
_SMALL_AT_ONCE = 100  # control frames and short fragments in a call of `feed`: a millisecond
_CONTROL = 0x08  # the bit of an opcode that control frames have (§5.5)
_LONGEST_CONTROL = 125  # bytes (§5.5)


class FrameReader:
    """Splits a connection's input into frames, and joins fragments. `protocol` answers pings and close frames.

    `frames_left` is how many control frames and short fragments may still come; the owner raises it as time passes.
    One more fails the connection (4029). `most` is how many messages a call of `feed` returns: later bytes wait for
    the next call. `stopped_early` is set if a call ended early because of many control frames and short fragments.
    """

    __slots__ = (
        "_buffer",
        "_complete_at",
        "_fragments",
        "_limit",
        "_protocol",
        "_size",
        "_text",
        "_wanted",
        "frames_left",
        "most",
        "stopped_early",
    )

    def __init__(self, protocol: ServerProtocol, *, limit: int, frames_left: int, most: int) -> None:
        self.frames_left = frames_left
        self.most = most
        self._protocol = protocol
        self._limit = limit
        self._complete_at = 0  # ms: when the latest message was complete, or there was none
        self._buffer = bytearray()  # the beginning of a frame
        self._wanted = 0  # bytes of it that are worth another look
        self._fragments: list[bytes] = []
        self._size = 0  # bytes of them
        self.stopped_early = False
        self._text = False

    @property
    def held(self) -> int:
        """Bytes of messages that are not complete."""
        return len(self._buffer) + self._size

    def completed(self, now: int) -> None:
        """Note that messages were complete just now; `now` in milliseconds."""
        self._complete_at = now

    def begun_for(self, now: int) -> int:
        """Return for how many milliseconds a message has begun and not ended. Called by the server's timer."""
        if not self.held:
            self._complete_at = now
        return now - self._complete_at

    def hold(self, data: bytes) -> None:
        """Keep these bytes for the next call of `feed`."""
        self._buffer += data

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages, at most `most`, that these bytes complete. Replies are in `protocol.data_to_send()`."""
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._wanted:  # a frame in many reads is parsed once, not at each read
                return []
            data = bytes(self._buffer)
            self._buffer.clear()
        messages: list[Message] = []
        at, end, most = 0, len(data), self.most
        small, self.stopped_early = 0, False
        while end - at >= 2:
            second = data[at + 1]
            size, start = second & 0x7F, at + (6 if second & 0x80 else 2)  # RFC 6455 §5.2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), start + 2
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), start + 8
            following = start + size
            if start > end:
                self._wanted = start - at
                break
            first = data[at]
            is_usual = first in _WHOLE and second & 0x80 and not self._fragments
            if size > (self._limit if is_usual else self._room(first)):  # refused by its header, before the rest comes
                self._refuse(first)
                return messages
            if following > end:
                self._wanted = following - at
                break
            if is_usual:
                payload = apply_mask(data[start:following], data[start - 4 : start])
                if first == _TEXT and not payload.isascii() and not self._is_utf8(payload):
                    return messages
                messages.append((payload, first == _TEXT))
            else:
                small += 1
                if first & _CONTROL or size < SHORT:
                    self.frames_left -= 1
                    if self.frames_left < 0:
                        self._protocol.fail(4029, "flooding: too many pings, pongs or short fragments in a second")
                        return messages
                self._parse(data[at:following], messages)
                if self._protocol.eof_sent:  # §1.4, §7.1.7: data after a close or a failure is not read
                    return messages
            at = following
            if len(messages) == most:
                self._wanted = 2
                break
            if small == _SMALL_AT_ONCE and at < end:
                self._wanted, self.stopped_early = 2, True
                break
        else:
            self._wanted = 2
        self._buffer += data[at:]
        return messages

    def _room(self, first: int) -> int:
        """Return the most bytes of a frame with this first byte. A control frame is no part of a message."""
        return _LONGEST_CONTROL if first & _CONTROL else self._limit - self._size

    def _refuse(self, first: int) -> None:
        if first & _CONTROL:
            self._protocol.fail(CloseCode.PROTOCOL_ERROR, "control frame too long")
        else:
            self._protocol.fail(CloseCode.MESSAGE_TOO_BIG, f"a message has at most {self._limit} bytes")

    def _is_utf8(self, data: bytes) -> bool:
        """Return true if a text message is UTF-8; if not, fail the connection (§8.1)."""
        try:
            data.decode()
        except UnicodeDecodeError:
            self._protocol.fail(CloseCode.INVALID_DATA, "a text message that is not UTF-8")
            return False
        return True

    def _parse(self, frame: bytes, messages: list[Message]) -> None:
        self._protocol.receive_data(frame)
        for event in self._protocol.events_received():
            if isinstance(event, Frame):
                self._collect(event, messages)

    def _collect(self, frame: Frame, messages: list[Message]) -> None:
        if frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._text = frame.opcode is Opcode.TEXT
        elif frame.opcode is not Opcode.CONT:
            return
        if len(self._fragments) >= _PIECES:
            self._fragments = [b"".join(self._fragments)]
        self._fragments.append(bytes(frame.data))
        self._size += len(frame.data)
        if frame.fin:
            whole, self._fragments, self._size = b"".join(self._fragments), [], 0
            if not self._text or self._is_utf8(whole):
                messages.append((whole, self._text))
