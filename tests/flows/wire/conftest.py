"""The space of the tests of flows over real sockets."""

from __future__ import annotations

from ...kit.agents import space_fixture
from .flow_space import FlowSpace

space = space_fixture(FlowSpace)
