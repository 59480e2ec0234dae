"""Parts at the end of a text that are certainly values of other slots: "the problem is the brake, and it has 65000 km".

They are no part of the words before them. A part stands behind a comma or an "and", and is a value as a whole: a number
with a noun that its slot counts, an amount in a currency, a day with its hour.
"""

from __future__ import annotations

import re
from typing import Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DatetimeSlot, MoneySlot, NumberSlot, Slot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Attention
from mew_agents.fluxi.values.units import is_own, unit_after

_MOST: Final = 6  # parts that are looked at
_LONGEST: Final = 200  # characters of them
_JOINT: Final = re.compile(r"(?i)[,;] +(?:(?:y|e|and) +)?| (?:y|e|and) +")
_LEAD: Final = re.compile(
    r"(?i)(?:(?:it|the car|el auto|o carro) )?(?:(?:son|es|tiene|hace|são|tem|has|its|it's|is|on|el|na|no) +)*"
)


def trailing(definition: Definition, text: str, understanding: Understanding) -> int:
    """Where the values begin that a text ends with, and the joint before them; its length, if there are none."""
    cut = end = len(text.rstrip(" .!?"))
    begin = max(0, len(text) - _LONGEST)
    for joint in reversed(list(_JOINT.finditer(text, begin))[-_MOST:]):
        part = text[joint.end() : end]
        lead = _LEAD.match(part)
        if not any(_is_value(slot, part[lead.end() if lead else 0 :], understanding) for slot in definition.slots):
            break
        cut = end = joint.start()
    return cut if cut < len(text.rstrip(" .!?")) else len(text)


def _is_value(slot: Slot, words: str, understanding: Understanding) -> bool:
    """Whether words are a value of the slot, and nothing else, and say so themselves."""
    if not isinstance(slot, NumberSlot | MoneySlot | DatetimeSlot) or not words:
        return False
    for reading in values.readings(slot, words, understanding, closely=Attention.MARKED):
        unit = unit_after(words, reading.end)
        whole = reading.start == 0 and (reading.end if unit is None else unit.end) == len(words)
        certain = isinstance(slot, NumberSlot) and is_own(slot, words, reading.end)
        if whole and (certain or (not isinstance(slot, NumberSlot) and values.is_complete(slot, reading.value))):
            return True
    return False
