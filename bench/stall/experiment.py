"""The experiment: a hundred readers, one speaker; in one run all read, in the next some stop."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.failure import BenchFailure
from bench.gateway import gateway
from bench.inquiry import Inquiry
from bench.machine import cores, pin, resident_kib
from bench.server import Server
from bench.stall.readers import Listener, Sleeper, chat

_WARM_UP = 3.0  # seconds of the same before anything is measured
_MEASURED = 8.0  # seconds: until the stalled are gone, and a little longer
_LOOK = 0.02


class Load(NamedTuple):
    """Who is there and what is said: chats a second of so many bytes."""

    readers: int
    stalled: int
    rate: int
    size: int


class Run(NamedTuple):
    """One run. `p50_ms` and `p99_ms` from sending to receipt at those who read on; `grown_mib`: the most that the
    gateway's memory grew by; `gone_s`: for each who stalled, from the last byte that its system took until the others
    were told that it had left; `stopped_s` from when it stopped reading."""

    p50_ms: float
    p99_ms: float
    grown_mib: float
    gone_s: tuple[float, ...] = ()
    stopped_s: tuple[float, ...] = ()


def run(load: Load, *, rounds: int, progress: Callable[[str], None]) -> list[tuple[Run, Run]]:
    """The rounds: each without and with the stalled, by turns first. Raises `BenchFailure`."""
    pin(0, cores().load)
    pairs = []
    for number in range(rounds):
        order = (False, True) if number % 2 == 0 else (True, False)
        found = {stalls: _run(load, stalls=stalls) for stalls in order}
        pairs.append((found[False], found[True]))
        progress(f"  round {number + 1} of {rounds}: all read: {_words(found[False])}")
        progress(f"                {load.stalled} stall: {_words(found[True])}")
    return pairs


def _words(one: Run) -> str:
    gone = f", gone after {max(one.gone_s):.2f} s" if one.gone_s else ""
    return f"p99 {one.p99_ms:.1f} ms, memory {one.grown_mib:+.1f} MiB{gone}"


def _run(load: Load, *, stalls: bool) -> Run:
    with gateway(participants=load.readers + 1) as server:
        gc.collect()
        gc.disable()  # its pauses would be taken for the gateway's
        try:
            return asyncio.run(_Stage(server, load, stalls=stalls).run())
        except (TimeoutError, OSError) as error:
            raise BenchFailure(f"Something did not happen: {error or 'time is up'}.") from None
        finally:
            gc.enable()


class _Stage:
    def __init__(self, server: Server, load: Load, *, stalls: bool) -> None:
        self._server = server
        self._load = load
        self._stalls = stalls
        self._said = 0
        self._most_kib = 0

    async def run(self) -> Run:
        speaker, *listeners = [await self._listener(nth) for nth in range(self._load.readers + 1 - self._count)]
        sleepers = [Sleeper(f"p{self._load.readers - nth}") for nth in range(self._count)]
        for one in sleepers:
            await one.join(self._server.port, self._server.token % int(one.participant[1:]))
        await self._speak(speaker, _WARM_UP, ())
        before, began = resident_kib(self._server.pid), time.monotonic()
        for one in sleepers:
            await one.stop()
        stopped = {one.participant: one.full_at for one in sleepers}
        self._most_kib = before
        await self._speak(speaker, _MEASURED, sleepers)
        late = await self._arrived(listeners, began)
        gone, since = [], []
        for one in sleepers:
            one.close()
            if one.participant not in speaker.left:
                raise BenchFailure(f"{one.participant} stopped reading and was never dropped.")
            gone.append(speaker.left[one.participant] - one.full_at)
            since.append(speaker.left[one.participant] - stopped[one.participant])
        await self._check_closed(len(sleepers))
        grown = (self._most_kib - before) / 1024
        return Run(_quantile(late, 0.5), _quantile(late, 0.99), grown, tuple(gone), tuple(since))

    @property
    def _count(self) -> int:
        return self._load.stalled if self._stalls else 0

    async def _listener(self, number: int) -> Listener:
        token = self._server.token % number
        loop = asyncio.get_running_loop()
        _, listener = await loop.create_connection(lambda: Listener(token), "127.0.0.1", self._server.port)
        await listener.joined
        return listener

    async def _speak(self, speaker: Listener, seconds: float, sleepers: Sequence[Sleeper]) -> None:
        began, said = time.monotonic(), 0
        looked = began
        while (now := time.monotonic()) - began < seconds:
            while said < (now - began) * self._load.rate:
                speaker.say(chat(self._said, self._load.size))
                self._said += 1
                said += 1
            if now - looked >= _LOOK:
                looked = now
                self._most_kib = max(self._most_kib, resident_kib(self._server.pid))
                for one in sleepers:
                    one.look()
            await asyncio.sleep(0.001)

    async def _arrived(self, listeners: Sequence[Listener], since: float) -> list[float]:
        """How late what was said since then came, everywhere; all of it, once, in order. Raises `BenchFailure`."""
        async with asyncio.timeout(30):
            while any(len(one.late) < self._said for one in listeners):
                if any(one.fault for one in listeners):
                    break
                await asyncio.sleep(_LOOK)
        for one in listeners:
            if one.fault:
                raise BenchFailure(f"Somebody who read all the time was harmed: {one.fault}.")
        return sorted(took for one in listeners for sent, took in one.late if sent >= since)

    async def _check_closed(self, expected: int) -> None:
        metrics = await Inquiry(f"http://127.0.0.1:{self._server.port}").metrics()
        closed = [line for line in metrics.splitlines() if line.startswith("mew_closed_total{")]
        wanted = [f'mew_closed_total{{code="4008"}} {expected:.1f}'] if expected else []
        if closed != wanted:
            raise BenchFailure(f"The gateway closed others than expected: {closed}.")


def _quantile(sorted_: Sequence[float], share: float) -> float:
    return 1000 * sorted_[int(share * (len(sorted_) - 1))]
