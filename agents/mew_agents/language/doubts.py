"""What each doubt does to the confidence in a date or a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from mew_agents.language.found import Doubt

CONFIDENCE: Mapping[Doubt, float] = {
    "ambiguous": 0.7,
    "approximate": 0.8,
    "gap": 0.8,
    "fold": 0.8,
    "past": 0.9,
    "partial": 0.6,
}


def confidence(doubts: Iterable[Doubt]) -> float:
    """From 0 to 1: 1 without doubts, less with each."""
    return prod((CONFIDENCE[doubt] for doubt in doubts), start=1.0)
