"""Clauses that cancel what a Work is about, in the words of its definition: "bueno, entonces cancelá el turno".

A clause that says nothing else is certain. One with other words may mean something else, and is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.own_words import words_for_itself
from mew_agents.fluxi.values.cancel_words import BREAKING, CANCELLED, CANCELLING, DROPPING, IDLE, TOLD
from mew_agents.fluxi.values.words import QUESTION_WORDS, TAILS
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import is_question
from mew_agents.language.retractions import corrective
from mew_agents.language.sightings import stem
from mew_agents.language.spelling import spelled

_ENDS: Final = frozenset('.,;:!?¡¿…()"')
_ABBREVIATION: Final = 3  # letters before a point that ends no sentence: "Dra."
_TOLD: Final = re.compile(TOLD)
_VERBS: Final = frozenset(("can", "could", "do", "does", "will", "is", "are"))
_STEMS = {language: frozenset(stem(fold(one).text, language) for one in CANCELLING[language]) for language in LANGUAGES}
_DROPS = {language: PhraseTable((phrase, None) for phrase in DROPPING[language]) for language in LANGUAGES}


@dataclass(frozen=True, slots=True)
class Cancelling:
    """A clause that cancels, `text[start:end]`. `certain`: it says nothing else; `drops`: its verb alone does not say
    so; `named`: it names what is cancelled; `alone`: the message says nothing else.
    """

    start: int
    end: int
    certain: bool
    drops: bool
    named: bool
    alone: bool


def cancelling(definition: Definition, text: str, language: Language, held: Collection[str] = ()) -> list[Cancelling]:
    """The clauses of a message that cancel. `held`: the words that the held values were said in.

    A definition whose own phrases have such a verb has none: there it asks for the operation.
    """
    own = words_for_itself(definition, language)
    if own & _STEMS[language]:
        return []
    folded = spelled(text, language)
    subject = own | {stem(word, language) for word in CANCELLED[language]}
    known = frozenset(token.text for words in held for token in fold(words).tokens)
    asks = is_question(text, language)
    found = []
    for first, last in _clauses(folded):
        tokens = folded.tokens[first : last + 1]
        verb = _verb(tokens, language)
        if verb is None:
            continue
        at, length, drops = verb
        beside = [token.text for token in (*tokens[:at], *tokens[at + length :]) if token.kind != "symbol"]
        named = any(stem(word, language) in subject for word in beside if word not in TAILS[language])
        if drops and not named:
            continue
        idle = TAILS[language] | IDLE[language] | (known if named and not drops else frozenset())
        certain = not asks and all(word in idle or stem(word, language) in subject for word in beside)
        certain = certain and (drops or not CLAUSES[language].denied(tokens, at))
        if not certain and any(corrective(tokens, one, language) for one in range(at + length, len(tokens))):
            continue  # "cancel Wednesday and make it Friday"
        outside = (*folded.tokens[:first], *folded.tokens[last + 1 :])
        alone = certain and all(one.kind == "symbol" or one.text in TAILS[language] | IDLE[language] for one in outside)
        found.append(Cancelling(*folded.span(first, last), certain, drops, named, alone))
    return found


def asks_about_cancelling(text: str, language: Language) -> bool:
    """Whether a message asks how or when something can be cancelled: that cancels nothing."""
    words = {token.text for token in spelled(text, language).tokens}
    return is_question(text, language) and bool(words & (QUESTION_WORDS[language] - _VERBS))


def _verb(tokens: Sequence[Token], language: Language) -> tuple[int, int, bool] | None:
    """Where the words that cancel stand in a clause, how many they are, and whether what is cancelled has to follow."""
    for at, token in enumerate(tokens):
        if CLAUSES[language].directly_denied(tokens, at):
            continue
        if _cancels(token, language):
            return at, 1, False
        found = _DROPS[language].starting(tokens, at)
        if found is not None and not any(_cancels(one, language) for one in tokens[at:]):  # "no quiero cancelar"
            return at, found[0], True
    return None


def _cancels(token: Token, language: Language) -> bool:
    return stem(token.text, language) in _STEMS[language] and _TOLD.search(token.text) is None


def _clauses(folded: Folded) -> Iterator[tuple[int, int]]:
    """The first and the last token of each clause: it ends at a sign, a line, or where a reason begins."""
    first: int | None = None
    for at, token in enumerate(folded.tokens):
        short = at > 0 and token.text == "." and len(folded.tokens[at - 1].text) <= _ABBREVIATION
        ends = token.text in _ENDS and not short
        if first is not None and (ends or token.opens_line or token.text in BREAKING):
            yield first, at - 1
            first = None
        if first is None and not ends:
            first = at
    if first is not None:
        yield first, len(folded.tokens) - 1
