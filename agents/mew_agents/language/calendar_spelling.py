"""Weekdays, months and parts of the day that are misspelt: "el vierens", "17 Mrach", "a 1 da trade", "datarde".

A word is mended only if no vocabulary has it, a single slip or two leads to it, and what stands beside it says that a
day or a part of one is meant: "el junto" is no June.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from rapidfuzz.distance import OSA

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.folding import fold, word_set
from mew_agents.language.found import Language
from mew_agents.language.naming import NAMINGS

_SHORT, _LONG = 5, 7  # letters: below the first nothing is mended, from the second on two slips are
_REPEATED: Final = re.compile(r"(.)\1+$")
_NUMBER: Final = re.compile(r"\d{1,2}")
_OF: Final = frozenset(("de", "del", "of", ","))
_ORDINAL: Final = frozenset(("st", "nd", "rd", "th", "o", "º"))


# Words right before a weekday, and right before a part of the day.
_BEFORE_WEEKDAY: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("el este para al del proximo pasado"),
    "pt": word_set("na no nesta neste para pra proxima proximo esta este ate"),
    "en": word_set("on this next by for from until to coming last"),
}
_BEFORE_PART: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("la"),
    "pt": word_set("da a pela de"),
    "en": word_set("the"),
}
# What is written on to a part of the day, and as what it is read.
_JOINED: Final[Mapping[Language, Mapping[str, tuple[str, ...]]]] = {
    "es": {"dela": ("de", "la"), "porla": ("por", "la"), "ala": ("a", "la")},
    "pt": {"da": ("da",), "a": ("a",), "pela": ("pela",), "de": ("de",)},
    "en": {"inthe": ("in", "the")},
}
# Words that a day's or an hour's number is written on to: "el12".
JOINED_TO_NUMBER: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("el dia las alas la del al"),
    "pt": word_set("dia as no"),
    "en": word_set("on at the"),
}


def mended(words: Sequence[str], at: int, language: Language, known: Collection[str]) -> str | None:
    """The calendar word that `words[at]` is a slip of; None: none. `words` are the folded words and signs of a text."""
    word = words[at]
    if len(word) < _SHORT or word in known or word in NAMINGS[language].common:
        return None
    before, behind = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    if len(words) == 1 or before in _BEFORE_WEEKDAY[language] or _NUMBER.fullmatch(behind):
        weekday = _nearest(word, _class(language, "WEEKDAY", "SUREDAY"))
        if weekday is not None:
            return weekday
    if _is_numbered(words, at):
        return _nearest(word, _class(language, "MONTH"))
    return _nearest(word, _class(language, "PARTWORD")) if before in _BEFORE_PART[language] else None


def parted(word: str, language: Language) -> Iterator[tuple[str, int]]:
    """The words that one word lacks the blanks between, each with its letters: "datarde" is da, tarde."""
    parts = _class(language, "PARTWORD")
    for joined, leads in _JOINED[language].items():
        rest = word.removeprefix(joined)
        if rest != word and rest in parts:
            for lead in leads:
                yield lead, len(lead)
            yield rest, len(rest)
            return


def _is_numbered(words: Sequence[str], at: int) -> bool:
    """Whether the number of a day stands beside a month: "17 Mrach", "15 de marso", "Mrach 17"."""
    if at + 1 < len(words) and _NUMBER.fullmatch(words[at + 1]):
        return True
    first = at - 1
    while first >= 0 and words[first] in _OF | _ORDINAL:
        first -= 1
    return first >= 0 and _NUMBER.fullmatch(words[first]) is not None


def _nearest(word: str, others: Sequence[str]) -> str | None:
    """The one word that a slip leads to; one that is only longer at its end by the same letter is that word."""
    plain = _REPEATED.sub(r"\1", word)
    if plain in others:
        return plain
    most = 1 if len(word) < _LONG else 2
    found = [(OSA.distance(word, other, score_cutoff=most), other) for other in others if len(other) >= _SHORT]
    near = sorted(one for one in found if one[0] <= most and (one[0] == 1 or one[1][0] == word[0]))
    alone = len(near) == 1 or (len(near) > 1 and near[0][0] < near[1][0])
    return near[0][1] if alone else None


@cache
def _class(language: Language, *names: str) -> tuple[str, ...]:
    classes = CALENDAR_WORDS[language].classes
    return tuple(dict.fromkeys(fold(word).text for name in names for word in classes.get(name, {})))
