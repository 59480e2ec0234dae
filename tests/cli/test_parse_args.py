"""Parsing of `name=value` by the tool's schema, and the errors."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.framework.parse_args import parse_arguments

SCHEMA: dict[str, Any] = {
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "size": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
        "deep": {"type": "boolean"},
        "names": {"type": "array"},
        "level": {"enum": ["1", "2"]},
        "maybe": {"type": ["integer", "null"]},
    }
}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("text=12", "12"),
        ('text="12"', '"12"'),
        ("text=a=b", "a=b"),
        ("count=12", 12),
        ("size=1.5", 1.5),
        ("deep=true", True),
        ('names=["a", 1]', ["a", 1]),
        ("level=1", "1"),
        ("maybe=null", None),
        ("other=12", 12),
        ("other=hello", "hello"),
        ('other={"a": 1}', {"a": 1}),
    ],
)
def test_parse_arguments_types_values_by_the_schema(word: str, value: Any) -> None:
    assert parse_arguments([word], SCHEMA) == {word.partition("=")[0]: value}


@pytest.mark.parametrize("word", ["count=many", "count=1.5", "deep=1", "names=a", "maybe=x", "text", "=1"])
def test_parse_arguments_rejects_values_of_another_type(word: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_arguments([word], SCHEMA)
    assert caught.value.status == 2 and word.partition("=")[0] in caught.value.message


def test_parse_arguments_without_schema_keeps_exact_json_else_text() -> None:
    words = ["a=1", "b=one", "c=[1]", "d=49.90", "e=007", "f=1e3", 'g="12"', "h=true", "i=1.5"]
    told = {"a": 1, "b": "one", "c": [1], "d": "49.90", "e": "007", "f": "1e3", "g": "12", "h": True, "i": 1.5}
    assert parse_arguments(words, None) == told
    with pytest.raises(Failure, match="a is given twice"):
        parse_arguments(["a=1", "a=2"], None)
