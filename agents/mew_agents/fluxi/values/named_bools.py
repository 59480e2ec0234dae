"""What a yes-or-no slot is about, said instead of a yes or a no: "on the terrace", "no terrace", "inside, please"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.slots import BoolSlot
from mew_agents.fluxi.values.reading import Reading, Span
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import EXISTING, OF, OPPOSITES, PLACING, ROOM, TAILS, THERE_IS, UNNOTED
from mew_agents.language.answers import yes_or_no
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import is_question
from mew_agents.language.retractions import replaced, retraction
from mew_agents.language.sentences import sentence
from mew_agents.language.spelling import spelled

_SAYS: Final = frozenset(":=?")  # between what is asked and its yes or no
_PLACED: Final = 3  # tokens from "on" to what something is on
_CONFIDENCE: Final = 0.9


class _Words(NamedTuple):
    """What a slot calls its subject, and words that mean the same or the opposite of it in any definition."""

    named: PhraseTable[bool]
    alike: PhraseTable[bool]


class _Said(NamedTuple):
    """Words for or against, from token `first` to token `last`."""

    value: bool
    first: int
    last: int
    named: bool


def named_bools(slot: BoolSlot, text: str, language: Language) -> list[Reading]:
    """A yes by its subject, a no by its denial or its opposite; the last one, if the earlier ones are corrected.

    In a question ("do you have a terrace?") only what something is to be on or with counts.
    """
    folded = spelled(text, language)
    found: list[Reading] = []
    for said in _said(slot, folded, language):
        placed = _is_placed(folded.tokens, said.first, language)
        if _asks_what_is_there(said, folded, language) if placed else _is_asked_about(said, folded, language):
            continue
        start, end = folded.span(said.first, said.last)
        denied = _no_after(folded, said, language) or retraction(text, start, end, language, opening=True)
        found.append(Reading(said.value == (denied is None), (denied or (start, end),), _CONFIDENCE))
    if len({one.value for one in found}) == 1:
        return found[:1]
    return found[-1:] if found and replaced(text, found[0].end, found[-1].start, language) else found


def _said(slot: BoolSlot, folded: Folded, language: Language) -> Iterator[_Said]:
    words, tokens = _words(Same(slot), language), folded.tokens
    at = 0
    while at < len(tokens):
        known = words.named.starting(tokens, at)
        other = words.alike.starting(tokens, at) if known is None else None
        size, value = known or other or (1, False)
        if known or (other and not _is_of(tokens, at + size, language)):
            yield _Said(value, at, at + size - 1, known is not None)
        at += size


def _no_after(folded: Folded, said: _Said, language: Language) -> Span | None:
    """Where it stands with a no behind its colon: "terrace: no"."""
    at = said.last + 1
    if at >= len(folded.tokens) or folded.tokens[at].text not in _SAYS:
        return None
    behind = folded.span(at, at)[1]
    answers = yes_or_no(folded.original[behind:], language)
    if not answers or answers[0].value:
        return None
    return folded.span(said.first, at)[0], behind + answers[0].end


def _is_of(tokens: tuple[Token, ...], at: int, language: Language) -> bool:
    """Whether "of" follows: "dentro de dos días" is no place."""
    return at < len(tokens) and tokens[at].text in OF[language]


def _is_asked_about(said: _Said, folded: Folded, language: Language) -> bool:
    """Whether its sentence asks for it; of a word that means the same only if it asks whether there is any."""
    start, end = sentence(folded.original, said.first)
    whole = folded.original[start:end]
    if not is_question(whole, language):
        return False
    return said.named or any(token.text in EXISTING[language] for token in fold(whole).tokens)


def _asks_what_is_there(said: _Said, folded: Folded, language: Language) -> bool:
    """Whether its sentence asks for something else that is there: "do you have heaters on the terrace?".

    "Do you have a table on the terrace?" says where one is wanted.
    """
    start, end = sentence(folded.original, said.first)
    if not is_question(folded.original[start:end], language):
        return False
    words = [token.text for token in fold(folded.original[start : folded.span(said.first, said.first)[0]]).tokens]
    asked = [at for at, word in enumerate(words) if word in THERE_IS[language]]
    if not asked:
        return False
    things = [word for word in words[asked[0] + 1 :] if word not in TAILS[language] | UNNOTED[language]]
    return bool(things) and not any(word in ROOM[language] for word in things)


def _is_placed(tokens: tuple[Token, ...], first: int, language: Language) -> bool:
    """Whether a word such as "on" or "with" leads to it."""
    for at in range(first - 1, max(-1, first - 1 - _PLACED), -1):
        if tokens[at].text in PLACING[language]:
            return True
        if tokens[at].text not in TAILS[language]:
            return False
    return False


@lru_cache(maxsize=256)
def _words(slot: Same[BoolSlot], language: Language) -> _Words:
    own = [*slot.it.cues.get(language, ()), *slot.it.label.get(language, "").split(",")]
    own = [phrase for phrase in own if fold(phrase).tokens]
    named = {fold(phrase).text.strip(" :=") for phrase in own}
    alike: list[tuple[str, bool]] = []
    for yes, no in (*OPPOSITES[language], *((other, one) for one, other in OPPOSITES[language])):
        if named & {fold(phrase).text for phrase in yes}:
            alike += [(phrase, True) for phrase in yes] + [(phrase, False) for phrase in no]
    return _Words(PhraseTable((phrase, True) for phrase in named if phrase), PhraseTable(alike))
