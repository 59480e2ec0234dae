"""Messages out of a WebSocket's bytes: a short way for the common frame, `websockets`' parser for all others.

The parser checks neither UTF-8 nor puts fragments together: both are done here. It is only ever given whole frames,
so it always stands at a frame's boundary and the short way may be taken again behind any of them.
"""

from __future__ import annotations

import msgspec
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

try:
    from websockets.speedups import apply_mask
except ImportError:  # a platform without the extension: the same function in Python
    from websockets.utils import apply_mask

_TEXT = 0x81  # FIN and opcode 1: a whole text message in one frame


class Message(msgspec.Struct, frozen=True, gc=False):
    """A whole message, put together from its fragments."""

    data: bytes
    is_text: bool


class FrameReader:
    """Cuts a connection's input into frames, and joins fragments. `protocol` answers pings and closes."""

    __slots__ = ("_buffer", "_fragments", "_limit", "_protocol", "_text")

    def __init__(self, protocol: ServerProtocol, *, limit: int) -> None:
        self._protocol = protocol
        self._limit = limit
        self._buffer = b""
        self._fragments: list[bytes] = []
        self._text = False

    def feed(self, data: bytes) -> list[Message]:
        """The messages that these bytes complete. Whatever the protocol has to say is in its own hands."""
        if self._buffer:
            data = self._buffer + data
        messages: list[Message] = []
        at, end = 0, len(data)
        while at < end:
            size, start = _measure(data, at, end)
            if size is None:
                break
            if start + size > end:
                if size > self._limit:  # its header is enough for the parser to refuse it (1009)
                    self._parse(data[at:start], messages)
                    at = end
                break
            if data[at] == _TEXT and not self._fragments and data[at + 1] & 0x80 and size <= self._limit:
                messages.append(Message(apply_mask(data[start : start + size], data[start - 4 : start]), True))
            else:
                self._parse(data[at : start + size], messages)
            at = start + size
        self._buffer = data[at:] if at < end else b""
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
        self._fragments.append(bytes(frame.data))
        if frame.fin:
            messages.append(Message(b"".join(self._fragments), self._text))
            self._fragments = []


def _measure(data: bytes, at: int, end: int) -> tuple[int | None, int]:
    """A frame's payload size and where it starts; None while the header is incomplete (RFC 6455 §5.2)."""
    if end - at < 2:
        return None, 0
    size = data[at + 1] & 0x7F
    start = at + (6 if data[at + 1] & 0x80 else 2)
    if size == 126:
        start += 2
        size = int.from_bytes(data[at + 2 : at + 4], "big")
    elif size == 127:
        start += 8
        size = int.from_bytes(data[at + 2 : at + 10], "big")
    return (size, start) if start <= end else (None, 0)
