"""Past grants and pauses. Their ids still count: a person who types an old id must not reach a newer one with it."""

from __future__ import annotations

from typing import Any

from ..framework.failure import Failure
from .access import Access

_MAX_ENVELOPES = 1_000  # of the history that are read


def past_envelopes(access: Access, kind: str) -> list[dict[str, Any]]:
    """Return the newest envelopes of a kind that the gateway shows to the participant, the oldest first; else an
    empty list."""
    try:
        found = access.api.get("history", limit=_MAX_ENVELOPES)["envelopes"]
    except Failure:
        return []
    return [one["envelope"] for one in found if one["envelope"].get("kind") == kind]
