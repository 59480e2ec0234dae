"""The space of the tests of graphs over real sockets."""

from __future__ import annotations

from ...kit.agents import AgentSpace, space_fixture


class GraphSpace(AgentSpace):
    """A space with graphs in it."""

    process_imports = ("mew_agents.graphs.agent",)


space = space_fixture(GraphSpace)
