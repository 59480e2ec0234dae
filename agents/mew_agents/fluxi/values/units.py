"""What a number counts: the noun right behind it, and whether a slot counts the same.

A slot counts what its label, its cues and its question name. A number with another noun is no value of the slot,
unless it converts exactly; then the value is to be confirmed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.slots import MoneySlot, NumberSlot, SlotBase
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.unit_words import COMING, EXACT, HALVES, NO_THING, OF_A_THING, UNITS, UNNUMBERED
from mew_agents.fluxi.values.words import TAILS
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import Found, Language
from mew_agents.language.numbers import numbers
from mew_agents.language.sightings import stem

_KINDS: Final = {word: kind for kind, words in UNITS.items() for word in words.split()}
_HALF, _COMING = re.compile(HALVES), re.compile(COMING)
_THING: Final = [re.compile(rf"(?:{led})(?P<noun>[a-z]{{3,}})(?!\w)") for led in OF_A_THING.values()]
_UNIT_AND_HALF: Final = re.compile(rf"(?<=\s)(\w+){HALVES}$")
_UNNUMBERED: Final = re.compile(UNNUMBERED)
_NEAR: Final = 24  # characters behind a number that are looked at


class Unit(NamedTuple):
    """The noun that a number counts, its kind, and where it ends in the text."""

    kind: str
    end: int


def unit_after(text: str, end: int) -> Unit | None:
    """The noun right behind a number that ends there; None: there is none that is known."""
    folded = _near(text[end : end + _NEAR])
    if not folded.tokens or folded.tokens[0].kind != "word":
        return _unit_before_half(text, end)
    kind = _KINDS.get(folded.tokens[0].text)
    if kind is None:
        return _unit_before_half(text, end)
    return Unit(kind, end + folded.span(0, 0)[1])


def _unit_before_half(text: str, end: int) -> Unit | None:
    """The noun between a number and its half, where both end there: "3 kilos and a half"."""
    match = _UNIT_AND_HALF.search(_near(text[max(0, end - _NEAR) : end]).text)
    kind = None if match is None else _KINDS.get(match[1])
    return None if kind is None else Unit(kind, end)


def kinds_counted(slot: SlotBase) -> frozenset[str]:
    """The kinds of nouns that a slot counts."""
    return _kinds_counted(Same(slot))


def is_foreign(slot: SlotBase, text: str, end: int) -> bool:
    """Whether the noun behind a number is of a kind that the slot does not count."""
    unit = unit_after(text, end)
    return unit is not None and unit.kind not in kinds_counted(slot)


def is_own(slot: SlotBase, text: str, end: int) -> bool:
    """Whether the noun behind a number is of a kind that the slot counts."""
    unit = unit_after(text, end)
    return unit is not None and unit.kind in kinds_counted(slot)


def thing_behind(text: str, end: int) -> Unit | None:
    """The thing that a number or an amount which ends there is said to be of, in any language: "5 de propina"."""
    folded = _near(text[end : end + _NEAR])
    match = next((found for one in _THING if (found := one.match(folded.text)) is not None), None)
    if match is None or match["noun"] in NO_THING:
        return None
    return Unit(match["noun"], end + folded.origin(*match.span("noun"))[1])


def is_of_another_thing(slot: SlotBase, text: str, end: int, language: Language) -> bool:
    """Whether a number is said of a thing that the slot's own words do not name: "5 de propina" are no guests."""
    thing = thing_behind(text, end)
    if thing is None or _KINDS.get(thing.kind) in kinds_counted(slot):
        return False
    return stem(thing.kind, language) not in _own_stems(Same(slot), language)


def counts_unknown(slot: SlotBase, text: str, end: int, language: Language) -> bool:
    """Whether a noun stands right behind a number that no kind and none of the slot's own words has: "3 towels"."""
    if not _counts_something(text, end, language) or unit_after(text, end) is not None:
        return False
    return stem(_near(text[end : end + _NEAR]).tokens[0].text, language) not in _own_stems(Same(slot), language)


