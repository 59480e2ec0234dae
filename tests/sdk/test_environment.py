"""What the environment variables say, and what they must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mew_gateway.sdk import Misconfigured
from mew_gateway.sdk.environment import Environment

GOOD = {"MEW_URL": "ws://127.0.0.1:8080", "MEW_SPACE": "demo", "MEW_TOKEN": "secret-token"}


def test_the_variables_are_read():
    read = Environment.read({**GOOD, "MEW_OPTIONS": '{"cities": 9}'})
    assert (read.url, read.space, read.token, read.options) == (
        "ws://127.0.0.1:8080",
        "demo",
        "secret-token",
        {"cities": 9},
    )
    assert Environment.read({**GOOD, "MEW_OPTIONS": ""}).options == {}
    assert Environment.read({**GOOD, "MEW_ACCOUNT": "clinic"}).account == "clinic"
    assert Environment.read({**GOOD, "MEW_ACCOUNT": ""}).account is None


def test_the_state_has_the_folder_that_was_given_or_one_by_the_agents_name():
    assert Environment.read({**GOOD, "MEW_STATE": "/var/solver"}).folder("solver") == Path("/var/solver")
    for left_out in (GOOD, {**GOOD, "MEW_STATE": ""}):
        assert Environment.read(left_out).folder("solver") == Path(".mew/agents/demo/solver")


@pytest.mark.parametrize("name", ["..", "a/b", "", "../../etc", ".hidden", "gateway"])
def test_no_name_leads_out_of_the_folder(name):
    with pytest.raises(Misconfigured, match="set MEW_STATE"):
        Environment.read(GOOD).folder(name)
    with pytest.raises(Misconfigured, match="set MEW_STATE"):
        Environment.read({**GOOD, "MEW_SPACE": "a/.."}).folder("solver")


def test_the_token_is_never_printed():
    assert "secret" not in f"{Environment.read(GOOD)!r} {Environment.read(GOOD)}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"MEW_TOKEN": ""}, "Set MEW_TOKEN"),
        ({"MEW_URL": "", "MEW_SPACE": ""}, "Set MEW_URL, MEW_SPACE"),
        ({"MEW_URL": "127.0.0.1:8080"}, "ws://127.0.0.1:8080"),
        ({"MEW_URL": "ftp://host"}, "not a gateway's address"),
        ({"MEW_TOKEN": "secret-token secret-token"}, "MEW_TOKEN: A token is one word"),
        ({"MEW_OPTIONS": "[1]"}, "not a JSON object"),
        ({"MEW_OPTIONS": "{"}, "not a JSON object"),
    ],
)
def test_what_is_wrong_is_named(change, said):
    with pytest.raises(Misconfigured) as caught:
        Environment.read({**GOOD, **change})
    assert said in str(caught.value)
    assert "secret-token" not in str(caught.value)
