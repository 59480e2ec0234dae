"""Days from one to another in a text: "del 10 al 13 de abril", "from the 10th to the 13th", "de sexta a domingo".

A range is two days, and neither of them alone. It is told from hours, prices and ages by a month, a weekday, an
ordinal or the words for a day in it: "from 10 to 13" is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Final, NamedTuple

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.calendar_words.vocabulary import Classes
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.found import Found, Language
from mew_agents.language.phrases import phrases
from mew_agents.language.spelling import spelled

_LONGEST: Final = timedelta(days=366)


class DayRange(NamedTuple):
    """From the first day to the last one."""

    first: date
    last: date


class _Words(NamedTuple):
    """What leads to a range, what stands between its two days, and what says that a number is a day."""

    leads: str
    joins: str
    the: str  # before a day
    ordinal: str  # behind its number
    of: str  # before its month
    month_of: str  # how the month is written behind the number
    alone: str  # beginnings that need nothing else to tell days: "del 10 al 13"


_WORDS: Final[Mapping[Language, _Words]] = {
    "es": _Words(
        leads=r"(?:del|de|desde|entre)(?: el)?(?: dia)?|(?:los )?dias",
        joins=r"al?|hasta(?: el)?|y(?: el)?",
        the=r"(?:el )?(?:dia )?",
        ordinal=r"(?:o|ro|ero|º)?",
        of=r"(?:de |del )?",
        month_of="el {day} de {month}",
        alone=r"(?:del|desde el|entre el|dias|los dias)(?: dia)? ",
    ),
    "pt": _Words(
        leads=r"(?:do|da|de|desde|entre)(?: o| a)?(?: dia)?|(?:os )?dias",
        joins=r"ao?|ate(?: o| a| ao)?|e(?: o| a)?",
        the=r"(?:[oa] )?(?:dia )?",
        ordinal=r"(?:o|º)?",
        of=r"(?:de )?",
        month_of="dia {day} de {month}",
        alone=r"(?:do dia|desde o dia|entre o dia|dias|os dias|de dia) ",
    ),
    "en": _Words(
        leads=r"from|between|arriving|starting",
        joins=r"to|until|till|til|through|thru|and",
        the=r"(?:the )?",
        ordinal=r"(?:st|nd|rd|th)?",
        of=r"(?:of )?",
        month_of="{day} {month}",
        alone=r"(?!)",
    ),
}
_ORDINAL: Final = re.compile(r"\d(?:st|nd|rd|th)\b")
_ANDS: Final = frozenset(("y", "e", "and"))  # join the ends of a range only after "between"
_BETWEEN: Final = frozenset(("entre", "betwe"))
_BARE: Final[Mapping[Language, str]] = {"es": "el dia {}", "pt": "dia {}", "en": "the {}"}


def day_ranges(text: str, language: Language, *, now: datetime) -> list[Found[DayRange]]:
    """The ranges of days that a text names, in its order. `now` is aware, as `dates` takes it."""
    folded, found = spelled(text, language), list[Found[DayRange]]()
    spelt, origins = _spelt(text, language)
    for match in _expression(language).finditer(spelt):
        days = _days(match, language, now) if _is_of_days(match, language) else None
        if days is not None:
            start, end = folded.origin(origins[match.start()][0], origins[match.end() - 1][1])
            found.append(Found(days, start, end))
    return found


def _spelt(text: str, language: Language) -> tuple[str, list[tuple[int, int]]]:
    """The respelt text with the words of the calendar as they are written in full, and where each letter stands."""
    read = phrases(text, language)
    spelt, origins, at = "", list[tuple[int, int]](), 0
    for sign in read.signs:
        written = read.folded.text[sign.start : sign.end]
        between = read.folded.text[at : sign.start]
        spelt += between + sign.text
        origins += [(one, one + 1) for one in range(at, sign.start)]
        same = written == sign.text
        origins += [
            (sign.start + one, sign.start + one + 1) if same else (sign.start, sign.end)
            for one in range(len(sign.text))
        ]
        at = sign.end
    rest = read.folded.text[at:]
    return spelt + rest, [*origins, *((one, one + 1) for one in range(at, at + len(rest)))]


def _is_of_days(match: re.Match[str], language: Language) -> bool:
    """Whether something says that the two numbers are days, and that all between them are meant: "on the 3rd and on
    the 5th" are two days.
    """
    if match["joint"] is not None and match["joint"].split()[0] in _ANDS and (match["lead"] or "")[:5] not in _BETWEEN:
        return False
    pieces = _piece(match, ""), _piece(match, "other_")
    told = any(piece.month or piece.weekday for piece in pieces)
    led = re.match(_WORDS[language].alone, match[0]) is not None
    return told or led or _ORDINAL.search(match[0]) is not None


class _Piece(NamedTuple):
    """A day as a range says it."""

    weekday: str | None
    day: str | None
    month: str | None


def _piece(match: re.Match[str], prefix: str) -> _Piece:
    told = match.groupdict()
    day = told[f"{prefix}day"] or told.get(f"{prefix}day_behind")
    month = told[f"{prefix}month"] or told.get(f"{prefix}month_before")
    return _Piece(told[f"{prefix}weekday"], day, month)


def _days(match: re.Match[str], language: Language, now: datetime) -> DayRange | None:
    """The two days; a month that is said once is that of both."""
    one, other = _piece(match, ""), _piece(match, "other_")
    first = _day(one._replace(month=one.month or other.month), language, now)
    if first is None:
        return None
    since = datetime.combine(first, time(), now.tzinfo)
    last = _day(other._replace(month=other.month or one.month), language, since)
    if last is None or not first < last <= first + _LONGEST:
        return None
    return DayRange(first, last)


def _day(piece: _Piece, language: Language, now: datetime) -> date | None:
    """The day that a piece means; None for one that there is not."""
    if piece.day is None:
        written = piece.weekday or ""
        written = f"on {written}" if language == "en" else f"na {written}" if language == "pt" else written
    elif piece.month is None:
        written = _BARE[language].format(_ordinal(piece.day, language))
    else:
        written = _WORDS[language].month_of.format(day=piece.day, month=piece.month)
    read = dates(written, language, now=now)
    return read[0].value if len(read) == 1 else None


def _ordinal(day: str, language: Language) -> str:
    """A number as its language writes a day of the month: "the 3rd"."""
    if language != "en":
        return day
    number = int(day)
    ending = "th" if number in range(11, 14) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@cache
def _expression(language: Language) -> re.Pattern[str]:
    words = _WORDS[language]
    lead = rf"(?:(?P<lead>{words.leads}) )?"
    joint = rf"(?: (?P<joint>{words.joins}) | ?- ?)"
    return re.compile(rf"(?<![\w-]){lead}{_day_expression(language, '')}{joint}{_day_expression(language, 'other_')}")


def _day_expression(language: Language, prefix: str) -> str:
    """A day: a weekday, a number with a month or without, or both; no hour, price or ratio."""
    words, classes = _WORDS[language], CALENDAR_WORDS[language].classes
    months = _either(classes, "MONTH", "MONTHSHORT")
    weekdays = _either(classes, "WEEKDAY", "SUREDAY", "SHORTDAY", "FEIRA")
    weekday = rf"(?P<{prefix}weekday>{weekdays})\b" + (r"(?:[- ]feira)?" if language == "pt" else "")
    number = rf"(?P<{prefix}day>\d\d?){words.ordinal}(?: ?{words.of}(?P<{prefix}month>{months}))?"
    if language == "en":
        before = rf"(?P<{prefix}month_before>{months}) (?P<{prefix}day_behind>\d\d?){words.ordinal}"
        number = rf"(?:{before}|{number})"
    begins = rf"(?=\d|(?:{weekdays}|{months})\b)"
    return rf"{words.the}{begins}(?:{weekday})?(?:,? ?{words.the}{number})?(?!\w| ?[:%€$]|[./]\d)"


def _either(classes: Classes, *names: str) -> str:
    """Any word of some classes, the longest first."""
    listed = {fold(word).text for name in names for word in classes.get(name, {})}
    return "|".join(sorted(listed, key=lambda word: (-len(word), word)))
