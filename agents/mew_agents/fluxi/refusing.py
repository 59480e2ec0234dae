"""Why something is not done, in people's words: the gate, a validator, a Work that is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.filling import Filling
from mew_agents.fluxi.gate import Reason
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import Key, bounds, every
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.values import Refusal
from mew_agents.fluxi.wording import example, label, shown, title
from mew_agents.fluxi.work import Work

_GATE: Mapping[Reason, Key] = {
    "not_allowed": "not_allowed",
    "no_binding": "no_evidence",
    "busy": "conflict",
    "conflict": "conflict_elsewhere",
}
_VALUE: Mapping[str, Key] = {
    "form": "invalid_form",
    "no_such": "invalid_no_such",
    "pattern": "invalid_pattern",
    "past": "invalid_past",
    "future": "invalid_future",
    "too_far": "invalid_too_far",
    "weekday": "invalid_weekday",
    "hours": "invalid_hours",
    "too_small": "invalid_too_small",
    "too_big": "invalid_too_big",
    "too_short": "invalid_too_short",
    "too_long": "invalid_too_long",
    "currency": "invalid_currency",
    "unknown": "invalid_unknown",
}


def say_refused(scene: Scene, definition: Definition, refused: Reason) -> None:
    """Why the gate lets nothing through."""
    labels = [label(definition.slot(path), scene.policy) for path in definition.binding_attributes]
    told: dict[str, Any] = {
        "title": title(definition, scene.policy),
        "labels": labels,
        "example": example(definition, scene.policy),
    }
    scene.say("failed", _GATE[refused], code=refused, **told)


def invalid(slot: SlotDefinition, value: Any, refusal: Refusal, policy: PolicyContext) -> tuple[Key, dict[str, Any]]:
    """The sentence about a value that is not taken, and what it tells: within which bounds others would be."""
    within: dict[str, Any] = dict(bounds(slot, refusal.values, policy))
    return _VALUE[refusal.code], {"label": label(slot, policy), "value": shown(slot, value, policy), **within}


def say_invalid(scene: Scene, refused: Iterable[tuple[SlotDefinition, Any, Refusal]], work: Work | None = None) -> None:
    """Which values are not taken."""
    for slot, value, refusal in refused:
        key, told = invalid(slot, value, refusal, scene.policy)
        data = {"path": slot.path, "refusal": refusal.code}
        scene.say("reply", key, code="invalid_value", work=work, data=data, **told)


def say_unused(scene: Scene, words: Sequence[str], work: Work | None = None) -> None:
    """Which words are for something that nothing asks for."""
    if words:
        scene.say("reply", "unused", work=work, words=list(words))


def say_unplaced(scene: Scene, filling: Filling, work: Work | None = None) -> None:
    """Which words could be a value, and nothing tells of what; and where one value is wanted of two."""
    for slot, words in filling.choices:
        scene.say("reply", "choose_one", work=work, words=words, label=label(slot, scene.policy))
    if filling.unplaced:
        words = every([f"“{one}”" for one in filling.unplaced], scene.policy)
        scene.say("reply", "unplaced", work=work, words=words)


def say_suspended(scene: Scene, work: Work) -> None:
    """Why nothing happens with a Work."""
    key: Key = "halted" if work.suspended_reason == "halted" else "needs_human"
    scene.say("reply", key, work=work, title=scene.title(work))
