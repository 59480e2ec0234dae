"""LangGraph's side: the threads of one graph, with its checkpoints in a file of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.types import RESUME
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot

from mew_agents.graphs.loading import AnyGraph
from mew_agents.graphs.steps import Step, step_of

FILE = "checkpoints.db"
_MESSAGE = "mew_message"

Watching: TypeAlias = Callable[[Step], Awaitable[None]]


class GraphFailed(Exception):
    """A node, or LangGraph itself, has raised: the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a node waits to be told: an interrupt of LangGraph's, and how many answers its node has had before.

    A node that had its answer and was cut short still waits, in LangGraph's words, and has had one more.
    """

    id: str
    value: Any
    had: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a thread stands. `message_id`: whose words its newest checkpoint came of; `asks`: what its nodes wait to
    be told; `unfinished`: there are nodes that have yet to run, or to run again."""

    checkpoint_id: str | None
    message_id: str | None
    asks: tuple[Waiting, ...]
    unfinished: bool
    values: Any


class Threads:
    """All threads of a graph. Only one process at a time has them, and a thread does one thing at a time."""

    def __init__(self, graph: AnyGraph, saver: AsyncSqliteSaver) -> None:
        self._graph = graph
        self._saver = saver

    @classmethod
    @asynccontextmanager
    async def open(cls, graph: AnyGraph, file: Path, *, step_limit: float | None = None) -> AsyncIterator[Threads]:
        """The threads whose checkpoints are in a file; the graph's own checkpointer, if it has one, is not asked.

        `step_limit` in seconds is for nodes that run beside one another, unless the graph has a limit of its own.
        """
        async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
            await saver.setup()
            await saver.conn.execute("PRAGMA synchronous=FULL")  # a checkpoint is there after a power loss, too
            limit = step_limit if graph.step_timeout is None else graph.step_timeout
            yield cls(graph.copy(update={"checkpointer": saver, "step_timeout": limit}), saver)

    async def standing(self, thread_id: str) -> Standing:
        """Where a thread stands; a new one nowhere."""
        state = await self._graph.aget_state(_config(thread_id), subgraphs=True)
        metadata: Mapping[str, Any] = state.metadata or {}
        return Standing(
            checkpoint_id=state.config["configurable"].get("checkpoint_id"),
            message_id=None if metadata.get(_MESSAGE) is None else str(metadata[_MESSAGE]),
            asks=tuple([one async for one in self._waiting(state)]),
            unfinished=bool(state.next),
            values=state.values,
        )

    async def begin(
        self, thread_id: str, input: Any, *, at: str | None = None, message_id: str, watching: Watching
    ) -> None:
        """An input to a thread, at its newest checkpoint or at another: what it was about to do, or to be told, is
        dropped. Raises `GraphFailed`."""
        await self._run(thread_id, input, message_id, watching, at=at)

    async def answer(self, thread_id: str, answers: Mapping[str, str], *, message_id: str, watching: Watching) -> None:
        """What some of its interrupts, by id, have waited for. The same again changes nothing. Raises `GraphFailed`."""
        await self._run(thread_id, Command(resume=dict(answers)), message_id, watching)

    async def go_on(self, thread_id: str, *, message_id: str, watching: Watching) -> None:
        """From its newest checkpoint. Raises `GraphFailed`."""
        await self._run(thread_id, None, message_id, watching)

    async def _waiting(self, state: StateSnapshot) -> AsyncIterator[Waiting]:
        """Of a graph in the graph, where it stands itself."""
        if not any(task.interrupts for task in state.tasks):
            return
        kept = await self._saver.aget_tuple(state.config)
        writes = [] if kept is None else kept.pending_writes or []
        had = {task_id: len(value) for task_id, channel, value in writes if channel == RESUME}
        for task in state.tasks:
            if isinstance(task.state, StateSnapshot):
                async for one in self._waiting(task.state):
                    yield one
            else:
                for interrupt in task.interrupts:
                    yield Waiting(id=interrupt.id, value=interrupt.value, had=had.get(task.id, 0))

    async def _run(
        self, thread_id: str, input: Any, message_id: str, watching: Watching, *, at: str | None = None
    ) -> None:
        """Every node is watched when it has run, and before the next begins. Where the watching raises, what runs
        beside it ends and is kept, nothing else begins, and then that is raised; cancelled, it stops at once."""
        control = RunControl()
        stopped: BaseException | None = None
        events = self._graph.astream(
            input,
            _config(thread_id, message_id, at=at),
            stream_mode="tasks",
            subgraphs=True,
            durability="sync",  # a node begins when what it begins from is on the disk
            control=control,
        )
        async with aclosing(_failing(events)) as steps:
            async for within, task in steps:
                step = step_of(within, task)
                if step is None or stopped is not None:
                    continue
                try:
                    await watching(step)
                except asyncio.CancelledError:
                    raise
                except BaseException as error:  # a run that is to end says so with what is no Exception
                    stopped = error
                    control.request_drain("stopped")
        if stopped is not None:
            raise stopped


async def _failing(events: Any) -> AsyncGenerator[tuple[tuple[str, ...], Mapping[str, Any]], None]:
    """What comes of the graph itself is told apart from what comes of whoever watches it."""
    try:
        async with aclosing(events):
            async for event in events:
                yield event
    except GraphDrained:
        return
    except Exception as error:
        raise GraphFailed(f"{type(error).__name__}: {error}") from error


def _config(thread_id: str, message_id: str | None = None, *, at: str | None = None) -> RunnableConfig:
    configurable = {"thread_id": thread_id} if at is None else {"thread_id": thread_id, "checkpoint_id": at}
    return {"configurable": configurable, "metadata": {} if message_id is None else {_MESSAGE: message_id}}
