"""Description of the agent under test: a class, or a command line."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from mew_gateway.compliance.agent_under_test import SENTENCE, Unexaminable, agent_under_test


def test_a_class_runs_in_the_host_and_a_command_is_split() -> None:
    agent = agent_under_test("my.module:Agent", options={"cities": 3})
    assert agent.command == (sys.executable, "-m", "mew_gateway.sdk.host", "my.module:Agent")
    assert (agent.say, agent.call, agent.options) == (SENTENCE, None, {"cities": 3})
    assert agent_under_test(command="node 'my agent.js' --fast").command == ("node", "my agent.js", "--fast")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({}, "Name one agent"),
        ({"agent": "a:B", "command": "node b.js"}, "Name one agent"),
        ({"command": "node 'a.js"}, "cannot be read"),
        ({"command": "  "}, "empty"),
        ({"agent": "a:B", "say": "go", "call": "plan"}, "not by both"),
        ({"agent": "a:B", "arguments": {"n": 1}}, "which to call"),
    ],
)
def test_contradictory_arguments_are_refused(named: dict[str, Any], message: str) -> None:
    with pytest.raises(Unexaminable, match=message):
        agent_under_test(**named)
