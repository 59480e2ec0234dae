"""What `spelling` knows of a language: words written short, words that slips are looked for of, words that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.spelling_sounds import sound
from mew_agents.language.spelling_words import en, es, pt
from mew_agents.language.spelling_words.kept import KEPT
from mew_agents.language.value_words import VOCABULARIES

_WORDS: Final = {"es": es, "pt": pt, "en": en}
_REPEATED: Final = re.compile(r"(.)\1+")
_SHORTEST, _LONG, _TWO = 4, 8, 2  # letters: below the first no slip is looked for, from the second on two are
_ENDING: Final = 2  # letters in which forms of one word differ
_CALENDAR: Final = ("WEEKDAY", "SUREDAY", "MONTH", "PARTWORD", "DAYWORD", "UNIT", "TEEN", "TENS", "HOURWORD")
_SUFFIXES: Final = frozenset(["am", "pm", "hs", "h", "hr", "hrs", "kg", "kgs", "km", "usd"])
# Keys beside one another.
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language, folded. `short`: words as they are written, with what they are; `targets`: the words
    that slips are looked for of; `calendar`: those of them that are days, months, hours and numbers.
    """

    language: Language
    short: Mapping[str, str]
    targets: tuple[str, ...]
    calendar: frozenset[str]
    known: frozenset[str]
    glued: tuple[str, ...]
    _squeezed: Mapping[str, str]
    _sounds: Mapping[str, tuple[str, ...]]

    def plain(self, word: str, *, capital: bool = False) -> str | None:
        """The words that a folded word is meant for; None: it is one itself, or nothing is found.

        `capital`: it is written like a name, so that it is only looked for among days, months and numbers.
        """
        if word in self.short and (not capital or self.short[word] in self.calendar):
            return self.short[word]
        if word in self.known or len(word) < _SHORTEST:
            return self._squeezed.get(_REPEATED.sub(r"\1", word)) if _drawn_out(word) else None
        found = self._squeezed.get(_REPEATED.sub(r"\1", word)) or self._sounding(word) or self._nearest(word)
        if found is None:
            return None if capital else self._parted(word)
        return None if capital and found not in self.calendar else found

    def behind_figure(self, word: str) -> str | None:
        """What a word is that is glued to a figure: "20:30plss", "8amm". None: what it says, or nothing known."""
        plain = self.short.get(word) if len(word) > _TWO else None
        squeezed = _REPEATED.sub(r"\1", word)
        return plain or (squeezed if squeezed != word and squeezed in _SUFFIXES else None)

    def _sounding(self, word: str) -> str | None:
        alike = self._sounds.get(sound(word, self.language), ())
        return alike[0] if len(alike) == 1 else None

    def _nearest(self, word: str) -> str | None:
        """The one word that a slip leads to."""
        most = 1 if len(word) < _LONG else _TWO
        found = process.extract(word, self.targets, scorer=OSA.distance, score_cutoff=most, limit=6)
        near = sorted((int(slips), other) for other, slips, _ in found if self._is_slip(word, other, int(slips)))
        if not near or (len(near) > 1 and near[0][0] == near[1][0]):
            swapped = [other for _, other in near if sorted(other) == sorted(word)]
            return swapped[0] if len(swapped) == 1 else None
        return near[0][1]

    def _is_slip(self, word: str, other: str, slips: int) -> bool:
        if len(other) < _SHORTEST or (slips > 1 and (word[0] != other[0] or len(other) < _LONG - 1)):
            return False
        swapped = sorted(word) == sorted(other)
        if len(word) == _SHORTEST and not swapped and (word[0] != other[0] or len(word) > len(other)):
            return False
        if word[0] != other[0] and not swapped and len(word) == len(other) and other[0] not in _beside(word[0]):
            return False
        return swapped or other in self.calendar or not _forms(word, other)

    def _parted(self, word: str) -> str | None:
        """Two words that lack the blank between them."""
        for first in self.glued:
            rest = word[len(first) :]
            if word.startswith(first) and rest and (rest in self.targets or (rest in self.glued and len(rest) > 1)):
                return f"{first} {rest}"
            if word.endswith(first) and len(first) > 1 and word[: -len(first)] in self.targets:
                return f"{word[: -len(first)]} {first}"
        return None


def _drawn_out(word: str) -> bool:
    """Whether a letter stands there three times: "siii"."""
    return re.search(r"(.)\1\1", word) is not None


def _forms(word: str, other: str) -> bool:
    """Whether two words differ in their ending alone, as forms of one word do."""
    shorter = min(len(word), len(other))
    same = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    return max(len(word), len(other)) - same <= _ENDING


@cache
def _beside(key: str) -> frozenset[str]:
    """The keys beside a key."""
    row = next((row for row in _ROWS if key in row), "")
    at = row.find(key)
    return frozenset(row[max(0, at - 1) : at + 2])


@lru_cache(maxsize=4096)
def plain_word(word: str, language: Language, *, capital: bool) -> str | None:
    """What `Lexicon.plain` says, kept for the words that are written again and again."""
    return lexicon_of(language).plain(word, capital=capital)


@cache
def lexicon_of(language: Language) -> Lexicon:
    """The lexicon of a language."""
    words = _WORDS[language]
    entries = (entry.partition(":") for line in words.SHORT.strip().splitlines() for entry in line.split("|"))
    short = {written.strip(): plain.strip() for written, _, plain in entries}
    classes = CALENDAR_WORDS[language].classes
    calendar = frozenset(_folded(word for name in _CALENDAR for word in classes.get(name, ())))
    numbers = VOCABULARIES[language].numbers
    calendar |= frozenset(_folded((*numbers.ones, *numbers.tens, *numbers.hundreds, *numbers.scales)))
    targets = tuple(dict.fromkeys((*words.TARGETS.split(), *sorted(one for one in calendar if " " not in one))))
    plurals = (f"{word}s" for word in calendar)  # "on Sundays" is no day, and no slip of one
    known = frozenset((*targets, *plurals, *KEPT[language].split(), *_vocabulary(language))) - short.keys()
    return Lexicon(
        language=language,
        short=short,
        targets=targets,
        calendar=calendar,
        known=known,
        glued=tuple(sorted(words.GLUED.split(), key=len, reverse=True)),
        _squeezed=_one_each((_REPEATED.sub(r"\1", word), word) for word in (*targets, *_vocabulary(language))),
        _sounds=_groups((sound(word, language), word) for word in targets if len(word) >= _SHORTEST),
    )


def _vocabulary(language: Language) -> list[str]:
    """Every word that the other modules know, each once."""
    vocabulary, classes = VOCABULARIES[language], CALENDAR_WORDS[language].classes
    answers, phrases = vocabulary.answers, vocabulary.phrases
    written: list[str] = [word for words in classes.values() for word in words]
    written += [*answers.yes, *answers.weak_yes, *answers.alone, *answers.no, *answers.unclear, *answers.polite]
    written += [*answers.cancel, *answers.status, *phrases.negators, *phrases.wishes, *phrases.undoing]
    written += [*vocabulary.money.currencies, *vocabulary.names.titles, *vocabulary.names.common]
    words = [token.text for one in written for token in fold(one).tokens if token.kind == "word"]
    return list(dict.fromkeys((*words, *NAMINGS[language].common)))


def _folded(words: Iterable[str]) -> list[str]:
    return [fold(word).text for word in words]


def _one_each(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, word in pairs:
        found.setdefault(key, word)
    return found


def _groups(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key, word in pairs:
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), word)))
    return found
