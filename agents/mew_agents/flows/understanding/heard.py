"""The slots of a flow that a person fills by what they say: those that are asked for, or that have cues."""

from __future__ import annotations

from functools import lru_cache

from mew_agents.flows.definitions.model import Flow
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.values.remembered import Same


def heard(flow: Flow) -> Definition | None:
    """The flow's definition with those slots alone; what a tool answers or an expression sets is no person's to say.

    None: there are none.
    """
    return _heard(Same(flow.definition))


@lru_cache(maxsize=256)
def _heard(definition: Same[Definition]) -> Definition | None:
    slots = tuple(slot for slot in definition.it.slots if slot.required or slot.prompt or slot.cues)
    if not slots:
        return None
    return definition.it if slots == definition.it.slots else definition.it.model_copy(update={"slots": slots})
