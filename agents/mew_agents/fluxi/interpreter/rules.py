"""Understanding by rules: intent words, then typed extractors; no key, no network (docs/fluxi.md §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import BoolSlot, DateSlot, DatetimeSlot, EnumSlot, Slot, StringSlot
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Candidate, Interpreter, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.intentions import Intention, intentions
from mew_agents.fluxi.interpreter.own_words import is_own
from mew_agents.fluxi.interpreter.second_wish import apart, of_one_kind
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.interpreter.topics import topic
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.words import TAILS
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Found
from mew_agents.language.impossible_days import impossible_days
from mew_agents.language.retractions import retracted

_LONG: Final = 5  # letters of a day's name in another language that is no slip of this one's


class Rules(Interpreter):
    """The same text, the same proposal. What it is not told by a word, it does not propose."""

    name = "rules-1"
    deterministic = True

    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        """Outside a Work what the intent words ask for, in the first language that has some; else what the text is
        about. Inside, slots alone.
        """
        if understanding.within is not None:
            return _continued(text, definitions, understanding)
        meant = intentions(text, definitions, understanding.language) or topic(text, definitions, understanding)
        if meant is None:
            return None
        definition = next(one for one in definitions if one.type_id == meant.type_ids[0])
        spoken = replace(understanding, language=meant.language)
        start, end = meant.spans[0]
        others = zip(meant.type_ids[1:], meant.spans[1:], strict=True)
        later = tuple(type_id for type_id, span in others if span[1] <= start or end <= span[0])
        more = topic(text, [one for one in definitions if one.type_id not in meant.type_ids], spoken, besides=True)
        if more is not None and (more.spans[0][1] <= start or end <= more.spans[0][0]):
            later += more.type_ids[:1]
        proposal = ProposedWork(
            type_id=definition.type_id,
            confidence=meant.confidence,
            slots=allot(definition, text, spoken),
            rivals=tuple(type_id for type_id in meant.type_ids[1:] if type_id not in later),
            wish=meant.spans[0],
            later=later,
        )
        if proposal.rivals or not later:
            return of_one_kind(proposal, definition, text, spoken)
        begins = next(span[0] for one in (meant, more) if one for span in _spans(one, later[0]))
        following = next(one for one in definitions if one.type_id == later[0])
        if begins < start:
            definition, following, begins = following, definition, start
            proposal = _other_way_round(proposal, definition, text, spoken)
        return apart(definition, following, proposal, text, begins, spoken)


def _other_way_round(
    proposal: ProposedWork, definition: Definition, text: str, understanding: Understanding
) -> ProposedWork:
    """A proposal for the wish that the text has first."""
    later = tuple(proposal.type_id if one == definition.type_id else one for one in proposal.later)
    slots = allot(definition, text, understanding)
    return replace(proposal, type_id=definition.type_id, slots=slots, later=later)


def _spans(meant: Intention, type_id: str) -> list[tuple[int, int]]:
    return [span for one, span in zip(meant.type_ids, meant.spans, strict=True) if one == type_id]


def _continued(text: str, definitions: Sequence[Definition], understanding: Understanding) -> ProposedWork | None:
    """What the Work's slots get from a message; somebody may change languages on the way.

    Words that are only nearly those of another language are this one's, and mean something else; so do its small words
    ("2 dos convidados"), and a part of a day that there is not ("no dia 31 de fevereiro").
    """
    definition = next((one for one in definitions if one.type_id == understanding.within), None)
    if definition is None:
        return None
    none = [_span(one) for one in impossible_days(text, understanding.language, now=understanding.now)]
    for language in dict.fromkeys((understanding.language, *LANGUAGES)):
        slots = allot(definition, text, replace(understanding, language=language))
        if language != understanding.language:
            slots = tuple(one for one in slots if "approximate" not in one.doubts and not meets(_span(one), none))
            slots = tuple(one for one in slots if not _is_short_day(definition.slot(one.path), one.evidence))
            slots = tuple(one for one in slots if not _is_own(definition, one))
            slots = tuple(one for one in slots if fold(one.evidence).text not in TAILS[understanding.language])
            slots = tuple(one for one in slots if not _is_denied(definition.slot(one.path), one, text, understanding))
        if slots:
            return ProposedWork(type_id=definition.type_id, confidence=1.0, slots=slots)
    return None


def _is_denied(slot: Slot, candidate: Candidate, text: str, understanding: Understanding) -> bool:
    """Whether the conversation's own language says that a value is not meant: "not in the morning"."""
    if isinstance(slot, BoolSlot | StringSlot):
        return False
    return retracted(text, candidate.start, candidate.end, understanding.language)


def _is_own(definition: Definition, candidate: Candidate) -> bool:
    """Whether an option is a word of the definition's own in the conversation's language: "consulta" in Portuguese."""
    return isinstance(definition.slot(candidate.path), EnumSlot) and is_own(definition, candidate.evidence)


def _is_short_day(slot: Slot, evidence: str) -> bool:
    """Whether a day is only a word of a few letters, which the conversation's language has for something else."""
    return isinstance(slot, DateSlot | DatetimeSlot) and len(evidence) < _LONG and evidence.isalpha()


def _span(found: Candidate | Found[str]) -> Span:
    return found.start, found.end
