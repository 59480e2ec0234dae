"""How a thing is to be, in words that no slot is called by: "sí, pero sin azúcar", "yes, no onions", "com gelo".

At a confirmation they replace no words that are held, and a yes beside them confirms nothing. They are the value
of the one slot of words that is never asked for and empty, if what is confirmed shows it, or else said back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mew_agents.flows.commands import AnyCommand, LeftOut, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Confirm
from mew_agents.flows.understanding.amends import called
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.emptied import is_all
from mew_agents.flows.understanding.heard import heard
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Attention, Span
from mew_agents.fluxi.values.answer import core
from mew_agents.language.asking import asks
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.sightings import stem

_FEWEST_LETTERS: Final = 4  # of a word that says something
_LED: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?i)(?<!\w)(?:sin|con)\s+(?=[^\W\d])"),
    "pt": re.compile(r"(?i)(?<!\w)(?:sem|com)\s+(?=[^\W\d])"),
    "en": re.compile(r"(?i)(?<!\w)(?:without|with|(?<=[\s,])no)\s+(?=[^\W\d])"),
}


def qualified(text: str, standing: Standing) -> tuple[AnyCommand, ...] | None:
    """What such words come to. None: the message is no such thing."""
    flow = standing.at_hand
    definition = None if flow is None else heard(flow)
    if flow is None or definition is None or standing.question != "execution" or asks(text, standing.language):
        return None
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        for start, end in _led(text, language):
            if not is_all(text, language, [(start, end)]):
                continue
            if _is_of_a_slot(text[start:end], definition, standing, language):
                return None
            return (_noted(text, (start, end), flow, definition, standing),)
    return None


def _led(text: str, language: Language) -> Iterator[Span]:
    """The words from each "without" or "with" on, without what is only polite."""
    for match in _LED[language].finditer(text):
        kept = core(text[match.start() :], language)
        if kept is not None and not kept[0]:
            yield match.start(), match.start() + kept[1]


def _is_of_a_slot(words: str, definition: Definition, standing: Standing, language: Language) -> bool:
    """Whether words call a slot by its name, have a typed value, or a word of words that are held."""
    if called(definition, words, language):
        return True
    known = Understanding(
        language=language,
        now=standing.now,
        within=definition.type_id,
        values=standing.values,
        lists=standing.lists,
    )
    said = _stems(words, language)
    for slot in definition.slots:
        if not values.is_free(slot):
            if slot.type != "bool" and values.readings(slot, words, known, closely=Attention.ASKED):
                return True
        elif said & _stems(str(standing.values.get(slot.path, "")), language):
            return True
    return False


def _stems(words: str, language: Language) -> set[str]:
    told = (token.text for token in fold(words).tokens if token.kind == "word" and len(token.text) >= _FEWEST_LETTERS)
    return {stem(word, language) for word in told}


def _noted(text: str, span: Span, flow: Flow, definition: Definition, standing: Standing) -> AnyCommand:
    """The words as the value of the one empty slot that takes them, if what is confirmed shows it; or said back."""
    notes = [slot.path for slot in definition.slots if slot.type == "text" and not slot.required]
    words = text[span[0] : span[1]]
    if len(notes) != 1 or notes[0] in standing.values or not _is_shown(notes[0], flow):
        return LeftOut(start=span[0], end=span[1])
    return SetSlot(path=notes[0], value=words, start=span[0], end=span[1], evidence=words)


def _is_shown(path: str, flow: Flow) -> bool:
    """Whether every question for a yes says what the slot holds."""
    asked = [step for step in flow.program.steps.values() if isinstance(step, Confirm)]
    return bool(asked) and all(f"{{{path}}}" in str(step.confirm) for step in asked)
