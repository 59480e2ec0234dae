"""A row of the table of limits: what is counted, the outcome beyond the bound, and two cases that show both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from .limit_fixture import LimitFixture

Case: TypeAlias = Callable[[LimitFixture], Awaitable[None] | None]


class Pair(NamedTuple):
    """Two cases: `at` is exactly at the bound and succeeds; `past` goes one beyond it and recovers."""

    at: Case
    past: Case


class Limit(NamedTuple):
    """A row. `key` is a path in spaces.yaml, or the name of a constant with its `value`.

    `counted` is what it bounds, `outcome` what happens beyond it.
    """

    key: str
    counted: str
    outcome: str
    pairs: tuple[Pair, ...]
    value: str | int | None = None
