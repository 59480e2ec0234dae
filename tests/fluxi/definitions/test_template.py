"""Sentences with places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.fluxi.definitions.template import parse


def test_places_are_filled_and_parts_left_out() -> None:
    parsed = parse("with {doctor}[, for {patient.name}][ ({a}{b})] {{x}} [[y]]")
    assert parsed.names == ("doctor", "patient.name", "a", "b")
    assert parsed.required == ("doctor",)
    assert parsed.fill({"doctor": "Ana", "a": "1"}) == "with Ana {x} [y]"
    assert parsed.fill({"doctor": "Ana", "patient.name": "Lu", "a": "1", "b": "2"}) == "with Ana, for Lu (12) {x} [y]"
    with pytest.raises(KeyError, match="doctor"):
        parsed.fill({})


def test_values_are_never_read_as_templates() -> None:
    assert parse("{a}").fill({"a": "{b} [c] {{"}) == "{b} [c] {{"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "A `{` has no other half"),
        ("a}", "A `}` has no other half"),
        ("{a b}", "`{a b}` is no place for a value"),
        ("{}", "`{}` is no place for a value"),
        ("[a", "A `[` is not closed"),
        ("a]", "A `]` has no other half"),
        ("[a[b]]", "A `[` stands within brackets"),
    ],
)
def test_what_is_no_template(text: str, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert str(caught.value) == complaint


@given(st.text(max_size=60))
def test_any_text_is_a_template_once_its_signs_are_doubled(text: str) -> None:
    doubled = "".join(sign * 2 if sign in "{}[]" else sign for sign in text)
    assert parse(doubled).fill({}) == text


@given(st.text(alphabet="{}[]a. ", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parsed = parse(text)
    except ValueError as error:
        assert str(error)
    else:
        assert isinstance(parsed.fill(dict.fromkeys(parsed.names, "v")), str)
