"""The shape of a token: it stands in a header, so it is visible ASCII; it must not be guessed, so it is long."""

from __future__ import annotations

import re

SHORTEST, LONGEST = 16, 512
TOKEN = rf"^[!-~]{{{SHORTEST},{LONGEST}}}$"

_VISIBLE = re.compile(r"[!-~]*")


def fault_of(token: str, *, shortest: int = SHORTEST) -> str | None:
    """Why this cannot be a token, in words that do not repeat it; None if it can."""
    if _VISIBLE.fullmatch(token) is None:
        return "has a space in it, or a character that is not ASCII"
    if len(token) < shortest:
        return f"is shorter than {shortest} characters"
    if len(token) > LONGEST:
        return f"is longer than {LONGEST} characters"
    return None
