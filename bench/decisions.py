"""What one decision of an agent costs: the core's alone, and with all that happens before its ack is in the line."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.measurement import percentile
from bench.verdicts import Target
from mew_gateway.sdk import IoThread, Tasks
from mew_gateway.sdk._runner import Runner
from mew_gateway.sdk._transport.io_thread.timer import Timer
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.events import Began, Ended, Event, Interrupted
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.spans import Declaration
from mew_gateway.sdk.participant import Participant
from mew_gateway.sdk.testing import Space
from mew_gateway.sdk.timeline.recorder import Recorder
from mew_gateway.sdk.timeline.sqlite import NAME, TimelineFile

RUNS = 10  # that are open, each interrupted in turn
TARGET = Target("≤", 100)  # µs, of the core's median

_KINDS = ("reasoning/start", "reasoning/conclusion", "reasoning/interrupt-ack")


class Decided(NamedTuple):
    """Microseconds for one interrupt, medians and 99th percentiles: in the core, and from the event to the ack's bytes
    in the line, the timeline on SQLite written."""

    core_us: float
    core_p99_us: float
    whole_us: float
    whole_p99_us: float


def measure(*, samples: int) -> Decided:
    """Figures of so many interrupts of each kind."""
    core, whole = _of_the_core(samples), asyncio.run(_of_the_runner(samples))
    return Decided(median(core), percentile(core, 99), median(whole), percentile(whole, 99))


def _of_the_core(samples: int) -> list[float]:
    taken: list[float] = []
    while len(taken) < samples:
        core = Core()
        for event in _begun(len(taken)):
            core.handle(event, 0)
        taken.extend(_timed(lambda event, core=core: core.handle(event, 1), len(taken)))  # type: ignore[misc]
    return taken


async def _of_the_runner(samples: int) -> list[float]:
    taken: list[float] = []
    async with Space({"agent": [{"kind": kind} for kind in _KINDS]}) as space:
        client = space.client("agent")
        await client.connect()
        with (
            tempfile.TemporaryDirectory(prefix="mew-bench-") as folder,
            closing(TimelineFile(Path(folder, NAME))) as timeline,
        ):
            recorder = Recorder(timeline, "bench")
            runner = Runner(
                client, recorder, Tasks(), participant=Participant(client), perform=lambda _: None, io_thread=_Line()
            )
            while len(taken) < samples:
                begun = _begun(len(taken))
                for event in begun:
                    await runner.perform(event)
                taken.extend(await asyncio.to_thread(_timed, runner.answer, len(taken)))
                for event in begun:
                    await runner.perform(Ended(event.run, "interrupted"))
        await client.aclose()
    return taken


class _Line(IoThread):
    """A wire that leads nowhere."""

    def __init__(self) -> None:
        super().__init__(attend=lambda _: None)

    def post(self, data: bytes) -> None:
        """Nobody gets it."""

    def call_later(self, milliseconds: int, call: Callable[[], None]) -> Timer:
        """Not in this measurement."""
        raise NotImplementedError("a soft stop sets no deadline")


def _begun(first: int) -> list[Began]:
    declared = Declaration("soft-stop")
    return [Began(f"r{n}", f"s{n}", f"c{n}", declared) for n in range(first, first + RUNS)]


def _timed(handle: Callable[[Event], object], first: int) -> list[float]:
    taken: list[float] = []
    for n in range(first, first + RUNS):
        interrupt = Interrupt(f"i{n}", "human", f"r{n}", "cancel", "user_request")
        event = Interrupted(interrupt, f"a{n}")
        began = time.perf_counter()
        handle(event)
        taken.append((time.perf_counter() - began) * 1e6)
    return taken
