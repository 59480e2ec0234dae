"""A real space for the reference agents, and an agent in it, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

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


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Any]:
    """A gateway with the space `demo`, of a human and an agent."""
    async with start_gateway(SPACES) as running:
        yield running
