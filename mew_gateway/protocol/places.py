"""Names of places in a space's record, which `after` may have besides an envelope's id (docs/protocol.md §1).

An id is no place: several participants may use one, and one participant may use it again. Nobody but the gateway uses
ids that begin with `gw-`, so these names are never the ids of envelopes.

- `gw-of-DIGEST-ID`: the envelope with that id and those bytes. The gateway refuses the same bytes from one participant
  twice, so there is one, for as long as it remembers ids.
- `gw-at-POSITION-…`: what was answered on the spot after the entry at that position, and is in no record.
"""

from __future__ import annotations

import hashlib
import re

from .ids import MAX_ENVELOPE_ID, is_gateways

_DIGITS = 16  # of the SHA-256 of an envelope's bytes as they were delivered, in hexadecimal
_OF = re.compile(rf"gw-of-([0-9a-f]{{{_DIGITS}}})-(.*)", re.DOTALL)
_AT = re.compile(r"gw-at-([0-9]{1,18})-.*", re.DOTALL)
LONGEST = MAX_ENVELOPE_ID + len("gw-of--") + _DIGITS


def place_of(id: str, data: bytes) -> str:
    """Return the name of the place of an envelope: of one of the gateway's own, that is its id."""
    return id if is_gateways(id) else f"gw-of-{digest_of(data)}-{id}"


def digest_of(data: bytes) -> str:
    """Return what tells an envelope from another one with its id."""
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def named(place: str) -> tuple[str, str | None]:
    """Return the id of the envelope that is meant, and its digest if it is named."""
    exact = _OF.fullmatch(place)
    return (place, None) if exact is None else (exact[2], exact[1])


def on_the_spot(position: int, id: str) -> str:
    """The id of an answer that is given on the spot and not journalled, after the entry at that position."""
    return f"gw-at-{position}-{id}"


def position_in(place: str) -> int | None:
    """Where an answer on the spot was given, if that is what is named."""
    spot = _AT.fullmatch(place)
    return None if spot is None else int(spot[1])
