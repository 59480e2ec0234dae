"""Whose conversation it is, by its id: a guest's has the invitation in it (docs/fluxi-in-a-space.md)."""

from __future__ import annotations

from typing import Final

GUEST: Final = "@"  # between a guest's name and its invitation; no id of a participant has one


def guest_of(conversation_id: str) -> tuple[str, str] | None:
    """The name and the invitation of the guest whose conversation that is; None: of somebody who is configured."""
    parts = conversation_id.split("/", 3)
    name, is_guest, invitation = parts[2].partition(GUEST) if len(parts) > 2 else ("", "", "")
    return (name, invitation) if is_guest else None
