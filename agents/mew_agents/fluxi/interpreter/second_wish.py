"""A second wish in one message: "two pickups, 12 kg on Tuesday, and another of 3 kg on Friday".

Of one kind are two wishes if values of the operation are said twice, and words or a code say that these are two things
and no choice. The text is then parted between the first values and the second ones, and each part is read by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import NumberSlot, RefSlot, Slot, StringSlot
from mew_agents.fluxi.interpreter.allotment import allot, said_twice
from mew_agents.fluxi.interpreter.base import Candidate, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.introduced import introduced
from mew_agents.fluxi.interpreter.somebody_else import beside, only
from mew_agents.fluxi.values import Span
from mew_agents.language.found import Language
from mew_agents.language.requests import wants_another

_JOINTS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?i)[.;\n]|(?<!\w)(?:y|e|también|además)(?!\w)"),
    "pt": re.compile(r"(?i)[.;\n]|(?<!\w)(?:e|também|além)(?!\w)"),
    "en": re.compile(r"(?i)[.;\n]|(?<!\w)(?:and|also|plus)(?!\w)"),
}
# Of several values that are said twice this says that there are two things.
_OTHER: Final = re.compile(
    r"(?i)(?<!\w)(?:otr[oa]|outr[oa]|another|the other|second|segund[oa]|mais um|one more)(?!\w)"
)


def of_one_kind(
    proposal: ProposedWork, definition: Definition, text: str, understanding: Understanding
) -> ProposedWork:
    """The proposal with the second wish of its kind apart, if the text has one."""
    people = beside(proposal, definition, text, understanding)
    if people is not None:
        return people
    doubted = any("ambiguous" in one.doubts for one in proposal.slots)
    gap = _gap(definition, text, understanding) if doubted else None
    if gap is None:
        return proposal
    joint = _JOINTS[understanding.language].search(text, *gap)
    cut = gap[1] if joint is None else joint.start()
    first = allot(definition, only(text, 0, cut), understanding)
    second = allot(definition, only(text, cut, len(text)), understanding)
    if not first or not second:
        return proposal
    second = _with_introduced(second, definition, only(text, cut, len(text)), understanding)
    apart = replace(proposal, slots=second, rivals=(), later=(), wish=(cut, len(text)))
    return replace(proposal, slots=first, second=apart)


def _with_introduced(
    slots: tuple[Candidate, ...], definition: Definition, text: str, understanding: Understanding
) -> tuple[Candidate, ...]:
    """The values of a part with the names and words that it introduces: "and one for my mum, Grace Murphy"."""
    used, filled = [(one.start, one.end) for one in slots], {one.path for one in slots}
    return (*slots, *introduced(definition, text, understanding, used, filled))


def apart(
    first: Definition, second: Definition, proposal: ProposedWork, text: str, begins: int, understanding: Understanding
) -> ProposedWork:
    """The proposal with a wish for another operation apart, whose words begin at `begins`: each wish has the values of
    its own words. What counts something is never taken from the words of the other one.
    """
    cut = _joint_before(text, begins, understanding.language)
    own = allot(first, only(text, 0, cut), understanding)
    if not own:
        own = tuple(one for one in proposal.slots if not isinstance(first.slot(one.path), NumberSlot))
        cut = len(text) if own else cut
    slots = allot(second, only(text, min(cut, begins), len(text)), understanding)
    wish = (cut, len(text)) if cut < len(text) else None
    waits = ProposedWork(type_id=second.type_id, confidence=1.0, slots=slots, wish=wish)
    return replace(proposal, slots=own, second=waits)


def _joint_before(text: str, begins: int, language: Language) -> int:
    """Where the clause begins that has the words of a second wish: at the last joint before them."""
    joints = [match.start() for match in _JOINTS[language].finditer(text, 0, begins)]
    if len(joints) > 1 and not text[joints[-2] : joints[-1]].strip(" ,").count(" "):
        return joints[-2]  # "y también"
    return joints[-1] if joints else begins


def without_second(text: str, second: ProposedWork) -> str:
    """A text with blanks for the words of a second wish, so that places in it stay."""
    if second.wish is None:
        return text
    start, end = second.wish
    return text[:start] + " " * (end - start) + text[end:]


def _gap(definition: Definition, text: str, understanding: Understanding) -> Span | None:
    """What stands between the first values and the second ones. None: these are no two wishes."""
    pairs = said_twice(definition, text, understanding)
    codes = any(isinstance(slot, StringSlot) and slot.pattern is not None for slot, _, _ in pairs)
    named = len(pairs) > 1 and any(isinstance(slot, RefSlot) for slot, _, _ in pairs)
    other = len(pairs) > 1 and _OTHER.search(text) is not None
    if not pairs or not (codes or named or other or wants_another(text, understanding.language)):
        return None
    if not any(_binds(definition, slot) for slot, _, _ in pairs):
        return None
    start, end = max(first for _, first, _ in pairs), min(second for _, _, second in pairs)
    return (start, end) if start <= end else None


def _binds(definition: Definition, slot: Slot) -> bool:
    return slot.path in definition.binding_attributes
