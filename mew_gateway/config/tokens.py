"""Format of a token: visible ASCII, because it travels in a header, and too long to guess."""

from __future__ import annotations

import re

SHORTEST, LONGEST = 16, 512
TOKEN = rf"^[!-~]{{{SHORTEST},{LONGEST}}}$"

_VISIBLE = re.compile(r"[!-~]*")


def fault_of(token: str, *, shortest: int = SHORTEST) -> str | None:
    """Return why the token is invalid, in words that do not repeat it; None if it is valid."""
    if _VISIBLE.fullmatch(token) is None:
        return "contains a space or a character that is not ASCII"
    if len(token) < shortest:
        return f"is shorter than {shortest} characters"
    if len(token) > LONGEST:
        return f"is longer than {LONGEST} characters"
    return None
