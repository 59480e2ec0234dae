"""Messages out of a WebSocket's bytes: a short way for the common frame, `websockets`' parser for all others.

The parser checks neither UTF-8 nor puts fragments together, and counts a ping to the message it stands in: UTF-8,
fragments and lengths are seen to here. It is only ever given whole frames, so it always stands at a frame's boundary
and the short way may be taken again behind any of them.
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
_ODD_AT_ONCE = 100  # control frames and short fragments in a look: a millisecond
_CONTROL = 0x08  # the bit of an opcode that control frames have (§5.5)
_LONGEST_CONTROL = 125  # bytes (§5.5)


class FrameReader:
    """Cuts a connection's input into frames, and joins fragments. `protocol` answers pings and closes.

    `patience` is how many control frames and short fragments are taken, until somebody raises it again: they cost the
    most and say the least. One more fails the connection (4029). `most` is how many messages are taken at a look: what
    came behind them waits for the next one. `is_amid`: a look ended early, as there were many such frames.
    """

    __slots__ = (
        "_buffer",
        "_fragments",
        "_limit",
        "_protocol",
        "_size",
        "_text",
        "_wanted",
        "is_amid",
        "most",
        "patience",
    )

    def __init__(self, protocol: ServerProtocol, *, limit: int, patience: int, most: int) -> None:
        self.patience = patience
        self.most = most
        self._protocol = protocol
        self._limit = limit
        self._buffer = bytearray()  # the beginning of a frame
        self._wanted = 0  # bytes of it that are worth another look
        self._fragments: list[bytes] = []
        self._size = 0  # bytes of them
        self.is_amid = False
        self._text = False

    @property
    def held(self) -> int:
        """Bytes that no message was made of yet."""
        return len(self._buffer) + self._size

    def hold(self, data: bytes) -> None:
        """Keep these bytes for the next look."""
        self._buffer += data

    def feed(self, data: bytes) -> list[Message]:
        """The messages, at most `most`, that these bytes complete. What the protocol has to say is in its own hands."""
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._wanted:  # a frame that drips costs its bytes once, not once a drip
                return []
            data = bytes(self._buffer)
            self._buffer.clear()
        messages: list[Message] = []
        at, end, most = 0, len(data), self.most
        odd, self.is_amid = 0, False
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
            if size > (self._limit if is_usual else self._room(first)):  # its header is enough to refuse it
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
                odd += 1
                if first & _CONTROL or size < SHORT:
                    self.patience -= 1
                    if self.patience < 0:
                        self._protocol.fail(4029, "flooding: too many pings, pongs or short fragments in a second")
                        return messages
                self._parse(data[at:following], messages)
                if self._protocol.eof_sent:  # §1.4, §7.1.7: what comes behind a close or a failure is not read
                    return messages
            at = following
            if len(messages) == most:
                self._wanted = 2
                break
            if odd == _ODD_AT_ONCE and at < end:
                self._wanted, self.is_amid = 2, True
                break
        else:
            self._wanted = 2
        self._buffer += data[at:]
        return messages

    def _room(self, first: int) -> int:
        """The most bytes of a frame that begins so. A control frame is no part of the message it stands in."""
        return _LONGEST_CONTROL if first & _CONTROL else self._limit - self._size

    def _refuse(self, first: int) -> None:
        if first & _CONTROL:
            self._protocol.fail(CloseCode.PROTOCOL_ERROR, "control frame too long")
        else:
            self._protocol.fail(CloseCode.MESSAGE_TOO_BIG, f"a message has at most {self._limit} bytes")

    def _is_utf8(self, data: bytes) -> bool:
        """Whether a text is one; if not, the connection has failed (§8.1)."""
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