def is_of_a_time(text: str, end: int) -> bool:
    """Whether "next month" or the like stands right behind a number."""
    return _COMING.match(_near(text[end : end + _NEAR]).text) is not None


def with_halves(found: list[Found[Decimal]], text: str) -> list[Found[Decimal]]:
    """Numbers with the half that is said behind some of them: "three and a half"."""
    return [_with_half(item, text) for item in found]


def _with_half(item: Found[Decimal], text: str) -> Found[Decimal]:
    unit = unit_after(text, item.end)
    begin = item.end if unit is None else unit.end
    folded = _near(text[begin : begin + _NEAR])
    match = _HALF.match(folded.text) if text[begin : begin + 1] == " " else None
    if match is None:
        return item
    end = begin + folded.origin(*match.span())[1]
    return replace(item, value=item.value + Decimal("0.5"), end=end, alternatives=())


def converted(slot: NumberSlot, text: str, language: Language) -> list[Found[Decimal]]:
    """The numbers of another kind that the slot's own expresses exactly: 24 months are 2 years."""
    found: list[Found[Decimal]] = []
    for item in with_halves(numbers(text, language), text):
        unit = unit_after(text, item.end)
        if unit is None or unit.kind in kinds_counted(slot):
            continue
        factor = next((EXACT[unit.kind, own] for own in kinds_counted(slot) if (unit.kind, own) in EXACT), None)
        value = None if factor is None else _exact(Fraction(item.value) * factor)
        if value is not None:
            found.append(Found(value, item.start, unit.end, 0.5, (), ("approximate",)))
    return found


def _counts_something(text: str, end: int, language: Language) -> bool:
    """Whether a noun that no kind knows stands behind a number: "2 cups"."""
    tokens = _near(text[end : end + _NEAR]).tokens
    if not tokens or tokens[0].kind != "word" or tokens[0].text in TAILS[language]:
        return False
    return not is_of_a_time(text, end)


@lru_cache(maxsize=4096)
def _near(words: str) -> Folded:
    """The few words behind a number, folded."""
    return fold(words)


def _exact(value: Fraction) -> Decimal | None:
    """A fraction as a decimal of at most two places; None: it is none."""
    hundredths = value * 100
    return Decimal(hundredths.numerator) / 100 if hundredths.denominator == 1 else None


def quantities(text: str, language: Language) -> list[tuple[int, int]]:
    """Where the numbers of a text stand, each with its half and its noun; and lengths without a number."""
    found: list[tuple[int, int]] = []
    for item in with_halves(numbers(text, language), text):
        unit = unit_after(text, item.end)
        if unit is None and _counts_something(text, item.end, language):
            continue
        end = item.end if unit is None else unit.end
        thing = thing_behind(text, end)
        found.append((item.start, end if thing is None else thing.end))
    return [*found, *lengths(text)]


def lengths(text: str) -> list[tuple[int, int]]:
    """Where lengths without a number stand: "año y medio"."""
    folded = fold(text)
    return [folded.origin(*match.span()) for match in _UNNUMBERED.finditer(folded.text)]


@lru_cache(maxsize=1024)
def _kinds_counted(slot: Same[SlotBase]) -> frozenset[str]:
    kinds = frozenset(_KINDS[word] for word in _own_words(slot.it) if word in _KINDS)
    return kinds | ({"money"} if _is_money(slot.it) else set())


@lru_cache(maxsize=1024)
def _own_stems(slot: Same[SlotBase], language: Language) -> frozenset[str]:
    return frozenset(stem(word, language) for word in _own_words(slot.it))


def _own_words(slot: SlotBase) -> list[str]:
    """The words of a slot's label, its cues, its path and its question."""
    questions = (slot.question(spoken, manner) for spoken in ("es", "pt", "en") for manner in ("formal", "informal"))
    written = [*slot.label.values(), *(cue for cues in slot.cues.values() for cue in cues), slot.path]
    return [token.text for text in (*written, *(text for text in questions if text)) for token in fold(text).tokens]


def _is_money(slot: SlotBase) -> bool:
    return isinstance(slot, MoneySlot)
