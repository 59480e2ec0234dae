"""Ids of participants, spaces and envelopes: their form, and those that are the gateway's own."""

from __future__ import annotations

import re

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_ENVELOPE_ID = 200  # characters; an id is remembered, so it is bounded

GATEWAY = "system:gateway"
GATEWAY_NAMES = ("gateway", GATEWAY)


def is_gateway_id(id: str) -> bool:
    """Return true if an envelope id is one of the gateway's.

    Participants may not use these, so nobody can take its next id.
    """
    return id.startswith("gw-")


def is_reserved(name: str) -> bool:
    """Return true if the participant id is the gateway's own (docs/protocol.md §2)."""
    return name in ("system", "gateway") or is_gateway_id(name)


def is_valid(name: str) -> bool:
    """Return true if a participant or a space may have this id."""
    return ID.fullmatch(name) is not None and not is_reserved(name)
