"""Rates as they are written."""

import re

import pytest

from mew_gateway.config.rates import RATE, rate
from mew_gateway.space.settings import Rate


def test_rates():
    assert rate("5/10s") == Rate(5, 10_000)
    assert re.search(RATE, "5/10s")


@pytest.mark.parametrize("text", ["", "5", "5/", "/10s", "0/10s", "5/0s", "5 / 10s", "5/10s/3", "٣/10s", "-5/10s"])
def test_no_rates(text):
    with pytest.raises(ValueError, match=r"rate|duration"):
        rate(text)
