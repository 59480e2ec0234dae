"""What a message says for a slot and the slot cannot take: a day that there is not, an unknown name, a code in another
form. It is commanded in the words of the person, so that the validator refuses it with the reason; a code that lacks
only its signs is asked back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mew_agents.flows.commands import SetSlot
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.interpreter.unusable import near_codes, unusable
from mew_agents.language.found import Language
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
    return told


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
