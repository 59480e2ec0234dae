"""Both ends of a range for the two slots of their kind: "from Friday to Sunday", where a stay has two days."""

from __future__ import annotations

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DatetimeSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Reading
from mew_agents.fluxi.values.several import Several


def two_ends(definition: Definition, text: str, understanding: Understanding, found: Several) -> list[Candidate]:
    """The two values of a range for the two slots of its kind; none if there are not two."""
    slot = definition.slot(found.path)
    alike = [one for one in definition.slots if type(one) is type(slot)]
    if not found.ordered or len(alike) != len(found.ends) or isinstance(slot, DatetimeSlot):
        return []
    made: list[Candidate] = []
    for one, (start, end) in zip(alike, found.ends, strict=True):
        words = text[start:end]
        read: list[Reading] = list(values.readings(one, words, understanding, closely=Attention.ASKED))
        if len(read) == 1:
            alone = read[0].candidate(one.path, words)
            made.append(Candidate(path=one.path, value=alone.value, start=start, end=end, evidence=words))
    return made if len(made) == len(alike) else []
