"""Pytest plugin `mew`: the fixture `comply`, with which an author's test examines an agent.

Every run of pytest loads this module, so it imports nothing else before a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import pytest


class Comply(Protocol):
    """Examine an agent, and fail the test if it violates a case. The message has the envelopes that prove it.

    `agent` is its `module:Class`, or `command` starts it. `say`, or `call` with `arguments`, begins a run; `patience`
    is the time limit for that, in seconds. `exercises` are those of `mew comply --exercise` (default: all). Returns the
    report (`mew_gateway.compliance.verdicts.Report`). Works in async tests, too.
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
        """Examine the agent and return the report."""


@pytest.fixture
def comply() -> Comply:
    """Assert that an agent keeps the contract of interruption: `comply("my_agents.researcher:Researcher", say="…")`."""
    examine_sync = import_module(".sync_api", __package__).examine_sync

    def examine(agent: str | None = None, *, patience: float = 10.0, **named: Any) -> Any:
        __tracebackhide__ = True
        report, complaint = examine_sync(agent, patience=round(patience * 1000), **named)
        if complaint is not None:
            pytest.fail(complaint, pytrace=False)
        return report

    return examine
