"""A limit, as the table has it: what is counted, what happens behind it, and the two cases that show both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from .ground import Ground

Case: TypeAlias = Callable[[Ground], Awaitable[None] | None]


class Pair(NamedTuple):
    """`at` stands exactly at the bound, where all is well; `past` goes one beyond it, and all is well afterwards."""

    at: Case
    past: Case


class Limit(NamedTuple):
    """A row. `key` is its path in spaces.yaml, or a name where it is no setting; then `value` is what the code has.

    `counted` says what it bounds, and of whom; `outcome` what happens when it is passed.
    """

    key: str
    counted: str
    outcome: str
    pairs: tuple[Pair, ...]
    value: str | int | None = None
