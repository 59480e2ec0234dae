"""Days that are part of somebody's name: "Domingo Sáenz", "Sunday Adeyemi", "April Friday"."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import Language
from mew_agents.language.naming import NAMINGS
from mew_agents.language.number_lexicon import NUMBER_LEXICONS

_ENDS: Final = frozenset(".!?:\n")
# What leads to a day, so that none is a name behind it.
_LEADING: Final = frozenset(
    [
        "el",
        "este",
        "proximo",
        "al",
        "del",
        "para",
        "hasta",
        "no",
        "na",
        "neste",
        "nesta",
        "proxima",
        "ate",
        "on",
        "this",
        "next",
        "by",
        "for",
        "until",
        "last",
        "coming",
    ]
)
_CALENDAR: Final = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)


def is_of_a_name(text: str, start: int, end: int, language: Language, *, asked: bool) -> bool:
    """Whether the one word of a day stands beside a name's other word. `asked`: a name was asked for."""
    folded = fold(text)
    at = bisect_left(range(len(folded.tokens)), start, key=lambda at: folded.span(at, at)[0])
    if at >= len(folded.tokens) or folded.span(at, at) != (start, end) or folded.tokens[at].kind != "word":
        return False
    before, behind = at - 1, at + 1
    if before >= 0 and folded.tokens[before].text in _LEADING and not _is_capital(folded, at):
        return False
    if asked:
        return _is_name(folded, behind, language) or (_is_name(folded, before, language) and before >= 0)
    if before >= 0 and folded.tokens[before].text in _CALENDAR and _is_capital(folded, before):
        return _is_capital(folded, at)
    first = before - 1
    begun = before < 1 or folded.tokens[first].text in _ENDS
    if language != "en" and not begun and _is_capital(folded, at) and _is_name(folded, before, language):
        return _is_capital(folded, before)
    opens = before < 0 or folded.tokens[before].text in _ENDS or folded.tokens[at].opens_line
    if language == "en" or opens or not _is_capital(folded, at):
        return False
    return _is_name(folded, behind, language) and _is_capital(folded, behind)


def _is_name(folded: Folded, at: int, language: Language) -> bool:
    """Whether a token may be a word of a name: no word of everyday, no number, no title."""
    if not 0 <= at < len(folded.tokens) or folded.tokens[at].opens_line:
        return False
    token, naming = folded.tokens[at], NAMINGS[language]
    known = token.text in naming.common | naming.titles or NUMBER_LEXICONS[language].role(token.text) is not None
    return token.kind == "word" and not known


def _is_capital(folded: Folded, at: int) -> bool:
    start = folded.span(at, at)[0]
    return folded.original[start : start + 1].isupper()
