"""WebSocket frames: raw bytes, in arbitrary pieces, into `FrameReader` and into a whole `Connection`.

An input is what a client sends, its upgrade request first where it begins with `GET `; the pieces it arrives in follow
from its bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.utils import apply_mask

from mew_gateway.gateway.broker.batch import Message
from mew_gateway.gateway.broker.rate_limiter import FRAMES
from mew_gateway.gateway.websocket.frame_reader import FrameReader

from .reception import Reception
from .scatter import scatter

LIMIT = 2_048  # bytes of a message: small, so that it is often passed
_LONGEST_HEAD = 14  # bytes of a frame's (RFC 6455 §5.2)
_LONGEST_CONTROL = 125  # bytes in a control frame (§5.5)
_BAD = CloseCode.PROTOCOL_ERROR  # of a frame that is too big, and wrong besides, either may be said
_MET = 4  # one input in so many is met by a whole connection, too
_WHOLE = (b'{"kind":"chat","payload":{"text":"hi"}}', b"#stream-1#data", "é☃😀".encode(), b"\xe2\x98", b"\xff", b"")
_CLOSES = (
    b"",
    b"\x03",
    b"\x03\xe8",
    b"\x03\xe8bye",
    b"\x03\xed",
    b"\x0f\xa0\xff",
    b"\x13\x88",
    b"\x00\x00",
    b"\x03\xe8" + b"x" * 130,
)
HEAD = (
    b"GET /ws?space=demo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer right\r\n\r\n"
)
_OPEN = HEAD.replace(b"Authorization: Bearer right\r\n", b"").replace(b"/ws?space=demo", b"/")
_JOIN = b'{"type":"join","space":"demo","participantId":"client-1","token":"right"}'
WORDS = (
    *(b"\x81", b"\x82", b"\x80", b"\x01", b"\x88", b"\x89", b"\x8a", b"\xf1", b"\x83", b"\x8b", b"\xfe"),
    *(b"\xff", b"\x7e", b"\xfe\x00\x7d", b"\xff\x00\x00\x00\x00\x00\x00\x00\x01", b"\xff" * 9),
    *(b"\xff\x80" + b"\0" * 7, b"\0\0\0\0", _JOIN, b"?after=", b"?space=", b"%ff", b"Origin: http://a\r\n"),
    *(b"Origin: http://[\r\n", b"Host: b\r\n", b"\r\n", b"\r\n\r\n", b"Authorization: Bearer wrong\r\n"),
    *(b"Sec-WebSocket-Protocol: mew.v0.4, mew.token.right\r\n", b"HTTP/1.1", b"HTTP/9"),
    *(b"Sec-WebSocket-Extensions: permessage-deflate\r\n", b"Content-Length: 5\r\n", b"Upgrade: h2c\r\n"),
    *(b"//", b"#", b";"),
)  # fmt: skip


def frame(
    payload: bytes, *, opcode: int = 1, fin: bool = True, masked: bool = True, reserved: int = 0, wide: int = 0
) -> bytes:
    """A client's frame; `wide` is how many bytes more than needed its length takes: 0, 2 or 8."""
    size = len(payload)
    head = bytes([fin << 7 | reserved << 4 | opcode])
    if wide == 8 or size > 0xFFFF:
        head += bytes([masked << 7 | 127]) + struct.pack("!Q", size)
    elif wide == 2 or size > 125:
        head += bytes([masked << 7 | 126]) + struct.pack("!H", size)
    else:
        head += bytes([masked << 7 | size])
    if not masked:
        return head + payload
    mask = b"\x01\x80\x03\x7f"
    return head + mask + apply_mask(payload, mask)


