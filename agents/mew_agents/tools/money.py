"""Amounts of money: decimals as callers write them, whole minor units (cents) inside."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_currency, get_currency_precision, list_currencies

from mew_gateway.sdk import ToolError
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS

CURRENCIES = frozenset(list_currencies())
_MOST = 10**9  # of a currency's units in one amount: sums stay far below what a column holds


def minor_in(amount: Decimal, currency: str) -> int:
    """The amount in minor units. Raises `ToolError` -32602 for none, nothing, and less than the smallest coin."""
    check_currency(currency)
    if not amount.is_finite() or not 0 < amount < _MOST:
        raise ToolError(INVALID_PARAMS, f"amount is {str(amount)[:40]}: write a positive decimal, as in 49.90.")
    places = get_currency_precision(currency)
    coins = amount.quantize(Decimal(1).scaleb(-places))
    if coins != amount:
        raise ToolError(INVALID_PARAMS, f"{amount} {currency} cannot be paid: {currency} has {places} decimals.")
    return int(coins.scaleb(places))


def check_currency(currency: str | None) -> None:
    """Raises `ToolError` -32602 for a currency that there is not. None: any will do."""
    if currency is not None and currency not in CURRENCIES:
        raise ToolError(INVALID_PARAMS, f"There is no currency {currency[:10]!r}: one looks like EUR.")


def plain(minor: int, currency: str) -> str:
    """The amount as a decimal that callers read: 4990 of EUR is 49.90."""
    return str(Decimal(minor).scaleb(-get_currency_precision(currency)))


def written(amount: str, currency: str, language: str) -> str:
    """An amount and its currency as people write them, from what `plain` gave."""
    text = format_currency(Decimal(amount), currency, locale=language)
    return "".join(" " if sign.isspace() else sign for sign in text)  # not every terminal shows a space of another kind
