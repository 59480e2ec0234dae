"""Lengths of time in a text: "una hora y media", "45 min", "two and a half hours"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from mew_agents.language.found import Found, Language
from mew_agents.language.phrases import Phrase, phrases

_HALF_HOUR, _QUARTER, _MINUTE, _HOUR = 1_800, 900, 60, 3_600  # seconds


def durations(text: str, language: Language) -> list[Found[timedelta]]:
    """The lengths of time that `text` speaks of, in its order (docs/language.md, "Dates and times").

    Months and years are none: they are not equally long. "En dos horas" and "hace dos horas" are none either, they
    are moments. "2h" is both an hour of the day and a length, as the asker expects.
    """
    found = phrases(text, language)
    spans = (
        phrase
        for at, phrase in enumerate(found.found)
        if phrase.kind == "duration" or (phrase.kind == "hours" and not found.beside_a_date(at))
    )
    lengths = ((phrase, length(phrase)) for phrase in spans)
    return [Found(value, *found.span(phrase.first, phrase.last)) for phrase, value in lengths if value is not None]


def length(phrase: Phrase) -> timedelta | None:
    """The length that a phrase of kind "duration", "hence", "ago" or "hours" speaks of; None for one out of reach."""
    if phrase.kind == "hours":
        return timedelta(hours=phrase.number("hour"), minutes=phrase.number("min"))
    try:
        return timedelta(seconds=_SECONDS[phrase.meaning](phrase))
    except OverflowError:
        return None


def _span(phrase: Phrase) -> float:
    """ "Dos horas y media", "1 h 30", "2 semanas y 3 días": what comes after is smaller."""
    unit = phrase.number("unit")
    seconds = _amount(phrase, "count") * unit + unit * phrase.number("half") / 60
    return seconds + _amount(phrase, "more", 0) * phrase.number("of") + phrase.number("rest") * unit // 60


def _amount(phrase: Phrase, name: str, default: float = 1) -> float:
    words = phrase.words(name)
    if len(words) == 1 and not words[0].isdigit() and words[0][0].isdigit():
        return float(words[0].replace(",", "."))
    return phrase.number(name) if words else default


_SECONDS: Mapping[str, Callable[[Phrase], float]] = {
    "span": _span,
    "half_hour": lambda _phrase: _HALF_HOUR,
    "quarters": lambda _phrase: _QUARTER,
    "three_quarters": lambda _phrase: 3 * _QUARTER,
}
