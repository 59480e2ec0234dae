"""What cannot stand in a slot, whoever set it; the one form in which values are stored; readings that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding

from .conftest import EVERYTHING, NOW

Told = Callable[..., Understanding]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates().map(str) | st.times().map(str)
    | st.datetimes().map(str),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text() | st.sampled_from(["date", "time", "others", "amount", "currency"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "code", "said"),
    [
        ("code", "A1", "pattern", {"example": "AA000"}),
        ("code", 5, "form", {}),
        ("name", "", "form", {}),
        ("name", "  ", "form", {}),
        ("name", "x\0y", "form", {}),
        ("name", "\ud800", "form", {}),
        ("name", "x" * 21, "too_long", {"limit": 20}),
        ("people", 0, "too_small", {"limit": "1"}),
        ("people", 11, "too_big", {"limit": "10"}),
        ("people", True, "form", {}),
        ("people", "3", "form", {}),
        ("people", 10**30, "form", {}),
        ("weight", "0.4", "too_small", {"limit": "0.5"}),
        ("weight", 12.5, "form", {}),
        ("weight", "1e3", "form", {}),
        ("weight", "NaN", "form", {}),
        ("price", {"amount": "0.5", "currency": "ARS"}, "too_small", {"limit": "1"}),
        ("price", {"amount": "5", "currency": "EUR"}, "currency", {"currencies": ["ARS", "USD"]}),
        ("price", {"amount": "5.005", "currency": "USD"}, "form", {}),
        ("price", {"amount": 5, "currency": "USD"}, "form", {}),
        ("price", {"amount": "5"}, "form", {}),
        ("price", "5 USD", "form", {}),
        ("gift", "true", "form", {}),
        ("size", "huge", "unknown", {"options": ["small", "large"]}),
        ("size", ["small"], "form", {}),
        ("day", "2026-11-23", "past", {}),
        ("day", "2026-11-28", "weekday", {"days": [0, 1, 2, 3, 4]}),
        ("day", "2027-02-01", "too_far", {"limit": "2027-01-23"}),
        ("day", "20261127", "form", {}),
        ("day", "2026-11-31", "form", {}),
        ("hour", "07:59", "hours", {"earliest": "08:00", "latest": "20:00"}),
        ("hour", "20:01", "hours", {"earliest": "08:00", "latest": "20:00"}),
        ("hour", "17:00:00", "form", {}),
        ("start", "2026-11-24T09:59:00-03:00", "past", {}),
        ("start", "2026-11-27T17:00:00", "form", {}),
        ("start", "2026-11-27T21:00:00-03:00", "hours", {"earliest": "08:00", "latest": "20:00"}),
        ("start", "2026-11-27T10:00:00+00:00", "hours", {"earliest": "08:00", "latest": "20:00"}),  # 07:00 here
        ("start", "2028-01-01T10:00:00-03:00", "too_far", {"limit": "2027-11-24"}),
        ("start", {"date": "2026-11-23"}, "past", {}),
        ("start", {"time": "03:00"}, "hours", {"earliest": "08:00", "latest": "20:00"}),
        ("start", {"date": "2026-11-27", "time": "17:00"}, "form", {}),
        ("start", {"date": "2026-11-27", "others": ["x"]}, "form", {}),
        ("start", {}, "form", {}),
        ("length", 60_000, "too_small", {"limit": 900_000}),
        ("length", 1.5, "form", {}),
        ("length", -1, "form", {}),
        ("phone", "11 4567 8901", "form", {}),
        ("phone", "+99912", "form", {}),
        ("mail", "ana@", "form", {}),
        ("mail", "ana@EXAMPLE.com", "form", {}),
        ("doctor", "nobody", "unknown", {"options": ["ana", "juan", "joao"]}),
        ("room", "r3", "unknown", {"options": ["r1", "r2"]}),
    ],
)
def test_refused(everything: Definition, told: Told, path: str, value: Any, code: str, said: dict[str, Any]) -> None:
    refusal = values.refusal(everything.slot(path), value, told())
    assert refusal is not None
    assert (refusal.code, dict(refusal.values)) == (code, said)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("code", "AB123"),
        ("people", 10),
        ("weight", "0.50"),
        ("price", {"amount": "1", "currency": "USD"}),
        ("day", "2026-11-24"),
        ("hour", "20:00"),
        ("start", "2026-11-24T10:00:00-03:00"),
        ("start", "2026-11-27T20:00:00+00:00"),
        ("start", {"time": "17:00", "others": ["08:00"]}),
        ("phone", "+541145678901"),
        ("room", "r1"),
    ],
)
def test_taken(everything: Definition, told: Told, path: str, value: Any) -> None:
    assert values.refusal(everything.slot(path), value, told()) is None


@pytest.mark.parametrize(
    ("path", "given", "stored"),
    [
        ("people", "3", 3),
        ("people", 3.0, 3),
        ("people", "three", "three"),
        ("weight", 12.5, "12.5"),
        ("weight", True, True),
        ("price", "25 USD", {"amount": "25.00", "currency": "USD"}),
        ("price", 25, {"amount": "25.00", "currency": "ARS"}),
        ("price", {"amount": 25.5}, {"amount": "25.50", "currency": "ARS"}),
        ("price", {"amount": "5.005", "currency": "USD"}, {"amount": "5.005", "currency": "USD"}),
        ("price", "a lot", "a lot"),
        ("gift", "false", False),
        ("hour", "17:00:00", "17:00"),
        ("start", "2026-11-27T17:00", "2026-11-27T17:00:00-03:00"),
        ("start", "2026-11-27T20:00:00Z", "2026-11-27T17:00:00-03:00"),
        ("start", "2026-11-27", {"date": "2026-11-27"}),
        ("start", "17:00", {"time": "17:00"}),
        ("start", "soon", "soon"),
        ("length", "30m", 1_800_000),
        ("doctor", "ana", "ana"),
    ],
)
def test_the_form_in_which_a_value_is_stored(
    everything: Definition, told: Told, path: str, given: Any, stored: Any
) -> None:
    assert values.normal(everything.slot(path), given, told()) == stored


@pytest.mark.parametrize(
    ("path", "same", "written"),
    [
        ("weight", ("12.50", "12.5"), "12.5"),
        ("price", ({"amount": "25", "currency": "USD"}, {"amount": "25.00", "currency": "USD"}), "25.00 USD"),
        ("start", ("2026-11-27T17:00:00-03:00", "2026-11-27T20:00:00+00:00"), "2026-11-27T20:00:00Z"),
        ("gift", (True,), "true"),
        ("people", (3,), "3"),
    ],
)
def test_one_text_for_one_value(everything: Definition, path: str, same: tuple[Any, ...], written: str) -> None:
    assert {values.written(everything.slot(path), value) for value in same} == {written}


@given(JSON, st.sampled_from(EVERYTHING.slots))
def test_any_json_is_refused_or_taken_and_never_raises(value: Any, slot: Any) -> None:
    understanding = Understanding(language="es", now=NOW)
    stored = values.normal(slot, value, understanding)
    for one in (value, stored):
        if values.refusal(slot, one, understanding) is None:
            assert values.normal(slot, one, understanding) is not None
            assert isinstance(values.written(slot, one), str)
            assert values.missing(slot, one) in (None, "date", "time")


def candidate(path: str, value: Any, *alternatives: Any, doubts: tuple[Any, ...] = ("ambiguous",)) -> Candidate:
    return Candidate(
        path=path, value=value, start=0, end=1, evidence="x", confidence=0.7, alternatives=alternatives, doubts=doubts
    )


def test_a_reading_that_is_refused_gives_way_to_the_next(everything: Definition, told: Told) -> None:
    slot = everything.slot("hour")
    settled = values.settle(slot, candidate("hour", "05:00", "17:00"), told())
    assert (settled.value, settled.alternatives, settled.doubts, settled.confidence) == ("17:00", (), (), 1.0)
    kept = values.settle(slot, candidate("hour", "05:00", "08:00", "17:00"), told())
    assert (kept.value, kept.alternatives, kept.doubts) == ("08:00", ("17:00",), ("ambiguous",))
    refused = candidate("hour", "05:00", "06:00")
    assert values.settle(slot, refused, told()) == refused


def test_other_doubts_stay(everything: Definition, told: Told) -> None:
    doubted = candidate("hour", "17:00", "05:00", doubts=("ambiguous", "approximate"))
    settled = values.settle(everything.slot("hour"), doubted, told())
    assert (settled.doubts, settled.confidence) == (("approximate",), 0.7)
    past = candidate("day", "2026-11-23", "2026-11-30", doubts=("ambiguous", "past"))
    assert values.settle(everything.slot("day"), past, told()).doubts == ()
