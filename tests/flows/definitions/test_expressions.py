"""Expressions: exact, and without harm whatever the text."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.flows.definitions import Expression, Unevaluable
from mew_agents.flows.definitions.expressions import Part

NAMES: dict[str, Any] = {
    "amount": {"amount": Decimal("12.50"), "currency": "USD"},
    "count": 3,
    "empty": None,
    "name": "Ana",
    "today": date(2026, 11, 27),
    "now": datetime(2026, 11, 27, 17, tzinfo=UTC),
    "start": datetime(2026, 11, 28, 17, tzinfo=UTC),
    "day": timedelta(days=1),
    "result": {"sums": [{"sum": Decimal("1.5")}], "code": "ok", "note": None},
    "number": 5,  # a slot may be called like a function
}
VALUES: list[tuple[str, Any]] = [
    ("0.1 + 0.2", Decimal("0.3")),
    ("12345678901234567.89 - 0.01", Decimal("12345678901234567.88")),
    ("10 / 4", Decimal("2.5")),
    ("7 // 2", 3),
    ("-7.5 // 2", Decimal(-4)),
    ("-7.5 % 2", Decimal("0.5")),
    ("-count", -3),
    ("+count", 3),
    ("round(2.345, 2)", Decimal("2.35")),
    ("round(2.5)", 3),
    ("abs(-2.5)", Decimal("2.5")),
    ("int('12')", 12),
    ("int(2.9)", 2),
    ("number('2.50') == 2.5", True),
    ("text(2.50)", "2.5"),
    ("text(count) + '!'", "3!"),
    ("text(true)", "true"),
    ("text(today)", "2026-11-27"),
    ("min(3, 1.5, 2)", Decimal("1.5")),
    ("max([1, 3, 2])", 3),
    ("lower(name) + upper(name)", "anaANA"),
    ("len(name)", 3),
    ("amount.amount * 2", Decimal("25.00")),
    ("amount.currency == 'USD' and amount.amount > 12", True),
    ("count in [1, 2, 3]", True),
    ("count in (1, 2)", False),
    ("'n' in name", True),
    ("'code' in result", True),
    ("4 not in [1]", True),
    ("empty is None", True),
    ("empty == null", True),
    ("name is not null", True),
    ("not empty", True),
    ("empty or 'x'", "x"),
    ("'a' if count > 2 else 'b'", "a"),
    ("1 < count <= 3", True),
    ("empty is not null and empty > 1", False),
    ("result.sums[0].sum", Decimal("1.5")),
    ("result['code']", "ok"),
    ("result.nothing", None),
    ("amount.__class__", None),  # a key that is not there, never an attribute
    ("result.sums[7]", None),
    ("result.sums[-1].sum", Decimal("1.5")),
    ("start - now == day", True),
    ("now + day == start", True),
    ("start > now", True),
    ("number(number)", 5),
    ("name == 3", False),
    ("true and not false", True),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=lambda one: str(one)[:40])
def test_values(text: str, expected: Any) -> None:
    value = Expression(text).value(NAMES)
    assert value == expected
    assert type(value) is type(expected)


NONE = [
    *(
        "",
        "   ",
        "a b",
        "count +",
        "(",
        "(" * 300,
        "-" * 400 + "1",
        "1" * 501,
        "x" * 501,
        "[i for i in name]",
        "lambda: 1",
    ),
    *("f'{name}'", "2 ** 8", "1 << 8", "count & 1", "~1", "1j", "b'x'", "...", "{1: 2}", "{1}", "name[0:1]", "*name"),
    *("(x := 1)", "await name", "yield", "open('x')", "__import__('os')", "name.upper()", "len(name)()", "min(*name)"),
    *("text(value=1)", "1e999999", "9" * 400, "1 @ 2", "print(1)", "\x00", "import os", "x = 1"),
]


@pytest.mark.parametrize("text", NONE, ids=range(len(NONE)))
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(Unevaluable) as caught:
        Expression(text)
    assert str(caught.value)[0].isupper()
    assert str(caught.value).endswith(".")


WITHOUT_VALUE = [
    *("1 / 0", "count // 0", "5 % 0", "empty > 1", "name > 1", "name + 1", "name * 3", "true + 1", "empty.amount"),
    *("name.upper", "().__class__.__bases__", "result.sums.x", "count.real", "unknown", "len(1)"),
    *(
        "number('x')",
        "number('NaN')",
        "number('Infinity')",
        "int(null)",
        "round(1, 99)",
        "round(1, -1)",
        "min()",
        "min([])",
    ),
    *("lower(1)", "text(null)", "text(result)", "1 in 'x'", "1 in 5", "today + 1", "today - now", "result > result"),
    *("max(1, 'a')", "9" * 70 + " * " + "9" * 70, "name['x']", "result[0]", "number('" + "9" * 120 + "')"),
]


@pytest.mark.parametrize("text", WITHOUT_VALUE, ids=range(len(WITHOUT_VALUE)))
def test_what_has_no_value(text: str) -> None:
    expression = Expression(text)
    with pytest.raises(Unevaluable) as caught:
        expression.value(NAMES)
    assert str(caught.value).endswith(".")


def test_what_it_names() -> None:
    expression = Expression("len(name) > count and amount.amount > 2 and result['x'].y and name == null and not true")
    assert expression.names == ("name", "count", "amount", "result")
    assert expression.parts == (Part("amount", "amount"),)
    assert Expression("number(number)").names == ("number",)


def test_equal_texts_are_equal_expressions() -> None:
    assert Expression(" count + 1 ") == Expression("count + 1") != Expression("count+1")
    assert len({Expression("1"), Expression("1"), Expression("2")}) == 2
    assert repr(Expression("1")) == "Expression('1')"


def test_what_counts_as_so() -> None:
    assert [Expression(text).holds(NAMES) for text in ("1", "0", "''", "name", "empty", "[]")] == [
        *(True, False, False, True, False, False)
    ]


def test_what_grows_is_stopped() -> None:
    names = {"long": "x" * 9_000, "big": 10**70}
    for text in ("long + long", "big * big", "big / 0." + "0" * 90 + "1"):
        with pytest.raises(Unevaluable):
            Expression(text).value(names)


WORDS = (
    "count name amount empty result today 1 2.5 'a' ( ) [ ] , . + - * / // % ** < == in not and or is if else null "
    "true min max len text number round int __class__ lambda : { } = f''"
)
TOKENS = st.sampled_from([*WORDS.split(), "9" * 40])


@settings(max_examples=400, deadline=None)
@given(st.lists(TOKENS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_no_text_does_harm(text: str) -> None:
    begun = time.process_time()
    try:
        value = Expression(text).value(NAMES)
    except Unevaluable as error:
        assert "\n" not in str(error)
    else:
        assert not callable(value)
    assert time.process_time() - begun < 0.5
