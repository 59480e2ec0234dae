"""The experiment: one chats with another, first alone, then while somebody attacks."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple

from bench.failure import PATIENCE, BenchFailure
from bench.gateway import serving
from bench.inquiry import Inquiry
from bench.machine import cores, pin, resident_kib
from bench.measurement import percentile
from bench.process import started
from bench.server import Server
from bench.spaces import SQLITE, everybody
from bench.wire import envelope

_PAUSE = 0.01  # seconds between two chats: half the rate that a participant has by default
_RECORD = 350  # chats on record before, less than a burst
_WARM_UP = 0.5  # seconds of an attack before anything is measured


class Siege(NamedTuple):
    """What a round trip took, in ms, alone and under attack, and how much the gateway's memory had grown by then."""

    name: str
    calm_ms: tuple[float, float]
    p50_ms: float
    p99_ms: float
    grown_mib: float


def run(names: Sequence[str], *, seconds: float, progress: Callable[[str], None]) -> list[Siege]:
    """Each attack on a gateway of its own. Raises `BenchFailure`."""
    pin(0, cores().load)
    found = []
    for name in names:
        people = {"bench": {"participants": everybody(3, ("chat",))}}
        with serving(people, participants=3, journal=SQLITE, limits={}) as server:
            gc.collect()
            gc.disable()  # its pauses would be taken for the gateway's
            try:
                one = asyncio.run(_besieged(server, name, seconds))
            except (TimeoutError, OSError) as error:
                raise BenchFailure(f"{name}: nobody answers ({error or 'time is up'}).") from None
            finally:
                gc.enable()
        found.append(one)
        progress(f"  {name}: p50 {one.calm_ms[0]:.2f} ms alone, {one.p50_ms:.2f} under attack, p99 {one.p99_ms:.2f}")
    return found


async def _besieged(server: Server, name: str, seconds: float) -> Siege:
    async with server.join(0) as speaker, server.join(1) as hearer:
        reading = asyncio.create_task(_read(speaker))
        for number in range(_RECORD):
            await _say(speaker, hearer, f"on record {number}", "x" * 200)
        await asyncio.sleep(2)  # the speaker's burst is whole again
        calm = await _round_trips(speaker, hearer, seconds)
        before = resident_kib(server.pid)
        command = [sys.executable, "-m", "bench.siege.attacks", name, str(server.port), server.token % 2]
        with started(command) as attackers:
            os.setpriority(os.PRIO_PROCESS, attackers.pid, 10)  # who measures has the same core
            await asyncio.sleep(_WARM_UP)
            times = await _round_trips(speaker, hearer, seconds)
            attackers.check()
        if not await Inquiry(server.url.replace("ws", "http", 1)).is_ready():
            raise BenchFailure(f"{name}: the gateway is not ready behind it.")
        reading.cancel()
        grown = (resident_kib(server.pid) - before) / 1024
        return Siege(name, (median(calm), percentile(calm, 99)), median(times), percentile(times, 99), grown)


async def _round_trips(speaker: Any, hearer: Any, seconds: float) -> list[float]:
    """Milliseconds from sending to receipt, one after the other."""
    times, until = [], time.perf_counter() + seconds
    while time.perf_counter() < until:
        sent = time.perf_counter()
        await _say(speaker, hearer, f"{sent}", "x" * 200)
        times.append(1000 * (time.perf_counter() - sent))
        await asyncio.sleep(_PAUSE)
    return times


async def _say(speaker: Any, hearer: Any, id: str, text: str) -> None:
    await speaker.send(envelope("chat", {"text": text}, id=id, to=["p1"]))
    async with asyncio.timeout(PATIENCE):
        while json.loads(await hearer.recv())["id"] != id:
            pass


async def _read(speaker: Any) -> None:
    async for _ in speaker:
        pass
