"""Names of participants or envelopes as a caller gives them: one, or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Names: TypeAlias = str | Sequence[str]


def names_in(given: Names) -> tuple[str, ...]:
    """Each of them: a lone string is one name, and not as many as it has letters."""
    return (given,) if isinstance(given, str) else tuple(given)
