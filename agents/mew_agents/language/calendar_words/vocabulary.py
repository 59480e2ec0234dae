"""What a language file holds: classes of words, and the patterns that phrases are recognised by.

A pattern is a regular expression whose letters are whole words. `viernes` is that word (accents do not count),
`WEEKDAY` any word of that class or a shape of `SHAPES`, `CLOCKHOUR` a pattern of `macros`; `day=WEEKDAY` captures
under a name; `( | ) ? * (?! (?= (?<= (?<!` are as ever, START and END are the text's. Word order in a pattern is the
text's; what lies between two words is white space at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "date",
    "time",
    "hours",  # "17h": an hour of the day or that many hours, as who asks expects
    "part",  # of the day, without an hour: "por la tarde"
    "duration",
    "hence",  # a moment so long from now: "en dos horas"
    "ago",  # a moment so long before now
    "instant",  # 2026-12-03T10:00-03:00
    "none",  # looks like one of these and is not: "segunda opinión"
]

# Parts of the day: the values of a language's PART class.
MORNING, AFTERNOON, NIGHT, SMALL_HOURS, MIDDAY, AM, PM = range(1, 8)

# What numerals look like, by their written shape, and the signs that patterns may name.
SHAPES: Mapping[str, str] = {
    "INT": "㐀",  # one or two digits
    "INTEGER": "㐁",  # three digits
    "YEAR": "㐂",  # four digits
    "CLOCK": "㐃",  # 17:30
    "DOTTED": "㐄",  # 20.30
    "DECIMAL": "㐅",  # 1,5
    "DAYMONTH": "㐆",  # 3/12
    "DAYMONTHYEAR": "㐇",  # 3/12/2026, also with - or .
    "ISO": "㐈",  # 2026-12-03
    "INSTANT": "㐉",  # 2026-12-03T10:00
    "CODE": "㐊",  # any other: a price, a telephone number, a version
    "UNKNOWN": "㐋",  # a word in no pattern
    "COMMA": ",",
    "DOT": ".",
    "DASH": "-",
    "OPEN": "(",
    "CLOSE": ")",
    "AT": "@",
    "DEGREE": "°",
    "COLON": ":",
}

# Every number that is counted or told in words is of one of these classes, in every language.
Classes: TypeAlias = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarWords:
    """One language's words for dates and times."""

    classes: Classes  # by class, its words and the number each stands for
    macros: Mapping[str, str]  # patterns used in patterns, by name
    rules: Mapping[Kind, Sequence[tuple[str, str]]]  # by kind, (meaning, pattern); of equally long ones the first
    before: str  # right before a date or time, leaves it partly understood: "antes de", "no"
    after: str  # right after it: "temprano"
    date_then_time: str  # all that may stand between a date and its time; `partial=` as in `before`
    time_then_date: str
    alternative: str  # between two that are offered together: "o"
    suffixes: frozenset[str]  # written on to digits: "17hs", "3rd"


def in_order(words: str, *, first: int) -> dict[str, int]:
    """Words that count up, from `first` on; several for one number are parted by "|"."""
    return {word: first + at for at, same in enumerate(words.split()) for word in same.split("|")}


def all_of(value: int, words: str) -> dict[str, int]:
    """Words that stand for the same number."""
    return dict.fromkeys(words.split(), value)
