"""Messages out of a WebSocket's bytes: a short way for the common frame, `websockets`' parser for all others.

The parser checks neither UTF-8 nor puts fragments together: both are done here. It is only ever given whole frames,
so it always stands at a frame's boundary and the short way may be taken again behind any of them.
"""

from __future__ import annotations

from typing import TypeAlias

from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

try:
    from websockets.speedups import apply_mask
except ImportError:  # a platform without the extension: the same function in Python
    from websockets.utils import apply_mask

_PIECES = 64  # fragments are joined when they are so many: empty ones cost nothing
_TEXT, _BINARY = 0x81, 0x82  # FIN and opcode 1 or 2: a whole message in one frame


# A whole message, put together from its fragments, and whether it is text.
Message: TypeAlias = tuple[bytes, bool]


class FrameReader:
    """Cuts a connection's input into frames, and joins fragments. `protocol` answers pings and closes."""

    __slots__ = ("_buffer", "_fragments", "_limit", "_protocol", "_text", "_wanted")

    def __init__(self, protocol: ServerProtocol, *, limit: int) -> None:
        self._protocol = protocol
        self._limit = limit
        self._buffer = bytearray()  # the beginning of a frame
        self._wanted = 0  # bytes of it that are worth another look
        self._fragments: list[bytes] = []
        self._text = False

    @property
    def held(self) -> int:
        """Bytes of a message that is not whole yet."""
        return len(self._buffer) + sum(map(len, self._fragments))

    def feed(self, data: bytes) -> list[Message]:
        """The messages that these bytes complete. Whatever the protocol has to say is in its own hands."""
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._wanted:  # a frame that drips costs its bytes once, not once a drip
                return []
            data = bytes(self._buffer)
            self._buffer.clear()
        messages: list[Message] = []
        at, end = 0, len(data)
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
            if following > end and size <= self._limit:
                self._wanted = following - at
                break
            first = data[at]
            is_usual = first in (_TEXT, _BINARY) and second & 0x80 and not self._fragments
            if is_usual and size <= self._limit:
                messages.append((apply_mask(data[start:following], data[start - 4 : start]), first == _TEXT))
            else:  # the header of one over the limit is enough for the parser to refuse it (1009)
                self._parse(data[at : min(following, end)], messages)
                if self._protocol.state is not State.OPEN:  # §1.4: what comes behind a close is not read
                    return messages
            at = min(following, end)
        else:
            self._wanted = 2
        self._buffer += data[at:]
        return messages

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
        if frame.fin:
            messages.append((b"".join(self._fragments), self._text))
            self._fragments = []
