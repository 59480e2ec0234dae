"""Rates as written in a file: `5/10s`."""

from __future__ import annotations

from mew_gateway.documents.durations import format_duration, milliseconds
from mew_gateway.space.settings import Rate

RATE = r"^[0-9]{1,9}/[0-9]{1,15}(ms|s|m|h|d)$"


def rate(text: str) -> Rate:
    """Parse a rate such as `5/10s` (five in any ten seconds). Raises `ValueError`."""
    count, _, per = text.partition("/")
    if not (count.isascii() and count.isdigit() and len(count) <= 9):
        raise ValueError("A rate is a whole number, `/` and a duration")
    parsed = Rate(int(count), milliseconds(per))
    if not (parsed.count and parsed.per):
        raise ValueError("A rate has a count and a period above zero")
    return parsed


def format_rate(rate: Rate) -> str:
    """Return a rate as text, such as `3/60s`."""
    return f"{rate.count}/{format_duration(rate.per, one=False)}"
