"""Rounds: every server in turn, in the same minute, so that a ratio compares like with like."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple

from bench import acks, decisions
from bench.failure import BenchFailure
from bench.flows import costs as talking
from bench.fluxi import costs
from bench.gateway import Journal, gateway
from bench.load import held, load, streaming
from bench.machine import CpuMeter, resident_kib
from bench.scenario import (
    IDLE_CONNECTIONS,
    IDLE_PARTICIPANTS,
    STREAM_BYTES,
    STREAM_RATE,
    STREAM_WRITERS,
    Peer,
    Scenario,
)
from bench.server import Server, floor, plain

Name = Literal["floor", "plain", "gateway"]
SERVERS: tuple[Name, ...] = ("floor", "plain", "gateway")

Progress = Callable[[str], None]


class Effort(NamedTuple):
    """How long and how often is measured."""

    rounds: int
    seconds: float
    warm_up: float
    settle: float  # seconds before idle memory is read
    interrupts: int  # that are decided


# 25 s: past the first ping of every idle connection, so that its memory is in the figure.
FULL = Effort(rounds=5, seconds=3, warm_up=1, settle=25, interrupts=2_000)
QUICK = Effort(rounds=1, seconds=1, warm_up=0.5, settle=3, interrupts=500)


class Spread(NamedTuple):
    """The median of what the rounds gave, and how far apart they were."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Raises `ValueError` for no values."""
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A scenario's runs: for each server what `load` printed in each round."""

    scenario: Scenario
    runs: dict[Name, list[dict[str, float | str]]]

    def figures(self, server: Name) -> list[float]:
        """The scenario's figure, a round each; empty for a server that was left out."""
        return [float(run[self.scenario.figure]) for run in self.runs.get(server, [])]

    @property
    def noise(self) -> float:
        """The most that processes outside the measurement used in a run, in cores."""
        return max(float(run["others_cpu"]) for runs in self.runs.values() for run in runs)

    def ratio(self, peer: Peer) -> Spread | None:
        """The gateway's figure divided by the peer's, round by round; None if one was left out."""
        pairs = list(zip(self.figures("gateway"), self.figures(peer), strict=False))
        return Spread.of([ours / theirs for ours, theirs in pairs]) if pairs else None


class Idle(NamedTuple):
    """What the gateway's idle connections cost: resident memory in KiB, time to connect in seconds."""

    connections: int
    before_kib: int
    after_kib: int
    connected_in_s: float

    @property
    def kib_each(self) -> float:
        """KiB of resident memory per connection."""
        return (self.after_kib - self.before_kib) / self.connections


class Beside(NamedTuple):
    """A round of two chatting clients, alone and beside the writers of streams: what `load` printed of each."""

    alone: dict[str, float | str]
    beside: dict[str, float | str]
    writers: dict[str, float | str]


