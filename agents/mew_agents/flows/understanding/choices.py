"""Two values that a message names with an "or" between them: "50 o 51", "dia 12 ou dia 13". Neither is taken: both are
asked about, and the words for both are the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Reading
from mew_agents.fluxi.values.several import Several, several
from mew_agents.language.folding import fold
from mew_agents.language.found import Language

_ORS: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(("o", "u")),
    "pt": frozenset(("ou",)),
    "en": frozenset(("or",)),
}
# Stand between an "or" and the value behind it.
_LITTLE: Final = frozenset(
    (
        "el",
        "la",
        "los",
        "las",
        "a",
        "o",
        "as",
        "os",
        "the",
        "on",
        "at",
        "in",
        "to",
        "en",
        "em",
        "no",
        "na",
        "dia",
        "day",
    )
)


def is_or(between: str, language: Language) -> bool:
    """Whether what stands between two values says that it is one of them."""
    words = [token.text for token in fold(between).tokens if token.text != ","]
    return bool(words) and words[0] in _ORS[language] and all(word in _LITTLE for word in words[1:])


def with_other(candidate: Candidate, others: Sequence[Reading], text: str, language: Language) -> Candidate:
    """A value with the one beside it, before or behind; the value alone, if there is none."""
    mine = (candidate.start, candidate.end, candidate.value)
    for one in sorted(others, key=lambda one: (one.start > candidate.start, one.start)):
        if one.value == candidate.value:
            continue
        first, last = sorted((mine, (one.start, one.end, one.value)), key=lambda told: told[:2])
        if first[1] <= last[0] and is_or(text[first[1] : last[0]], language):
            both = replace(candidate, value=first[2], start=first[0], end=last[1])
            return replace(both, checked=False, doubts=(), alternatives=(last[2],))
    return candidate


def chosen_between(
    definition: Definition, text: str, known: Understanding, found: Mapping[str, Candidate]
) -> dict[str, Candidate]:
    """Two figures or hours with an "or" between them, for the slot that is asked for, or the only one that can be."""
    made: dict[str, Candidate] = {}
    for one in several(definition, text, known):
        taken = any(other.start < one.end and one.start < other.end for other in found.values())
        if one.ordered or taken or one.path in found or not _is_its(definition, text, known, one):
            continue
        read = [*_both(definition.slot(one.path), text, known, one)]
        if len(read) == len(one.ends) and read[0] != read[1]:
            made[one.path] = Candidate(
                path=one.path,
                value=read[0],
                start=one.start,
                end=one.end,
                evidence=text[one.start : one.end],
                alternatives=(read[1],),
                checked=False,
            )
    return made


def _is_its(definition: Definition, text: str, known: Understanding, told: Several) -> bool:
    """Whether it is clear which slot is meant."""
    if known.asked == told.path:
        return True
    start, end = told.ends[0]
    typed = (slot for slot in definition.slots if not values.is_free(slot))
    return sum(bool(values.readings(slot, text[start:end], known, closely=Attention.ASKED)) for slot in typed) == 1


def _both(slot: Slot, text: str, known: Understanding, told: Several) -> Iterator[object]:
    for start, end in told.ends:
        yield from (one.value for one in values.readings(slot, text[start:end], known, closely=Attention.ASKED)[:1])
