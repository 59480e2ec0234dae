"""The experiment: some stay and talk, many come and go, and what the gateway holds is looked at all the time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import NamedTuple

import websockets

from bench.churn.cast import Cast
from bench.churn.process import Gateway, Held, gateway
from bench.churn.visits import Visits
from bench.failure import BenchFailure
from bench.machine import cores, pin

_QUIET = 65.0  # seconds: every deadline has passed by then, and what the gateway looks after once a minute is done


class Sample(NamedTuple):
    """What was held, at a number of minutes."""

    minute: float
    held: Held


class Found(NamedTuple):
    """What came of it. `before`: with nobody there, when everything had been done once; `after`: with nobody there
    again."""

    samples: list[Sample]
    before: Held
    after: Held
    visits: Visits
    heard: int
    refused: dict[str, int]
    per_second: float


def run(*, minutes: float, rate: int, every: float, seed: int, progress: Callable[[str], None]) -> Found:
    """The experiment. Raises `BenchFailure`."""
    pin(0, cores().load)
    with gateway() as running:
        try:
            return asyncio.run(_Experiment(running, minutes, rate, every, seed, progress).run())
        except (TimeoutError, OSError, EOFError, websockets.WebSocketException) as error:
            raise BenchFailure(f"Something that must happen did not: {error or 'time is up'}.") from None


class _Experiment:
    def __init__(
        self,
        running: Gateway,
        minutes: float,
        rate: int,
        every: float,
        seed: int,
        progress: Callable[[str], None],
    ) -> None:
        self._gateway = running
        self._minutes = minutes
        self._rate = rate
        self._every = every
        self._progress = progress
        self._visits = Visits(running, random.Random(seed))
        self._samples: list[Sample] = []

    async def run(self) -> Found:
        await self._everything_once()
        before = await self._quiet()
        cast, began = Cast(self._gateway, self._visits), time.monotonic()
        await cast.enter()
        try:
            async with asyncio.TaskGroup() as visitors:
                made = await self._churn(cast, visitors)
        except ExceptionGroup as several:  # the first is what went wrong
            raise several.exceptions[0] from None
        finally:
            took = time.monotonic() - began
            await cast.leave()
        after = await self._quiet()
        refused: dict[str, int] = {}
        for member in cast.members:
            for code, count in member.refused.items():
                refused[code] = refused.get(code, 0) + count
        heard = sum(member.heard for member in cast.members)
        return Found(self._samples, before, after, self._visits, heard, refused, made / took)

    async def _everything_once(self) -> None:
        """Whatever is loaded or made at the first use is there before anything is compared."""
        cast = Cast(self._gateway, self._visits)
        await cast.enter()
        async with asyncio.TaskGroup() as visitors:
            for _ in range(150):
                visitors.create_task(self._visits.one())
                await asyncio.sleep(1 / self._rate)
        await cast.leave()
        self._visits.counts.clear()
        if self._visits.faults:
            raise BenchFailure(f"A visit went wrong: {self._visits.fault}.")

    async def _quiet(self) -> Held:
        self._progress(f"  quiet for {_QUIET:.0f} s")
        await asyncio.sleep(_QUIET)
        return await asyncio.to_thread(self._gateway.held)

    async def _churn(self, cast: Cast, visitors: asyncio.TaskGroup) -> int:
        began, made, looked = time.monotonic(), 0, 0
        while (passed := time.monotonic() - began) < 60 * self._minutes:
            while made < passed * self._rate:
                visitors.create_task(self._visits.one())
                made += 1
            if passed >= looked * self._every:
                looked += 1
                await self._look(passed / 60, made)
            cast.check()
            await asyncio.sleep(0.01)
        return made

    async def _look(self, minute: float, made: int) -> None:
        held = await asyncio.to_thread(self._gateway.held)
        self._samples.append(Sample(minute, held))
        if len(self._samples) % 6 == 1:
            self._progress(
                f"  minute {minute:5.1f}: {made:,} visits, {held.kib / 1024:.1f} MiB, {held.descriptors} descriptors, "
                f"{held.tasks} tasks, {held.timers} timers, {held.objects:,} objects"
            )
