"""Days from one to another: "from the 10th to the 13th" is for the two slots of days of a stay, if there are two."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DateSlot, DatetimeSlot, Slot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values.reading import Span
from mew_agents.language.day_ranges import day_ranges

_GUESS = 0.5


def ranged(definition: Definition, text: str, understanding: Understanding) -> tuple[list[Candidate], list[Span]]:
    """The values of the first range of days, and where the ranges stand: nothing else is read there.

    The two slots of days, in their order, get its two ends. If there are not two, the one that is asked for or comes
    first is asked about: either end may be meant.
    """
    found = day_ranges(text, understanding.language, now=understanding.now)
    spans = [(one.start, one.end) for one in found]
    slots = _of_days(definition)
    if not found or not slots:
        return [], []
    first, words = found[0], found[0].evidence(text)
    if len(slots) == 2:
        ends = zip(slots, first.value, strict=True)
        return [_candidate(slot, day, (first.start, first.end), words) for slot, day in ends], spans
    slot = next((one for one in slots if one.path == understanding.asked), slots[0])
    if isinstance(slot, DatetimeSlot):
        return [], spans  # a day alone is asked for its hour, and its other end would not be named
    one, other = (_of(slot, day) for day in first.value)
    return [
        Candidate(
            path=slot.path,
            value=one,
            start=first.start,
            end=first.end,
            evidence=words,
            confidence=_GUESS,
            alternatives=(other,),
            guessed=True,
        )
    ], spans


def is_an_end(slot: Slot, value: Any, words: str, understanding: Understanding) -> bool:
    """Whether a value is the first or the last day of a range that these words name."""
    if not isinstance(slot, DateSlot | DatetimeSlot):
        return False
    found = day_ranges(words, understanding.language, now=understanding.now)
    return any(_of(slot, day) == value for one in found for day in one.value)


def _of_days(definition: Definition) -> Sequence[Slot]:
    """The slots of days to come."""
    return [slot for slot in definition.slots if isinstance(slot, DateSlot | DatetimeSlot) and not slot.past]


def _candidate(slot: Slot, day: date, span: Span, words: str) -> Candidate:
    return Candidate(path=slot.path, value=_of(slot, day), start=span[0], end=span[1], evidence=words)


def _of(slot: Slot, day: date) -> Any:
    """A day as the slot stores it; of a moment, its hour is asked for."""
    return {"date": day.isoformat()} if isinstance(slot, DatetimeSlot) else day.isoformat()
