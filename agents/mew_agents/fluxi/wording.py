"""A Work in people's words: its title, its slots, its summary, the question it waits with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mew_agents.fluxi.claim import Claim, undone_by
from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import display, every
from mew_agents.fluxi.work import Work


def title(definition: Definition, policy: PolicyContext) -> str:
    """What people call the operation."""
    return definition.title.get(policy.language) or next(iter(definition.title.values()))


def example(definition: Definition, policy: PolicyContext) -> str:
    """A whole sentence that asks for the operation; empty if the definition gives none."""
    return next(iter(definition.examples.get(policy.language, ())), "")


def label(slot: SlotDefinition, policy: PolicyContext) -> str:
    """What people call a slot, as inside a sentence."""
    return slot.label.get(policy.language) or next(iter(slot.label.values()), slot.path)


def prompt(slot: SlotDefinition, policy: PolicyContext) -> str:
    """The question for a slot."""
    return slot.question(policy.language, policy.formality) or f"{label(slot, policy)}?"


def shown(slot: SlotDefinition, value: Any, policy: PolicyContext) -> str:
    """What people call a value."""
    return display(slot, value, policy)


def summary(definition: Definition, work: Work, policy: PolicyContext) -> str:
    """What the Work is about to do, or did, with everything that is known of it."""
    wanted = definition.confirmation.summary.get(policy.language)
    if wanted is None:
        return title(definition, policy)
    values = {
        path: shown(definition.slot(path), slot.value, policy)
        for path, slot in work.slots.items()
        if slot.value is not None
    }
    try:
        return template.parse(wanted).fill(values)
    except KeyError:
        return title(definition, policy)


def result_told(definition: Definition, effect_id: str, answered: Mapping[str, Any], policy: PolicyContext) -> str:
    """What a definition tells of a tool's answer; empty if it tells nothing, or the answer has not got it."""
    wanted = next((one.told.get(policy.language) for one in definition.effects if one.id == effect_id), None)
    plain = {name: str(one) for name, one in answered.items() if isinstance(one, str | int | float)}
    try:
        return "" if wanted is None else template.parse(wanted).fill(plain)
    except (KeyError, ValueError):
        return ""


def effects_told(definition: Definition, claims: Iterable[Claim], policy: PolicyContext) -> dict[str, str]:
    """Which effects are `done` and stand, and which are `undone`: not done, or not any more."""
    settled = {claim.effect_id: claim.status == "completed" for claim in claims}
    undone = {undone_by(effect_id) for effect_id, done in settled.items() if done}
    names: dict[bool, list[str]] = {True: [], False: []}
    for effect in definition.effects:
        if effect.id in settled:
            stands = settled[effect.id] and effect.id not in undone
            names[stands].append(effect.name(policy.language))
    return {"done": every(names[True], policy), "undone": every(names[False], policy)}
