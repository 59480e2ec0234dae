"""A space without sockets, for whoever tests the SDK: a supervisor, an agent, and one who may only propose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.client import Item
from mew_gateway.sdk.testing import Space

from ..kit.gateway import TIMEOUT

ANYTHING: list[dict[str, Any]] = [{"kind": "*"}]
PROPOSES: list[dict[str, Any]] = [{"kind": ["mcp/proposal", "mcp/withdraw", "chat"]}]


@pytest.fixture
async def space() -> AsyncIterator[Space]:
    guard = asyncio.get_running_loop().call_later(TIMEOUT, _cancel_everything)
    async with Space({"human": ANYTHING, "agent": ANYTHING, "novice": PROPOSES}) as space:
        yield space
    guard.cancel()


def _cancel_everything() -> None:
    for task in asyncio.all_tasks():
        task.cancel()


async def begin(space: Space, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start something that waits for others, and let it come as far as it can."""
    task = asyncio.create_task(work)
    await space.settle()
    return task


def payload_of(item: Item) -> dict[str, Any]:
    """What an envelope says."""
    assert isinstance(item, Envelope)
    return item.payload or {}


def said(space: Space, kind: str) -> list[Any]:
    """The envelopes of that kind so far."""
    return [one for one in space.envelopes if one.kind == kind]
