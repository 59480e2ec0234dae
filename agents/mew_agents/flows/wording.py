"""What a flow says: its templates filled, its questions asked, in the language and manner of the account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mew_agents.flows.definitions.phrases import Phrase, phrase
from mew_agents.flows.replies import say
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Frame
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.slots import EnumSlot, MoneySlot, NumberSlot, RefSlot
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.replies.written import listed
from mew_agents.fluxi.wording import prompt, shown
from mew_agents.fluxi.work import Slot
from mew_agents.language.found import Language

# The options that a question names, at most.
_NAMED = 6
# In the place of a value that there is not.
NOTHING = "–"
_PIECES: Mapping[values.Missing, str] = {"date": "ask_date", "time": "ask_time"}


class _Shown(dict[str, str]):
    def __missing__(self, _path: str) -> str:
        return NOTHING


def filled(stage: Stage, frame: Frame, templates: Mapping[Language, Phrase]) -> str:
    """What a flow says, with what its slots hold as people call that."""
    told = phrase(templates, stage.policy.language, stage.policy.formality)
    slots = stage.flow(frame).slots
    held = {path: shown(slots[path].slot, value, stage.policy) for path, value in frame.values.items()}
    return template.parse(told).fill(_Shown(held))


def asked_for(stage: Stage, slot: SlotDefinition, held: Slot | None) -> str:
    """The question for a slot, or for the piece of it that is missing."""
    missing = None if held is None else values.missing(slot, held.value)
    if held is not None and missing is not None:
        return say(_PIECES[missing], stage.policy, value=shown(slot, held.value, stage.policy))
    # The author's own words (seed 003: “¿Edad?”); only who wants it warm hears more than those.
    plain = stage.policy if stage.policy.tone == "warm" else replace(stage.policy, tone="brief")
    asked = prompt(slot, stage.policy)
    named = _options(stage, slot) if _unclear(stage) else ""
    return say("ask_slot", plain, prompt=f"{asked} ({named})" if named else asked)


def _unclear(stage: Stage) -> bool:
    """Whether what was said in this turn was no answer."""
    return stage.turn is not None and any(one.code == "not_understood" for one in stage.turn.said)


def options_of(stage: Stage, slot: SlotDefinition) -> list[str]:
    """What there is to choose from, as people call it, and "…" for more; empty where that is no list."""
    match slot:
        case EnumSlot():
            names = [slot.display(id, stage.policy.language) for id in slot.options]
        case RefSlot():
            known = slot.known if slot.tool is None else stage.understanding.lists.get(slot.tool, {})
            names = [one[0] for one in known.values() if one]
        case _:
            return []
    return names if len(names) <= _NAMED else [*names[:_NAMED], "…"]


def bounds_of(stage: Stage, slot: SlotDefinition) -> tuple[str | None, str | None]:
    """The least and the most that a slot takes, as people write it."""
    match slot:
        case MoneySlot():
            limits = [None if one is None else {"amount": str(one), "currency": slot.currency} for one in _ends(slot)]
        case NumberSlot():
            limits = [*_ends(slot)]
        case _:
            return None, None
    least, most = (None if one is None else shown(slot, one, stage.policy) for one in limits)
    return least, most


def _ends(slot: MoneySlot | NumberSlot) -> tuple[Any, Any]:
    return slot.min, slot.max


def _options(stage: Stage, slot: SlotDefinition) -> str:
    """The same as part of a sentence."""
    names = options_of(stage, slot)
    if "…" in names:
        return ", ".join(names)
    return listed(names, stage.policy.language, "or") if names else ""
