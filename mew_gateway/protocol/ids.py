"""Participant, space and envelope ids."""

from __future__ import annotations

import re

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_ENVELOPE_ID = 200  # characters; an id is remembered, so it is bounded

GATEWAY = "system:gateway"
GATEWAY_NAMES = ("gateway", GATEWAY)


def is_gateways(id: str) -> bool:
    """Whether an envelope called so can only be the gateway's: nobody guesses its next id and takes it."""
    return id.startswith("gw-")


def is_reserved(name: str) -> bool:
    """Whether the id is the gateway's own (docs/protocol.md §2)."""
    return name in ("system", "gateway") or is_gateways(name)


def is_valid(name: str) -> bool:
    """Whether a participant or a space may be called so."""
    return ID.fullmatch(name) is not None and not is_reserved(name)
