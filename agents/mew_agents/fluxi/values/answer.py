"""The core of an answer: a message without what is only polite, said first to introduce, or punctuation."""

from __future__ import annotations

from mew_agents.fluxi.values.reading import Span
from mew_agents.fluxi.values.words import INTRODUCTIONS, PUTTING
from mew_agents.language.folding import Folded, Token
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import INTERJECTIONS
from mew_agents.language.numbers import numbers
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled
from mew_agents.language.value_words import VOCABULARIES

_POLITE = {
    language: PhraseTable((phrase, None) for phrase in VOCABULARIES[language].answers.polite) for language in LANGUAGES
}
# "anotala a": only where a name was asked for.
_DOWN: dict[Language, tuple[str, ...]] = {
    "es": tuple(f"{verb}{it} a" for verb in ("anota", "apunta", "pone", "pon", "deja") for it in ("lo", "la")),
    "pt": ("pode colocar como", "pode pôr como"),
    "en": ("put it as", "its under", "the names"),
}
_SIGNS = frozenset(",.!;:…-")
_INTRODUCTIONS = {
    language: PhraseTable((phrase, None) for phrase in (*INTRODUCTIONS[language], *PUTTING[language], *_DOWN[language]))
    for language in LANGUAGES
}


def core(text: str, language: Language, *, introduced: bool = False) -> Span | None:
    """Where the answer is in a text: all but politeness and punctuation around it. None: there is nothing else.

    `introduced`: without an introduction ("me llamo …") either, unless that is all there is.
    """
    folded = spelled(text, language)
    found = _trimmed(folded, language)
    if found is None:
        return None
    first, last = found
    if introduced:
        first = _past_interjections(folded, first, last, language)
    known = _INTRODUCTIONS[language].starting(folded.tokens, first) if introduced else None
    if known is not None and first + known[0] <= last:
        first += known[0]
    return folded.span(first, last)


def _past_interjections(folded: Folded, first: int, last: int, language: Language) -> int:
    """The first token of an answer that says something: "Ah, sim, me desculpe: Sampaio" begins with the name."""
    tokens, at = folded.tokens, first
    while at <= last:
        known = INTERJECTIONS[language].starting(tokens, at) or _POLITE[language].starting(tokens, at)
        behind = None if known is None else at + known[0]
        if known is not None and behind is not None and (behind > last or tokens[behind].text in _SIGNS):
            at = behind
        elif tokens[at].text in _SIGNS:
            at += 1
        else:
            break
    return at if at <= last else first


def is_bare_number(text: str, language: Language) -> bool:
    """Whether a message is a number and nothing else: "2", "dos"."""
    span = core(text, language)
    return span is not None and any((one.start, one.end) == span for one in numbers(text, language))


def _trimmed(folded: Folded, language: Language) -> tuple[int, int] | None:
    """The indices of its first and its last token."""
    tokens, polite = folded.tokens, _POLITE[language]
    first, last = 0, len(tokens) - 1
    while first <= last:
        known = polite.starting(tokens, first)
        if known is None and not _is_idle(tokens[first], leading=True):
            break
        first += 1 if known is None else known[0]
    while first <= last:
        known = polite.ending(tokens, last)
        if known is None and not _is_idle(tokens[last], leading=False):
            break
        last -= 1 if known is None else known[0]
    return (first, last) if first <= last else None


def _is_idle(token: Token, *, leading: bool) -> bool:
    """Punctuation, also an emoji; but "$", "+" and "-" may begin a value, and "€" and ")" end one."""
    return token.kind == "symbol" and token.text not in ("$+-(#€£" if leading else "€£$%)")
