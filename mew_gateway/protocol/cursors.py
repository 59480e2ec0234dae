"""Cursors: positions in a space's record that `after` may name, besides an envelope's id (docs/protocol.md §1).

An id is no position: several participants may use one, and one participant may use it again. Only the gateway uses ids
that begin with `gw-`, so a cursor is never the id of an envelope.

- `gw-of-DIGEST-ID`: the envelope with that id and those bytes. The gateway refuses the same bytes from one participant
  twice, so there is only one, for as long as it remembers ids.
- `gw-at-POSITION-…`: a reply that was given at once, after the entry at that position, and is in no record.
"""

from __future__ import annotations

import hashlib
import re

from .ids import MAX_ENVELOPE_ID, is_gateway_id

_DIGITS = 16  # of the SHA-256 of an envelope's bytes as they were delivered, in hexadecimal
_OF = re.compile(rf"gw-of-([0-9a-f]{{{_DIGITS}}})-(.*)", re.DOTALL)
_AT = re.compile(r"gw-at-([0-9]{1,18})-.*", re.DOTALL)
MAX_CURSOR = MAX_ENVELOPE_ID + len("gw-of--") + _DIGITS


def cursor_of(id: str, data: bytes) -> str:
    """Return the cursor of an envelope; for one of the gateway's own, that is its id."""
    return id if is_gateway_id(id) else f"gw-of-{digest_of(data)}-{id}"


def digest_of(data: bytes) -> str:
    """Return the digest that tells an envelope from others with its id."""
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def parse(cursor: str) -> tuple[str, str | None]:
    """Return the id of the envelope that a cursor or an id names, and its digest if the cursor has one."""
    exact = _OF.fullmatch(cursor)
    return (cursor, None) if exact is None else (exact[2], exact[1])


def immediate_reply_id(position: int, id: str) -> str:
    """Return the id of a reply that is given at once and not journalled, after the entry at that position."""
    return f"gw-at-{position}-{id}"


def immediate_position(cursor: str) -> int | None:
    """Return the position after which an immediate reply was given; None for another cursor."""
    immediate = _AT.fullmatch(cursor)
    return None if immediate is None else int(immediate[1])
