"""How much room a text takes in a picture, and how much of it fits."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath


@cache
def _advance(char: str) -> float:
    """How much longer a character makes a text of size 72, in inches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        font = FontProperties(family="DejaVu Sans", weight="bold")  # the wider one: what is measured fits either way
        wide, narrow = (TextPath((0, 0), text, size=72, prop=font).get_extents().width for text in (f"H{char}H", "HH"))
    return float(wide - narrow) / 72


def length(text: str, size: float) -> float:
    """How long a text is, in inches, or a little more."""
    return sum(map(_advance, text)) * size / 72


def fit(text: str, room: float, size: float) -> str:
    """The text, cut where the room ends."""
    if length(text, size) <= room:
        return text
    kept = bisect_left(range(len(text)), True, key=lambda count: length(f"{text[:count]}…", size) > room) - 1
    return f"{text[: max(kept, 0)].rstrip()}…"
