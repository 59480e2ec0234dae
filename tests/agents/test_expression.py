"""The evaluator: right about arithmetic, and quick to refuse everything else."""

from __future__ import annotations

import contextlib
import math
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.expression import FUNCTIONS, Unevaluable, evaluate, finite


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+2", 4),
        ("2 * (3 + 4)", 14),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("7 // 2 + 7 % 4", 6),
        ("1/8", 0.125),
        ("10**100", 10**100),
        ("1_000 * 0x10", 16_000),
        (" sqrt(2) ", math.sqrt(2)),
        ("round(pi, 2)", 3.14),
        ("round(2.5)", 2),
        ("max(1, 2.5, 2)", 2.5),
        ("floor(e) + ceil(tau)", 9),
        ("log(8, 2)", 3),
    ],
)
def test_arithmetic(text, value):
    assert evaluate(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9**9**9", "too big"),
        ("9**9**9**9", "too big"),
        ("(2**4000)*(2**4000)", "too big"),
        ("2.0**5000", "too big"),
        ("(-9)**99999", "too big"),
        ("exp(1000)", "too big"),
        ("1e999", "not finite"),
        ("1e308*10", "not finite"),
        ("1/0", "Division by zero"),
        ("0**-1", "Division by zero"),
        ("(-1)**0.5", "not a real number"),
        ("sin", "not a real number"),
        ("round(5, -10**9)", "at most 15 decimals"),
        ("log(-1)", "no value"),
        ("max()", "no value"),
        ("'a' * 10**9", "Only numbers can"),
        ("True", "Only numbers can"),
        ("1j * 1j", "Only numbers can"),
        ("[1] * 10**9", "Only numbers,"),
        ("(1).__class__", "Only numbers,"),
        ("(1).real", "Only numbers,"),
        ("[x for x in (1, 2)]", "Only numbers,"),
        ("lambda: 1", "Only numbers,"),
        ("1 if 2 else 3", "Only numbers,"),
        ("1 < 2", "Only numbers,"),
        ("2 ^ 3", "Only numbers,"),
        ("1 << 10", "Only numbers,"),
        ("max(*[1])", "Only numbers,"),
        ("round(2.5, decimals=1)", "Only numbers,"),
        ("f'{1}'", "Only numbers,"),
        ("open('/etc/passwd')", "Only numbers can"),
        ("__import__(1)", "not defined"),
        ("x + 1", "not defined"),
        ("x = 1", "not an arithmetic expression"),
        ("import os", "not an arithmetic expression"),
        ("(" * 150, "not an arithmetic expression"),
        ("1; 2", "not an arithmetic expression"),
        ("\0", "not an arithmetic expression"),
        ("", "not an arithmetic expression"),
        ("1+" * 150 + "1", "longer than 200"),
    ],
)
def test_the_rest_is_refused_with_a_sentence(text, said):
    with pytest.raises(Unevaluable) as caught:
        evaluate(text)
    assert said in str(caught.value)


_TOKENS = [*string.digits, *"+-*/%().,", "**", "//", "e", "pi", " ", *(f"{name}(" for name in FUNCTIONS)]


@settings(max_examples=300, deadline=1_000)
@given(st.lists(st.sampled_from(_TOKENS), max_size=40).map("".join))
def test_any_text_has_a_finite_value_or_is_refused(text):
    with contextlib.suppress(Unevaluable):
        value = evaluate(text)
        assert finite(value) == value
