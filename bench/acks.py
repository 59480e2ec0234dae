"""How long an ack takes when many agents are interrupted at once while each of them computes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import websockets
from websockets.asyncio.client import ClientConnection

from bench import wire
from bench.failure import PATIENCE, BenchFailure
from bench.gateway import Journal, gateway
from bench.machine import CpuMeter
from bench.measurement import percentile
from bench.process import started
from bench.server import Server
from bench.thinkers import Work
from bench.verdicts import Target

AGENTS = 50
TARGET = Target("≤", 250)  # ms, of the 99th percentile

_KINDS = (
    "chat",
    "chat/acknowledge",
    "reasoning/start",
    "reasoning/thought",
    "reasoning/conclusion",
    "reasoning/interrupt-ack",
    "reasoning/interrupt",
)
_LOOK = 1.0  # seconds in which is seen who else uses the cores


class Shape(NamedTuple):
    """How the agents are spread over processes, and how they compute."""

    processes: int
    work: Work

    @property
    def name(self) -> str:
        """For people."""
        each = AGENTS // self.processes
        how = "blocking their loop 50 ms at a time" if self.work == "blocking" else "in slices of 2 ms"
        return f"{self.processes} × {each} agents, {how}"


SHAPES = (Shape(10, "blocking"), Shape(10, "slices"), Shape(1, "slices"))


class Acked(NamedTuple):
    """A round of a shape: milliseconds from an interrupt's sending to its ack's arrival at whoever sent it, and how
    many cores others used before."""

    shape: Shape
    latencies: tuple[float, ...]
    others_cpu: float

    def quantile(self, n: int) -> float:
        """The n-th percentile, in milliseconds."""
        return percentile(self.latencies, n)


def measure(shape: Shape, *, rounds: int, seconds: float, journal: Journal) -> list[Acked]:
    """The rounds of a shape; in each the agents compute for `seconds` first. Raises `BenchFailure`."""
    with gateway(participants=AGENTS + 1, journal=journal, may=_KINDS) as server:
        for process in (server.pid, os.getpid()):
            os.sched_setaffinity(process, os.sched_getaffinity(os.getppid()))  # all share all cores
        try:
            return asyncio.run(_rounds(server, shape, rounds, seconds))
        except (TimeoutError, OSError, websockets.ConnectionClosed) as error:
            raise BenchFailure(f"{shape.name}: {error or 'nothing happened for a minute'}") from None


async def _rounds(server: Server, shape: Shape, rounds: int, seconds: float) -> list[Acked]:
    async with server.join(AGENTS) as socket:
        supervisor = _Supervisor(socket)
        meter = CpuMeter(server.pid)
        await asyncio.sleep(_LOOK)
        others = float(meter.shares()["others_cpu"])  # now: later the agents would be among them
        with _thinkers(server, shape):
            await supervisor.until_joined(AGENTS)
            found = []
            for _ in range(rounds):
                await supervisor.begin()
                await asyncio.sleep(seconds)
                found.append(Acked(shape, await supervisor.interrupt_all(), others))
            return found


class _Supervisor:
    """Whoever interrupts: a raw socket, so that nothing of the SDK is in the figure but the agents' part."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._runs: dict[str, str] = {}

    async def until_joined(self, agents: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while agents:
                envelope = await self._receive()
                agents -= envelope["kind"] == "system/presence" and envelope["payload"]["event"] == "join"
                if envelope["kind"] == "system/welcome":
                    agents -= len(envelope["payload"]["participants"])

    async def begin(self) -> None:
        """Give every agent something to think about, and wait until it does."""
        self._runs = {}
        for number in range(AGENTS):
            await self._send("chat", {"text": "think"}, to=[f"p{number}"])
        async with asyncio.timeout(PATIENCE):
            while len(self._runs) < AGENTS:
                envelope = await self._receive()
                if envelope["kind"] == "reasoning/start":
                    self._runs[envelope["from"]] = envelope["id"]

    async def interrupt_all(self) -> tuple[float, ...]:
        """Interrupt all of them at once; how long each ack took. Waits until all have concluded."""
        sent: dict[str, float] = {}
        taken: list[float] = []
        for agent, run in self._runs.items():
            sent[agent] = time.perf_counter()
            payload = {"reason": "user_request"}
            await self._send("reasoning/interrupt", payload, id=f"stop-{run}", to=[agent], correlation_id=[run])
        concluded = 0
        async with asyncio.timeout(PATIENCE):
            while len(taken) < AGENTS or concluded < AGENTS:
                envelope = await self._receive()
                if envelope["kind"] == "reasoning/interrupt-ack":
                    taken.append((time.perf_counter() - sent[envelope["from"]]) * 1000)
                concluded += envelope["kind"] == "reasoning/conclusion"
        return tuple(taken)

    async def _send(self, kind: str, payload: dict[str, Any], **fields: Any) -> None:
        await self._socket.send(wire.envelope(kind, payload, **fields))

    async def _receive(self) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(await self._socket.recv())
        return envelope


@contextmanager
def _thinkers(server: Server, shape: Shape) -> Iterator[None]:
    each = AGENTS // shape.processes
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder, ExitStack() as stack:
        for first in range(0, AGENTS, each):
            process = stack.enter_context(started([sys.executable, "-m", "bench.thinkers"], talks=True))
            tokens = [server.token % number for number in range(first, first + each)]
            told = {"url": server.url, "tokens": tokens, "work": shape.work, "state": str(Path(folder, str(first)))}
            process.tell(json.dumps(told))
        yield
