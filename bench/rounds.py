"""Rounds: every side of a scenario in turn, in the same minute, so that a ratio compares like with like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby

from bench.failure import BenchFailure
from bench.gateway import Journal, gateway
from bench.load import load
from bench.machine import CpuMeter
from bench.measurement import Conditions, Result, Row, Spread
from bench.scenario import Recipe, Scenario, Side
from bench.server import Server, floor, nats, plain

Run = dict[str, float | str]  # what `load` printed of one


@dataclass(frozen=True, kw_only=True)
class Compared(Result):
    """What a scenario's rounds gave: for each side, by name, its runs."""

    scenario: Scenario
    runs: dict[str, list[Run]]

    @property
    def noise(self) -> float:
        """The most that processes outside the measurement used in a run, in cores."""
        return max(float(run["others_cpu"]) for runs in self.runs.values() for run in runs)

    def rows(self) -> Iterator[Row]:
        """One for each comparison whose sides were both measured."""
        for ours, theirs, target in self.scenario.comparisons:
            if ours in self.runs and theirs in self.runs:
                pairs = list(zip(self._figures(ours), self._figures(theirs), strict=True))
                yield Row(
                    self.scenario.name,
                    self.scenario.unit,
                    Spread.of(mine for mine, _ in pairs),
                    whose="" if ours == "gateway" else ours,
                    peer=theirs,
                    theirs=Spread.of(peer for _, peer in pairs),
                    ratio=Spread.of(mine / peer for mine, peer in pairs),
                    target=target,
                )

    def lines(self) -> Iterator[str]:
        """The figures of sides that no comparison could be made of, because the other was left out."""
        told = {name for row in self.rows() for name in (row.whose or "gateway", row.peer)}
        for name in self.runs:
            if name not in told:
                yield f"{self.scenario.name}, {name}: {Spread.of(self._figures(name))} {self.scenario.unit}"

    def as_json(self) -> object:
        """With all that `load` printed."""
        return {
            "about": self.scenario.about,
            "figure": self.scenario.figure,
            "runs": self.runs,
            "comparisons": [row.as_json() for row in self.rows()],
        }

    def _figures(self, side: str) -> list[float]:
        return [float(run[self.scenario.figure]) for run in self.runs[side]]


class Rounds:
    """The measurement of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    @property
    def name(self) -> str:
        """The scenario's."""
        return self._scenario.name

    def measure(self, conditions: Conditions) -> Compared | None:
        """Runs every side in each round. Raises `BenchFailure` as soon as a run fails."""
        scenario = self._scenario
        sides = [side for side in scenario.sides if side.server in conditions.servers]
        if not sides:
            return None
        conditions.progress(f"{scenario.name}: {scenario.about}")
        result = Compared(scenario=scenario, runs={side.name: [] for side in sides})
        for number in range(1, conditions.effort.rounds + 1):
            for side, run in _round(scenario.name, sides, conditions):
                result.runs[side.name].append(run)
                figure = f"{float(run[scenario.figure]):>12,.2f} {scenario.unit}"
                noise = f"(others used {run['others_cpu']} of a core)"
                conditions.progress(f"  {number}/{conditions.effort.rounds} {side.name:<22}{figure}  {noise}")
        return result


def _round(scenario: str, sides: Iterable[Side], conditions: Conditions) -> Iterator[tuple[Side, Run]]:
    """Every side once. Each server is started anew; sides of one recipe share it."""
    for recipe, sharing in groupby(sides, key=lambda side: side.recipe):
        try:
            with _start(recipe, conditions.journal) as server:
                for side in sharing:
                    yield side, _run(server, side, conditions)
        except BenchFailure as failure:
            raise BenchFailure(f"{scenario}, {recipe.name}: {failure}") from None


def _run(server: Server, side: Side, conditions: Conditions) -> Run:
    effort = conditions.effort
    timing = ["--seconds", str(effort.seconds), "--warm-up", str(effort.warm_up)]
    meter = CpuMeter(server.pid)
    return load(server, [*side.load.arguments(), *timing, "--server", str(server.pid)]) | meter.shares()


def _start(recipe: Recipe, journal: Journal) -> AbstractContextManager[Server]:
    match recipe.name:
        case "floor":
            return floor()
        case "plain":
            return plain()
        case "nats":
            return nats()
        case "gateway":
            return gateway(
                participants=recipe.participants,
                spaces=recipe.spaces,
                journal=recipe.journal or journal,
                routing=recipe.routing,
            )
