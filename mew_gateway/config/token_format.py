"""Format of a token: visible ASCII, because it travels in a header, and too long to guess. No two have the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault

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


def duplicates(tokens: list[Node]) -> Iterator[Fault]:
    """Yield the faults of tokens that another participant has, too."""
    owners: dict[str, str | int] = {}
    for token in tokens:
        who = token.path[token.path.index("participants") + 1]
        if isinstance(token.value, str):
            owner = owners.setdefault(token.value, who)
            if owner != who:
                yield Fault(token.path, f"This is the token of `{owner}` too.", "each has its own")
