"""Words of a slot's label beside a number: "7 people", "somos 5 personas", "weight's 4 kg"."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from mew_agents.fluxi.definitions.slots import SlotBase
from mew_agents.fluxi.values.places import token_at
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import COPULAS, COUNTED, LEADS, SUMMING, TAILS, TOTALS
from mew_agents.language.folding import Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.sightings import stem
from mew_agents.language.spelling import spelled

_BEFORE = 3  # tokens from the label to the number
_AFTER = 2  # tokens from the number to the label

_NEAR = 60  # characters behind a number that are looked at
_COPULAS = {language: frozenset(fold(one).text for one in COPULAS[language]) for language in LANGUAGES}
_SUMS = {language: PhraseTable((phrase, None) for phrase in TOTALS[language]) for language in LANGUAGES}
_SUMMING = {language: PhraseTable((phrase, None) for phrase in SUMMING[language]) for language in LANGUAGES}


class _Label(NamedTuple):
    """The stems of a label's words and of what counts the same, and the words that lead to a number of it."""

    stems: frozenset[str]
    leads: PhraseTable[None]


def is_beside_label(slot: SlotBase, text: str, start: int, end: int, language: Language) -> bool:
    """Whether a word of the label stands right beside the number `text[start:end]`, or words that lead to its kind."""
    folded = spelled(text, language)
    tokens, label = folded.tokens, _label(Same(slot), language)
    first, after = token_at(folded, start), token_at(folded, end)
    if any(_names(token, label, language) for token in _near(tokens[after : after + _AFTER])):
        return True
    if follows_label(slot, text, start, language):
        return not _is_counted(tokens, after, language)
    return label.leads.ending(tokens, first - 1) is not None and not _is_counted(tokens, after, language)


def follows_label(slot: SlotBase, text: str, start: int, language: Language) -> bool:
    """Whether a word of the label stands shortly before what starts there, in the same clause."""
    folded = spelled(text, language)
    first, label = token_at(folded, start), _label(Same(slot), language)
    return any(_names(token, label, language) for token in _near(folded.tokens[max(0, first - _BEFORE) : first][::-1]))


def named_from(slot: SlotBase, text: str, start: int, language: Language) -> int:
    """Where the words begin that only say which slot the value is for that starts there: "the order number is"."""
    folded, label = spelled(text, language), _label(Same(slot), language)
    first = token_at(folded, start)
    named = first
    while first > 0 and first > named - _BEFORE - 1:
        token = folded.tokens[first - 1]
        if _names(token, label, language):
            named = first - 1
        elif token.text not in TAILS[language] | _COPULAS[language]:
            break
        first -= 1
    return folded.span(named, named)[0] if named < len(folded.tokens) else start


def is_sum(text: str, start: int, end: int, language: Language) -> bool:
    """Whether words around a number say that it is the sum: "four in all", "12 people in total", "and him, so 3"."""
    tokens = spelled(text[end : end + _NEAR], language).tokens
    if any(_SUMS[language].starting(tokens, at) is not None for at in range(_AFTER)):
        return True
    before = spelled(text[max(0, start - _NEAR) : start], language).tokens
    led = len(before) > _AFTER and _SUMMING[language].ending(before, len(before) - 1) is not None
    return led and not _is_counted(tokens, 0, language)


def _near(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens up to the end of the clause."""
    for at, token in enumerate(tokens):
        if token.text in ".;!?,":
            return tokens[:at]
    return tokens


def _names(token: Token, label: _Label, language: Language) -> bool:
    return token.kind == "word" and stem(token.text, language) in label.stems


def _is_counted(tokens: tuple[Token, ...], at: int, language: Language) -> bool:
    """Whether a noun follows, which the number counts then."""
    return at < len(tokens) and tokens[at].kind == "word" and tokens[at].text not in TAILS[language]


@lru_cache(maxsize=256)
def _label(slot: Same[SlotBase], language: Language) -> _Label:
    words = {token.text for token in fold(slot.it.label.get(language, "")).tokens if token.kind == "word"}
    words -= TAILS[language]
    leads: tuple[str, ...] = ()
    for kind, alike in COUNTED[language].items():
        if words & alike:
            words |= alike
            leads += LEADS[language].get(kind, ())
    return _Label(frozenset(stem(word, language) for word in words), PhraseTable((lead, None) for lead in leads))
