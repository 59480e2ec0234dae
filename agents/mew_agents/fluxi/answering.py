"""Questions of people: what the definition knows is told, and the open question is asked again (docs/fluxi.md §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mew_agents.fluxi.asking import ask_again
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import (
    DateSlot,
    DatetimeSlot,
    EnumSlot,
    MoneySlot,
    NumberSlot,
    RefSlot,
    Slot,
    TimeSlot,
)
from mew_agents.fluxi.replies import bounds
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.values.days import plain_time
from mew_agents.fluxi.values.words import ABOUT_DAYS, ABOUT_HOURS, CHANGING, TAILS
from mew_agents.fluxi.wording import label
from mew_agents.fluxi.work import Work
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.requests import asks_purpose
from mew_agents.language.sightings import stem
from mew_agents.language.spelling import spelled

_FEW: Final = 12  # names that can be said in a sentence


def can_tell(scene: Scene, work: Work, text: str) -> str | None:
    """The slot of which the definition knows what is asked. None: it knows nothing of that."""
    slot = _asked_about(scene.definition(work), work, text, scene.policy.language)
    known = slot is not None and (asks_purpose(text, scene.policy.language) or bool(_facts(slot, scene)))
    return slot.path if slot is not None and known else None


def answer_question(scene: Scene, work: Work, text: str) -> None:
    """Tells what the definition knows of what is asked, and asks the open question again."""
    definition, policy = scene.definition(work), scene.policy
    slot = _asked_about(definition, work, text, policy.language)
    ask_again(scene, work)
    if slot is not None and asks_purpose(text, policy.language):
        named = {"label": label(slot, policy), "title": scene.title(work)}
        scene.reword("told_purpose", explained=slot.explain.get(policy.language), **named)
        return
    facts = {} if slot is None else _facts(slot, scene)
    if slot is None or not facts:
        scene.reword("cannot_tell", title=scene.title(work))
    else:
        scene.reword("told_facts", label=label(slot, policy), **facts)


def options_of(slot: Slot, scene: Scene) -> Mapping[str, Any]:
    """What a slot can be, if that is one of a few."""
    if isinstance(slot, EnumSlot):
        known = list(slot.options)
    elif isinstance(slot, RefSlot):
        known = list(slot.known if slot.tool is None else scene.catalogue.lists.get(slot.tool, {}))
    else:
        return {}
    return bounds(slot, {"options": known}, scene.policy) if 0 < len(known) <= _FEW else {}


def _asked_about(definition: Definition, work: Work, text: str, language: Language) -> Slot | None:
    """The slot whose words the question has; else the one that is asked for."""
    words = {stem(token.text, language) for token in spelled(text, language).tokens if token.kind == "word"}
    named = [slot for slot in definition.slots if words & _words(slot, language)]
    if named:
        return next((slot for slot in named if slot.path == work.asked), named[0])
    return definition.slot(work.asked) if work.asked else None


def named_to_change(definition: Definition, text: str, language: Language) -> Slot | None:
    """The one slot that a message names by its label and says nothing more of: "the time", "I want to change it"."""
    tokens = [token for token in spelled(text, language).tokens if token.kind != "symbol"]
    while tokens and tokens[0].text in CHANGING[language] | TAILS[language]:
        tokens = tokens[1:]
    said = {stem(token.text, language) for token in tokens if token.text not in TAILS[language]}
    found = [slot for slot in definition.slots if said and said <= _words(slot, language)]
    return found[0] if len(found) == 1 else None


def _words(slot: Slot, language: Language) -> set[str]:
    """The stems of a slot's label, and of what is said of days and hours."""
    told = {token.text for token in fold(slot.label.get(language, "")).tokens if token.kind == "word"}
    words = {stem(word, language) for word in told - TAILS[language]}
    if isinstance(slot, DateSlot | DatetimeSlot):
        words |= {stem(word, language) for word in ABOUT_DAYS[language]}
    if isinstance(slot, TimeSlot | DatetimeSlot):
        words |= {stem(word, language) for word in ABOUT_HOURS[language]}
    return words


def _facts(slot: Slot, scene: Scene) -> Mapping[str, Any]:
    """What the definition says of a slot, for the sentence about it."""
    told: dict[str, Any] = dict(options_of(slot, scene))
    plain: dict[str, Any] = {}
    if isinstance(slot, DateSlot | DatetimeSlot) and slot.weekdays is not None:
        plain["days"] = list(slot.weekdays)
    if isinstance(slot, TimeSlot | DatetimeSlot):
        plain |= {"earliest": slot.earliest, "latest": slot.latest}
    plain = {name: plain_time(one) if hasattr(one, "hour") else one for name, one in plain.items() if one is not None}
    told |= bounds(slot, plain, scene.policy)
    if isinstance(slot, NumberSlot | MoneySlot):
        limits = {"least": slot.min, "most": slot.max}
        for name, limit in limits.items():
            if limit is not None:
                told[name] = bounds(slot, {"limit": str(limit)}, scene.policy)["limit"]
    return told
