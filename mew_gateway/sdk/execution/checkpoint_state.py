"""Check that the state of a checkpoint survives JSON unchanged."""

from __future__ import annotations

import math
from typing import Any

_LEVELS = 100


def check(value: Any, path: str, *, levels: int = _LEVELS) -> None:
    """Raise `TypeError`, with the place, for a value that JSON would change or cannot hold."""
    if levels == 0:
        raise TypeError(f"{path} has more than {_LEVELS} levels.")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path} has the key {key!r}: a key is a str.")
            check(inner, f"{path}[{key!r}]", levels=levels - 1)
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            check(inner, f"{path}[{n}]", levels=levels - 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{path} is {value}, which JSON does not know.")
    elif not isinstance(value, str | int | float | bool | None):
        raise TypeError(f"{path} is a {type(value).__name__}: JSON knows dict, list, str, int, float, bool and None.")
