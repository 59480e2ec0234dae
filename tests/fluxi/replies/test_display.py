"""Slots' values, and the bounds that they missed, in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.fluxi.definitions import Definition, Slot, parse, shipped
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import bounds, display, say
from mew_agents.language.found import LANGUAGES, Language

BOOKING, REFUND = shipped()
EVERY_TYPE: Definition = parse(
    b"""
typeId: every
version: 1
title: {es: todo}
intents: {es: [todo]}
bindingAttributes: [string]
policies: {grants: ["*"]}
slots:
  - {path: string, type: string, required: true, label: {es: a}, prompt: {es: a}}
  - {path: text, type: text, label: {es: a}}
  - {path: int, type: int, max: 10000, label: {es: a}}
  - {path: number, type: number, label: {es: a}}
  - {path: money, type: money, currency: BRL, min: 5, label: {es: a}}
  - {path: bool, type: bool, label: {es: a}}
  - {path: enum, type: enum, options: {a: {es: [primera, uno]}, b: {es: [segunda]}}, label: {es: a}}
  - {path: date, type: date, label: {es: a}}
  - {path: time, type: time, label: {es: a}}
  - {path: datetime, type: datetime, label: {es: a}}
  - {path: duration, type: duration, label: {es: a}}
  - {path: phone, type: phone, label: {es: a}}
  - {path: email, type: email, label: {es: a}}
  - {path: ref, type: ref, tool: crm/people, label: {es: a}}
"""
)


def policy(language: Language = "es") -> PolicyContext:
    return PolicyContext(now=datetime(2026, 11, 24, 15, tzinfo=UTC), language=language, timezone="America/Bogota")


def slot(path: str) -> Slot:
    return EVERY_TYPE.slot(path)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("string", "A-1001", "A-1001"),
        ("text", "me duele", "me duele"),
        ("int", 1500, "1.500"),
        ("number", "1500.50", "1.500,5"),
        ("money", {"amount": "1500.00", "currency": "BRL"}, "1.500,00 BRL"),
        ("bool", False, "no"),
        ("enum", "a", "primera"),
        ("date", "2026-11-27", "viernes, 27 de noviembre de 2026"),
        ("time", "17:00", "17:00"),
        ("datetime", "2026-11-27T22:00:00+00:00", "viernes, 27 de noviembre de 2026 a las 17:00"),
        ("datetime", {"date": "2026-11-27", "others": ["2026-12-04"]}, "viernes, 27 de noviembre de 2026"),
        ("datetime", {"time": "17:00"}, "17:00"),
        ("duration", 5_400_000, "1 hora y 30 minutos"),
        ("phone", "+5491123456789", "+5491123456789"),
        ("email", "ana@example.org", "ana@example.org"),
        ("ref", "a-1", "a-1"),
    ],
)
def test_every_type_is_shown(path: str, value: Any, words: str) -> None:
    assert display(slot(path), value, policy()) == words


def test_people_are_shown_by_their_first_name_in_the_list() -> None:
    assert display(BOOKING.slot("doctor"), "ana-perez", policy()) == "Dra. Ana Pérez"
    assert display(slot("ref"), "a-1", policy(), names={"a-1": ["Ana", "Anita"]}) == "Ana"
    assert [display(REFUND.slot("reason"), "late", policy(one)) for one in LANGUAGES] == ["tarde", "atrasado", "late"]


@given(
    st.sampled_from(EVERY_TYPE.slots),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["amount", "currency", "date", "time"]), inner, max_size=2)
        ),
        max_leaves=4,
    ),
)
def test_whatever_a_slot_holds_is_shown(any_slot: Slot, value: Any) -> None:
    assert isinstance(display(any_slot, value, policy()), str)


def test_bounds_are_told_in_words() -> None:
    told = bounds(slot("datetime"), {"days": [0, 4], "earliest": "08:30", "latest": "18:00"}, policy())
    day = say("invalid_weekday", policy(), label="día", value="sábado", days=told["days"])
    assert day == "Ese día no es posible (día: sábado). Puede elegir lunes o viernes."
    hour = say("invalid_hours", policy(), label="hora", value="7:00", earliest=told["earliest"], latest=told["latest"])
    assert hour.endswith("Puede elegir una desde las 8:30 hasta las 18:00.")
    assert say("invalid_hours", policy(), label="hora", value="7:00", earliest=told["earliest"]).endswith("las 8:30.")


@pytest.mark.parametrize(
    ("path", "code", "details", "words"),
    [
        ("datetime", "too_far", {"limit": "2027-11-24"}, "miércoles, 24 de noviembre de 2027"),
        ("money", "too_small", {"limit": "5"}, "5,00 BRL"),
        ("int", "too_big", {"limit": "10000"}, "10.000"),
        ("duration", "too_big", {"limit": 5_400_000}, "1 hora y 30 minutos"),
        ("string", "too_long", {"limit": 2000}, "2000"),
        ("money", "currency", {"currencies": ["BRL", "USD"]}, "BRL o USD"),
        ("enum", "unknown", {"options": ["a", "b"]}, "primera o segunda"),
    ],
)
def test_each_refusal_names_its_bound(path: str, code: str, details: dict[str, Any], words: str) -> None:
    reply = say(f"invalid_{code}", policy(), label="dato", value="x", **bounds(slot(path), details, policy()))
    assert words in reply
