"""Flows as a participant of a space (docs/flows.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from mew_agents.durable import NONE
from mew_agents.durable.failpoints import Reaching
from mew_agents.flows.definitions.uses import tools as tools_of
from mew_agents.flows.engine import Flows, effect_definitions
from mew_agents.flows.participant.flow_engine import FLOW, FlowEngine
from mew_agents.flows.participant.flow_operations import FlowOperations
from mew_agents.flows.participant.options import FlowOptions, flows_of, understander_of
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.station import Station
from mew_gateway.sdk import Disconnected
from mew_gateway.sdk import Options as AnyOptions


class FlowAgent(Host, FlowOperations):
    """Talks with people in flows: it asks, stops, and goes on exactly there when they answer, be it after days and a
    crash. Its effects are Fluxi's.

    `failpoints` are for tests.
    """

    Options = FlowOptions
    options: FlowOptions
    file = "flows.db"
    policy = "checkpointed"  # a step's end is a checkpoint, and between two steps it may be stopped
    key = FLOW

    def __init__(self, options: FlowOptions | None = None, *, failpoints: Reaching = NONE) -> None:
        chosen = self.Options() if options is None else options
        self._known = flows_of(chosen)
        self._understander = understander_of(chosen)
        self._talking: Flows | None = None
        super().__init__(chosen, definitions=effect_definitions(self._known), failpoints=failpoints)

    @property
    def dialogue_flows(self) -> Flows:
        if self._talking is None:
            raise Disconnected("The agent has not joined a space yet.")
        return self._talking

    @classmethod
    def tools_called(cls, options: AnyOptions) -> Collection[str]:
        chosen = options if isinstance(options, FlowOptions) else FlowOptions()
        return dict.fromkeys(named.name for flow in flows_of(chosen) for named in tools_of(flow))

    @asynccontextmanager
    async def engine(self, station: Station) -> AsyncIterator[Engine]:
        flows = Flows(station.fluxi, flows=self._known, understander=self._understander, failpoints=self._failpoints)
        await flows.start()
        self._talking = flows
        try:
            yield FlowEngine(station, flows)
        finally:
            self._talking = None
