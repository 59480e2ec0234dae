"""Damage to bytes, whatever they mean: cut, doubled, spliced, strewn with words of their language and with rubbish."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

RUBBISH = (
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x7f", b"\r"),
    *(b"\n", b"\t", b" ", b"'", b'"', b"\\", b"/", b"#", b":", b",", b"-", b"{", b"}", b"[", b"]", b"()", b"!", b"*"),
    *(b"9" * 30, b"-1", b"1e999", b"NaN", b"null", b"true", b"\\ud800", b"\\u0000", b"\\U00110000", b"//", b"%00"),
)
_LONG = (300, 5_000, 70_000)


def scatter(rng: Random, data: bytes, *, words: Sequence[bytes], others: Sequence[bytes], most: int = 4) -> bytes:
    """The bytes with up to `most` damages done to them; `others` are what they are spliced with."""
    for _ in range(rng.randint(1, most)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((0, 0, 1, 1, 2, 5, 20)))
        match rng.randrange(9):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:end] + data[at:end] * rng.choice((1, 1, 2, 60)) + data[end:]
            case 2:
                other = rng.choice(others)
                data = data[:at] + other[rng.randrange(len(other) + 1) :]
            case 3 if data:
                at = min(at, len(data) - 1)
                data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
            case 4 | 5:
                data = data[:at] + rng.choice(RUBBISH) + data[end:]
            case 6 if rng.random() < 0.02:
                data = data[:at] + rng.choice((*words, *RUBBISH)) * (rng.choice(_LONG) // 8) + data[end:]
            case _:
                data = data[:at] + rng.choice(words) + data[end:]
    return data
