"""Durations (`500ms`, `30s`, `5m`, `2h`, `7d`) and rates (`5/10s`) as they are written in a file."""

from __future__ import annotations

import re

from mew_gateway.space.settings import Rate

DURATION = r"^[0-9]{1,15}(ms|s|m|h|d)$"
RATE = r"^[0-9]{1,9}/[0-9]{1,15}(ms|s|m|h|d)$"
LONGEST = 3650 * 86_400_000  # ten years: whoever means longer means never

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,15})(ms|s|m|h|d)")


def milliseconds(text: str) -> int:
    """A duration in milliseconds. Raises `ValueError` for anything that is none."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("A duration is a whole number and one of ms, s, m, h, d")
    value = int(match[1]) * _UNITS[match[2]]
    if value > LONGEST:
        raise ValueError("A duration is at most 3650d")
    return value


def rate(text: str) -> Rate:
    """A rate such as `5/10s`. Raises `ValueError` for anything that is none."""
    count, _, per = text.partition("/")
    if not (count.isascii() and count.isdigit() and len(count) <= 9):
        raise ValueError("A rate is a whole number, `/` and a duration")
    parsed = Rate(int(count), milliseconds(per))
    if not (parsed.count and parsed.per):
        raise ValueError("A rate has no zero in it")
    return parsed
