"""A LangGraph graph as a participant of a space (docs/langgraph.md)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Self

import msgspec

from mew_agents.durable import NONE
from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.operations import Id, Limit
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.graphs.options import GraphOptions
from mew_gateway.sdk import Envelope, Misconfigured, ToolResult, tool
from mew_gateway.sdk.exchange.mcp import texts

_LIBRARIES = ("langgraph", "langchain_core", "aiosqlite")


class LangGraphAgent(Host):
    """Joins a compiled graph to a space: its nodes are thoughts, its interrupts questions, its checkpoints ours.

    The graph is named in the options, or given: `LangGraphAgent.of(graph, output="greeting")`. Raises `Misconfigured`.
    """

    Options = GraphOptions
    options: GraphOptions
    file = "graphs.db"
    policy = "soft-stop"  # a boundary is where a node has ended, and its checkpoint stands
    key = "thread_id"

    def __init__(self, options: GraphOptions | None = None, *, graph: Any = None, failpoints: Reaching = NONE) -> None:
        super().__init__(options, failpoints=failpoints)
        if self.options.mode == "suggest":
            raise Misconfigured("bad_mode: what a graph would say is known when it has run; mode is auto or off.")
        self._workbench = _library().Workbench(self.options, graph)

    @classmethod
    def of(cls, graph: Any, options: GraphOptions | None = None, **given: Any) -> Self:
        """The agent of a graph that is at hand; `given` are options by name."""
        return cls(options or GraphOptions(**given), graph=graph)

    @tool
    async def threads(self, limit: Limit = 50) -> ToolResult:
        """Lists the threads that are at work or wait to be told something: with whom, and what each asks."""
        found = await self._engine.threads(account_id=self.account, limit=limit)
        lines = [f"{one.thread_id} with {one.participant}: {one.question or 'at work'}" for one in found]
        text = "\n".join(lines) or "There are none."
        return ToolResult(texts([text]), {"threads": [msgspec.to_builtins(one) for one in found]})

    @tool
    async def thread_cancel(self, request: Envelope, thread_id: Id) -> ToolResult:
        """Cancels what a thread does, or waits to be told; its question is void, and what is said next begins anew."""
        words = OCCASIONS.say("operator", self.options.language, who=request.sender)
        subject = Subject(words, (request.id,), {thread_id: self.key})
        cancelled = False
        async with self.runs.within(subject) as witness:
            cancelled = await self._engine.cancel_thread(thread_id, by=request.sender, witness=witness)
        if not cancelled:
            told = texts([f"The thread {thread_id} is not at work, and waits for nothing."])
            return ToolResult(told, {"status": "refused", "code": "not_found"}, is_error=True)
        return ToolResult(texts([f"The thread {thread_id} is cancelled."]), {"status": "cancelled"})

    @asynccontextmanager
    async def engine(self, station: Station) -> AsyncIterator[Engine]:
        async with self._workbench.engine(station, key=self.key, failpoints=self._failpoints) as self._engine:
            yield self._engine


def _library() -> Any:
    """The module that works with LangGraph, which is no part of a plain installation."""
    try:
        return import_module(".workbench", __package__)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] in _LIBRARIES:
            raise Misconfigured(
                "missing_library: A graph needs LangGraph: pip install 'mew-gateway[langgraph]'."
            ) from None
        raise
