"""The seam between what is fed and what feeds it: a target takes one input at a time, and raises if it is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Protocol


class Target(Protocol):
    """Something that reads bytes that somebody else chose. An input's outcome depends on its bytes alone."""

    seeds: Sequence[bytes]  # inputs to begin with: what people write
    outcomes: Counter[str]  # what inputs have led to, and how often

    def vary(self, rng: Random, data: bytes) -> bytes:
        """Another input, made of this one and of what this target knows of its language."""

    def one(self, data: bytes) -> None:
        """Take one input. Whatever it raises, an `AssertionError` as a rule, is a fault found."""


LONGEST = 1_048_576  # bytes of an input: whoever is fed is never given more


def draw(target: Target, seed: str, number: int) -> bytes:
    """The input of that number: the same each time, whatever came before it."""
    rng = Random(f"{seed}/{number}")
    return target.vary(rng, rng.choice(target.seeds))[:LONGEST]
