"""Conversations with a graph, without a space: what is said, what is answered, and the end of a process in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mew_agents.durable.failpoints import NONE, Reaching
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.ports import UNSEEN, Reply, Thought, Witness
from mew_agents.graphs.engine import GraphEngine
from mew_agents.graphs.loading import AnyGraph
from mew_agents.graphs.speech import Speech
from mew_agents.graphs.threads import FILE, Threads
from mew_agents.tools.local import LocalTools

START = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Stopped(BaseException):
    """As a run says that it is to end."""


class Watcher(Witness):
    """Keeps what it sees; raises `stop` at the node of that name."""

    def __init__(self, *, node: str = "", stop: BaseException | None = None) -> None:
        self.thoughts: list[Thought] = []
        self._node, self._stop = node, stop

    async def noted(self, thoughts: Any) -> None:
        self.thoughts += thoughts
        if self._stop is not None and any(one.payload.get("node") == self._node for one in thoughts):
            raise self._stop

    @property
    def nodes(self) -> list[str]:
        return [one.payload["node"] for one in self.thoughts if "node" in one.payload]


class Talk:
    """One life of an engine, and a person who talks to it. Time passes with every word."""

    def __init__(self, engine: GraphEngine, fluxi: Fluxi, clock: Clock) -> None:
        self.engine = engine
        self.fluxi = fluxi
        self.clock = clock
        self.asked: dict[str, Reply] = {}

    def policy(self, **manner: Any) -> PolicyContext:
        return PolicyContext(now=self.clock(), **manner)

    async def say(
        self,
        text: str,
        *,
        id: str,
        by: str = "ana",
        answers: str | None = None,
        where: str | None = None,
        witness: Witness = UNSEEN,
        **manner: Any,
    ) -> Result:
        """Says it, in their own conversation or `where` somebody else's is; the result."""
        message = Message(message_id=id, sender=by, text=text, answers=answers)
        return await self.engine.handle(message, self.policy(**manner), place(where or by), witness)

    async def hear(self, by: str = "ana") -> list[Reply]:
        """What has come out for somebody since."""
        return await self.fluxi.outbox.take("shop", place(by).conversation_id)

    async def ask(self, text: str, *, id: str, by: str = "ana", **more: Any) -> list[str]:
        """Says it; what comes back."""
        await self.say(text, id=id, by=by, **more)
        return [one.text for one in await self.hear(by)]

    async def discard(self, text: str, *, id: str, by: str = "ana") -> None:
        """The turn of a message was stopped."""
        message = Message(message_id=id, sender=by, text=text)
        await self.engine.discard(message, self.policy(), place(by), reason_code="interrupted")

    async def cancel(self, by: str = "ana") -> None:
        """A supervisor cancels what goes on with somebody."""
        before = await self.engine.under_way(Message(message_id="none", sender=by, text=""), place(by))
        await self.engine.cancel(Subject("", (), dict.fromkeys(before.subjects, "thread_id")), by="supervisor")

    async def recover(self) -> int:
        """What an earlier life has left is finished."""
        return await self.fluxi.schedule.run_due()


class Clock:
    """A second passes whenever somebody looks."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def place(by: str) -> Conversation:
    return Conversation("shop", f"demo/graph/{by}")


@asynccontextmanager
async def talking(
    graph: AnyGraph,
    folder: Path,
    *,
    url: str | None = None,
    failpoints: Reaching = NONE,
    input: str | None = None,
    output: str | None = None,
    step_limit: float | None = None,
    prefix: str = "demo/graph/",
) -> AsyncIterator[Talk]:
    """A life of the engine on the files in a folder."""
    clock = Clock()
    clock.now += timedelta(days=len(list(folder.glob("life-*"))))
    (folder / f"life-{clock.now.day}").touch()
    async with AsyncExitStack() as stack:
        fluxi = await Fluxi.open(
            url or f"sqlite:///{folder}/graphs.db",
            tools=LocalPort(LocalTools({})),
            definitions=(),
            clock=clock,
            failpoints=failpoints,
        )
        stack.callback(fluxi.close)
        threads = await stack.enter_async_context(Threads.open(graph, folder / FILE, step_limit=step_limit))
        engine = GraphEngine(
            fluxi,
            threads,
            Speech(graph, input=input, output=output),
            within=_alone,
            key="thread_id",
            prefix=prefix,
            failpoints=failpoints,
        )
        fluxi.schedule.take_over("threads", engine)
        yield Talk(engine, fluxi, clock)


@asynccontextmanager
async def _alone(_place: str, _subject: Subject) -> AsyncIterator[Witness]:
    yield UNSEEN
