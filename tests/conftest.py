"""Fixtures of all tests: a real gateway, an agent in it, and databases. What they are made of is in tests/kit/."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import hypothesis
import pytest

from mew_gateway.backoff import Backoff
from mew_gateway.sdk import Client

from .kit.gateway import Attend, Site, Start, attending, gateway_in
from .kit.stores import database_url, empty_url, fresh, made_file, postgres  # noqa: F401

# How long drawing takes is the machine's affair: a busy one fails no test.
hypothesis.settings.register_profile("busy machine", suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("busy machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-transcripts",
        action="store_true",
        help="write what the transcripts below tests/, and the tables in docs/, give now; then read the diff",
    )


@pytest.fixture
def start_gateway(tmp_path: Path) -> Start:
    """Start a gateway with a spaces.yaml: `async with start_gateway() as site` (`gateway_in`)."""
    return partial(gateway_in, tmp_path)


@pytest.fixture
async def site(start_gateway: Start) -> AsyncIterator[Site]:
    """A gateway with the space `demo`: human and other may interrupt, agent and second reason."""
    async with start_gateway() as running:
        yield running


@pytest.fixture
def attend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Attend:
    """`async with attend(agent, site, human)`: the agent has joined as `agent` (`attending`).

    It comes back at once after a lost connection.
    """
    hasty = partial(Client, backoff=Backoff(first=1, cap=1, draw=lambda: 0.0))
    monkeypatch.setattr("mew_gateway.sdk.agent.Client", hasty)
    return partial(attending, tmp_path)
