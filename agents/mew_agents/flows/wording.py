"""What a flow says: its templates filled, its questions asked, in the language and manner of the account."""

from __future__ import annotations

from collections.abc import Mapping

from mew_agents.flows.definitions.phrases import Phrase, phrase
from mew_agents.flows.replies import say
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Frame
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.wording import prompt, shown
from mew_agents.fluxi.work import Slot
from mew_agents.language.found import Language

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
    return say("ask_slot", stage.policy, prompt=prompt(slot, stage.policy))
