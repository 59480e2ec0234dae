"""The experiment: one chats with another and a guardian stops an agent, first alone, then while somebody attacks."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from statistics import median
from typing import Any, NamedTuple

import websockets

from bench.failure import PATIENCE
from bench.gateway import serving
from bench.inquiry import Inquiry
from bench.machine import cores, pin, resident_kib
from bench.measurement import percentile
from bench.process import started
from bench.server import Server
from bench.siege.attacks import ATTACKERS
from bench.spaces import SQLITE, everybody
from bench.wire import connect, envelope

_PAUSE = 0.01  # seconds between two chats: half the rate that a participant has by default
_STOPS = 0.2  # seconds between two emergencies
_RECORD = 300  # chats, sequences and interrupts on record before, less than a burst
_WARM_UP = 0.5  # seconds of an attack before anything is measured
_SPEAKER, _HEARER, _ATTACKER, _GUARDIAN, _WORKER = range(5)
TARGET_MS = 25.0  # of a round trip's p99 above the one alone
TARGET_STOP_MS = 50.0  # of an emergency's p99


class Siege(NamedTuple):
    """What a round trip and an emergency took, in ms, alone and under attack, and how much the gateway's memory had
    grown by then. The pair and the guardian are in another space than the attackers."""

    name: str
    calm_ms: tuple[float, float]
    p50_ms: float
    p99_ms: float
    calm_stop_ms: float
    stop_p99_ms: float
    grown_mib: float

    @property
    def is_met(self) -> bool:
        """Whether both stayed within their targets."""
        return self.p99_ms - self.calm_ms[1] <= TARGET_MS and self.stop_p99_ms < TARGET_STOP_MS

    def as_json(self) -> dict[str, object]:
        """All of it by name."""
        return {**self._asdict(), "met": self.is_met}


class Unready(Exception):
    """The gateway takes nothing any more."""


class Unanswered(NamedTuple):
    """An attack under which somebody was not answered any more."""

    name: str
    why: str

    @property
    def is_met(self) -> bool:
        """Nothing was measured: no target is met."""
        return False

    def as_json(self) -> dict[str, object]:
        """All of it by name."""
        return {**self._asdict(), "met": self.is_met}


def run(names: Sequence[str], *, seconds: float, progress: Callable[[str], None]) -> list[Siege | Unanswered]:
    """Each attack on a gateway of its own. Raises `BenchFailure`."""
    pin(0, cores().load)
    found: list[Siege | Unanswered] = []
    for name in names:
        with serving(_spaces(), participants=7, journal=SQLITE, limits={}) as server:
            gc.collect()
            gc.disable()  # its pauses would be taken for the gateway's
            one: Siege | Unanswered
            try:
                one = asyncio.run(_besieged(server, name, seconds))
            except (TimeoutError, OSError, websockets.ConnectionClosed, Unready) as error:
                one = Unanswered(name, str(error) or "time is up")
            finally:
                gc.enable()
        found.append(one)
        if isinstance(one, Unanswered):
            progress(f"  {name}: nobody answers ({one.why})")
            continue
        progress(
            f"  {name}: p99 {one.calm_ms[1]:.2f} ms alone, {one.p99_ms:.2f} under attack; "
            f"an emergency {one.calm_stop_ms:.2f}, {one.stop_p99_ms:.2f}"
        )
    return found


def _spaces() -> dict[str, object]:
    attackers = everybody(7, ("chat", "reasoning/*", "capability/*", "space/invite", "mcp/*", "x/**"))
    town = everybody(5, ("chat", "reasoning/*", "participant/resume"))
    emergency = {"kind": "reasoning/interrupt", "payload": {"class": "emergency"}}
    town[f"p{_GUARDIAN}"] = {"capabilities": [emergency, {"kind": "participant/resume"}]}
    often = {"interrupts": {"emergency": "100000/60s"}}
    return {"bench": {"participants": attackers}, "town": {"participants": town, **often}}


async def _besieged(server: Server, name: str, seconds: float) -> Siege:
    await _on_record(server)
    async with _town(server) as measure:
        with _attacking(name, 0, server.token):  # a port of its own: what attackers take of this core
            calm, calm_stops = await measure(seconds)
        before = resident_kib(server.pid)
        with _attacking(name, server.port, server.token) as check:
            times, stops = await measure(seconds)
            check()
        if not await Inquiry(server.url.replace("ws", "http", 1)).is_ready():
            raise Unready("the gateway is not ready behind it")
        grown = (resident_kib(server.pid) - before) / 1024
    alone = median(calm), percentile(calm, 99)
    stopped = percentile(calm_stops, 99), percentile(stops, 99)
    return Siege(name, alone, median(times), percentile(times, 99), *stopped, grown)


@contextlib.contextmanager
def _attacking(name: str, port: int, token: str) -> Any:
    with started([sys.executable, "-m", "bench.siege.attacks", name, str(port), token]) as attackers:
        os.setpriority(os.PRIO_PROCESS, attackers.pid, 10)  # who measures has the same core
        yield attackers.check


@contextlib.asynccontextmanager
async def _town(server: Server) -> AsyncIterator[Callable[[float], Any]]:
    """Those who are measured; what is given measures for so many seconds."""

    def join(number: int) -> websockets.connect:
        return connect(server.url, server.token % number, space="town")

    async with (
        join(_SPEAKER) as speaker,
        join(_HEARER) as hearer,
        join(_GUARDIAN) as guardian,
        join(_WORKER) as worker,
    ):
        reading = [asyncio.create_task(_read(one)) for one in (speaker, guardian)]
        numbers = itertools.count()

        async def measure(seconds: float) -> tuple[list[float], list[float]]:
            await asyncio.sleep(_WARM_UP)
            until = time.perf_counter() + seconds
            chats, stops = await asyncio.gather(
                _round_trips(speaker, hearer, until), _stops(guardian, worker, until, numbers)
            )
            return chats, stops

        try:
            yield measure
        finally:
            for one in reading:
                one.cancel()


async def _on_record(server: Server) -> None:
    """What the attackers may have listed: chats, sequences and interrupts."""
    async with server.join(_ATTACKER) as owner, server.join(ATTACKERS[1]) as other, server.join(0) as ear:
        reading = [asyncio.create_task(_read(one)) for one in (owner, other)]
        for number in range(_RECORD):
            run = f"run {number}"
            await owner.send(envelope("reasoning/start", {"message": "x" * 200}, id=run))
            await _until(ear, run)
            stop = {"to": ["p2"], "correlation_id": [run]}
            await other.send(envelope("reasoning/interrupt", {"reason": "error"}, id=f"stop {number}", **stop))
            await _until(ear, f"stop {number}")
            await owner.send(envelope("reasoning/conclusion", {}, id=f"end {number}", context=run))
            await _until(ear, f"end {number}")
        await asyncio.sleep(2)  # their bursts are whole again
        for one in reading:
            one.cancel()


async def _round_trips(speaker: Any, hearer: Any, until: float) -> list[float]:
    """Milliseconds from sending to receipt, one after the other."""
    times = []
    while time.perf_counter() < until:
        sent = time.perf_counter()
        await speaker.send(envelope("chat", {"text": "x" * 200}, id=f"{sent}", to=["p1"]))
        await _until(hearer, f"{sent}")
        times.append(1000 * (time.perf_counter() - sent))
        await asyncio.sleep(_PAUSE)
    return times


async def _stops(guardian: Any, worker: Any, until: float, numbers: Any) -> list[float]:
    """Milliseconds from an emergency's sending to its delivery, after which the agent is let go again."""
    times = []
    while time.perf_counter() < until:
        run = f"work {next(numbers)}"
        await worker.send(envelope("reasoning/start", {"message": "x"}, id=run))
        await asyncio.sleep(_STOPS / 2)
        sent, stop = time.perf_counter(), f"stop {run}"
        naming = {"to": ["p4"], "correlation_id": [run]}
        await guardian.send(
            envelope("reasoning/interrupt", {"reason": "error", "class": "emergency"}, id=stop, **naming)
        )
        await _until(worker, stop)
        times.append(1000 * (time.perf_counter() - sent))
        await worker.send(envelope("reasoning/interrupt-ack", {"status": "stopping"}, correlation_id=[stop]))
        await worker.send(envelope("reasoning/conclusion", {}, context=run))
        lifting = {"to": ["p4"], "correlation_id": [stop]}
        await guardian.send(envelope("participant/resume", {}, id=f"lift {run}", **lifting))
        await _until(worker, f"lift {run}")
        await asyncio.sleep(_STOPS / 2)
    return times


async def _until(hearer: Any, id: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while json.loads(await hearer.recv())["id"] != id:
            pass


async def _read(speaker: Any) -> None:
    async for _ in speaker:
        pass
