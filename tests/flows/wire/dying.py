"""Flows in a process of its own, which dies where MEW_FAILPOINT says."""

from __future__ import annotations

from mew_agents.durable.failpoints import Failpoints
from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.flows.points import POINTS


class Dying(FlowAgent):
    """As any, but mortal."""

    def __init__(self, options: FlowOptions | None = None) -> None:
        super().__init__(options, failpoints=Failpoints.from_environment(POINTS))