class Frames:
    """The target."""

    def __init__(self) -> None:
        self._reception = Reception(limit=LIMIT)
        self.outcomes: Counter[str] = Counter()
        whole = [frame(data) for data in _WHOLE]
        parts = [frame(b'{"a', fin=False) + frame(b"x", opcode=9) + frame(b'":1}', opcode=0)]
        closes = [frame(data, opcode=8) + frame(b"behind") for data in _CLOSES]
        heads = [HEAD + frame(_WHOLE[0]), _OPEN + frame(_JOIN) + frame(_WHOLE[0]), _OPEN + frame(b"{}"), HEAD]
        self.seeds: Sequence[bytes] = [*whole, *parts, *closes, *heads, *heads]

    def vary(self, rng: Random, data: bytes) -> bytes:
        drawn = [self._drawn(rng) for _ in range(rng.choice((0, 1, 2, 3, 6)))]
        data = rng.choice((data + b"".join(drawn), data + b"".join(drawn), b"".join(drawn) + data))
        if rng.random() < 0.35:
            data = scatter(rng, data, words=WORDS, others=self.seeds)
        return data

    def _drawn(self, rng: Random) -> bytes:
        opcode = rng.choice((0, 0, 0, 1, 1, 1, 1, 2, 2, 8, 9, 9, 10, 10, rng.randrange(16)))
        payload = rng.choice(_CLOSES if opcode == 8 else _WHOLE)
        if rng.random() < 0.1:
            payload = payload * rng.choice((2, 40, 126)) + rng.choice((b"", b"x" * LIMIT, b"y" * 70_000))
        return frame(
            payload,
            opcode=opcode,
            fin=rng.random() < 0.65,
            masked=rng.random() < 0.97,
            reserved=rng.choice((0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 2, 1)),
            wide=rng.choice((0, 0, 0, 0, 0, 2, 8)),
        )

    def one(self, data: bytes) -> None:
        chance = Random(zlib.crc32(data))
        head, sent = _parted(data)
        heard, expected = _read([sent]), _by_the_library(sent)
        if (heard.code is None) is not (expected.code is None):  # a bad frame is seen by its head, or when it is whole
            padding = bytes(LIMIT + _LONGEST_HEAD)
            heard, expected = _read([sent, padding]), _by_the_library(sent + padding)
        assert heard == expected, "at once, it is read otherwise than by the library alone"
        assert _read(_pieces(chance, sent)) == _read([sent]), "in pieces, it is read otherwise than at once"
        if head or chance.randrange(_MET) == 0:
            self.outcomes[self._reception.meet([head or HEAD, *_pieces(chance, sent)])] += 1
        self.outcomes["read to the end" if heard.code is None else f"closed {int(heard.code)}"] += 1


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """The upgrade request, which the HTTP side hands over whole and alone, and what comes behind it."""
    if not data.startswith(b"GET "):
        return b"", data
    head, end, sent = data.partition(b"\r\n\r\n")
    return head + end, sent


def _pieces(chance: Random, data: bytes) -> Iterator[bytes]:
    """The bytes as they may arrive."""
    most = chance.choice((1, 2, 7, 100, 65_536)) if len(data) < 3_000 else chance.choice((1_000, 65_536))
    at = 0
    while at < len(data):
        size = chance.randint(1, most)
        yield data[at : at + size]
        at += size


class _Heard(NamedTuple):
    """What a server made of bytes: `said` is its answer as long as nothing was wrong, `code` what it closed with."""

    messages: list[Message]
    said: bytes
    code: int | None


def _read(pieces: Iterable[bytes]) -> _Heard:
    protocol = ServerProtocol(max_size=LIMIT, state=State.OPEN)
    reader = FrameReader(protocol, limit=LIMIT, frames_left=FRAMES, most=65_536)
    messages: list[Message] = []
    for piece in pieces:
        messages += reader.feed(piece)
        if protocol.eof_sent:
            break
        assert reader.held <= LIMIT + _LONGEST_HEAD + _LONGEST_CONTROL, "it keeps more than a message"
    return _heard(protocol, messages)


def _by_the_library(data: bytes) -> _Heard:
    """What `websockets` alone makes of it: its parser, the fragments put together, and texts looked at."""
    protocol = ServerProtocol(max_size=LIMIT, state=State.OPEN)
    protocol.receive_data(data)
    messages: list[Message] = []
    parts: list[bytes] = []
    is_text = False
    for event in protocol.events_received():
        assert isinstance(event, Frame)
        if event.opcode in (Opcode.TEXT, Opcode.BINARY):
            parts, is_text = [], event.opcode is Opcode.TEXT
        if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            parts.append(bytes(event.data))
            if event.fin:
                whole = b"".join(parts)
                if is_text and not _is_utf8(whole):
                    return _Heard(messages, b"", CloseCode.INVALID_DATA)
                messages.append((whole, is_text))
    return _heard(protocol, messages)


def _heard(protocol: ServerProtocol, messages: list[Message]) -> _Heard:
    said, closed = b"".join(protocol.data_to_send()), protocol.close_sent
    if closed is None:
        return _Heard(messages, said, None)
    return _Heard(messages, b"", _BAD if closed.code == CloseCode.MESSAGE_TOO_BIG else closed.code)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
