"""WebSocket frames by hand, right and wrong ones: RFC 6455 §5.2 as a client writes and reads it."""

from __future__ import annotations

from typing import NamedTuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
MASK = b"\x37\xfa\x21\x3d"  # §5.7's


class Frame(NamedTuple):
    """A frame that the gateway sent; `first` is its first byte, with FIN, the reserved bits and the opcode."""

    first: int
    data: bytes


def frame(
    opcode: int, data: bytes = b"", *, fin: int = 1, rsv: int = 0, mask: bytes | None = MASK, bits: int | None = None
) -> bytes:
    """A client's frame. `bits` is how wide its length is written (7, 16, 64), None: as §5.2 has it."""
    first = fin << 7 | rsv << 4 | opcode
    return bytes([first]) + length(len(data), bits=bits, masked=mask is not None) + _masked(data, mask)


def length(size: int, *, bits: int | None = None, masked: bool = True) -> bytes:
    """The second byte of a frame, and the longer lengths behind it (§5.2)."""
    bit = 0x80 if masked else 0
    wide = bits or (7 if size < 126 else 16 if size < 65_536 else 64)
    if wide == 7:
        return bytes([bit | size])
    return bytes([bit | (126 if wide == 16 else 127)]) + size.to_bytes(wide // 8, "big")


def closing(code: int, reason: bytes = b"") -> bytes:
    """The payload of a close frame (§5.5.1)."""
    return code.to_bytes(2, "big") + reason


def taken(data: bytes) -> list[Frame]:
    """The whole frames in what a server wrote: unmasked, each (§5.1)."""
    found = []
    while data:
        size, at = data[1], 2
        if size == 126:
            size, at = int.from_bytes(data[2:4], "big"), 4
        elif size == 127:
            size, at = int.from_bytes(data[2:10], "big"), 10
        assert size < 1 << 40, "masked, or no frame at all"
        assert len(data) >= at + size, "the last frame is not whole"
        found.append(Frame(data[0], data[at : at + size]))
        data = data[at + size :]
    return found


def _masked(data: bytes, mask: bytes | None) -> bytes:
    if mask is None:
        return data
    return mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
