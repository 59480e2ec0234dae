"""A code that a pattern takes, to be shown to somebody who wrote another form: "A-0000" of `[A-Z]-[0-9]{4}`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ESCAPED: Final = {"d": "0", "w": "a", "s": " "}
_COUNT: Final = re.compile(r"\{(\d+)(?:,\d*)?\}|([?*+])")
_LONGEST: Final = 40  # characters
_ANCHORS: Final = "^$"


@lru_cache(maxsize=256)
def example_of(pattern: str) -> str | None:
    """The first code of a pattern as one reads it. None: it has a form that is not read here, or is too long."""
    try:
        written, rest = _choice(pattern)
        fits = re.fullmatch(pattern, written, re.ASCII) is not None
    except (ValueError, IndexError, re.error):
        return None
    return written if not rest and fits and 0 < len(written) <= _LONGEST else None


def _choice(pattern: str) -> tuple[str, str]:
    """The first branch up to a closing parenthesis, and what comes after the last one."""
    written, rest = _sequence(pattern)
    while rest.startswith("|"):
        _, rest = _sequence(rest[1:])
    return written, rest


def _sequence(pattern: str) -> tuple[str, str]:
    written = ""
    while pattern and pattern[0] not in "|)":
        piece, pattern = _piece(pattern)
        count = _COUNT.match(pattern)
        if count is not None:
            pattern = pattern[count.end() :]
            piece *= int(count[1]) if count[1] else count[2] == "+"
        written += piece
    return written, pattern


def _piece(pattern: str) -> tuple[str, str]:
    """One sign, class or group."""
    sign = pattern[0]
    if sign in _ANCHORS:
        return "", pattern[1:]
    if sign == "\\":
        return _ESCAPED.get(pattern[1], pattern[1]), pattern[2:]
    if sign == "[":
        end = pattern.index("]", 2)
        if pattern[1] == "^":
            raise ValueError(pattern)
        first = pattern[1:end]
        return (_ESCAPED.get(first[1], first[1]) if first[0] == "\\" else first[0]), pattern[end + 1 :]
    if sign == "(":
        inside = re.sub(r"^\((?:\?:|\?P<\w+>)?", "", pattern)
        written, rest = _choice(inside)
        return written, rest[1:]
    return ("A" if sign == "." else sign), pattern[1:]
