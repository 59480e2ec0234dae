"""What follows a yes to a confirmation: "sí, y 20 a Lucía" confirms what is asked, and wishes for another one.

The second wish is one if it says other values than those that are held, for two slots or more that say what it is
about. One value alone ("sí, y a Lucía") may be meant to change what is held: that is asked.
"""

from __future__ import annotations

import re
from typing import Final

from mew_agents.flows.commands import Affirm, AnyCommand, QueueFlow, SetSlot
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.unplaced_words import AFTER_YES
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Attention, Reading
from mew_agents.language.answers import answer
from mew_agents.language.found import Language

_FEWEST: Final = 2  # slots with another value: fewer may be a change


def after_yes(text: str, standing: Standing) -> tuple[AnyCommand, ...] | None:
    """The second wish and the yes. None: the message is no such thing."""
    flow, start = standing.at_hand, second_part(text, standing)
    definition = None if flow is None else heard(flow)
    if flow is None or definition is None or start is None:
        return None
    said = [*_said(text, start, definition, standing)]
    names = [one for one in standing.flows if one.name == flow.name]
    if not names or len(said) < _FEWEST:
        return None
    end = len(text.rstrip(" .!"))
    return QueueFlow(flow=flow.name, start=start, end=end, values=tuple(said)), Affirm()


def second_part(text: str, standing: Standing) -> int | None:
    """Where that begins which is joined to a yes at the head of the message."""
    if standing.question != "execution" or standing.changing:
        return None
    for head in (match.end() for match in _heads(text)):
        joint = AFTER_YES[standing.language].match(text, head)
        if joint is not None and answer(text[:head], standing.language).kind == "yes":
            return joint.end()
    return None


def _heads(text: str) -> list[re.Match[str]]:
    """The first words of a text, one to three of them."""
    found = (re.compile(rf"\s*[^\W\d]+(?:[ ,]+[^\W\d]+){{{more}}}").match(text) for more in range(3))
    return [one for one in found if one is not None]


def _said(text: str, start: int, definition: Definition, standing: Standing) -> list[SetSlot]:
    """The values that the text says from there on and that are not held, one for a slot."""
    own = f"{' ' * start}{text[start:]}"
    found: list[SetSlot] = []
    for slot in definition.slots:
        readings = [] if values.is_free(slot) or slot.type == "bool" else _readings(slot, own, definition, standing)
        held = standing.values.get(slot.path)
        taken = [(one.start, one.end) for one in found]
        told = [one for one in readings if not one.meets(taken)]
        if held is not None and len(told) == 1 and told[0].value != held:
            one = told[0].candidate(slot.path, own)
            found.append(SetSlot(path=slot.path, value=one.value, start=one.start, end=one.end, evidence=one.evidence))
    return found


def _readings(slot: Slot, text: str, definition: Definition, standing: Standing) -> list[Reading]:
    language: Language = standing.language
    known = Understanding(
        language=language, now=standing.now, within=definition.type_id, asked=slot.path, lists=standing.lists
    )
    return [*values.readings(slot, text, known, closely=Attention.ASKED)]
