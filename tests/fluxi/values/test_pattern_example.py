"""The example that is shown of a pattern."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.values.pattern_example import example_of


@pytest.mark.parametrize(
    ("pattern", "example"),
    [
        ("[A-Z]-[0-9]{4}", "A-0000"),
        ("P-\\d{5}", "P-00000"),
        ("(?:AB|CD)[0-9]+", "AB0"),
        ("[0-9]{3,5}", "000"),
        ("[A-Z]{3}\\.?[0-9]{2}", "AAA00"),
        ("[^a]+", None),
        ("(", None),
        ("[A-Z]{999}", None),
    ],
)
def test_an_example_is_one_that_the_pattern_takes(pattern: str, example: str | None) -> None:
    assert example_of(pattern) == example
