"""The experiment: conversations begin and wait, the agent is killed and started again, some of them are answered."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import websockets

from bench.failure import BenchFailure
from bench.gateway import gateway
from bench.machine import resident_kib
from bench.server import Server
from bench.waiting.desk import Desk, desk
from bench.waiting.process import Agent, agent

KINDS = (
    "chat",
    "chat/acknowledge",
    "mcp/request",
    "reasoning/start",
    "reasoning/thought",
    "reasoning/conclusion",
    "reasoning/interrupt-ack",
)
GROWTH_MIB = 50.0  # of the agent and of the gateway, at most
RESTART_S = 2.0  # from a new process to the answer to what was said while there was none, at most

_WARM_UP = 300  # conversations before the second look at the memory
_SETTLE = 3.0  # seconds


class Standing(NamedTuple):
    """What there is at one time. Memory in KiB, resident."""

    conversations: int
    agent_kib: int
    gateway_kib: int
    tasks: int
    threads: int
    runs: int


class Found(NamedTuple):
    """What came of it: before and after, how long the conversations took to begin, and how long a restart, in s."""

    standings: tuple[Standing, ...]
    begun_in_s: float
    restart_s: float
    answered: int


def run(*, conversations: int, sample: int, progress: Callable[[str], None]) -> Found:
    """The experiment. Raises `BenchFailure`."""
    with gateway(participants=2, may=KINDS) as server, tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        try:
            return asyncio.run(_Experiment(server, Path(folder), conversations, progress).run(sample))
        except (TimeoutError, OSError, websockets.ConnectionClosed) as error:
            raise BenchFailure(f"{error or 'nothing happened for a minute'}") from None


class _Experiment:
    def __init__(self, server: Server, folder: Path, conversations: int, progress: Callable[[str], None]) -> None:
        self._server = server
        self._folder = folder
        self._count = conversations
        self._progress = progress
        self._standings: list[Standing] = []

    async def run(self, sample: int) -> Found:
        async with desk(self._server) as people:
            with self._agent() as first:
                begun = await self._begin(people, first)
                first.process.kill()
            people.left()
            # The first of the conversations is answered while nobody is there.
            answering = asyncio.create_task(people.answer(0))
            await asyncio.sleep(_SETTLE)
            began = time.perf_counter()
            with self._agent() as second:
                await answering
                took = time.perf_counter() - began
                mib = second.kib / 1024
                self._progress(f"  killed and started again: an answer after {took:.2f} s, {mib:.0f} MiB")
                return Found(tuple(self._standings), begun, took, await self._answer(people, sample))

    async def _begin(self, people: Desk, agent: Agent) -> float:
        """All conversations come to wait; the seconds that it took."""
        await people.joined()
        await self._look(people, agent, 0)
        began = time.perf_counter()
        for first, behind in ((0, _WARM_UP), (_WARM_UP, self._count // 2), (self._count // 2, self._count)):
            await people.begin(range(first, behind))
            await self._look(people, agent, behind)
        return time.perf_counter() - began

    async def _answer(self, people: Desk, sample: int) -> int:
        chosen = random.sample(range(1, self._count), sample)
        for number in chosen:
            await people.answer(number)
        self._progress(f"  {len(chosen)} answered, and each was asked what comes next")
        return len(chosen)

    async def _look(self, people: Desk, agent: Agent, conversations: int) -> None:
        await people.settled()
        await asyncio.sleep(_SETTLE)
        one = Standing(
            conversations,
            agent.kib,
            resident_kib(self._server.pid),
            await asyncio.to_thread(lambda: agent.tasks),
            agent.threads,
            len(people.runs),
        )
        self._standings.append(one)
        self._progress(
            f"  {conversations:>6} waiting: agent {one.agent_kib / 1024:.1f} MiB, gateway {one.gateway_kib / 1024:.1f} "
            f"MiB, {one.tasks} tasks, {one.threads} threads, {one.runs} open sequences"
        )

    def _agent(self) -> AbstractContextManager[Agent]:
        return agent(self._server.url, self._server.token % 1, self._folder)
