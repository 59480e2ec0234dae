"""A bare figure that several slots would take: "no, 9" to a confirmation of people, an age and an amount."""

from __future__ import annotations

from mew_agents.flows.commands import WhichSlot
from mew_agents.flows.understanding.amends import amended
from mew_agents.flows.understanding.asides import SOFT
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.heard import heard
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import BoolSlot, MoneySlot, NumberSlot, Slot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Attention
from mew_agents.language.folding import fold
from mew_agents.language.numbers import numbers

_FEWEST = 2  # slots: with one alone it is clear which is meant


def which_slot(text: str, standing: Standing) -> WhichSlot | None:
    """Which slot is meant has to be asked. None: it is clear, or the message is no bare figure."""
    flow = standing.at_hand
    definition = None if flow is None else heard(flow)
    if definition is None or not _may_mean_any(standing):
        return None
    counts = amended(text, standing.language)
    said = text[counts.start : counts.end]
    found = numbers(said, standing.language)
    if len(found) != 1 or not SOFT[standing.language].covers(fold(said), [(found[0].start, found[0].end)]):
        return None
    paths = tuple(slot.path for slot in definition.slots if _takes(slot, said, standing))
    if len(paths) < _FEWEST:
        return None
    return WhichSlot(start=counts.start + found[0].start, end=counts.start + found[0].end, paths=paths)


def _may_mean_any(standing: Standing) -> bool:
    """Whether everything that is held is there to be changed, or the slot that is asked for takes no figure."""
    if standing.asked is None:
        return standing.question == "execution" or standing.changing
    named = None if standing.at_hand is None else standing.at_hand.slots.get(standing.asked)
    return named is not None and isinstance(named.slot, BoolSlot)


def _takes(slot: Slot, said: str, standing: Standing) -> bool:
    """Whether a slot of figures is held, and could hold this one."""
    if not isinstance(slot, NumberSlot | MoneySlot) or standing.values.get(slot.path) is None:
        return False
    known = Understanding(
        language=standing.language, now=standing.now, asked=slot.path, values=standing.values, lists=standing.lists
    )
    found = values.readings(slot, said, known, closely=Attention.ASKED)
    return any(values.refusal(slot, one.value, known) is None for one in found)
