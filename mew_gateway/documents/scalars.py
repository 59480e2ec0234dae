"""Resolve plain scalars by the core schema of YAML 1.2 (YAML 1.2.2 §10.3.2).

Timestamps, `yes` and `no`, sexagesimal numbers and merge keys of YAML 1.1 are not resolved.
"""

from __future__ import annotations

import math
import re

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**64 - 1  # the range of the wire (docs/protocol.md §2)
_LONGEST_NUMBER = 100


def resolve(text: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar. Raises `ValueError` for a number that the wire cannot carry."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "-+.0123456789":
        return text
    if _SPECIAL.fullmatch(text):
        raise ValueError("Infinity and NaN are not numbers here.")
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> int | float | None:
    for pattern, base in ((_DECIMAL, 10), (_OCTAL, 8), (_HEXADECIMAL, 16)):
        if pattern.fullmatch(text):
            return _integer(text, base)
    return _float(text) if _FLOAT.fullmatch(text) else None


def _integer(text: str, base: int) -> int:
    value = int(text, base) if len(text) <= _LONGEST_NUMBER else _LARGEST_INT + 1
    if not _SMALLEST_INT <= value <= _LARGEST_INT:
        raise ValueError("The number does not fit 64 bits.")
    return value


def _float(text: str) -> float:
    value = float(text) if len(text) <= _LONGEST_NUMBER else math.inf
    if math.isinf(value):
        raise ValueError("The number does not fit a double.")
    return value
