"""A message that wants the flow at hand no more, and tells why instead of saying so: "ya le pagué en mano".

It counts while a value or a yes is asked for and the message says nothing else: what it fills stands within the words
for it ("me lo solucionaron por teléfono" is no wish to be rung up). To a question for a text it may be the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from mew_agents.flows.commands import CancelFlow, Clarify, CorrectSlot, ReopenSlot, SetSlot
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.language.asking import asks
from mew_agents.language.changes_of_mind import changes_of_mind


def given_up(
    text: str, standing: Standing, slot: Slot | None, found: Sequence[SetSlot | CorrectSlot | ReopenSlot]
) -> CancelFlow | Clarify | None:
    """The command for it; a refusal to tell what was asked, and nothing more, is told what that is for.

    `slot`: what is asked for; `found`: what the message fills.
    """
    if standing.at_hand is None or standing.question is None or (slot is not None and slot.type == "text"):
        return None
    changes = changes_of_mind(text, standing.language)
    asked = any(text[one.end :].lstrip().startswith("?") for one in changes) or any(
        asks(text[one.start : one.end], standing.language) for one in changes
    )
    if not changes or asked or not all(_stands_within(one, slot, changes) for one in found):
        return None
    if all(one.kind == "refuses" for one in changes):
        return Clarify(path=standing.asked) if standing.asked is not None else None
    return CancelFlow()


def _stands_within(
    one: SetSlot | CorrectSlot | ReopenSlot, slot: Slot | None, changes: Sequence[tuple[str, int, int]]
) -> bool:
    """Whether words that fill a slot only say that nothing is wanted. A name that was asked for may be all of it."""
    if isinstance(one, ReopenSlot):
        return True
    if slot is not None and one.path == slot.path and values.is_free(slot):
        return one.evidence.islower() or any(start < one.end and one.start < end for _, start, end in changes)
    return any(start <= one.start and one.end <= end for _, start, end in changes)
