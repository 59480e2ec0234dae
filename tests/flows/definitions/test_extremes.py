"""Values at the ends of what JSON can say: whoever looks at them raises nothing but what is documented."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.flows.definitions import Unevaluable, meant, plain
from mew_agents.flows.definitions.meaning import told
from mew_agents.fluxi import values
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Refusal

from .test_meaning import slot

KINDS = ("string", "text", "int", "number", "money", "bool", "enum", "date", "time", "datetime", "duration", "phone")
ZONES = (UTC, ZoneInfo("America/Argentina/Buenos_Aires"), ZoneInfo("Asia/Tokyo"))
ENDS = (
    *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "0001-01-01", "0000-01-01"),
    *("9999-12-31T23:59:59Z", "9999-12-31T23:59:59", "9999-12-31T23:59:59-12:00", "9999-12-31", "10000-01-01"),
    *("00:00", "23:59", "24:00", "23:59:60", "1e999", "-1e-999", "Infinity", "NaN", "", "\0", "9" * 400),
)
_NUMBERS = (0, -0.0, 2**53, -(2**63), 10**400, 1e308, -1e308, 5e-324, float("inf"), float("nan"))
LEAVES = st.sampled_from(ENDS) | st.sampled_from(_NUMBERS) | st.none() | st.booleans() | st.text(max_size=5)
KEYS = st.sampled_from(["date", "time", "others", "amount", "currency", "x"])
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
COMPUTED = JSON | st.sampled_from([Decimal("1e60"), Decimal("-1e999"), Decimal("NaN"), Decimal("Infinity")])


def looked_at(kind: str, value: Any, zone: tzinfo) -> Refusal | None:
    """What every reader of a value says of it."""
    now = Understanding(language="en", now=datetime(2026, 11, 20, 12, tzinfo=zone))
    normal = values.normal(slot(kind), value, now)
    refused = values.refusal(slot(kind), normal, now)
    if refused is None:
        values.written(slot(kind), normal)
        meant(slot(kind), normal)
    return refused


@given(st.sampled_from(KINDS), JSON, st.sampled_from(ZONES))
def test_a_value_is_taken_or_refused(kind: str, value: Any, zone: tzinfo) -> None:
    refused = looked_at(kind, value, zone)
    assert refused is None or refused.code


@given(st.sampled_from(KINDS), COMPUTED, st.sampled_from(ZONES))
def test_what_is_computed_is_stored_or_unevaluable(kind: str, value: Any, zone: tzinfo) -> None:
    try:
        stored = plain(slot(kind), value, zone=zone)
    except Unevaluable:
        return
    refused = None if stored is None else looked_at(kind, stored, zone)
    assert refused is None or refused.code != "form"


@given(st.sampled_from(KINDS), JSON)
def test_what_is_stored_means_something_or_is_unevaluable(kind: str, value: Any) -> None:
    try:
        meant(slot(kind), value)
    except Unevaluable as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("zone", ZONES, ids=str)
@pytest.mark.parametrize("moment", [end for end in ENDS if "T" in end])
def test_a_moment_that_no_other_zone_can_tell_is_none(moment: str, zone: tzinfo) -> None:
    assert looked_at("datetime", moment, zone) == Refusal("form")
    with pytest.raises(Unevaluable):
        plain(slot("datetime"), moment, zone=zone)


@pytest.mark.parametrize("inside", [lambda one: [one], lambda one: {"x": one}])
def test_what_is_nested_without_end_is_unevaluable(inside: Any) -> None:
    deep: Any = 1.5
    for _ in range(63):
        deep = inside(deep)
    told(deep)
    for _ in range(5_000):
        deep = inside(deep)
    with pytest.raises(Unevaluable):
        told(deep)
    with pytest.raises(Unevaluable):
        plain(slot("string"), deep)
