"""What a figure counts: a noun or a unit right behind it binds it to the slot that goes with that noun.

"17 months" is no age in years, "3 kids" is no age either, "between 200 and 300" is neither 200 nor 300. A figure that
goes with no slot is none's, and is said back (`coverage`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from mew_agents.flows.understanding.asides import SOFT, alike
from mew_agents.flows.understanding.unplaced_words import (
    HALVES,
    PEOPLE_BEHIND,
    PLURALS,
    RANGE_JOINTS,
    RANGE_LEADS,
    TIME_UNITS,
)
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import MoneySlot, NumberSlot, Slot, TimeSlot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.people_words import ADULTS, CHILDREN
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.units import is_of_another_thing, thing_behind
from mew_agents.fluxi.values.words import COUNTED
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.money import money
from mew_agents.language.numbers import numbers

_FEWEST_LETTERS: Final = 4  # of a noun that is told by its plural


def is_foreign(
    definition: Definition,
    text: str,
    candidate: Candidate,
    language: Language,
    *,
    asked: bool,
    held: bool,
    corrects: bool,
) -> bool:
    """Whether a figure does not go with its slot, by what stands around it. `asked`: the slot is asked for; `held`: it
    has a value, so that a noun which is not its own counts something else, also if that value is asked about;
    `corrects`: the message takes something back, so that "from 5 to 6" may be a change.
    """
    slot = definition.slot(candidate.path)
    if not isinstance(slot, NumberSlot | MoneySlot | TimeSlot):
        return False
    span = candidate.start, candidate.end
    if not candidate.alternatives and any(
        begin < span[1] and span[0] < end for begin, end in ranges(text, corrects=corrects)
    ):
        return True
    if isinstance(slot, TimeSlot):
        return False
    if is_of_another_thing(slot, text, span[1], language) and (held or (asked and isinstance(slot, NumberSlot))):
        return True
    return _is_led_elsewhere(definition, slot, text, candidate) or _counts_another(
        slot, text, span, language, asked=asked and not held
    )


def _counts_another(slot: NumberSlot | MoneySlot, text: str, span: Span, language: Language, *, asked: bool) -> bool:
    """Whether what stands behind a figure makes it something else than the slot's."""
    behind = fold(text[span[1] :]).text.lstrip()
    if isinstance(slot, NumberSlot):
        half = slot.type == "int" and any(half.match(behind) for half in HALVES.values())
        if half or _is_money(text, span, language):
            return True
    noun = counted(text, span[1], language)
    if not _counts_people(slot) and _is_about_people(slot, noun, behind):
        return True
    if isinstance(slot, MoneySlot):
        return noun is not None and not asked and not _is_money(text, span, language) and not _is_own(slot, noun)
    return noun is not None and not _goes_with(slot, noun, asked=asked)


def counted(text: str, end: int, language: Language) -> str | None:
    """The noun right behind a figure that ends there, in its plural, or a unit. None: there is none."""
    tokens = fold(text[end:]).tokens
    if not tokens or tokens[0].kind != "word":
        return None
    word = tokens[0].text
    plural = word.endswith("s") and not word.endswith("ss") and len(word) >= _FEWEST_LETTERS
    if word in TIME_UNITS or word in PLURALS or word in _PEOPLE:
        return word
    return word if plural and not SOFT[language].begins(fold(text[end:])) else None


def tied(slot: Slot, text: str, language: Language) -> list[Span]:
    """The figures with the slot's own noun right behind them: "4 bolsas", however many other figures there are.

    A unit of time ties none: "3 años" may be said of anything.
    """
    if not isinstance(slot, NumberSlot):
        return []
    return [(one.start, one.end) for one in numbers(text, language) if _is_own_noun(slot, text, one.end, language)]


def _is_own_noun(slot: NumberSlot, text: str, end: int, language: Language) -> bool:
    behind = fold(text[end:])
    if not behind.tokens or behind.tokens[0].kind != "word" or SOFT[language].begins(behind):
        return False
    word, own = behind.tokens[0].text, _own_words(Same(slot))
    named = word in own or any(f"{word}{plural}" in own for plural in ("s", "es"))
    return named and len(word) >= _FEWEST_LETTERS and word not in TIME_UNITS and word not in _PEOPLE


def with_noun(text: str, start: int, end: int, language: Language) -> Span:
    """A figure with the noun right behind it, or with what it is said to be of; anything else as it is."""
    thing = thing_behind(text, end) if any(map(str.isdigit, text[start:end])) else None
    if thing is not None:
        return start, thing.end
    noun = counted(text, end, language) if text[start:end].strip().isdigit() else None
    return start, end if noun is None else end + fold(text[end:]).tokens[0].end


