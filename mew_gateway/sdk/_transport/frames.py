"""Stream frames: raw chunks that travel between the envelopes as `#stream_id#data` (§3.10.3)."""

from __future__ import annotations

import msgspec


class Frame(msgspec.Struct, frozen=True):
    """One chunk of a stream: `str` if it came as text, `bytes` if it came as binary."""

    stream: str
    data: str | bytes


def is_frame(data: str | bytes) -> bool:
    """Return true if received data is a stream frame and not an envelope."""
    return data[:1] in ("#", b"#")


def frame_in(data: str | bytes) -> Frame | None:
    """Parse a frame. Return None if it names no stream."""
    if isinstance(data, str):
        stream, mark, chunk = data[1:].partition("#")
        return Frame(stream, chunk) if stream and mark else None
    head, sign, rest = data[1:].partition(b"#")
    return Frame(head.decode(errors="replace"), rest) if head and sign else None


def encode_frame(stream: str, chunk: str | bytes) -> bytes:
    """Encode a frame. Raises `TypeError` if the chunk is neither text nor bytes."""
    if not isinstance(chunk, str | bytes | bytearray | memoryview):
        raise TypeError(f"A chunk of a stream is str or bytes, not {type(chunk).__name__}.")
    return b"#%s#%s" % (stream.encode(), chunk.encode() if isinstance(chunk, str) else chunk)
