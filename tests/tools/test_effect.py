"""`mew/effect`: what is read of it, and that whatever else comes is refused as definitely not done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.tools.effect import META, Effect, effect_in
from mew_gateway.sdk import ToolError

GOOD = {"key": "k", "attempt": 1, "fence": 0, "deadline": 5}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*GOOD, META, "x"]), inner),
    max_leaves=8,
)


def test_it_is_read_and_unknown_fields_are_left_alone() -> None:
    assert effect_in({"_meta": {META: {**GOOD, "later": "more"}}}) == Effect("k", 1, 0, 5)


@pytest.mark.parametrize("params", [{}, {"_meta": {}}, {"_meta": {"progressToken": 1}}])
def test_there_may_be_none(params: dict[str, Any]) -> None:
    assert effect_in(params) is None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"key": ""}, "key"),
        ({"key": "k" * 201}, "key"),
        ({"key": 1}, "key"),
        ({"attempt": 0}, "attempt"),
        ({"attempt": True}, "attempt"),
        ({"fence": -1}, "fence"),
        ({"fence": 2**53}, "fence"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"deadline": 1.5}, "deadline"),
    ],
)
def test_what_is_not_well_formed_is_refused_by_its_place(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolError, match=says) as caught:
        effect_in({"_meta": {META: {**GOOD, **wrong}}})
    assert caught.value.code == -32602


@pytest.mark.parametrize("left_out", GOOD)
def test_nothing_of_it_may_be_left_out(left_out: str) -> None:
    with pytest.raises(ToolError, match=left_out):
        effect_in({"_meta": {META: {name: value for name, value in GOOD.items() if name != left_out}}})


@given(st.dictionaries(st.sampled_from(["_meta", "name"]), JSON | st.dictionaries(st.just(META), JSON)))
def test_any_json_is_an_effect_or_none_or_refused(params: dict[str, Any]) -> None:
    try:
        found = effect_in(params)
    except ToolError as error:
        assert error.code == -32602
    else:
        assert found is None or (found.key and found.attempt >= 1)