def ranges(text: str, *, corrects: bool = False) -> list[Span]:
    """Where a text names two figures as the ends of a range, in any language: "between 200 and 300", "de 9 a 12".

    `corrects`: only those that no change is written like.
    """
    folded = fold(text)
    found = (one for language in LANGUAGES for one in _RANGES[language].finditer(folded.text))
    return [folded.origin(*one.span("ends")) for one in found if not corrects or one[0].startswith(_NO_CHANGES)]


def _goes_with(slot: NumberSlot, noun: str, *, asked: bool) -> bool:
    """Whether a slot counts what a noun says."""
    own = _own_words(Same(slot))
    unit = TIME_UNITS.get(noun)
    if unit is not None:
        units = {TIME_UNITS[word] for word in own if word in TIME_UNITS}
        return unit in units or (asked and not units and not _counts_people(slot))
    return asked or _is_own(slot, noun) or (noun in _PEOPLE and _counts_people(slot))


def _is_own(slot: Slot, noun: str) -> bool:
    """Whether a definition speaks of a slot by that word."""
    return any(noun == word or alike(noun, word) for word in _own_words(Same(slot)))


def _counts_people(slot: NumberSlot | MoneySlot) -> bool:
    """Whether a slot's label says that it is about how many people there are."""
    label = {token.text for words in slot.label.values() for token in fold(words).tokens}
    return any(label & COUNTED[spoken]["people"] for spoken in LANGUAGES)


def _is_led_elsewhere(definition: Definition, slot: Slot, text: str, candidate: Candidate) -> bool:
    """Whether the word right before a figure is one of another such slot's own: "cumple 8" is no deposit."""
    tokens = fold(text[: candidate.start]).tokens
    word = tokens[-1].text if tokens and tokens[-1].kind == "word" else ""
    if len(word) < _FEWEST_LETTERS or word in _own_words(Same(slot)):
        return False
    others = (one for one in definition.slots if isinstance(one, NumberSlot | MoneySlot) and one.path != slot.path)
    return sum(word in _own_words(Same(one)) for one in others) == 1


def _is_about_people(slot: NumberSlot | MoneySlot, noun: str | None, behind: str) -> bool:
    """Whether an amount or an age is followed by words for people: "3 kids", "3 of us are vegan", "3 son alérgicos"."""
    aged = any(word in _YEARS for word in _own_words(Same(slot)))
    if not (isinstance(slot, MoneySlot) or aged):
        return False
    return (noun in _PEOPLE and not _is_own(slot, noun or "")) or any(
        one.match(behind) for one in PEOPLE_BEHIND.values()
    )


def led_to(definition: Definition, text: str, start: int) -> tuple[str, int] | None:
    """The one slot of figures whose own word stands right before a figure that starts there, and where the word begins:
    "cumple 9". None: there is no such word, or several slots are called by it.
    """
    tokens = fold(text[:start]).tokens
    if not tokens or tokens[-1].kind != "word" or len(tokens[-1].text) < _FEWEST_LETTERS:
        return None
    word = tokens[-1].text
    slots = [
        one for one in definition.slots if isinstance(one, NumberSlot | MoneySlot) and word in _own_words(Same(one))
    ]
    return (slots[0].path, tokens[-1].start) if len(slots) == 1 else None


def _is_money(text: str, span: Span, language: Language) -> bool:
    """Whether a currency is named with a figure."""
    found = money(text, language, currency="USD")
    return any(one.start <= span[0] and span[1] <= one.end and (one.start, one.end) != span for one in found)


@lru_cache(maxsize=1024)
def _own_words(slot: Same[Slot]) -> frozenset[str]:
    """The words by which a definition speaks of a slot."""
    return frozenset(token.text for words in _spoken(slot.it) for token in fold(words).tokens if token.kind == "word")


def _spoken(slot: Slot) -> Iterator[str]:
    yield from slot.label.values()
    yield slot.path.replace("_", " ")
    for question in slot.prompt.values():
        yield from (question.formal, question.informal)
    for cues in slot.cues.values():
        yield from cues


_YEARS: Final = frozenset(word for word, unit in TIME_UNITS.items() if unit == "year")
_NO_CHANGES: Final = ("entre ", "between ")
_FIGURE: Final = r"(?:(?:us)?\$ ?)?\d+(?:[.,:]\d+)*"
_RANGES: Final = {
    language: re.compile(rf"\b{RANGE_LEADS[language]} (?P<ends>{_FIGURE}{RANGE_JOINTS[language]}{_FIGURE})")
    for language in LANGUAGES
}
_PEOPLE: Final = frozenset(
    word for language in LANGUAGES for word in (*COUNTED[language]["people"], *ADULTS[language], *CHILDREN[language])
)
