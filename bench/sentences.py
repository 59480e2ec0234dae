"""A measurement without a peer under the same load: rounds, told in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bench.measurement import Conditions, Result


class _Figures(Protocol):
    """A round's, a NamedTuple."""

    def _asdict(self) -> dict[str, Any]: ...


_Round = TypeVar("_Round", bound=_Figures)


@dataclass(frozen=True, kw_only=True)
class Told(Result, Generic[_Round]):
    """Rounds, and how they are told."""

    rounds: Sequence[_Round]
    tell: Callable[[Sequence[_Round]], Iterable[str]]

    @property
    def noise(self) -> float:
        """The most that processes outside the measurement used, in cores, where somebody looked."""
        return max(float(getattr(one, "others_cpu", 0)) for one in self.rounds)

    def lines(self) -> Iterable[str]:
        """The sentences."""
        return self.tell(self.rounds)

    def as_json(self) -> object:
        """Every round's figures."""
        return [one._asdict() for one in self.rounds]


@dataclass(frozen=True, kw_only=True)
class InRounds(Generic[_Round]):
    """A measurement whose rounds are told in sentences. `needs_gateway`: it is left out where none is wanted."""

    name: str
    about: str
    rounds: Callable[[Conditions], Iterable[_Round]]
    progress: Callable[[_Round], str]
    tell: Callable[[Sequence[_Round]], Iterable[str]]
    needs_gateway: bool = False

    def measure(self, conditions: Conditions) -> Told[_Round] | None:
        """All rounds. Raises `BenchFailure`."""
        if self.needs_gateway and "gateway" not in conditions.servers:
            return None
        conditions.progress(f"{self.name}: {self.about}")
        found = []
        for one in self.rounds(conditions):
            found.append(one)
            conditions.progress(f"  {len(found)}: {self.progress(one)}")
        return Told(rounds=found, tell=self.tell)
