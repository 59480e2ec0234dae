"""A whole message that answers a question: yes, no, neither; and the two things said beside an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled
from mew_agents.language.value_words import VOCABULARIES

Polarity: TypeAlias = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a message says to a question that takes a yes or a no.

    `yes` and `no` only if nothing but politeness stands beside them. `none`: there is something else; then `leading`
    is the answer it begins with ("sí, pero a las 18"), and `rest` what follows that, from offset `start` on.
    `unclear`: an answer, but neither ("tal vez", "sí, no", "¿sí?"). Without a rest, `start` is the text's length.
    """

    kind: Literal["yes", "no", "unclear", "none"]
    rest: str
    start: int
    leading: Polarity | None = None


def answer(text: str, language: Language) -> Answer:
    """The answer that `text`, the whole message, is (docs/fluxi.md §3). Words of the other languages count too."""
    folded = spelled(text, language)
    tokens = folded.tokens
    parts, end = _parts(folded, _ANSWERS[language])
    if end == len(tokens):
        return Answer(_verdict(tokens, parts), "", len(text))
    start = folded.span(end, end)[0]
    said = _verdict(tokens[:end], [part for part in parts if part.kind != "alone"])
    return Answer("none", text[start:].rstrip(), start, leading=said if said == "yes" or said == "no" else None)


_FEW = 4  # words of a message that is hardly more than a no


def yes_or_no(text: str, language: Language) -> list[Found[bool]]:
    """The yes or no that `text` is, or begins with. The evidence is its words, without politeness around them."""
    given = answer(text, language)
    said = given.leading or given.kind
    if said not in ("yes", "no"):
        return []
    folded = spelled(text, language)
    parts, _ = _parts(folded, _ANSWERS[language])
    silent = ("polite", "alone") if given.kind == "none" else ("polite",)
    spoken = [part for part in parts if part.kind not in silent]
    start, end = folded.span(spoken[0].first, spoken[-1].last)
    return [Found(said == "yes", start, end, confidence=1.0 if given.kind != "none" else 0.9)]


def opens_with_no(text: str, language: Language) -> bool:
    """Whether a no that a text begins with stands for itself: "no, the other one", not "I can't chew since Friday"."""
    found = yes_or_no(text, language)
    if not found or found[0].value:
        return False
    behind = fold(text[found[0].end :]).tokens
    return len(behind) <= _FEW or behind[0].kind == "symbol"


def wants_to_cancel(text: str, language: Language) -> bool:
    """Whether the whole message says to drop it all: "cancelar", "no, olvídalo", "deixa pra lá, obrigado"."""
    folded = spelled(text, language)
    tokens = folded.tokens
    parts, end = _parts(folded, _CANCELS[language])
    if end < len(tokens) or _asks(tokens) or not any(part.kind == "cancel" for part in parts):
        return False
    return all(part.kind != "unclear" for part in parts) and not any(
        part.kind == "no" and after.kind == "cancel" and after.first == part.last + 1  # "no cancelar": keep it
        for part, after in pairwise(parts)
    )


def asks_status(text: str, language: Language) -> bool:
    """Whether the whole message asks how it goes: "¿cómo va?", "status", "e aí, foi?"."""
    folded = spelled(text, language)
    tokens = folded.tokens
    parts, end = _parts(folded, _STATUSES[language])
    asked = any(part.kind == "status" or (part.kind == "status?" and _asks(tokens)) for part in parts)
    return end == len(tokens) and asked and all(part.kind != "no" for part in parts)


def only_polite(text: str, language: Language) -> bool:
    """Whether the whole message is politeness: "hola", "muchas gracias", "good morning"."""
    folded = spelled(text, language)
    parts, end = _parts(folded, _ANSWERS[language])
    return bool(parts) and end == len(folded.tokens) and all(part.kind == "polite" for part in parts)


_Kind: TypeAlias = Literal["yes", "weak", "alone", "no", "unclear", "polite", "cancel", "status", "status?"]


@dataclass(frozen=True, slots=True)
class _Part:
    """Tokens `first` to `last`, understood as one."""

    kind: _Kind
    first: int
    last: int


_YIELDING = ("weak", "alone")
# What hardly parts anything, when it stands between phrases.
_SILENT = frozenset(",.;:!¡¿?\"'()[]-…~*_")
_REPEATED = re.compile(r"(.)\1+")
# Understood by everybody, unless the language has another use for the word.
_ABROAD: tuple[tuple[str, _Kind], ...] = (
    *((word, "yes") for word in ("yes", "yep", "yeah", "sure", "sí", "sim", "claro", "dale", "vale", "confirmo")),
    *((word, "no") for word in ("no", "nope", "não")),
    *((word, "weak") for word in ("ok", "okay", "okey")),
    *((word, "polite") for word in ("gracias", "obrigado", "obrigada", "thanks", "please", "por favor")),
)


