"""The stage of the tests of flows in a space."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from .stage import Stage


@pytest.fixture
async def stage(start_gateway: Any, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    """A gateway, and nobody there but a mirror."""
    stage = Stage(start_gateway, tmp_path, name=request.node.name)
    await stage.begin()
    yield stage
    await stage.end()
