"""An agent of ours in a real space, in this process."""

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
