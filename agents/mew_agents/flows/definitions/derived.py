"""The definitions that Fluxi works on a flow with: one of the flow itself, and one for each of its effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mew_agents.fluxi.definitions.model import EVERYBODY, Definition
from mew_agents.fluxi.definitions.slots import BoolSlot, Slot
from mew_agents.language.found import Language

from .arguments import FromExpression
from .steps import Action

Words = Mapping[Language, Sequence[str]]
_AMBIGUOUS = {"slots": "ambiguous"}
_NEVER = {"slots": "never", "execute": False}
# A definition has slots, an effect need not: this one stands in, and is never asked for.
_NOTHING = BoolSlot.model_validate({"path": "nothing", "type": "bool", "label": {}})


def definition(
    name: str, title: Mapping[Language, str], triggers: Words, examples: Words, slots: Sequence[Slot]
) -> Definition:
    """The flow as Fluxi's rules and wording take it. A flow without triggers is found by its title."""
    intents = triggers or {language: (words,) for language, words in title.items()}
    made = _definition(name, title, slots, intents=dict(intents), examples=dict(examples), confirmation=_AMBIGUOUS)
    # It is never stored, so it need not have slots: none is read in a text that has no place for one.
    return made if slots else made.model_copy(update={"slots": (), "binding_attributes": ()})


def effect_definition(name: str, title: Mapping[Language, str], slots: Sequence[Slot], action: Action) -> Definition:
    """What the Work of an effect is opened with. The flow asks for slots and for the yes, so this one does not."""
    intents = {language: (words,) for language, words in title.items()}
    optional = tuple(slot.model_copy(update={"required": False}) for slot in slots)
    return _definition(
        f"{name}.{action.id}", title, optional, intents=intents, confirmation=_NEVER, effects=(_effect(action),)
    )


def _definition(type_id: str, title: Mapping[Language, str], slots: Sequence[Slot], **further: Any) -> Definition:
    known = tuple(slots) or (_NOTHING,)
    return Definition.model_validate(
        {
            "typeId": type_id,
            "version": 1,  # the hash behind it tells versions apart
            "title": dict(title),
            "bindingAttributes": tuple(slot.path for slot in known),
            "slots": known,
            "policies": {"grants": (EVERYBODY,)},
            **further,
        }
    )


def _effect(action: Action) -> dict[str, Any]:
    """The action as Fluxi has effects, written as in a file. An expression is no argument of one: the lint says so."""
    told = action.model_dump(mode="json", exclude_defaults=True, exclude=set(_OWN))
    told["args"] = {name: value for name, value in told.get("args", {}).items() if name not in _computed(action)}
    retry = told.pop("retry", {})
    told["retry"] = {("maxBackoff" if name == "max_backoff" else name): value for name, value in retry.items()}
    return {**told, "id": action.id, "effectType": action.id, "tool": action.action}


def _computed(action: Action) -> set[str]:
    return {name for name, given in action.args.items() if isinstance(given, FromExpression)}


_OWN = ("action", "effect", "id", "on_error", "result")
