"""Durations as written in a file: `500ms`, `30s`, `5m`, `2h`, `7d`."""

from __future__ import annotations

import re

DURATION = r"^[0-9]{1,15}(ms|s|m|h|d)$"
LONGEST = 3650 * 86_400_000  # ten years

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,15})(ms|s|m|h|d)")


def milliseconds(text: str) -> int:
    """Parse a duration into milliseconds. Raises `ValueError`."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("A duration is a whole number and one of ms, s, m, h, d")
    value = int(match[1]) * _UNITS[match[2]]
    if value > LONGEST:
        raise ValueError("A duration is at most 3650d")
    return value


def format_duration(milliseconds: int, *, one: bool = True) -> str:
    """Return a duration as text, in the largest unit that needs no fraction.

    With `one` false, a single minute, hour or day is in the next smaller unit: `60s`, `24h`.
    """
    fitting = ((unit, size) for unit, size in reversed(_UNITS.items()) if milliseconds % size == 0)
    unit, size = next((unit, size) for unit, size in fitting if one or milliseconds != size or size <= 1_000)
    return f"{milliseconds // size}{unit}"
