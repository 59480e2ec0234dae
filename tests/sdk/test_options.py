"""An agent's options: what is wrong is named."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from mew_gateway.sdk import Misconfigured, Options
from mew_gateway.sdk.options import options_from


class Some(Options, frozen=True):
    cities: Annotated[int, msgspec.Meta(ge=8)] = 200
    language: str = "en"


def test_options_have_defaults_and_are_typed():
    assert options_from({}, Some) == Some()
    assert options_from({"cities": 50}, Some).cities == 50


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"citys": 50}, "There is no option 'citys'. Did you mean 'cities'?"),
        ({"xyz": 50}, "There is no option 'xyz'. There are: cities, language."),
        ({"cities": "fifty"}, "Expected `int`, got `str` - at `$.cities`"),
        ({"cities": 3}, ">= 8"),
    ],
)
def test_a_wrong_option_is_named(given, said):
    with pytest.raises(Misconfigured) as caught:
        options_from(given, Some)
    assert said in str(caught.value)


def test_an_agent_without_options_says_so():
    with pytest.raises(Misconfigured, match="This agent has none"):
        options_from({"a": 1}, Options)
