"""Values between slots and expressions: nothing is lost on the way, nothing of another type gets in."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from mew_agents.flows.definitions import Unevaluable, meant, plain
from mew_agents.flows.definitions.meaning import told
from mew_agents.fluxi.definitions.slots import AnySlot, Slot

_SLOT: TypeAdapter[Slot] = TypeAdapter(AnySlot)
FURTHER: dict[str, dict[str, Any]] = {
    "money": {"currency": "USD", "currencies": ("ARS",)},
    "enum": {"options": {"a": {"en": ("a",)}}},
    "ref": {"list": {"ana": ("Ana",)}},
}


def slot(kind: str) -> Slot:
    return _SLOT.validate_python({"path": "it", "type": kind, "label": {}, **FURTHER.get(kind, {})})


BOTH: list[tuple[str, Any, Any]] = [
    ("int", 7, 7),
    ("number", "12.50", Decimal("12.50")),
    ("money", {"amount": "12.50", "currency": "ARS"}, {"amount": Decimal("12.50"), "currency": "ARS"}),
    ("bool", True, True),
    ("date", "2026-11-27", date(2026, 11, 27)),
    ("time", "17:00", time(17)),
    ("datetime", "2026-11-27T17:00:00+00:00", datetime(2026, 11, 27, 17, tzinfo=UTC)),
    ("duration", 90_000, timedelta(seconds=90)),
    ("string", "hola", "hola"),
    ("enum", "a", "a"),
    ("ref", "ana", "ana"),
    ("email", "ana@example.org", "ana@example.org"),
]


@pytest.mark.parametrize(("kind", "stored", "value"), BOTH, ids=[kind for kind, *_ in BOTH])
def test_both_ways(kind: str, stored: Any, value: Any) -> None:
    assert meant(slot(kind), stored) == value
    assert type(meant(slot(kind), stored)) is type(value)
    assert plain(slot(kind), value) == stored
    assert meant(slot(kind), None) is None
    assert plain(slot(kind), None) is None


WRITTEN: list[tuple[str, Any, Any]] = [
    ("int", Decimal("3.0"), 3),
    ("int", "3", 3),
    ("number", 3, "3"),
    ("number", Decimal(1) / 3, "0.333333333333"),
    ("money", {"amount": "5", "currency": "USD"}, {"amount": "5.00", "currency": "USD"}),
    ("money", Decimal("2.5"), {"amount": "2.50", "currency": "USD"}),
    ("money", "25 ARS", {"amount": "25.00", "currency": "ARS"}),
    ("duration", "2h", 7_200_000),
    ("time", "17:00:00", "17:00"),
]


@pytest.mark.parametrize(("kind", "value", "stored"), WRITTEN)
def test_what_files_and_tools_write(kind: str, value: Any, stored: Any) -> None:
    assert plain(slot(kind), value) == stored


def test_a_moment_without_offset_is_the_zones() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    assert plain(slot("datetime"), "2026-11-27T17:00", zone=zone) == "2026-11-27T17:00:00-03:00"
    assert meant(slot("datetime"), {"date": "2026-11-27"}) is None


REFUSED: dict[str, list[Any]] = {
    "int": [Decimal("2.5"), "x", True, [1], {"a": 1}],
    "number": ["x", True, []],
    "money": [Decimal(1) / 3, "x", {"amount": "x", "currency": "USD"}],
    "string": [3, Decimal(3), True, "", []],
    "bool": [1, "yes"],
    "date": ["x", 5, Decimal(5)],
    "duration": ["5", -1, Decimal(5)],
}
MISFITS = [(kind, value) for kind, values in REFUSED.items() for value in values]


@pytest.mark.parametrize(("kind", "value"), MISFITS, ids=str)
def test_what_a_slot_does_not_take(kind: str, value: Any) -> None:
    with pytest.raises(Unevaluable, match=f"`it`, of the type {kind}, does not take"):
        plain(slot(kind), value)


@pytest.mark.parametrize(("kind", "stored"), [("money", 5), ("number", "x"), ("date", "x"), ("int", [])])
def test_what_was_never_stored_by_a_slot_of_the_type(kind: str, stored: Any) -> None:
    with pytest.raises(Unevaluable):
        meant(slot(kind), stored)


def test_bounds_are_another_question() -> None:
    assert plain(_SLOT.validate_python({"path": "it", "type": "int", "label": {}, "max": "5"}), 9) == 9
    assert plain(slot("enum"), "b") == "b"


@given(st.decimals(-(10**15), 10**15, places=4))
def test_numbers_stay_exact(value: Decimal) -> None:
    assert meant(slot("number"), plain(slot("number"), value)) == value


def test_what_a_tool_answers_is_exact_too() -> None:
    assert told({"a": [0.1, 1, None, "x", True]}) == {"a": [Decimal("0.1"), 1, None, "x", True]}
