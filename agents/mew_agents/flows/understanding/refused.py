"""What a message says for a slot and the slot cannot take: a day that there is not, an unknown name, a code in another
form. It is commanded in the words of the person, so that the validator refuses it with the reason; a code that lacks
only its signs is asked back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mew_agents.flows.commands import SetSlot
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import RefSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.interpreter.unusable import near_codes, unusable
from mew_agents.language.asking import asks
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.found import Language
from mew_agents.language.hesitations import bare
from mew_agents.language.impossible_days import impossible_days
from mew_agents.language.requests import says_little_but_giving_up


def said_back(
    definition: Definition, text: str, standing: Standing, language: Language, found: Mapping[str, Candidate]
) -> dict[str, SetSlot]:
    """By path, what no slot can take of the words that no value is in; only in the language of the dialogue."""
    if language != standing.language:
        return {}
    known = Understanding(
        language=language,
        now=standing.now,
        within=definition.type_id,
        asked=standing.asked,
        values=standing.values,
        lists=standing.lists,
    )
    used = [(one.start, one.end) for one in found.values()]
    codes = near_codes(definition, text, known, used, found)
    told = {one.path: _code(one) for one in codes}
    used += [(one.start, one.end) for one in codes]
    for one in unusable(definition, text, known, used, {*found, *told}):
        if one.path is not None and values.refusal(definition.slot(one.path), one.words, known) is not None:
            told.setdefault(
                one.path,
                SetSlot(
                    path=one.path, value=one.words, start=one.start, end=one.end, evidence=text[one.start : one.end]
                ),
            )
    other = None if found or told else _somebody(definition, text, known) or _half_an_address(definition, text, known)
    return told if other is None else {other.path: other}


def _half_an_address(definition: Definition, text: str, known: Understanding) -> SetSlot | None:
    """An address that was asked for and lacks a part: "ana@"."""
    slot = next((one for one in definition.slots if one.path == known.asked), None)
    half = _HALF.search(text) if slot is not None and slot.type == "email" else None
    if slot is None or half is None or values.refusal(slot, half[0], known) is None:
        return None
    return SetSlot(path=slot.path, value=half[0], start=half.start(), end=half.end(), evidence=half[0])


def _somebody(definition: Definition, text: str, known: Understanding) -> SetSlot | None:
    """Somebody who is not in the list that is asked for: "A Ricardo.", "to my brother Kevin"."""
    slot = next((one for one in definition.slots if one.path == known.asked), None)
    if not isinstance(slot, RefSlot) or asks(text, known.language) or changes_of_mind(text, known.language):
        return None
    start, end = bare(text, 0, len(text), known.language)
    named = [one for one in _NAMES.finditer(text, start, end) if one.start() > start or one.end() == end]
    if named:
        start, end = named[-1].span()
    else:
        led = _TO[known.language].match(text, start)
        if led is None or len(text[led.end() : end].split()) > _MOST_WORDS:
            return None
        start = led.end()
    words = text[start:end]
    if not words or not words[0].isalpha() or values.refusal(slot, words, known) is None:
        return None
    return SetSlot(path=slot.path, value=words, start=start, end=end, evidence=words)


_HALF: Final = re.compile(r"[\w.+-]+@[\w.-]*")
_MOST_WORDS: Final = 4  # for somebody: "my brother in Leeds"
_NAMES: Final = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w'’-]+(?: (?:(?:de|del|la|da|do|dos) )*[A-ZÀ-Þ][\w'’-]+)*")
_TO: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?:(?:es|sea|va|mand\w*|env[ií]\w*|transfer\w*|pas\w*|se la \w+|se lo \w+) )*(?:al?|para"
        r"|pal?)\s+(?=[^\W\d])"
    ),
    "pt": re.compile(
        r"(?i)(?:(?:[eé]|seja|vai|mand\w*|envi\w*|transf\w*|pass\w*|faz) )*(?:ao?|para|pra|pro|pros|pras)\s+(?=[^\W\d])"
    ),
    "en": re.compile(
        r"(?i)(?:(?:its|it's|it is|send|pay|transfer|it|goes|money|that|wire|give) )*(?:to|for)\s+(?=[^\W\d])"
    ),
}


def _code(one: Candidate) -> SetSlot:
    return SetSlot(path=one.path, value=one.value, start=one.start, end=one.end, evidence=one.evidence, checked=False)


def doubted(definition: Definition, text: str, standing: Standing, candidate: Candidate) -> Candidate:
    """Words that were asked for, to be asked back if they may say that nothing is wanted any more."""
    asked = candidate.path == standing.asked and definition.slot(candidate.path).type == "text"
    if asked and says_little_but_giving_up(text, standing.language):
        return replace(candidate, checked=False)
    return candidate


def without_parts(text: str, standing: Standing, found: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Without what another language reads in a day that there is not: "no dia 31" of "no dia 31 de fevereiro"."""
    none = [(one.start, one.end) for one in impossible_days(text, standing.language, now=standing.now)]
    return {path: one for path, one in found.items() if not meets((one.start, one.end), none)}
