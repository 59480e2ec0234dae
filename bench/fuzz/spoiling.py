"""Damage to a JSON value: parts replaced, dropped, doubled, wrapped, renamed; and the many ways of writing one down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2.0, 0.5, 1e300, -1e-300, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40),
    *("", " ", "a", "x" * 300, "\0", "é\u2028", "\U0001f600", "\ud800", "*", "**", "!", "/(/", "$..a", ":", "\\"),
    *([], {}, [[]], [None], {"": ""}, [{}], {"a": {"a": 1}}, ["a", "a"], list(range(40)), {"*": "*"}),
)


def spoil(rng: Random, value: Any, words: Sequence[str]) -> Any:
    """The value with one damage done to it, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _spoiled_object(rng, value, words)
    if isinstance(value, list) and value and rng.random() < 0.75:
        at = rng.randrange(len(value))
        times = rng.choice((0, 1, 1, 2))
        items = [spoil(rng, value[at], words)] if times == 1 else [value[at]] * times
        return [*value[:at], *items, *value[at + 1 :]]
    match rng.randrange(12):
        case 0:
            return [value]
        case 1:
            return {rng.choice(words): value}
        case 2 if rng.random() < 0.05:
            return _deep(value, rng.choice((3, 31, 33, 62, 64, 66, 300)), rng.choice((None, "a", "*", "**")))
        case 3 if rng.random() < 0.05:
            return rng.choice(([value] * 300, {f"k{n}": value for n in range(300)}, "y" * 66_000, "é:" * 5_000))
        case 4 | 5 | 6 | 7:
            return rng.choice(words)
        case 8:
            return [rng.choice(words) for _ in range(rng.randrange(4))]
        case _:
            return rng.choice(ODD)


def written(rng: Random, value: Any) -> bytes:
    """The value as JSON, escaped or not, tight or loose."""
    tight = (",", ":") if rng.random() < 0.7 else (", ", ": ")
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=tight)
    return text.encode("utf-8", "surrogatepass")


def _spoiled_object(rng: Random, value: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    key = rng.choice(list(value))
    match rng.randrange(8):
        case 0:
            return {name: item for name, item in value.items() if name != key}
        case 1:
            return {(rng.choice(words) if name == key else name): item for name, item in value.items()}
        case 2:
            return {**value, rng.choice(words): rng.choice((*ODD, value[key]))}
        case _:
            return {**value, key: spoil(rng, value[key], words)}


def _deep(value: Any, levels: int, key: str | None) -> Any:
    for _ in range(levels):
        value = [value] if key is None else {key: value}
    return value
