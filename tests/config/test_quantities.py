"""Durations and rates as they are written."""

import re

import pytest

from mew_gateway.config.quantities import DURATION, RATE, milliseconds, rate
from mew_gateway.space.settings import Rate


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


def test_rates():
    assert rate("5/10s") == Rate(5, 10_000)
    assert re.search(RATE, "5/10s")


@pytest.mark.parametrize("text", ["", "5", "5/", "/10s", "0/10s", "5/0s", "5 / 10s", "5/10s/3", "٣/10s", "-5/10s"])
def test_no_rates(text):
    with pytest.raises(ValueError, match=r"rate|duration"):
        rate(text)
