"""What can be done with a slot's value, by its type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, Final

from mew_agents.fluxi.definitions.slots import Slot, SlotType, StringSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values.choices import Bools, Enums, Refs
from mew_agents.fluxi.values.contacts import Emails, Phones
from mew_agents.fluxi.values.day_ranges import is_an_end
from mew_agents.fluxi.values.days import Dates, Durations, Times
from mew_agents.fluxi.values.kind import Kind, Missing
from mew_agents.fluxi.values.moments import Datetimes
from mew_agents.fluxi.values.numbers import Moneys, Numbers
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, attention
from mew_agents.fluxi.values.strings import Strings
from mew_agents.language.found import LANGUAGES

_STRINGS, _NUMBERS = Strings(), Numbers()
KINDS: Final[Mapping[SlotType, Kind[Any]]] = {
    "string": _STRINGS,
    "text": _STRINGS,
    "int": _NUMBERS,
    "number": _NUMBERS,
    "money": Moneys(),
    "bool": Bools(),
    "enum": Enums(),
    "date": Dates(),
    "time": Times(),
    "datetime": Datetimes(),
    "duration": Durations(),
    "phone": Phones(),
    "email": Emails(),
    "ref": Refs(),
}


def readings(
    slot: Slot,
    text: str,
    understanding: Understanding,
    *,
    closely: Attention | None = None,
    taken: Sequence[Span] = (),
) -> tuple[Reading, ...]:
    """What a text holds for a slot, in any order. `closely`: how it is looked for, if not as the understanding says.

    `taken`: the stretches that other slots understood, where a name behind a cue ends.
    """
    closely = attention(slot, understanding) if closely is None else closely
    return tuple(KINDS[slot.type].readings(slot, text, understanding, closely, taken=taken))


def candidates(slot: Slot, text: str, understanding: Understanding) -> tuple[Candidate, ...]:
    """Every value of the slot's type that a text holds for it, likeliest first; a datetime completed from the Work."""
    found = sorted(readings(slot, text, understanding), key=lambda item: (-item.confidence, item.start))
    return tuple(item.candidate(slot.path, text) for item in found)


def checked(slot: Slot, candidate: Candidate, text: str, understanding: Understanding) -> Candidate | None:
    """The candidate as the typed extractor sees its evidence (docs/fluxi.md §2.2).

    None: its evidence is empty or does not stand there. `checked` is true if the evidence alone yields exactly its
    value; then its doubts and alternatives are added, for others may have none.
    """
    start, end = candidate.start, candidate.end
    if not 0 <= start < end <= len(text) or text[start:end] != candidate.evidence or not candidate.evidence.strip():
        return None
    if is_an_end(slot, candidate.value, candidate.evidence, understanding):
        return replace(candidate, checked=True)
    found = _alone(slot, candidate, understanding)
    if not found:
        return replace(candidate, checked=False)
    first = found[0]
    return replace(
        candidate,
        checked=True,
        confidence=min(candidate.confidence, first.confidence),
        alternatives=_once((*candidate.alternatives, *first.alternatives)),
        doubts=_once((*candidate.doubts, *first.doubts)),
    )


def _alone(slot: Slot, candidate: Candidate, understanding: Understanding) -> list[Candidate]:
    """What its evidence alone is read as in a language in which that is its value and no other."""
    text = candidate.evidence
    for language in dict.fromkeys((understanding.language, *LANGUAGES)):
        spoken = replace(understanding, language=language)
        found = readings(slot, text, spoken, closely=Attention.ASKED)
        settled = [settle(slot, item.candidate(slot.path, text), spoken) for item in found]
        if settled and all(item.value == candidate.value for item in settled):
            return settled
    return []


def refusal(slot: Slot, value: Any, understanding: Understanding) -> Refusal | None:
    """Why a value cannot stand in the slot, whoever set it. Never raises: any JSON is taken. None: it can."""
    return KINDS[slot.type].refusal(slot, value, understanding)


def settle(slot: Slot, candidate: Candidate, understanding: Understanding) -> Candidate:
    """The candidate without the readings that the slot refuses; the next one stands in. All refused: as it was."""
    kind = KINDS[slot.type]
    every = _once(option for value in (candidate.value, *candidate.alternatives) for option in kind.options(value))
    kept = tuple(option for option in every if kind.refusal(slot, option, understanding) is None)
    if not kept:
        return candidate
    value, alternatives = kind.packed(kept)
    gone = {"past"} if kept[0] != every[0] else set()
    if len(every) > 1 and not alternatives:
        gone.add("ambiguous")
    doubts = tuple(doubt for doubt in candidate.doubts if doubt not in gone)
    confidence = 1.0 if gone and not doubts and len(kept) == 1 else candidate.confidence
    return replace(candidate, value=value, alternatives=alternatives, doubts=doubts, confidence=confidence)


def specificity(slot: Slot) -> int:
    """Of two slots that read the same words, the one with the higher figure is meant."""
    return KINDS[slot.type].specificity(slot)


def is_free(slot: Slot) -> bool:
    """Whether it takes words that no other slot understands, and therefore reads last."""
    return KINDS[slot.type].is_free(slot)


def is_code(slot: Slot) -> bool:
    """Whether its values are codes, which a pattern knows from words."""
    return isinstance(slot, StringSlot) and slot.pattern is not None


def reserved(slot: Slot, text: str, understanding: Understanding) -> tuple[Span, ...]:
    """Stretches that say themselves that they are the slot's, so that a name out of a list is none there."""
    return tuple(KINDS[slot.type].reserved(slot, text, understanding))


def completed(slot: Slot, candidate: Candidate, understanding: Understanding) -> Candidate:
    """A piece of a datetime with what the Work holds of it; any other candidate as it is."""
    kind = KINDS[slot.type]
    read = Reading(
        candidate.value,
        ((candidate.start, candidate.end),),
        candidate.confidence,
        candidate.alternatives,
        candidate.doubts,
    )
    made = kind.completed(read, understanding.values.get(slot.path), understanding.now.tzinfo or UTC)
    return replace(
        candidate,
        value=made.value,
        confidence=made.confidence,
        alternatives=made.alternatives,
        doubts=made.doubts,
    )


def missing(slot: Slot, value: Any) -> Missing | None:
    """What a value that came in pieces still lacks. None: nothing."""
    return KINDS[slot.type].missing(value)


def is_complete(slot: Slot, value: Any) -> bool:
    """Whether a value is all that its slot must know. A piece is stored as proposed, and the rest is asked for."""
    return missing(slot, value) is None


def normal(slot: Slot, value: Any, understanding: Understanding) -> Any:
    """A value as files, operators and models write it ("25 USD", 3, "2026-11-27T17:00"), as the slot stores it.

    Never raises: what is no value of the type stays as it is, and `refusal` says so.
    """
    return KINDS[slot.type].normal(slot, value, understanding)


def written(slot: Slot, value: Any) -> str:
    """A stored value as machines write it, such as in an aggregate key: one text for one value, times in UTC."""
    return KINDS[slot.type].written(slot, value)


def _once(values: Iterable[Any]) -> tuple[Any, ...]:
    """Each value once, in their order; they need not be hashable."""
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return tuple(kept)
