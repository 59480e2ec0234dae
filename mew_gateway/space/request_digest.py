"""Digest of what is asked for: equal for a proposal and a request that ask for the same (docs/protocol.md §4).

It is computed once for a proposal, and once for a request, however many proposals the request names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from mew_gateway.protocol.budget import MAX_WORK
from mew_gateway.protocol.payloads import Request

_WHOLE = range(-(2**63), 2**64)  # the integers that an envelope may have

# Making a digest, at worst: so many bytes of a text are a step, and a mark of JSON is so many steps.
_BYTES, _MARK = 2, 60


def _number(text: str) -> float | int:
    """Return a number that is no integer in JSON. 1.0 becomes 1, which it equals."""
    value = float(text)
    return int(value) if value.is_integer() and int(value) in _WHOLE else value


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(float_hook=_number).decode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode


def request_digest(payload: Request) -> bytes:
    """Return the digest of a method and its parameters, whatever the order of keys.

    1 equals 1.0, but no number equals a boolean.
    """
    return hashlib.sha256(_encode_sorted(_decode(_encode([payload.method, payload.params])))).digest()


def recipients_digest(names: Iterable[str] | None) -> bytes:
    """Return the digest of a set of recipients; that of none is empty."""
    return hashlib.sha256(_encode(sorted(set(names)))).digest() if names else b""


def digest_steps(data: bytes) -> int:
    """Return the greatest number of steps that the digests of an envelope take, given its bytes."""
    marks = sum(map(data.count, (b",", b":", b"[", b"{")))
    return min(MAX_WORK, len(data) // _BYTES + _MARK * marks)
