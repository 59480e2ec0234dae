"""Where a graph is set up to work: loaded, checked, and with its checkpoints open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.participant.station import Station
from mew_agents.graphs.engine import GraphEngine
from mew_agents.graphs.loading import compiled, load
from mew_agents.graphs.options import GraphOptions
from mew_agents.graphs.speech import Speech
from mew_agents.graphs.threads import FILE, Threads
from mew_gateway.sdk import Misconfigured


class Workbench:
    """A graph, given or named in the options. Raises `Misconfigured` before anything is opened."""

    def __init__(self, options: GraphOptions, graph: Any) -> None:
        if (graph is None) == (options.graph is None):
            raise Misconfigured("bad_graph: name one graph, with the option graph: package.module:graph.")
        self._language = options.language
        self._step_limit = options.step_limit
        self._graph = load(options.graph) if options.graph is not None else compiled(graph, name="the graph")
        self._speech = Speech(self._graph, input=options.input, output=options.output)

    @asynccontextmanager
    async def engine(self, station: Station, *, key: str, failpoints: Reaching) -> AsyncIterator[GraphEngine]:
        """The engine at a station, with its checkpoints in a file of the agent's folder."""
        async with Threads.open(self._graph, station.folder / FILE, step_limit=self._step_limit) as threads:
            engine = GraphEngine(
                station.fluxi,
                threads,
                self._speech,
                within=station.turn,
                key=key,
                language=self._language,
                prefix=station.prefix,
                failpoints=failpoints,
            )
            station.fluxi.schedule.take_over("threads", engine)
            yield engine