def _entries(language: Language) -> Iterator[tuple[str, _Kind]]:
    words = VOCABULARIES[language].answers
    yield from ((phrase, "yes") for phrase in words.yes)
    yield from ((phrase, "weak") for phrase in words.weak_yes)
    yield from ((phrase, "alone") for phrase in words.alone)
    yield from ((phrase, "no") for phrase in words.no)
    yield from ((phrase, "unclear") for phrase in words.unclear)
    yield from ((phrase, "polite") for phrase in words.polite)
    yield from _ABROAD


def _cancels(language: Language) -> Iterator[tuple[str, _Kind]]:
    for spoken in (language, *LANGUAGES):
        yield from ((phrase, "cancel") for phrase in VOCABULARIES[spoken].answers.cancel)
    yield from _entries(language)


def _statuses(language: Language) -> Iterator[tuple[str, _Kind]]:
    for spoken in (language, *LANGUAGES):
        for phrase in VOCABULARIES[spoken].answers.status:
            yield phrase.rstrip("?"), "status?" if phrase.endswith("?") else "status"
    yield from ((phrase, "polite") for phrase in VOCABULARIES[language].answers.polite)


class _Lexicon:
    """A phrase table that also knows words with letters typed again and again: "siii", "daleee"."""

    def __init__(self, entries: Sequence[tuple[str, _Kind]]) -> None:
        self.phrases = PhraseTable(entries)
        words = dict.fromkeys(token.text for phrase, _ in entries for token in fold(phrase).tokens)
        self._known = frozenset(words)
        self._squeezed = {_REPEATED.sub(r"\1", word): word for word in reversed(words)}

    def spelt(self, token: Token) -> Token:
        """The token as the lexicon spells it, if letters are repeated; else itself."""
        if token.kind != "word" or token.text in self._known or not _REPEATED.search(token.text):
            return token
        return token._replace(text=self._squeezed.get(_REPEATED.sub(r"\1", token.text), token.text))


_ANSWERS = {language: _Lexicon([*_entries(language)]) for language in LANGUAGES}
_CANCELS = {language: _Lexicon([*_cancels(language)]) for language in LANGUAGES}
_STATUSES = {language: _Lexicon([*_statuses(language)]) for language in LANGUAGES}


def _parts(folded: Folded, lexicon: _Lexicon) -> tuple[list[_Part], int]:
    """The message from its beginning, as far as the lexicon knows it, and the index of the token where that ends."""
    tokens = folded.tokens
    spelt = [lexicon.spelt(token) for token in tokens]
    parts: list[_Part] = []
    at = 0
    while at < len(tokens):
        if tokens[at].text in _SILENT:
            at += 1
        elif (found := lexicon.phrases.starting(spelt, at)) and folded.stands_alone(at, at + found[0] - 1):
            parts.append(_Part(found[1], at, at + found[0] - 1))
            at += found[0]
        else:
            return parts, at
    return parts, at


def _asks(tokens: Sequence[Token]) -> bool:
    return any(token.text == "?" for token in tokens)


def _verdict(tokens: Sequence[Token], parts: Sequence[_Part]) -> Literal["yes", "no", "unclear", "none"]:
    """What the parts say together. A weak yes yields to a firm answer after it, and contradicts one before it."""
    kinds = [part.kind for part in parts if part.kind != "polite"]
    if not kinds:
        return "none"
    while len(kinds) > 1 and kinds[0] in _YIELDING:
        del kinds[0]
    said = {"yes" if kind in _YIELDING else kind for kind in kinds}
    if "unclear" in said or len(said) > 1 or _asks(tokens):
        return "unclear"
    return "yes" if "yes" in said else "no"


def is_answer_word(text: str, start: int, end: int, language: Language) -> bool:
    """Whether `text[start:end]` lies in an answer ("está equivocado"), or is compared ("más tarde")."""
    folded, lexicon = spelled(text, language), _ANSWERS[language]
    for at in range(len(folded.tokens)):
        found = lexicon.phrases.starting(folded.tokens, at)
        if found is not None:
            first, last = folded.span(at, at + found[0] - 1)
            if first <= start and end <= last and found[1] in ("no", "unclear"):
                return True
        first, last = folded.span(at, at)
        if last <= start and not text[last:start].strip() and folded.tokens[at].text in _COMPARING:
            return True
    return False


_COMPARING = frozenset(("mas", "mais", "more", "later"))


def is_polite(text: str, start: int, end: int, language: Language) -> bool:
    """Whether `text[start:end]` lies in a greeting or another phrase that is only polite: "good morning"."""
    folded, phrases = spelled(text, language), _ANSWERS[language].phrases
    for at in range(len(folded.tokens)):
        found = phrases.starting(folded.tokens, at)
        if found is not None and found[1] == "polite":
            first, last = folded.span(at, at + found[0] - 1)
            if first <= start and end <= last:
                return True
    return False
