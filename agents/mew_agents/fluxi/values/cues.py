"""The words that a slot's value follows in a sentence: its cues, and its label with "is" or a colon."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.definitions.slots import SlotBase, StringSlot
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import CONTRACTED, COPULAS, NAME, NAMED, OF, PUTTING, TAILS
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled

_LONGEST_ASIDE = 12  # tokens
_SENTENCE_ENDS = frozenset(".!?")
_COPULAS = {language: PhraseTable((one, None) for one in COPULAS[language]) for language in LANGUAGES}
_JOINED = 6  # letters of a cue that may lack its blanks: "vivoen"


class Cue(NamedTuple):
    """A cue in a text: the indices of its first token and of the one after its last."""

    first: int
    after: int


@lru_cache(maxsize=64)  # a slot's readings are looked at one after the other
def cues(slot: Same[SlotBase], text: str, language: Language) -> tuple[Cue, ...]:
    """A slot's cues in a text, in its order; of several at one place, the longest."""
    table, tokens = _table(slot, language), spelled(text, language).tokens
    found: list[Cue] = []
    at = 0
    while at < len(tokens):
        known = table.starting(tokens, at)
        after = at + known[0] if known is not None else _after_aside(slot, tokens, at, language)
        if after is not None:
            found.append(Cue(at, after))
        at = at + 1 if after is None else after
    return tuple(found)


def _after_aside(slot: Same[SlotBase], tokens: Sequence[Token], at: int, language: Language) -> int | None:
    """The token after a label and its "is" with an aside between them: "the reason, if you must know, is …"."""
    label = _label(slot, language).starting(tokens, at)
    comma = at + label[0] if label is not None else len(tokens)
    if comma >= len(tokens) or tokens[comma].text != ",":
        return None
    for end in range(comma + 1, min(len(tokens), comma + _LONGEST_ASIDE)):
        if tokens[end].text in _SENTENCE_ENDS:
            return None
        if tokens[end].text == "," and (known := _COPULAS[language].starting(tokens, end + 1)) is not None:
            return end + 1 + known[0]
    return None


def follows_cue(slot: SlotBase, text: str, start: int, language: Language) -> bool:
    """Whether what starts there in the text stands right behind one of the slot's cues."""
    found, folded = cues(Same(slot), text, language), spelled(text, language)
    if _runs_into(found, folded, start, language):
        return True
    before = bisect_right(found, start, key=lambda cue: folded.span(cue.first, cue.after - 1)[1])
    if not before:
        return False
    end = folded.span(found[before - 1].first, found[before - 1].after - 1)[1]
    between = fold(text[end:start]).tokens
    return all(token.kind == "symbol" or token.text in OF[language] for token in between)


def _runs_into(found: Sequence[Cue], folded: Folded, start: int, language: Language) -> bool:
    """Whether a cue ends with the little words that the value begins with: "hasta el" before "el 15"."""
    for cue in found:
        begin, end = folded.span(cue.first, cue.after - 1)
        if begin < start < end:
            return all(token.text in TAILS[language] for token in fold(folded.original[start:end]).tokens)
    return False


def _is_for_a_name(slot: SlotBase, language: Language) -> bool:
    """Whether a slot takes words that its label calls a name."""
    if not isinstance(slot, StringSlot) or slot.type != "string" or slot.pattern is not None:
        return False
    return any(token.text == NAME[language] for token in fold(slot.label.get(language, "")).tokens)


@lru_cache(maxsize=1024)
def _label(slot: Same[SlotBase], language: Language) -> PhraseTable[None]:
    label = slot.it.label.get(language, "")
    return PhraseTable([(label, None)] if fold(label).tokens else [])


@lru_cache(maxsize=1024)
def _table(slot: Same[SlotBase], language: Language) -> PhraseTable[None]:
    written = list(slot.it.cues.get(language, ()))
    label = slot.it.label.get(language)
    if label is not None:
        written += [f"{label} {behind}" for behind in COPULAS[language]]
        written += [f"{label}{behind}" for behind in CONTRACTED[language]]
    if isinstance(slot.it, StringSlot) and slot.it.type == "text":
        written += [f"{cue} {behind}" for cue in slot.it.cues.get(language, ()) for behind in COPULAS[language]]
    if _is_for_a_name(slot.it, language) or any(fold(cue).text in NAMED[language] for cue in written):
        written += [*NAMED[language], *PUTTING[language]]
    joined = [one for cue in written if len(one := "".join(cue.split())) >= _JOINED and one.isalpha() and one != cue]
    return PhraseTable((cue, None) for cue in (*written, *joined) if fold(cue).tokens)
