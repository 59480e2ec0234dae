"""A value that is held and that a message sets right beside what it answers: "mi correo: …; indiqué mal la edad, 67".

The message names the slot or the value that it holds, says that it was wrong, and has one other value for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mew_agents.flows.understanding.amends import amended, called, says_wrong
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.remarks import STEERING_WORDS
from mew_agents.flows.understanding.units import is_foreign
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.values import Reading, Span
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable

_MISTAKE: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)\b(?:mal|equivo\w+|err[oó]r|err[eé]|errad[oa]|correg\w+|corrij\w+|rectific\w+|confund\w+|perd[oó]n\w*"
        r"|disculp\w+|correct[oa]|debe (?:constar|ser|decir)|en realidad)\b"
    ),
    "pt": re.compile(
        r"(?i)\b(?:err(?:ei|ad[oa]|o)|engan\w+|corrig\w+|confund\w+|troquei|desculp\w+|perd[aã]o|cert[oa]|corret[oa]"
        r"|mal|deve ser|na verdade)\b"
    ),
    "en": re.compile(
        r"(?i)\b(?:wrong\w*|mistake\w*|mistaken\w*|mistyped|incorrect\w*|messed|typo|should (?:be|have|read|say)|sorry"
        r"|correct|correction|actually|apolog\w+|meant)\b"
    ),
}
_CHANGE: Final = re.compile(
    r"(?i)\b(?:cambi\w+|mud\w+|troc\w+|chang\w+|switch\w*|swap\w*|alter\w+|corrig\w+|correg\w+)\b"
)
_FEW: Final = 2  # words of an answer in words that say something besides
_SHORT: Final = 2  # letters of words that say nothing
_FIGURES: Final = ("int", "number", "money", "string", "date", "time", "datetime", "email", "phone")


def set_right(
    definition: Definition,
    said: str,
    standing: Standing,
    language: Language,
    found: Mapping[str, Candidate],
    readable: Callable[[Slot, str], Sequence[Reading]],
) -> dict[str, Candidate]:
    """By path, the values that replace what is held; asked back where only what is held is named."""
    if standing.question != "slot":
        return {}
    names = called(definition, said, language)
    taken = [(path, one.start, one.end) for path, one in found.items() if not values.is_free(definition.slot(path))]
    right: dict[str, Candidate] = {}
    for slot in definition.slots:
        held = standing.values.get(slot.path)
        if held is None or values.is_free(slot) or slot.type not in _FIGURES or slot.path == standing.asked:
            continue
        readings = readable(slot, said)
        elsewhere = [(start, end) for path, start, end in taken if path != slot.path]
        others = [one for one in readings if one.value != held and not one.meets(elsewhere)]
        named = slot.path in names and _is_wrong(said, language)
        repeated = len(others) < len(readings) and _was_said(said, language)
        differs = slot.path in found and (not named or any(one.value != found[slot.path].value for one in others))
        if differs or len({repr(one.value) for one in others}) != 1 or not (named or repeated):
            continue
        one = replace(others[-1].candidate(slot.path, said), checked=named, alternatives=() if named else (held,))
        if not is_foreign(definition, said, one, language, asked=True, held=False, corrects=True):
            right[slot.path] = one
    return right


def is_all(said: str, definition: Definition, language: Language, right: Mapping[str, Candidate]) -> bool:
    """Whether a message hardly says more than what it sets right."""
    spans: list[Span] = [*called(definition, said, language).values()]
    spans += [(one.start, one.end) for one in right.values()]
    words = [token for token in fold(said).tokens if token.kind == "word" and len(token.text) > _SHORT]
    left = [one for one in words if not meets((one.start, one.end), spans)]
    told = [one for one in left if one.text not in STEERING_WORDS[language] and not _MISTAKE[language].match(one.text)]
    return bool(right) and len(told) <= _FEW


def only_names(
    definition: Definition,
    said: str,
    standing: Standing,
    candidate: Candidate,
    readable: Callable[[Slot, str], Sequence[Reading]],
) -> bool:
    """Whether words for another option than the one that is held only name a slot that is set right or asked about."""
    slot, held = definition.slot(candidate.path), standing.values.get(candidate.path)
    if slot.type != "enum" or held is None or slot.path == standing.asked or candidate.value == held:
        return False
    language = standing.language
    about = set(called(definition, said, language)) if "?" in said else set()
    if _is_wrong(said, language):
        typed = (one for one in definition.slots if not values.is_free(one) and one.type in _FIGURES)
        about |= {one.path for one in typed if one.path in standing.values and readable(one, said)}
    words = {token.text for token in fold(said[candidate.start : candidate.end]).tokens}
    labels = (fold(definition.slot(path).label.get(language, "")).tokens for path in about - {slot.path})
    return any(words <= {token.text for token in label} for label in labels)


def names_change(said: str, definition: Definition, language: Language) -> bool:
    """Whether words name a slot that is to be different: "the email needs to change"."""
    return bool(called(definition, said, language)) and bool(
        _CHANGE.search(said) or _MISTAKE[language].search(said) or says_wrong(said, language)
    )


def _is_wrong(said: str, language: Language) -> bool:
    """Whether a message says that something was wrong, or begs pardon."""
    return amended(said, language).marked or says_wrong(said, language) or bool(_MISTAKE[language].search(said))


def _was_said(said: str, language: Language) -> bool:
    """Whether a message says what was said before."""
    tokens = fold(said).tokens
    return says_wrong(said, language) or any(_SAID[language].starting(tokens, at) for at in range(len(tokens)))


_SAID: Final = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].said_before) for language in LANGUAGES
}
