"""Grants and pauses that are over: a person may still type the id of one, and must not hit another by it."""

from __future__ import annotations

from typing import Any

from ..framework.failure import Failure
from .access import Access

_MOST = 1_000  # envelopes looked through


def former(access: Access, kind: str) -> list[dict[str, Any]]:
    """The newest envelopes of a kind that the gateway shows us, the oldest first; none if it shows none."""
    try:
        found = access.api.get("history", limit=_MOST)["envelopes"]
    except Failure:
        return []
    return [one["envelope"] for one in found if one["envelope"].get("kind") == kind]
