"""What an extractor found: a value, exactly where in the text, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

# The languages that agents are spoken to in (ISO 639-1).
Language: TypeAlias = Literal["es", "pt", "en"]
LANGUAGES: tuple[Language, ...] = ("es", "pt", "en")

# Why a value may not be what was meant, in words for the asker (docs/language.md).
Doubt: TypeAlias = Literal[
    "ambiguous",  # several readings: `alternatives` holds the others ("a las 5": 05:00 or 17:00; two names match)
    "approximate",  # the text matched only nearly ("Peres" for "Pérez")
    "gap",  # a local time that a clock change skips; the value is the first moment after it
    "fold",  # a local time that a clock change repeats; the value is the first of the two
    "past",  # it lies before now
    "partial",  # words beside it belong to it and were not understood ("el viernes de la otra")
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """One value read in a text. `text[start:end]` is the verbatim evidence: every word of it was used for the value.

    `confidence` from 0 to 1: 1 only without any doubt. `alternatives`: the other readings, likeliest first.
    """

    value: T
    start: int
    end: int
    confidence: float = 1.0
    alternatives: tuple[T, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    def evidence(self, text: str) -> str:
        """The words of `text` this was read from."""
        return text[self.start : self.end]
