"""One gateway for all of these tests, and a participant that must not be affected by any of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from ...kit.gateway import Peer, Site, gateway_in
from .cases import LIMIT

SPACES = f"""
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
  limits:
    {{frame_bytes: {LIMIT}, envelopes_per_second: 1000000, envelopes_burst: 1000000, bytes_per_second: 1073741824,
      connects: 1000000/1s}}
spaces:
  demo:
    participants:
      hostile: {{capabilities: [{{kind: chat}}]}}
      bystander: {{capabilities: [{{kind: chat}}]}}
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """A gateway with `hostile` and `bystander`."""
    async with gateway_in(tmp_path_factory.mktemp("rfc6455"), SPACES) as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bystander(place: Site) -> Peer:
    """A participant that has joined before the test."""
    return await place.join("bystander")
