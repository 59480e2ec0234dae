"""A real space for the reference agents, and an agent in it, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import pytest

from mew_gateway.sdk import Agent, Client
from mew_gateway.sdk.backoff import Backoff
from mew_gateway.sdk.environment import Environment

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human:
        capabilities:
          - {kind: chat}
          - {kind: reasoning/interrupt, payload: {class: [cancel, override, clarification, queue]}}
          - {kind: "mcp/*"}
      agent:
        capabilities:
          - {kind: chat}
          - {kind: chat/acknowledge}
          - {kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}
"""

Attend = Callable[..., AbstractAsyncContextManager[asyncio.Task[None]]]


@pytest.fixture
def attend(monkeypatch: pytest.MonkeyPatch) -> Attend:
    """`async with attend(agent, site, human)`: the agent has joined as `agent`; afterwards it is cancelled.

    It comes back at once after a lost connection.
    """
    hasty = partial(Client, backoff=Backoff(first=1, draw=lambda: 0.0))
    monkeypatch.setattr("mew_gateway.sdk.agent.Client", hasty)

    @asynccontextmanager
    async def attending(
        agent: Agent, site: Any, human: Any, *, participant: str = "agent"
    ) -> AsyncIterator[asyncio.Task[None]]:
        where = Environment(site.url, site.space, site.token(participant))
        serving = asyncio.create_task(agent.serve(where))
        try:
            while (await human.until("system/presence", event="join"))["payload"]["participant"]["id"] != participant:
                pass
            yield serving
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    return attending


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Any]:
    """A gateway with the space `demo`, of a human and an agent."""
    async with start_gateway(SPACES) as running:
        yield running
