"""Which flows a message asks for, by their trigger words, and whether it says anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.understanding.asides import SOFT
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.filling import allotted, understanding
from mew_agents.flows.understanding.heard import asked_by, heard
from mew_agents.fluxi.interpreter.intentions import intentions
from mew_agents.fluxi.values import Span
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES


class Wanted(NamedTuple):
    """The flows that a message asks for, the likeliest first, and where.

    `again`: where the words for the flow at hand stand, which is asked for as well.
    """

    flows: tuple[str, ...]
    spans: tuple[Span, ...]
    language: Language
    again: tuple[Span, ...]


def wanted(text: str, standing: Standing) -> Wanted | None:
    """None: no words for a flow. Without flows: only the one that is at hand already, which is asked for no second
    time while something is asked.
    """
    definitions = [asked_by(flow) for flow in standing.flows]
    meant = intentions(text, definitions, standing.language)
    if meant is None:
        return None
    at_hand = standing.at_hand.name if standing.at_hand is not None else None
    asked = list(zip(meant.type_ids, meant.spans, strict=True))
    begun = [(flow, span) for flow, span in asked if flow != at_hand or standing.question is None]
    return Wanted(
        tuple(flow for flow, _ in begun),
        tuple(span for _, span in begun),
        meant.language,
        tuple(span for flow, span in asked if flow == at_hand),
    )


def is_wished(text: str, asked_for: Wanted) -> bool:
    """Whether the message begins with a wish for the flow: “quiero transferir …”, whatever else it says."""
    folded, begins = fold(text), min(start for start, _ in asked_for.spans)
    head = [at for at in range(len(folded.tokens)) if folded.span(at, at)[0] <= begins]
    wishes = _WISHES[asked_for.language]
    wished = any(wishes.starting(folded.tokens, at) for at in head)
    return wished and SOFT[asked_for.language].covers(folded, [(begins, len(text))])


def says_nothing_else(text: str, flow: Flow, spans: Sequence[Span], standing: Standing, language: Language) -> bool:
    """Whether the whole message is about a flow: its triggers in `spans`, its slots, words that say nothing."""
    fresh = Standing(language=language, now=standing.now, flows=(), lists=standing.lists)
    definition, known = heard(flow), understanding(fresh, language, within=None, asked=None)
    found = {} if definition is None else allotted(definition, text, known, spans)
    taken = (*spans, *((one.start, one.end) for one in found.values()))
    return SOFT[language].covers(fold(text), taken)


_WISHES = {
    language: PhraseTable((phrase, None) for phrase in VOCABULARIES[language].phrases.wishes) for language in LANGUAGES
}
