"""Calls of tools as the tests make them, at a time that stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mew_agents.tools.call import Call, digest_of
from mew_agents.tools.effect import Effect
from mew_agents.tools.local import LocalTools

NOW = 1_800_000_000_000  # Friday, 15 January 2027, 08:00 UTC


@pytest.fixture
def now() -> int:
    return NOW


@pytest.fixture
def effect() -> Callable[..., Effect]:
    def make(key: str = "k", *, attempt: int = 1, fence: int = 1, deadline: int = NOW + 60_000) -> Effect:
        return Effect(key, attempt, fence, deadline)

    return make


@pytest.fixture
def call() -> Callable[..., Call]:
    """Calls, each by a request of its own unless told otherwise; the same `what` is the same tool and arguments."""
    made = 0

    def make(effect: Effect | None = None, *, request: str | None = None, what: str = "it") -> Call:
        nonlocal made
        made += 1
        return Call("human", request or f"request-{made}", digest_of("tool", {"what": what}), effect)

    return make


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[LocalTools]:
    with LocalTools.shipped(tmp_path, clock=lambda: NOW) as shipped:
        yield shipped


@pytest.fixture
def announced() -> Callable[..., dict[str, Any]]:
    """The effect as a caller writes it."""

    def make(key: str = "k", **fields: int) -> dict[str, Any]:
        return {"key": key, "attempt": 1, "fence": 1, "deadline": NOW + 60_000, **fields}

    return make
