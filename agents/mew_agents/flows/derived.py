"""Ids that follow from what has happened, so that a replay has the same ones."""

from __future__ import annotations

import hashlib
import uuid


def derived(*parts: object) -> str:
    """A UUID (version 8) made of the parts: the same parts, the same id."""
    digest = bytearray(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))
