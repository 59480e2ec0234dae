"""The space of the tests of Fluxi over real sockets."""

from __future__ import annotations

from ...kit.agents import AgentSpace, space_fixture

space = space_fixture(AgentSpace)
