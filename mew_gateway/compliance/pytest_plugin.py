"""The pytest plugin `mew`: the fixture `comply`, with which an author's test examines an agent.

Every run of pytest loads this module, so it imports nothing that is not needed until a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import pytest


class Comply(Protocol):
    """Examines an agent, and fails the test if it violates a case: with what, and the envelopes that prove it.

    `agent` is its `module:Class`, or `command` starts it. `say`, or `call` with `arguments`, begins a run of it;
    `patience` is how many seconds it has for that. `exercises` are those of `mew comply --exercise`; all, if left out.
    Returns the report (`mew_gateway.compliance.verdicts.Report`). Works in a test that is async, too.
    """

    def __call__(
        self,
        agent: str | None = None,
        *,
        command: str | None = None,
        say: str | None = None,
        call: str | None = None,
        arguments: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        exercises: Sequence[str] | None = None,
        patience: float = 10.0,
    ) -> Any:
        """Examine it."""


@pytest.fixture
def comply() -> Comply:
    """`comply("my_agents.researcher:Researcher", say="…")`: the agent keeps the contract of interruption."""
    examined = import_module(".sync_api", __package__).examined

    def examine(agent: str | None = None, *, patience: float = 10.0, **named: Any) -> Any:
        __tracebackhide__ = True
        report, complaint = examined(agent, patience=round(patience * 1000), **named)
        if complaint is not None:
            pytest.fail(complaint, pytrace=False)
        return report

    return examine
