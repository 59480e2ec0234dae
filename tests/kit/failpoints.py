"""Agents that end at a failpoint, and a failpoint that blocks.

`FailingFluxi` and `FailingFlows` run in a process of their own (processes.py), which kills itself with SIGKILL at the
point that MEW_FAILPOINT names. `BlockingFailpoint` is for an agent in the test's own process.
"""

from __future__ import annotations

import threading

from mew_agents.durable.failpoints import Failpoints
from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.flows.points import POINTS as FLOW_POINTS
from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.points import POINTS as FLUXI_POINTS


class FailingFluxi(FluxiAgent):
    """Fluxi that ends at the failpoint that MEW_FAILPOINT names, if it names one."""

    def __init__(self, options: FluxiOptions | None = None) -> None:
        super().__init__(options, failpoints=Failpoints.from_environment(FLUXI_POINTS))


class FailingFlows(FlowAgent):
    """Flows that end at the failpoint that MEW_FAILPOINT names, if it names one."""

    def __init__(self, options: FlowOptions | None = None) -> None:
        super().__init__(options, failpoints=Failpoints.from_environment(FLOW_POINTS))


class BlockingFailpoint:
    """Blocks the thread that reaches a point, once it is armed: the first time, and until `may` is set."""

    def __init__(self, point: str, *, armed: bool = False) -> None:
        self.point = point
        self.armed = armed
        self.reached = threading.Event()
        self.may = threading.Event()

    def reach(self, name: str) -> None:
        if name == self.point and self.armed and not self.reached.is_set():
            self.reached.set()
            self.may.wait(60)
