"""Durations as they are written."""

import re

import pytest

from mew_gateway.documents.durations import DURATION, format_duration, milliseconds


@pytest.mark.parametrize(
    ("text", "value"),
    [("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("7d", 604_800_000), ("0s", 0)],
)
def test_durations(text, value):
    assert milliseconds(text) == value
    assert re.search(DURATION, text)


@pytest.mark.parametrize(
    "text",
    ["", "5", "s", "5 s", "5S", "1.5s", "-5s", "+5s", "5s5", "٣s", "1h30m", "5s\n", "9" * 5000 + "s", "9999d"],
)
def test_no_durations(text):
    with pytest.raises(ValueError, match="duration"):
        milliseconds(text)


@pytest.mark.parametrize("text", ["1ms", "1500ms", "90s", "30m", "36h", "7d", "0d"])
def test_a_duration_is_shown_in_its_largest_unit(text):
    assert format_duration(milliseconds(text)) == text
