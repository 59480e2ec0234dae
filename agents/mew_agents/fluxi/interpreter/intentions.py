"""Which operations a text asks for, by the intent words of their definitions.

A sum stands for the word "money" in them: "get my $30 back" asks for "money back".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.values.remembered import Same
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.intents import Intents
from mew_agents.language.money import money

# How much surer one of two operations must be so that the other is not meant.
_SURER = 0.2
_MONEY: Final[Mapping[Language, str]] = {"es": "dinero", "pt": "dinheiro", "en": "money"}


class Intention(NamedTuple):
    """The types that a text asks for, the likeliest first; several: all of them fit. `language`: whose words did.

    `spans`: where the words for each stand in the text.
    """

    type_ids: tuple[str, ...]
    confidence: float
    language: Language
    spans: tuple[tuple[int, int], ...]


def intentions(text: str, definitions: Sequence[Definition], language: Language) -> Intention | None:
    """In the conversation's language or else in the next that has words for it. None: there are none."""
    current = tuple(Same(one) for one in definitions)
    for spoken in dict.fromkeys((language, *LANGUAGES)):
        found = _asked_for(text, current, spoken)
        if spoken != language:
            found = [item for item in found if not _denied(item, text, current, language)]
        if found:
            return _meant(found, spoken)
    return _named(text, current, language)


def _asked_for(text: str, definitions: tuple[Same[Definition], ...], language: Language) -> list[Found[str]]:
    """What the intent words ask for, with the sums of money as they stand, and with the word "money" for each."""
    phrases = _intents(definitions, language)
    found = phrases.found(text)
    said, origins = _without_sums(text, language)
    if said == text:
        return found
    known = {item.value for item in found}
    more = [
        replace(item, start=origins[item.start], end=origins[item.end - 1] + 1)
        for item in phrases.found(said)
        if item.value not in known
    ]
    return sorted([*found, *more], key=lambda item: item.start)


def _without_sums(text: str, language: Language) -> tuple[str, list[int]]:
    """A text with the word "money" for each sum, and for each of its characters its place in the original."""
    said, origins, at = "", list[int](), 0
    for one in money(text, language, currency=""):
        said += text[at : one.start] + _MONEY[language]
        origins += [*range(at, one.start + 1), *[one.end - 1] * (len(_MONEY[language]) - 1)]
        at = one.end
    return said + text[at:], [*origins, *range(at, len(text))]


def _named(text: str, definitions: tuple[Same[Definition], ...], language: Language) -> Intention | None:
    """The operation whose title, as people were told it, is most of what the text says."""
    for spoken in dict.fromkeys((language, *LANGUAGES)):
        found = _titles(definitions, spoken).found(text)
        if len(found) == 1 and (found[0].end - found[0].start) * 2 > len(text.strip()):
            return _meant(found, spoken)
    return None


def _denied(item: Found[str], text: str, definitions: tuple[Same[Definition], ...], language: Language) -> bool:
    """The conversation's own language knows these words too, and did not find them meant: "no quiero un reembolso"."""
    return bool(_intents(definitions, language).found(item.evidence(text)))


def _meant(found: Sequence[Found[str]], language: Language) -> Intention:
    best: dict[str, Found[str]] = {}
    for item in found:
        for type_id in (item.value, *item.alternatives):
            if type_id not in best or _weight(item) > _weight(best[type_id]):
                best[type_id] = item
    order = sorted(best, key=lambda type_id: _weight(best[type_id]), reverse=True)
    highest = best[order[0]].confidence
    fitting = tuple(type_id for type_id in order if best[type_id].confidence > highest - _SURER)
    return Intention(fitting, highest, language, tuple((best[one].start, best[one].end) for one in fitting))


def _weight(item: Found[str]) -> tuple[float, int]:
    """The surer the better, then the longer."""
    return item.confidence, item.end - item.start


@lru_cache(maxsize=64)
def _intents(definitions: tuple[Same[Definition], ...], language: Language) -> Intents:
    words = {one.it.type_id: one.it.intents[language] for one in definitions if language in one.it.intents}
    return Intents(words, language)


@lru_cache(maxsize=64)
def _titles(definitions: tuple[Same[Definition], ...], language: Language) -> Intents:
    words = {one.it.type_id: (one.it.title[language],) for one in definitions if language in one.it.title}
    return Intents(words, language)
