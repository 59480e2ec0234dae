"""Two values where one is asked for: "between 200 and 300", "at 9 or 10", "de 9 a 12", "del lunes al miércoles".

Neither of them is taken. If the definition has exactly two slots of their kind, a range fills both, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DateSlot, DatetimeSlot, MoneySlot, NumberSlot, Slot, TimeSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.units import unit_after, with_halves
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.money import money
from mew_agents.language.numbers import numbers
from mew_agents.language.times import times

_SMALL: Final = r"(?: (?:a|al|la|las|el|los|o|os|as|dia|at|on|the|de|del|do|da|dos|das|na|no|las|en|em))*"
_OR: Final = re.compile(rf",? (?:o|u|ou|or){_SMALL} ")
_TO: Final = re.compile(rf" (?:a|al|as|ao|to|hasta|ate|until|till){_SMALL} ")
_AND: Final = re.compile(rf" (?:y|e|and){_SMALL} ")
_FROM: Final = re.compile(rf"(?:^|[^\w])(?:de|desde|from|das|dos|do|del){_SMALL} $")
_BETWEEN: Final = re.compile(rf"(?:^|[^\w])(?:entre|between|betwen){_SMALL} $")
_TAKING: Final = {
    "number": (NumberSlot,),
    "money": (MoneySlot,),
    "time": (TimeSlot, DatetimeSlot),
    "date": (DateSlot, DatetimeSlot),
}
_NUMBER: Final = "number"
_MOST: Final = 64  # values of a text that are looked at
_GAP: Final = 24  # characters between two values that belong together, and before them


class _End(NamedTuple):
    """A value, `text[start:end]`, and what it is."""

    start: int
    end: int
    kind: str


class Several(NamedTuple):
    """The words of two values, `text[start:end]`, the slot that takes one such, and where each of them stands."""

    start: int
    end: int
    path: str
    ends: tuple[tuple[int, int], tuple[int, int]]
    ordered: bool


def several(definition: Definition, text: str, understanding: Understanding) -> list[Several]:
    """The ranges and choices of numbers, amounts and hours in a text, for slots that take one."""
    found: list[Several] = []
    for one, other in pairwise(_ends(text, understanding)[:_MOST]):
        start, ordered = _joined(one, other, text)
        kind = _kind(one, other)
        slots = [] if kind is None or start is None else _taking(definition, kind, understanding)
        if not slots or start is None or (found and start < found[-1].end):
            continue
        ends = (one.start, one.end), (other.start, other.end)
        found.append(Several(start, other.end, slots[0].path, ends, ordered))
    return found


def _ends(text: str, understanding: Understanding) -> list[_End]:
    """The values of a text in its order; of those that overlap, the longest."""
    language, now = understanding.language, understanding.now
    found = [_End(one.start, one.end, "time") for one in times(text, language)]
    found += [_End(one.start, one.end, "date") for one in dates(text, language, now=now)]
    found += [_End(one.start, one.end, "money") for one in money(text, language, currency="")]
    for item in with_halves(numbers(text, language), text):
        unit = unit_after(text, item.end)
        found.append(_End(item.start, item.end if unit is None else unit.end, _NUMBER))
    kept: list[_End] = []
    for one in sorted(found, key=lambda end: (end.start, -end.end, end.kind == _NUMBER)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:
            kept[-1] = one
    return kept


def _joined(one: _End, other: _End, text: str) -> tuple[int | None, bool]:
    """Where the words of a range or a choice begin, and whether it has an order. None: it is neither."""
    if other.start - one.end > _GAP:
        return None, False
    between, before = fold(text[one.end : other.start]), fold(text[max(0, one.start - _GAP) : one.start])
    gap = f" {between.text.strip()} " if between.text.strip() else ""
    lead = f"{before.text.strip()} "
    if _OR.fullmatch(gap):
        return one.start, False
    led = _BETWEEN.search(lead) if _AND.fullmatch(gap) else None
    led = led or (_FROM.search(lead) or _BETWEEN.search(lead) if _TO.fullmatch(gap) else None)
    return (None, False) if led is None else (_origin(text, one.start, led), True)


def _origin(text: str, end: int, led: re.Match[str]) -> int:
    """Where the words that lead to a range begin in the text."""
    words = len(led[0].split())
    begin = max(0, end - _GAP)
    folded = fold(text[begin:end])
    first = len(folded.tokens) - words
    return begin + folded.span(first, first)[0] if first >= 0 else end


def _kind(one: _End, other: _End) -> str | None:
    """What two values are together; a number is what the other one is."""
    kinds = {one.kind, other.kind} - {_NUMBER}
    if len(kinds) > 1 or (kinds == {"date"} and one.kind != other.kind):
        return None
    return next(iter(kinds), _NUMBER)


def _taking(definition: Definition, kind: str, understanding: Understanding) -> list[Slot]:
    """The slots that take one such value: the one that is asked for first, then those that are empty. A figure may be
    an hour as well; days are one slot's alternatives where they are a slot of their own.
    """
    kinds: tuple[type, ...] = _TAKING[kind]
    if kind == _NUMBER:
        kinds = (NumberSlot, MoneySlot, TimeSlot, DatetimeSlot)
    if kind == "date":
        kinds = (DatetimeSlot,)
    return sorted(_of(definition, kinds), key=lambda slot: _rank(slot, understanding))


def _of(definition: Definition, kinds: tuple[type, ...]) -> Iterator[Slot]:
    return (slot for slot in definition.slots if isinstance(slot, kinds))


def _rank(slot: Slot, understanding: Understanding) -> tuple[bool, bool]:
    return slot.path != understanding.asked, slot.path in understanding.values
