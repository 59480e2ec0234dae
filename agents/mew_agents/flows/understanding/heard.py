"""The slots of a flow that a person fills by what they say, and the words that its definition is understood by."""

from __future__ import annotations

from functools import lru_cache

from mew_agents.flows.definitions.model import Flow
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.values.remembered import Same
from mew_agents.language.found import LANGUAGES
from mew_agents.language.thesaurus import others


def heard(flow: Flow) -> Definition | None:
    """The flow's definition with the slots that are asked for or have cues; what a tool answers or an expression sets
    is no person's to say. Its cues are also understood by other words for the same (options: `language.choices`).

    None: there are none.
    """
    return _heard(Same(flow.definition))


def asked_by(flow: Flow) -> Definition:
    """The flow's definition with other words for the triggers that it has."""
    return _asked_by(Same(flow.definition))


@lru_cache(maxsize=256)
def _heard(definition: Same[Definition]) -> Definition | None:
    slots = tuple(slot for slot in definition.it.slots if slot.required or slot.prompt or slot.cues)
    if not slots:
        return None
    worded = tuple(map(_worded, slots))
    return definition.it if worded == definition.it.slots else definition.it.model_copy(update={"slots": worded})


@lru_cache(maxsize=256)
def _asked_by(definition: Same[Definition]) -> Definition:
    intents = definition.it.intents
    more = {language: others(intents.get(language, ()), "wishes", language) for language in LANGUAGES}
    if not any(more.values()):
        return definition.it
    both = {language: (*intents.get(language, ()), *more[language]) for language in LANGUAGES if language in intents}
    return definition.it.model_copy(update={"intents": both})


def _worded(slot: Slot) -> Slot:
    """A slot with other words for its cues."""
    cues = {language: (*words, *others(words, "cues", language)) for language, words in slot.cues.items()}
    return slot if cues == slot.cues else slot.model_copy(update={"cues": cues})
