"""Amounts whose currency depends on who asks."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mew_agents.language.money import Money, money


@pytest.mark.parametrize(
    ("text", "default", "currency"),
    [
        ("$ 5", "CLP", "CLP"),
        ("5 pesos", "UYU", "UYU"),
        ("5 dólares", "ARS", "USD"),
        ("5 dólares", "CAD", "CAD"),
        ("5 dólares americanos", "CAD", "USD"),
        ("5 euros", "ARS", "EUR"),
        ("$ 5 usd", "ARS", "USD"),
        ("5", "PEN", "PEN"),
    ],
)
def test_a_currency_is_the_one_expected_where_its_name_leaves_that_open(text: str, default: str, currency: str) -> None:
    (found,) = money(text, "es", currency=default)
    assert (found.value, found.doubts) == (Money(Decimal(5), currency), ())


def test_pesos_of_nobody_known_are_ambiguous() -> None:
    (found,) = money("10 pesos", "es", currency="EUR")
    assert found.value == Money(Decimal(10), "MXN")
    assert Money(Decimal(10), "ARS") in found.alternatives
    assert found.doubts == ("ambiguous",)
    assert found.confidence < 0.75


def test_cents_that_may_be_another_number_are_ambiguous() -> None:
    (found,) = money("5 reais e 20 para hoje", "pt", currency="BRL")
    assert found.value == Money(Decimal("5.2"), "BRL")
    assert found.alternatives == (Money(Decimal(5), "BRL"),)


def test_a_debt_is_negative() -> None:
    (found,) = money("saldo -$5", "es", currency="ARS")
    assert found.value.amount == -5


def test_one_sign_belongs_to_one_amount() -> None:
    text = "50 $ 4567"
    assert [found.evidence(text) for found in money(text, "es", currency="ARS")] == ["50 $"]
