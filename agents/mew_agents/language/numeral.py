"""A number as it stands in a text, in words or in digits."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Numeral(NamedTuple):
    """A number from token `first` to token `last`, both included."""

    value: Decimal
    first: int
    last: int
    alternatives: tuple[Decimal, ...] = ()
    unsure: bool = False  # it may mean something else, also where no other number is known
    plain: bool = True  # may stand for a number by itself; else it needs a currency beside it
    decimals: int = 0  # digits written after the decimal sign
    lone: bool = False  # "un" or "one", mostly an article or a pronoun


def trimmed(value: Decimal) -> Decimal:
    """A whole value without the decimals that a calculation left it: 2.5 thousand is 2500, not 2500.0."""
    whole = value.to_integral_value()
    return whole if whole == value else value
