"""Somebody else whom the same is wanted for: "vaccinate my son Ben and my daughter Anna", "yes, and Anna too".

That is a second wish of the same kind, and no other value of the first one. It waits, and begins when the first is
done. In a message that opens a Work, each has the values that stand with the name; what stands with neither is both's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot, StringSlot
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Candidate, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.introduced import introduced
from mew_agents.fluxi.values import Attention, Reading, Span
from mew_agents.fluxi.values.addresses import is_address
from mew_agents.fluxi.values.people_words import KIN
from mew_agents.fluxi.values.words import NAMED, POSSESSIVES
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import wants_another
from mew_agents.language.retractions import is_correction, replaced

_JOINTS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?i)(?:^|[\s,.;])(?P<joint>y|e|también|tambien|además|ademas|más|mas)(?!\w)"),
    "pt": re.compile(r"(?i)(?:^|[\s,.;])(?P<joint>e|também|tambem|além disso|mais)(?!\w)"),
    "en": re.compile(r"(?i)(?:^|[\s,.;])(?P<joint>and|also|plus)(?!\w)"),
}
# With these somebody is added, and does not take another's place. Over folded text.
_ADDED: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"\b(?:tambien|ademas|igualmente)\b"),
    "pt": re.compile(r"\b(?:tambem|alem disso|igualmente)\b"),
    "en": re.compile(r"\b(?:too|also|as well|plus)\b"),
}
# Behind a name, these are no part of it: "my daughter Anna too".
_BEHIND: Final = re.compile(r"(?i)[\s,]+(?:too|also|as well|también|tambien|além disso|também|tambem|además)$")
_NAMED: Final = {language: PhraseTable((one, None) for one in NAMED[language]) for language in LANGUAGES}


def added(definition: Definition, text: str, understanding: Understanding) -> ProposedWork | None:
    """The wish for somebody else in a message to a Work that holds a name. None: there is none."""
    slots = [slot for slot in _names(definition) if slot.path in understanding.values]
    language = understanding.language
    if len(slots) != 1 or understanding.asked == slots[0].path:
        return None
    slot, fresh = slots[0], replace(understanding, within=None, asked=None, values={})
    for match in _JOINTS[language].finditer(text):
        start = match.start("joint")
        tail = only(text, start, len(text))
        said = _with_names(allot(definition, tail, fresh), definition, tail, fresh)
        name = next((one for one in said if one.path == slot.path), None)
        if name is None or _is_held(name, understanding.values[slot.path]) or not _adds(definition, slot, tail, name):
            continue
        if is_correction(text, name.start, name.end, language):
            continue
        return ProposedWork(type_id=definition.type_id, confidence=1.0, slots=said, wish=(start, len(text)))
    return None


def beside(
    proposal: ProposedWork, definition: Definition, text: str, understanding: Understanding
) -> ProposedWork | None:
    """The proposal with the wish for the second of two people apart. None: the text names no two."""
    for slot in _names(definition):
        if slot.path not in definition.binding_attributes:
            continue
        found = sorted(values.readings(slot, text, understanding, closely=Attention.OPEN), key=lambda one: one.start)
        for first, second in pairwise(found):
            joint = _joint(text, first, second, understanding.language)
            if joint is None:
                continue
            own = first.start, joint
            others = joint, _end(definition, text, own, second, understanding)
            alone, rest = _without(text, others), _without(text, own)
            slots, more = allot(definition, alone, understanding), allot(definition, rest, understanding)
            more = _with_names(more, definition, rest, understanding)
            if all(any(one.path == slot.path for one in part) for part in (slots, more)):
                apart = replace(proposal, slots=more, rivals=(), later=(), wish=others)
                return replace(proposal, slots=slots, second=apart)
    return None


def only(text: str, start: int, end: int) -> str:
    """A text with blanks for all but `text[start:end]`, so that places in it stay."""
    return " " * start + text[start:end] + " " * (len(text) - end)


def _without(text: str, span: Span) -> str:
    return text[: span[0]] + " " * (span[1] - span[0]) + text[span[1] :]


def _names(definition: Definition) -> list[Slot]:
    """The slots that are for somebody's name."""
    return [
        slot
        for slot in definition.slots
        if isinstance(slot, StringSlot)
        and slot.type == "string"
        and slot.pattern is None
        and not any(is_address(slot, language) for language in LANGUAGES)
    ]


def _with_names(
    found: tuple[Candidate, ...], definition: Definition, text: str, understanding: Understanding
) -> tuple[Candidate, ...]:
    """Values with the names that the text introduces, and without the words of adding behind a name."""
    used, filled = [(one.start, one.end) for one in found], {one.path for one in found}
    every = (*found, *introduced(definition, text, understanding, used, filled))
    names = {slot.path for slot in _names(definition)}
    return tuple(_bare(one) if one.path in names else one for one in every)


def _bare(candidate: Candidate) -> Candidate:
    said = _BEHIND.search(str(candidate.value))
    if said is None:
        return candidate
    more = len(said[0])
    evidence, value = candidate.evidence[:-more], str(candidate.value)[:-more]
    return replace(candidate, value=value, evidence=evidence, end=candidate.end - more)


def _is_held(name: Candidate, held: object) -> bool:
    return fold(str(name.value)).text == fold(str(held)).text


def _adds(definition: Definition, slot: Slot, tail: str, name: Candidate) -> bool:
    """Whether words add somebody: by a word for it, or by "and my daughter" where the name says what it is about."""
    for language in LANGUAGES:
        if _ADDED[language].search(fold(tail).text) is not None or wants_another(tail, language):
            return True
    binds = slot.path in definition.binding_attributes
    return binds and any(_is_kin_led(tail, name.end, one) and not _calls(tail, one) for one in LANGUAGES)


def _is_kin_led(tail: str, end: int, language: Language) -> bool:
    """Whether "my daughter" stands at the head of the words, right behind the joint."""
    words = [token.text for token in fold(tail[:end]).tokens if token.kind == "word"][1:]
    led = [at for at, word in enumerate(words[:3]) if word in POSSESSIVES[language]]
    return any(word in KIN[language] for at in led for word in words[at + 1 : at + 2])


def _calls(tail: str, language: Language) -> bool:
    """Whether words say how somebody is called, who may be the one that is held."""
    tokens = fold(tail).tokens
    return any(_NAMED[language].starting(tokens, at) is not None for at in range(len(tokens)))


def _joint(text: str, first: Reading, second: Reading, language: Language) -> int | None:
    """Where the words begin that add a second person to the first. None: nothing adds one."""
    between = [one.start("joint") for one in _JOINTS[language].finditer(text, first.start, second.end)]
    for start in between:
        tail = only(text, start, second.end)
        if _is_kin_led(tail, second.end, language) and not replaced(text, first.end, second.start, language):
            return start
    return None


def _end(definition: Definition, text: str, own: Span, second: Reading, understanding: Understanding) -> int:
    """Where the words about the second person end: before a value that the words about the first one have not."""
    told = {one.path for one in allot(definition, only(text, *own), understanding)}
    later = (one for one in _typed(definition, text, understanding) if one.path not in told)
    return min((one.start for one in later if one.start >= second.end), default=len(text))


def _typed(definition: Definition, text: str, understanding: Understanding) -> Iterator[Candidate]:
    for one in allot(definition, text, understanding):
        if definition.slot(one.path).type in ("enum", "ref", "date", "time", "datetime", "money"):
            yield one
