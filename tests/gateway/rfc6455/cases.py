"""What a client may put on the wire, and what has to come of it: a row for each rule of RFC 6455 that we could break.

A row's name begins with the clause it is from. Everything that follows from a row is the same however its bytes are cut
into TCP segments.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ...kit.frames import BINARY, CLOSE, CONTINUATION, MASK, PING, PONG, TEXT, closing, frame, length

LIMIT = 70_000  # bytes of a message, where these rows are played

Said = tuple[bytes, bool]  # a message, and whether it was text


class Case(NamedTuple):
    """`sent` gives the `messages`, then or meanwhile the payloads of `pongs`, and the end: none, a code with which the
    gateway fails the connection (§7.1.7), or the payload of the close frame that it echoes (§5.5.1)."""

    name: str
    sent: bytes
    messages: tuple[Said, ...] = ()
    pongs: tuple[bytes, ...] = ()
    end: int | bytes | None = None


def chat(text: str, *, size: int = 0) -> bytes:
    """An envelope, filled up to `size` bytes."""
    data = json.dumps({"kind": "chat", "payload": {"text": text}}, ensure_ascii=False).encode()
    return data + b" " * (size - len(data))


def text(data: bytes) -> Said:
    return (data, True)


HI = chat("hi")
NINE = chat("año 🎉 日本")  # code points of one to four bytes
EMPTY = frame(TEXT, b"", fin=0)
START = frame(TEXT, HI[:9], fin=0)
REST = frame(CONTINUATION, HI[9:])


def fragments(*parts: bytes, opcode: int = TEXT) -> bytes:
    """A message in so many frames (§5.4)."""
    last = len(parts) - 1
    return b"".join(
        frame(opcode if at == 0 else CONTINUATION, part, fin=int(at == last)) for at, part in enumerate(parts)
    )


def singly(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


MASKING = [
    Case("5.1-a-masked-frame", frame(TEXT, HI), (text(HI),)),
    Case("5.3-a-mask-of-zeros-is-a-mask", frame(TEXT, HI, mask=bytes(4)), (text(HI),)),
    Case("5.3-each-frame-has-its-own-mask", START + frame(CONTINUATION, HI[9:], mask=b"\xff\0\xfe\1"), (text(HI),)),
    *(
        Case(f"5.1-an-unmasked-{name}", frame(opcode, data, mask=None), end=1002)
        for name, opcode, data in (
            ("text", TEXT, HI),
            ("empty-text", TEXT, b""),
            ("long-text", TEXT, chat("long", size=300)),
            ("binary", BINARY, HI),
            ("ping", PING, b"?"),
            ("pong", PONG, b""),
            ("close", CLOSE, closing(1000)),
        )
    ),
    Case("5.1-unmasked-behind-a-good-one", frame(TEXT, HI) + frame(TEXT, HI, mask=None), (text(HI),), end=1002),
    Case("5.1-an-unmasked-continuation", START + frame(CONTINUATION, HI[9:], mask=None), end=1002),
]

RESERVED = [
    *(
        Case(f"5.2-reserved-bits-{rsv:03b}-{name}", before + frame(opcode, data, rsv=rsv), end=1002)
        for rsv, name, before, opcode, data in (
            (0b100, "text", b"", TEXT, HI),  # as compression would: it was not negotiated
            (0b010, "text", b"", TEXT, HI),
            (0b001, "binary", b"", BINARY, HI),
            (0b111, "text", b"", TEXT, b""),
            (0b100, "ping", b"", PING, b""),
            (0b001, "close", b"", CLOSE, closing(1000)),
            (0b100, "continuation", START, CONTINUATION, HI[9:]),
        )
    ),
    *(
        Case(f"5.2-reserved-opcode-{opcode:x}", frame(opcode, b"data"[: opcode % 5]), end=1002)
        for opcode in (3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF)
    ),
    Case("5.2-a-reserved-opcode-between-fragments", START + frame(0xB) + REST, end=1002),
    Case(
        "5.2-a-reserved-opcode-behind-a-good-frame", frame(TEXT, HI) + frame(3) + frame(TEXT, HI), (text(HI),), (), 1002
    ),
]

LENGTHS = [
    *(
        Case(f"5.2-{size}-bytes", frame(TEXT, chat("n", size=size)), (text(chat("n", size=size)),))
        for size in (125, 126, 127, 65_535, 65_536, LIMIT)
    ),
    Case("5.6-an-empty-text", frame(TEXT), (text(b""),)),
    Case("5.6-an-empty-binary", frame(BINARY), ((b"", False),)),
    # §5.2 binds who writes a length to the shortest form; where it ends is clear in any, so a longer one is read.
    Case("5.2-a-short-length-in-16-bits", frame(TEXT, HI, bits=16), (text(HI),)),
    Case("5.2-a-short-length-in-64-bits", frame(TEXT, HI, bits=64), (text(HI),)),
    Case("5.2-a-medium-length-in-64-bits", frame(TEXT, chat("m", size=300), bits=64), (text(chat("m", size=300)),)),
    Case("5.2-a-ping-with-its-length-in-64-bits", frame(PING, b"?", bits=64), pongs=(b"?",)),
    Case("5.2-the-highest-bit-of-a-length", b"\x81" + length(1 << 63, bits=64) + MASK, end=1009),
    Case("5.2-every-bit-of-a-length", b"\x82" + length((1 << 64) - 1, bits=64) + MASK, end=1009),
    Case("10.4-one-byte-too-many", frame(TEXT, chat("n", size=LIMIT + 1)), end=1009),
    Case("10.4-refused-at-its-header", b"\x81" + length(LIMIT + 1) + MASK, end=1009),
    Case("10.4-fragments-up-to-the-limit", fragments(HI, b" " * (LIMIT - len(HI))), (text(chat("hi", size=LIMIT)),)),
    Case("10.4-fragments-over-the-limit", fragments(HI, b" " * (LIMIT - len(HI) + 1)), end=1009),
    Case("10.4-fragments-over-it-at-a-header", START + b"\x80" + length(LIMIT - 8) + MASK, end=1009),
    Case(
        "10.4-a-ping-is-no-part-of-the-message-it-stands-in",
        frame(TEXT, chat("hi", size=LIMIT), fin=0) + frame(PING, b"p" * 125) + frame(CONTINUATION),
        (text(chat("hi", size=LIMIT)),),
        (b"p" * 125,),
    ),
]

CONTROL = [
    Case("5.5.2-a-ping", frame(PING), pongs=(b"",)),
    Case("5.5.2-the-pong-has-what-the-ping-had", frame(PING, b"\0\xff\xfe any \n"), pongs=(b"\0\xff\xfe any \n",)),
    Case("5.5-125-bytes", frame(PING, b"p" * 125), pongs=(b"p" * 125,)),
    Case("5.5-126-bytes", frame(PING, b"p" * 126), end=1002),
    Case("5.5-a-pong-of-126-bytes", frame(PONG, b"p" * 126), end=1002),
    Case("5.5-a-close-of-126-bytes", frame(CLOSE, closing(1000, b"r" * 124)), end=1002),
    Case("5.5-a-control-frame-over-every-limit", b"\x89" + length(LIMIT + 1) + MASK, end=1002),
    Case("5.5-a-fragmented-ping", frame(PING, b"?", fin=0), end=1002),
    Case("5.5-a-fragmented-ping-and-its-rest", frame(PING, b"?", fin=0) + frame(CONTINUATION, b"!"), end=1002),
    Case("5.5-a-fragmented-pong", frame(PONG, b"?", fin=0), end=1002),
    Case("5.5-a-fragmented-close", frame(CLOSE, closing(1000), fin=0), end=1002),
    Case("5.5.3-a-pong-nobody-asked-for", frame(PONG) + frame(TEXT, HI), (text(HI),)),
    Case("5.5.3-a-pong-with-data", frame(PONG, b"unasked") + frame(PING, b"?"), pongs=(b"?",)),
    Case(
        "5.5.2-many-pings", b"".join(frame(PING, b"%d" % n) for n in range(20)), (), tuple(b"%d" % n for n in range(20))
    ),
    Case("5.4-a-ping-between-fragments", START + frame(PING, b"?") + REST, (text(HI),), (b"?",)),
    Case("5.4-a-pong-between-fragments", START + frame(PONG, b"!") + REST, (text(HI),)),
    Case(
        "5.4-pings-between-many-fragments",
        frame(TEXT, b"", fin=0)
        + b"".join(frame(PING, one) + frame(CONTINUATION, one, fin=0) for one in singly(HI))
        + frame(CONTINUATION),
        (text(HI),),
        tuple(singly(HI)),
    ),
]

FRAGMENTS = [
    Case("5.4-two", START + REST, (text(HI),)),
    Case("5.4-two-of-a-binary-message", fragments(HI[:9], HI[9:], opcode=BINARY), ((HI, False),)),
    Case("5.4-a-byte-each", fragments(*singly(HI)), (text(HI),)),
    Case("5.4-a-byte-each-of-four-byte-characters", fragments(*singly(NINE)), (text(NINE),)),
    Case("5.4-two-hundred", fragments(*singly(chat("n", size=200))), (text(chat("n", size=200)),)),
    Case("5.4-an-empty-first", fragments(b"", HI), (text(HI),)),
    Case("5.4-an-empty-last", fragments(HI, b""), (text(HI),)),
    Case("5.4-empty-ones-between", fragments(HI[:9], b"", b"", HI[9:]), (text(HI),)),
    Case("5.4-nothing-but-empty-ones", fragments(b"", b"", b""), (text(b""),)),
    Case("5.4-two-hundred-empty-ones", fragments(*[b""] * 199, HI), (text(HI),)),
    Case("5.4-a-whole-message-behind", START + REST + frame(TEXT, NINE), (text(HI), text(NINE))),
    Case("5.4-two-messages", START + REST + fragments(NINE[:9], NINE[9:]), (text(HI), text(NINE))),
    Case("5.4-a-continuation-of-nothing", frame(CONTINUATION, HI), end=1002),
    Case("5.4-an-open-continuation-of-nothing", frame(CONTINUATION, HI, fin=0), end=1002),
    Case("5.4-a-continuation-of-a-whole-message", frame(TEXT, HI) + frame(CONTINUATION, HI), (text(HI),), (), 1002),
    Case("5.4-a-continuation-of-a-finished-one", START + REST + frame(CONTINUATION), (text(HI),), (), 1002),
    Case("5.4-a-text-inside", START + frame(TEXT, HI) + REST, end=1002),
    Case("5.4-a-binary-inside", START + frame(BINARY, HI) + REST, end=1002),
    Case("5.4-another-beginning-inside", START + START, end=1002),
    Case("5.4-an-empty-text-inside-an-empty-beginning", EMPTY + frame(TEXT), end=1002),
]


def holding(data: bytes) -> bytes:
    """A chat with these bytes for its text."""
    return HI.replace(b"hi", data)


_BAD_UTF8 = {
    "a-lone-continuation": b"\x80",
    "a-start-without-its-rest": b"\xc3(",
    "three-of-four-bytes": b"\xf0\x9f\x8e",
    "an-overlong-slash": b"\xc0\xaf",
    "an-overlong-null": b"\xe0\x80\x80",
    "an-overlong-of-four": b"\xf0\x80\x80\x80",
    "a-high-surrogate": b"\xed\xa0\x80",
    "a-low-surrogate": b"\xed\xbf\xbf",
    "a-surrogate-pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "past-10ffff": b"\xf4\x90\x80\x80",
    "five-bytes": b"\xf8\x88\x80\x80\x80",
    "fe": b"\xfe",
    "ff": b"\xff",
}

UTF8 = [
    Case("8.1-one-to-four-bytes", frame(TEXT, NINE), (text(NINE),)),
    *(
        Case(f"8.1-in-two-at-{at}", fragments(NINE[:at], NINE[at:]), (text(NINE),))
        for at in (NINE.index(b"\xc3\xb1") + 1, *(NINE.index(b"\xf0\x9f") + n for n in (1, 2, 3)))
    ),
    Case(
        "5.4-a-ping-inside-a-character",
        frame(TEXT, NINE[:-5], fin=0) + frame(PING, b"\xff") + frame(CONTINUATION, NINE[-5:]),
        (text(NINE),),
        (b"\xff",),
    ),
    Case(
        "8.1-the-last-code-points",
        frame(TEXT, holding(b"\xf4\x8f\xbf\xbf\xef\xbf\xbf")),
        (text(holding(b"\xf4\x8f\xbf\xbf\xef\xbf\xbf")),),
    ),
    *(Case(f"8.1-{name}", frame(TEXT, holding(data)), end=1007) for name, data in _BAD_UTF8.items()),
    Case("8.1-cut-off-at-the-end-of-a-frame", frame(TEXT, b"\xf0\x9f\x8e"), end=1007),
    Case("8.1-cut-off-at-the-end-of-a-message", fragments(b"\xf0\x9f", b"\x8e"), end=1007),
    Case("8.1-bad-over-two-fragments", fragments(holding(b"\xc3").removesuffix(b'"}}'), b'("}}'), end=1007),
    Case("8.1-bad-in-the-second-fragment", fragments(HI, b"\xff"), end=1007),
    Case("8.1-behind-a-good-one", frame(TEXT, HI) + frame(TEXT, b"\xff") + frame(TEXT, HI), (text(HI),), (), 1007),
    Case("8.1-before-a-close", frame(TEXT, b"\xff") + frame(CLOSE, closing(1000)), end=1007),
    Case("8.1-before-a-ping", frame(TEXT, b"\xff") + frame(PING, b"?"), end=1007),
    Case("8.1-before-a-broken-frame", fragments(b"\xff", b"") + frame(3), end=1007),
    Case("5.6-binary-is-not-looked-at", frame(BINARY, b"#s#\xff\xfe\x80"), ((b"#s#\xff\xfe\x80", False),)),
]

_REASON = "tschüß 🎉".encode()

CLOSING = [
    Case("5.5.1-without-a-code", frame(CLOSE), end=b""),
    *(
        Case(f"7.4-{code}", frame(CLOSE, closing(code)), end=closing(code))
        for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999)
    ),
    *(
        Case(f"7.4-{code}-is-for-nobody-to-send", frame(CLOSE, closing(code)), end=1002)
        for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535)
    ),
    Case("5.5.1-half-a-code", frame(CLOSE, b"\x03"), end=1002),
    Case("5.5.1-a-reason", frame(CLOSE, closing(1000, _REASON)), end=closing(1000, _REASON)),
    Case("5.5.1-a-reason-of-123-bytes", frame(CLOSE, closing(1000, b"r" * 123)), end=closing(1000, b"r" * 123)),
    Case("7.1.6-a-reason-that-is-not-utf8", frame(CLOSE, closing(1000, b"\xff")), end=1007),
    Case("7.1.6-a-reason-that-is-cut-off", frame(CLOSE, closing(1000, _REASON[:-1])), end=1007),
    Case("7.1.6-a-surrogate-in-a-reason", frame(CLOSE, closing(1000, b"\xed\xa0\x80")), end=1007),
    Case(
        "5.5.1-what-comes-before-it-counts",
        frame(TEXT, HI) + frame(CLOSE, closing(1000)),
        (text(HI),),
        (),
        closing(1000),
    ),
    Case("1.4-a-message-behind-it-does-not", frame(CLOSE, closing(1000)) + frame(TEXT, HI), end=closing(1000)),
    Case("1.4-nor-a-ping", frame(CLOSE, closing(1000)) + frame(PING, b"?"), end=closing(1000)),
    Case("1.4-nor-another-close", frame(CLOSE, closing(1000)) + frame(CLOSE, closing(1001)), end=closing(1000)),
    Case("1.4-nor-a-broken-frame", frame(CLOSE, closing(1000)) + frame(3, mask=None), end=closing(1000)),
    Case("5.5.2-a-ping-before-it", frame(PING, b"?") + frame(CLOSE, closing(1000)), (), (b"?",), closing(1000)),
    # The message will never be whole. The library that reads it calls that an error, and the end is the same.
    Case("5.4-a-close-between-fragments", START + frame(CLOSE, closing(1000)) + REST, end=1002),
]

CASES = [*MASKING, *RESERVED, *LENGTHS, *CONTROL, *FRAGMENTS, *UTF8, *CLOSING]