class Bench:
    """Measurements with the same servers and the same effort; `measured`, `idle`, `streams`, `acked`, `decided`,
    `booked`, `crowded`, `effected` and `talked` are what has been found so far."""

    def __init__(self, *, servers: Sequence[Name], effort: Effort, journal: Journal, progress: Progress) -> None:
        self.measured: list[Measured] = []
        self.idle: Idle | None = None
        self.streams: list[Beside] = []
        self.acked: dict[acks.Shape, list[acks.Acked]] = {}
        self.decided: list[decisions.Decided] = []
        self.booked: list[costs.Booked] = []
        self.crowded: list[costs.Crowded] = []
        self.effected: list[costs.Effected] = []
        self.talked: list[talking.Talked] = []
        self._servers = servers
        self._effort = effort
        self._journal = journal
        self._progress = progress

    def measure(self, scenario: Scenario) -> None:
        """Runs the rounds of a scenario. Raises `BenchFailure` as soon as a run fails."""
        self._progress(f"{scenario.name}: {scenario.about}")
        result = Measured(scenario=scenario, runs={name: [] for name in self._servers})
        for number in range(1, self._effort.rounds + 1):
            for name in self._servers:
                try:
                    run = self._run(name, scenario)
                except BenchFailure as failure:
                    raise BenchFailure(f"{scenario.name}, {name}: {failure}") from None
                result.runs[name].append(run)
                figure = f"{float(run[scenario.figure]):,.0f} {scenario.unit}"
                noise = f"(others used {run['others_cpu']} of a core)"
                self._progress(f"  {number}/{self._effort.rounds} {name:<8}{figure}  {noise}")
        self.measured.append(result)

    def measure_idle(self) -> None:
        """Reads the gateway's memory without and with idle connections. Raises `BenchFailure`."""
        if "gateway" not in self._servers:
            return
        self._progress(f"idle: {IDLE_CONNECTIONS:,} connections that say nothing")
        arguments = ["--clients", str(IDLE_CONNECTIONS), "--ids", str(IDLE_PARTICIPANTS), "--welcome"]
        try:
            with gateway(participants=IDLE_PARTICIPANTS, journal=self._journal) as server:
                time.sleep(1)  # until what its start left behind is freed
                before = resident_kib(server.pid)
                with held(server, arguments) as line:
                    connected = float(line["connected_in_s"])
                    self._progress(f"  connected in {connected:.1f} s, settling {self._effort.settle:.0f} s")
                    time.sleep(self._effort.settle)
                    after = resident_kib(server.pid)
        except BenchFailure as failure:
            raise BenchFailure(f"idle: {failure}") from None
        self.idle = Idle(IDLE_CONNECTIONS, before, after, connected)

    def measure_streams(self) -> None:
        """Times two chatting clients with and without the writers of streams beside them. Raises `BenchFailure`."""
        if "gateway" not in self._servers:
            return
        self._progress(
            f"streams: {STREAM_WRITERS} writers, {STREAM_RATE} frames a second of {STREAM_BYTES // 1024} KiB"
        )
        for number in range(1, self._effort.rounds + 1):
            try:
                with gateway(participants=2 + STREAM_WRITERS, journal=self._journal) as server:
                    self.streams.append(self._beside(server))
            except BenchFailure as failure:
                raise BenchFailure(f"streams: {failure}") from None
            alone, beside, writers = self.streams[-1]
            self._progress(
                f"  {number}/{self._effort.rounds} p50 {alone['p50_us']} µs alone, {beside['p50_us']} µs beside "
                f"{writers['mib_per_s']} MiB/s (others used {beside['others_cpu']} of a core)"
            )

    def measure_acks(self) -> None:
        """Times the acks of agents that compute. Raises `BenchFailure`."""
        if "gateway" not in self._servers:
            return
        self._progress(f"ack: {acks.AGENTS} agents interrupted at once while each computes")
        for shape in acks.SHAPES:
            found = acks.measure(shape, rounds=self._effort.rounds, seconds=self._effort.warm_up, journal=self._journal)
            self.acked[shape] = found
            for number, one in enumerate(found, 1):
                quantiles = f"p50 {one.quantile(50):.0f} ms, p99 {one.quantile(99):.0f} ms"
                self._progress(f"  {number}/{len(found)} {shape.name}: {quantiles}")

    def measure_decisions(self) -> None:
        """Times single decisions of an agent."""
        self._progress(f"decision: {self._effort.interrupts:,} interrupts of {decisions.RUNS} open runs")
        for number in range(1, self._effort.rounds + 1):
            self.decided.append(decisions.measure(samples=self._effort.interrupts))
            one = self.decided[-1]
            self._progress(f"  {number}/{self._effort.rounds} {one.core_us:.0f} µs, recorded {one.whole_us:.0f} µs")

    def measure_booking(self) -> None:
        """Times bookings on SQLite. Raises `BenchFailure`."""
        self._progress("booking: four messages, on SQLite")
        for one in costs.bookings(rounds=self._effort.rounds, seconds=self._effort.seconds):
            self.booked.append(one)
            self._progress(f"  {len(self.booked)}/{self._effort.rounds} p50 {one.p50_ms:.1f} ms of {one.bookings}")

    def measure_bookings(self) -> None:
        """Counts bookings of several processes on PostgreSQL. Raises `BenchFailure`."""
        self._progress(f"bookings: {costs.PROCESSES} processes, on PostgreSQL")
        for one in costs.crowds(rounds=self._effort.rounds, seconds=self._effort.seconds):
            self.crowded.append(one)
            figures = f"{one.fluxi_per_s:.0f} /s, the statements alone {one.bare_per_s:.0f} /s"
            self._progress(f"  {len(self.crowded)}/{self._effort.rounds} {figures}")

    def measure_effect(self) -> None:
        """Times effects beside DBOS's durable steps. Raises `BenchFailure`."""
        self._progress("effect: a confirmed effect and a durable step of DBOS, in turns, on SQLite")
        for one in costs.effects(rounds=self._effort.rounds, seconds=self._effort.seconds):
            self.effected.append(one)
            figures = f"{one.effect_ms:.1f} ms, DBOS {one.workflow_ms:.1f} ms, a further step {one.step_ms:.1f} ms"
            self._progress(f"  {len(self.effected)}/{self._effort.rounds} {figures}")

    def measure_flows(self) -> None:
        """Times the turns of flows beside LangGraph's. Raises `BenchFailure`."""
        self._progress("flows: an onboarding and a transfer, and the onboarding on LangGraph, in turns, on SQLite")
        for one in talking.talks(rounds=self._effort.rounds, seconds=self._effort.seconds):
            self.talked.append(one)
            figures = f"p50 {one.p50_ms:.2f} ms of {one.turns}, an effect {one.effect_ms:.2f} ms"
            beside = f"a mean turn {one.mean_ms:.2f} ms, LangGraph {one.langgraph_ms:.2f} ms"
            self._progress(f"  {len(self.talked)}/{self._effort.rounds} {figures}; {beside}")

    def _beside(self, server: Server) -> Beside:
        pair = ["--clients", "2", "--window", "1", "--welcome", *self._timing()]
        writers = ["--clients", str(STREAM_WRITERS), "--first", "2", "--welcome"]
        writers += ["--bytes", str(STREAM_BYTES), "--rate", str(STREAM_RATE)]
        alone = load(server, pair)
        with streaming(server, writers) as written:
            meter = CpuMeter(server.pid)
            beside = load(server, pair) | meter.shares()
        return Beside(alone, beside, written)

    def _timing(self) -> list[str]:
        return ["--seconds", str(self._effort.seconds), "--warm-up", str(self._effort.warm_up)]

    def _run(self, name: Name, scenario: Scenario) -> dict[str, float | str]:
        arguments = [
            *scenario.arguments(),
            *self._timing(),
            *(["--welcome"] if name == "gateway" else []),
        ]
        with self._start(name, scenario) as server:
            meter = CpuMeter(server.pid)
            return load(server, arguments) | meter.shares()

    def _start(self, name: Name, scenario: Scenario) -> AbstractContextManager[Server]:
        if name == "floor":
            return floor()
        if name == "plain":
            return plain()
        return gateway(participants=scenario.clients, journal=self._journal, routing=scenario.routing)
