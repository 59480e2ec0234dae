"""Numbers that count or measure. Hours, days, codes and telephone numbers are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Doubt, Found, Language
from mew_agents.language.numeral import Numeral
from mew_agents.language.numerals import numerals
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled
from mew_agents.language.value_words import VOCABULARIES


def numbers(text: str, language: Language) -> list[Found[Decimal]]:
    """The numbers of a text: in words, in digits as the language writes them, or mixed ("2 mil", "15k").

    Doubts: "ambiguous" when a point or comma may part decimals or thousands (`alternatives` has the other reading),
    "partial" before a per cent sign.
    """
    folded = spelled(text, language)
    around = _AROUND[language]
    return [_found(folded, numeral, around) for numeral in _counting(folded, numerals(folded, language), around)]


def confidence(doubts: Sequence[Doubt]) -> float:
    """How sure a value with these doubts is."""
    return 0.7 if "ambiguous" in doubts else 0.8 if doubts else 1.0


_MAX_HOUR, _MAX_DAY, _FIRST_YEAR, _LAST_YEAR = 24, 31, 1900, 2100
# Between numbers that belong together: "uno o dos" counts, "uno" may be anybody.
_COUNTED_BY = frozenset(("o", "u", "y", "a", "ou", "e", "or", "to", "and", ",", "-"))
_YEAR_DIGITS = 4
_MONTH_REACH = 4  # tokens between a month and the year behind it: "December 3, 2026"
_IN_A_DATE = frozenset(("de", "del", "of", ","))


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a number that is none, in a language."""

    hours_before: PhraseTable[bool]  # whether it must be written with a grave: "às", but not "as"
    hours_after: PhraseTable[None]
    past_the_hour: frozenset[str]
    days_before: PhraseTable[None]
    months: frozenset[str]
    percent: PhraseTable[None]
    idioms: PhraseTable[None]
    minus: frozenset[str]
    not_minus_after: frozenset[str]


def _around(language: Language) -> _Around:
    words = VOCABULARIES[language].numbers
    return _Around(
        PhraseTable((phrase, phrase in ("às", "à")) for phrase in words.hours_before),
        PhraseTable((phrase, None) for phrase in words.hours_after),
        frozenset(words.past_the_hour),
        PhraseTable((phrase, None) for phrase in words.days_before),
        frozenset(fold(month).text for month in words.months),
        PhraseTable((phrase, None) for phrase in (*words.percent, "%")),
        PhraseTable((phrase, None) for phrase in words.idioms),
        frozenset(words.minus),
        frozenset(words.not_minus_after),
    )


_AROUND = {language: _around(language) for language in LANGUAGES}


def _counting(folded: Folded, read: Sequence[Numeral], around: _Around) -> Iterator[Numeral]:
    """The numerals that count something."""
    hour_until = -3  # the last token of the hour before
    for at, numeral in enumerate(read):
        if _is_hour(folded, numeral, around):
            hour_until = numeral.last
        elif numeral.first == hour_until + 2 and folded.tokens[numeral.first - 1].text in around.past_the_hour:
            continue  # its minutes
        elif (
            numeral.plain
            and (not numeral.lone or _is_counted(folded, read, at))
            and not _is_day(folded.tokens, numeral, around)
            and around.idioms.starting(folded.tokens, numeral.first) is None
            and around.idioms.ending(folded.tokens, numeral.last) is None
            and around.percent.ending(folded.tokens, numeral.last) is None
        ):
            yield numeral


def _is_hour(folded: Folded, numeral: Numeral, around: _Around) -> bool:
    if not 0 <= numeral.value <= _MAX_HOUR:
        return False
    if around.hours_after.starting(folded.tokens, numeral.last + 1) is not None:
        return True
    before = around.hours_before.ending(folded.tokens, numeral.first - 1)
    if before is None:
        return False
    start, end = folded.span(numeral.first - before[0], numeral.first - 1)
    return not before[1] or folded.original[start:end].lower() not in ("as", "a")


def _is_day(tokens: Sequence[Token], numeral: Numeral, around: _Around) -> bool:
    """A day of a month, or the year behind one."""
    if 1 <= numeral.value <= _MAX_DAY:
        after = numeral.last + 1
        if after < len(tokens) and tokens[after].text in _IN_A_DATE:
            after += 1
        before = numeral.first - 1
        return (
            _is_of_month(tokens, after, around)
            or (before >= 0 and tokens[before].text in around.months)
            or around.days_before.ending(tokens, before) is not None
        )
    return _FIRST_YEAR <= numeral.value <= _LAST_YEAR and _is_behind_a_month(tokens, numeral.first, around)


def _is_of_month(tokens: Sequence[Token], at: int, around: _Around) -> bool:
    """Whether the month at that token has the number before it as its day; not in "for eight, March 13"."""
    if at >= len(tokens) or tokens[at].text not in around.months:
        return False
    own_day = at + 1 < len(tokens) and tokens[at + 1].kind == "digits" and len(tokens[at + 1].text) < _YEAR_DIGITS
    return not (tokens[at - 1].text == "," and own_day)


def _is_behind_a_month(tokens: Sequence[Token], first: int, around: _Around) -> bool:
    for token in reversed(tokens[max(0, first - _MONTH_REACH) : first]):
        if token.text in around.months:
            return True
        if token.kind != "digits" and token.text not in _IN_A_DATE:
            return False
    return False


def _is_counted(folded: Folded, read: Sequence[Numeral], at: int) -> bool:
    """Whether "un" or "one" is a number: as the whole message, or with another number beside it."""
    numeral = read[at]
    if all(token.kind == "symbol" for place, token in enumerate(folded.tokens) if place != numeral.first):
        return True
    before = at > 0 and read[at - 1].last == numeral.first - 2
    after = at + 1 < len(read) and read[at + 1].first == numeral.last + 2
    return (before and folded.tokens[numeral.first - 1].text in _COUNTED_BY) or (
        after and folded.tokens[numeral.last + 1].text in _COUNTED_BY
    )


def _found(folded: Folded, numeral: Numeral, around: _Around) -> Found[Decimal]:
    doubts: tuple[Doubt, ...] = ("ambiguous",) if numeral.unsure else ()
    if around.percent.starting(folded.tokens, numeral.last + 1) is not None:
        doubts += ("partial",)
    negative = _is_negative(folded.tokens, numeral.first, around)
    start, end = folded.span(numeral.first - negative, numeral.last)
    sign = -1 if negative else 1
    alternatives = tuple(sign * value for value in numeral.alternatives)
    return Found(sign * numeral.value, start, end, confidence(doubts), alternatives, doubts)


def _is_negative(tokens: Sequence[Token], first: int, around: _Around) -> bool:
    """After "menos", unless that says "at least" or takes away from a number before it."""
    if first == 0 or tokens[first - 1].text not in around.minus:
        return False
    if first == 1:
        return True
    before = tokens[first - 2]
    return before.kind == "symbol" or (before.kind == "word" and before.text not in around.not_minus_after)
