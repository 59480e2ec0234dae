"""The words that a slot's value follows in a sentence: its cues, and its label with "is" or a colon."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.definitions.slots import SlotBase
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import COPULAS
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.phrase_table import PhraseTable


class Cue(NamedTuple):
    """A cue in a text: the indices of its first token and of the one after its last."""

    first: int
    after: int


@lru_cache(maxsize=64)  # a slot's readings are looked at one after the other
def cues(slot: Same[SlotBase], text: str, language: Language) -> tuple[Cue, ...]:
    """A slot's cues in a text, in its order; of several at one place, the longest."""
    table, tokens = _table(slot, language), fold(text).tokens
    found: list[Cue] = []
    at = 0
    while at < len(tokens):
        known = table.starting(tokens, at)
        if known is not None:
            found.append(Cue(at, at + known[0]))
        at += 1 if known is None else known[0]
    return tuple(found)


def follows_cue(slot: SlotBase, text: str, start: int, language: Language) -> bool:
    """Whether what starts there in the text stands right behind one of the slot's cues."""
    found, folded = cues(Same(slot), text, language), fold(text)
    before = bisect_right(found, start, key=lambda cue: folded.span(cue.first, cue.after - 1)[1])
    if not before:
        return False
    end = folded.span(found[before - 1].first, found[before - 1].after - 1)[1]
    return not any(sign.isalnum() for sign in text[end:start])


@lru_cache(maxsize=1024)
def _table(slot: Same[SlotBase], language: Language) -> PhraseTable[None]:
    written = list(slot.it.cues.get(language, ()))
    label = slot.it.label.get(language)
    if label is not None:
        written += [f"{label} {behind}" for behind in COPULAS[language]]
    return PhraseTable((cue, None) for cue in written if fold(cue).tokens)
