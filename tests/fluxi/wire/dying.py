"""Fluxi in a process of its own, which dies where MEW_FAILPOINT says."""

from __future__ import annotations

from mew_agents.durable.failpoints import Failpoints
from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.points import POINTS


class Dying(FluxiAgent):
    """As any, but mortal."""

    def __init__(self, options: FluxiOptions | None = None) -> None:
        super().__init__(options, failpoints=Failpoints.from_environment(POINTS))
