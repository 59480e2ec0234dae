"""What everything that can be measured has: the conditions it is measured under, and what it has to tell at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Literal, NamedTuple, Protocol

from bench.gateway import Journal
from bench.verdicts import Target

Name = Literal["floor", "plain", "nats", "gateway"]
SERVERS: tuple[Name, ...] = ("floor", "plain", "nats", "gateway")


class Effort(NamedTuple):
    """How long and how often is measured, in rounds and seconds."""

    rounds: int
    seconds: float  # under load
    warm_up: float
    settle: float  # before idle memory is read
    computing: float  # before agents are interrupted
    working: float  # of agents, Fluxi and flows in a round
    interrupts: int  # that are decided


# 25 s: past the first ping of every idle connection, so that its memory is in the figure.
FULL = Effort(rounds=5, seconds=1, warm_up=0.25, settle=25, computing=1, working=3, interrupts=2_000)
QUICK = Effort(rounds=1, seconds=0.5, warm_up=0.2, settle=3, computing=0.5, working=1, interrupts=500)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the measurements of one call have in common. `journal` is the gateway's where a measurement leaves it open;
    `progress` is told a line at a time."""

    servers: Sequence[Name]
    effort: Effort
    journal: Journal
    progress: Callable[[str], None]


class Spread(NamedTuple):
    """The median of what the rounds gave, and how far apart they were."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Raises `ValueError` for no values."""
        found = list(values)
        return cls(median(found), min(found), max(found))

    def __str__(self) -> str:
        return f"{brief(self.median)} ({brief(self.least)} – {brief(self.most)})"


class Row(NamedTuple):
    """A line of the table: a figure of ours, a peer's, and their ratio round by round; or a figure alone, with a target
    of its own."""

    what: str
    unit: str
    ours: Spread
    whose: str = ""  # where what is ours is not simply the gateway
    peer: str = ""
    theirs: Spread | None = None
    ratio: Spread | None = None
    target: Target | None = None

    @property
    def judged(self) -> Spread:
        """What the target is about."""
        return self.ratio or self.ours

    @property
    def is_met(self) -> bool | None:
        """Whether the median keeps the target; None where there is none."""
        return self.target.is_met(self.judged.median) if self.target else None

    def as_json(self) -> dict[str, object]:
        """With every part's names, and the verdict."""
        parts = {
            name: part._asdict() if isinstance(part, Spread | Target) else part for name, part in self._asdict().items()
        }
        return parts | {"met": self.is_met}


class Result(ABC):
    """What a measurement has found."""

    @property
    def noise(self) -> float:
        """The most that processes outside the measurement used in a run, in cores; 0 where nobody looked."""
        return 0

    def rows(self) -> Iterable[Row]:
        """What belongs in the table."""
        return ()

    def lines(self) -> Iterable[str]:
        """What does not, in sentences (rich markup)."""
        return ()

    @abstractmethod
    def as_json(self) -> object:
        """Every figure."""


class Measurement(Protocol):
    """Something that can be measured, by name."""

    @property
    def name(self) -> str:
        """What `--only` calls it."""

    def measure(self, conditions: Conditions) -> Result | None:
        """What is found; None when none of the servers it is about is wanted. Raises `BenchFailure`."""


def brief(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def percentile(values: Sequence[float], n: int) -> float:
    """The n-th of the hundred, between 1 and 99."""
    return quantiles(values, n=100, method="inclusive")[n - 1]
