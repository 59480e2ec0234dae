"""The agent as it is named: a class, or any command line."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from mew_gateway.compliance.agent_under_test import SENTENCE, Unexaminable, subject


def test_a_class_is_hosted_and_a_command_is_taken_apart() -> None:
    agent = subject("my.module:Agent", options={"cities": 3})
    assert agent.words == (sys.executable, "-m", "mew_gateway.sdk.host", "my.module:Agent")
    assert (agent.say, agent.call, agent.options) == (SENTENCE, None, {"cities": 3})
    assert subject(command="node 'my agent.js' --fast").words == ("node", "my agent.js", "--fast")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, "Name one agent"),
        ({"agent": "a:B", "command": "node b.js"}, "Name one agent"),
        ({"command": "node 'a.js"}, "cannot be read"),
        ({"command": "  "}, "empty"),
        ({"agent": "a:B", "say": "go", "call": "plan"}, "not by both"),
        ({"agent": "a:B", "arguments": {"n": 1}}, "which to call"),
    ],
)
def test_what_cannot_be_meant_is_refused(named: dict[str, Any], said: str) -> None:
    with pytest.raises(Unexaminable, match=said):
        subject(**named)
