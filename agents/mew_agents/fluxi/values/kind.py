"""The seam of a family of types: how its values are read, checked and written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from mew_agents.fluxi.definitions.slots import SlotBase
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span

Missing: TypeAlias = Literal["date", "time"]
S = TypeVar("S", bound=SlotBase)


class Kind(ABC, Generic[S]):
    """A family of types. Values are plain JSON, as a slot stores them."""

    # Of two that read the same words, the higher one is right.
    specific: int

    def specificity(self, slot: S) -> int:  # noqa: ARG002 - a pattern makes words a code
        """How much a reading for the slot says by its looks alone."""
        return self.specific

    def is_free(self, slot: S) -> bool:  # noqa: ARG002 - words do
        """Whether it takes words that no other kind understands: such slots read last."""
        return False

    def reserved(self, slot: S, text: str, understanding: Understanding) -> Iterable[Span]:  # noqa: ARG002
        """Stretches where a name out of a list is none: they say themselves whose they are."""
        return ()

    @abstractmethod
    def readings(
        self, slot: S, text: str, understanding: Understanding, attention: Attention, *, taken: Sequence[Span] = ()
    ) -> Iterable[Reading]:
        """What the text holds for the slot. `taken`: what other slots have understood, which only
        free kinds and days care about."""

    @abstractmethod
    def refusal(self, slot: S, value: Any, understanding: Understanding) -> Refusal | None:
        """Why a value cannot stand in the slot. Any JSON is taken, and what has not the type's shape is refused."""

    def missing(self, value: Any) -> Missing | None:  # noqa: ARG002 - only a datetime comes in pieces
        """What a stored value still lacks."""
        return None

    def options(self, value: Any) -> tuple[Any, ...]:
        """The readings that one value holds, likeliest first."""
        return (value,)

    def packed(self, options: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """Such readings as a value and its alternatives."""
        return options[0], options[1:]

    def completed(self, reading: Reading, held: Any, zone: tzinfo) -> Reading:  # noqa: ARG002 - see missing
        """A reading with what the slot holds already."""
        return reading

    def normal(self, slot: S, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002 - the family decides
        """A value as files, operators and models write it, as the slot stores it; what is none as it is."""
        return value

    def written(self, slot: S, value: Any) -> str:  # noqa: ARG002 - the family decides
        """A value as machines write it: the same text for the same value."""
        return str(value)
