"""What a text says for a slot: a value as JSON, and which stretches of the text were used up for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, TypeAlias, TypeVar

from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.language.found import Doubt, Found

RefusalCode: TypeAlias = Literal[
    "form",
    "no_such",
    "pattern",
    "past",
    "future",
    "too_far",
    "weekday",
    "hours",
    "too_small",
    "too_big",
    "too_short",
    "too_long",
    "currency",
    "unknown",
]
Span: TypeAlias = tuple[int, int]
T = TypeVar("T")


class Attention(Enum):
    """How much it takes for words to count for a slot."""

    ASKED = "asked"  # it was asked for: a bare value counts
    OPEN = "open"  # anything may be said: a new request, or what to change
    MARKED = "marked"  # something else is talked about: only what says so itself


def attention(slot: Slot, understanding: Understanding) -> Attention:
    """How a slot is looked for."""
    if understanding.asked == slot.path:
        return Attention.ASKED
    return Attention.OPEN if understanding.within is None or understanding.asked == "" else Attention.MARKED


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that a text holds. `claims` are its stretches: nothing else is read in them.

    Its evidence runs from the first claim to the last: of a day and an hour with a name between them, the name too.
    """

    value: Any
    claims: tuple[Span, ...]
    confidence: float = 1.0
    alternatives: tuple[Any, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def start(self) -> int:
        """Where its evidence starts."""
        return min(start for start, _ in self.claims)

    @property
    def end(self) -> int:
        """Where its evidence ends."""
        return max(end for _, end in self.claims)

    @property
    def size(self) -> int:
        """How many characters it claims."""
        return sum(end - start for start, end in self.claims)

    def meets(self, spans: Sequence[Span]) -> bool:
        """Whether one of the stretches is claimed by it as well."""
        return any(start < end and begin < stop for start, stop in self.claims for begin, end in spans)

    def candidate(self, path: str, text: str) -> Candidate:
        """As an interpreter proposes it."""
        start, end = self.start, self.end
        return Candidate(
            path=path,
            value=self.value,
            start=start,
            end=end,
            evidence=text[start:end],
            confidence=self.confidence,
            alternatives=self.alternatives,
            doubts=self.doubts,
        )


def reading(found: Found[T], plain: Callable[[T], Any], *, offset: int = 0) -> Reading:
    """What an extractor found, with its values as JSON. `offset`: where the text that it read starts."""
    return Reading(
        plain(found.value),
        ((found.start + offset, found.end + offset),),
        found.confidence,
        tuple(plain(other) for other in found.alternatives),
        found.doubts,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a value cannot stand in a slot: a code, and as JSON what a sentence about it needs (docs/fluxi.md §3).

    `form` (also: not the type's shape, a fraction that the currency has not), `no_such` (a day or an hour that there is
    not), `pattern` {example}, `past`, `future`, `too_far` {limit: a day},
    `weekday` {days: 0 is Monday}, `hours` {earliest and latest, where there are such bounds}, `too_small` and `too_big`
    {limit: a number; of a duration milliseconds}, `too_short` and `too_long` {limit: characters}, `currency`
    {currencies}, `unknown` {options: ids}. A reply's key is `invalid_` and the code.
    """

    code: RefusalCode
    values: Mapping[str, Any] = field(default_factory=dict)
