"""Names of participants or envelopes as a caller gives them: one, or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Names: TypeAlias = str | Sequence[str]


def names_in(given: Names) -> tuple[str, ...]:
    """Return the names as a tuple. A single string is one name, not a sequence of letters."""
    return (given,) if isinstance(given, str) else tuple(given)
