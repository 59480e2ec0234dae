"""What writers of streams cost those who chat beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from bench.failure import BenchFailure
from bench.gateway import gateway
from bench.load import load, streaming
from bench.machine import CpuMeter
from bench.measurement import Conditions, Effort, Result, Row, Spread
from bench.server import Server

WRITERS = 20
BYTES = 65_536
RATE = 64  # frames a second of each writer: 4 MiB/s, the most that one participant may by default


class Beside(NamedTuple):
    """A round of two chatting clients, alone and beside the writers: what `load` printed of each."""

    alone: dict[str, float | str]
    beside: dict[str, float | str]
    writers: dict[str, float | str]


@dataclass(frozen=True)
class Slowed(Result):
    """The rounds."""

    rounds: list[Beside]

    @property
    def noise(self) -> float:
        """The most that processes outside the measurement used, in cores."""
        return max(float(one.beside["others_cpu"]) for one in self.rounds)

    def rows(self) -> Iterator[Row]:
        """How long a chat takes beside streams, to how long alone."""
        for figure, name in (("p50_us", "p50"), ("p99_us", "p99")):
            alone = [float(one.alone[figure]) for one in self.rounds]
            beside = [float(one.beside[figure]) for one in self.rounds]
            ratio = Spread.of(ours / theirs for ours, theirs in zip(beside, alone, strict=True))
            yield Row(f"streams, {name}", "µs", Spread.of(beside), "", "alone", Spread.of(alone), ratio)

    def lines(self) -> Iterator[str]:
        """What the writers did."""
        rate = _middle((one.writers for one in self.rounds), "mib_per_s")
        yield f"streams: {WRITERS} writers of {BYTES // 1024} KiB frames, {rate:,.0f} MiB/s in all"

    def as_json(self) -> object:
        """With all that `load` printed."""
        return {"runs": [one._asdict() for one in self.rounds], "comparisons": [row.as_json() for row in self.rows()]}


class Streams:
    """The measurement."""

    name = "streams"

    def measure(self, conditions: Conditions) -> Slowed | None:
        """Times two chatting clients with and without the writers beside them. Raises `BenchFailure`."""
        if "gateway" not in conditions.servers:
            return None
        conditions.progress(f"streams: {WRITERS} writers, {RATE} frames a second of {BYTES // 1024} KiB")
        found = Slowed([])
        for number in range(1, conditions.effort.rounds + 1):
            try:
                with gateway(participants=2 + WRITERS, journal=conditions.journal) as server:
                    found.rounds.append(_beside(server, conditions.effort))
            except BenchFailure as failure:
                raise BenchFailure(f"streams: {failure}") from None
            alone, beside, writers = found.rounds[-1]
            conditions.progress(
                f"  {number}/{conditions.effort.rounds} p50 {alone['p50_us']} µs alone, {beside['p50_us']} µs beside "
                f"{writers['mib_per_s']} MiB/s (others used {beside['others_cpu']} of a core)"
            )
        return found


def _beside(server: Server, effort: Effort) -> Beside:
    pair = ["--clients", "2", "--window", "1", "--seconds", str(effort.seconds), "--warm-up", str(effort.warm_up)]
    writers = ["--clients", str(WRITERS), "--first", "2", "--bytes", str(BYTES), "--rate", str(RATE)]
    alone = load(server, pair)
    with streaming(server, writers) as written:
        meter = CpuMeter(server.pid)
        beside = load(server, pair) | meter.shares()
    return Beside(alone, beside, written)


def _middle(runs: Iterable[Mapping[str, float | str]], figure: str) -> float:
    return median(float(run[figure]) for run in runs)
