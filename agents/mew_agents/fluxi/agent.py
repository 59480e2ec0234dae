"""Fluxi as a participant of a space (docs/fluxi-in-a-space.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from mew_agents.durable import NONE
from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.definitions.references import tools_of
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.fluxi_engine import FluxiEngine
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.options import FluxiOptions, definitions_of, interpreter_of
from mew_agents.fluxi.participant.station import Station
from mew_gateway.sdk import Options as AnyOptions


class FluxiAgent(Host):
    """Takes what people say to it, and does what comes of it: in its conversations, by its tools, in runs.

    `failpoints` are for tests.
    """

    Options = FluxiOptions
    options: FluxiOptions
    file = "fluxi.db"

    def __init__(self, options: FluxiOptions | None = None, *, failpoints: Reaching = NONE) -> None:
        chosen = self.Options() if options is None else options
        super().__init__(
            chosen, definitions=definitions_of(chosen), interpreter=interpreter_of(chosen), failpoints=failpoints
        )

    @classmethod
    def tools_called(cls, options: AnyOptions) -> Collection[str]:
        chosen = options if isinstance(options, FluxiOptions) else FluxiOptions()
        return dict.fromkeys(tool for one in definitions_of(chosen) for tool in tools_of(one))

    @asynccontextmanager
    async def engine(self, station: Station) -> AsyncIterator[Engine]:
        yield FluxiEngine(station)
