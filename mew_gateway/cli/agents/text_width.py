"""Width of texts in a picture, and cutting them to it."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath


@cache
def _advance(char: str) -> float:
    """Return how much wider a character makes a text of size 72, in inches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        font = FontProperties(family="DejaVu Sans", weight="bold")  # bold is wider: what fits in bold fits
        wide, narrow = (TextPath((0, 0), text, size=72, prop=font).get_extents().width for text in (f"H{char}H", "HH"))
    return float(wide - narrow) / 72


def length(text: str, size: float) -> float:
    """Return the width of a text in inches, or a little more."""
    return sum(map(_advance, text)) * size / 72


def fit(text: str, room: float, size: float) -> str:
    """Return the text, cut to the given room."""
    if length(text, size) <= room:
        return text
    kept = bisect_left(range(len(text)), True, key=lambda count: length(f"{text[:count]}…", size) > room) - 1
    return f"{text[: max(kept, 0)].rstrip()}…"
