"""Which days a phrase with a weekday may mean; `days` says what such a rule is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import TypeAlias

from mew_agents.language.phrases import Phrase

Days: TypeAlias = tuple[date, ...]  # readings, likeliest first

_WEEK = timedelta(weeks=1)
_SATURDAY, _SUNDAY = 5, 6


def coming(weekday: int, today: date) -> date:
    """The first such weekday (0 is Monday) after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def spoken_weekday(phrase: Phrase) -> int:
    """0 is Monday. Portuguese may number them, from Sunday on: "2ª-feira"."""
    return (phrase.number("numbered") - 2) % 7 if phrase.has("numbered") else phrase.number("weekday")


def on_weekday(weekday: int, said: Days) -> Days:
    """Days as said together with a weekday: the one of that weekday; else the first, and the weekday nearest to it."""
    matching = tuple(day for day in said if day.weekday() == weekday)
    if matching:
        return matching[:1]
    nearest = said[0] + timedelta(days=(weekday - said[0].weekday() + 3) % 7 - 3)
    return said[0], nearest


def _bare(phrase: Phrase, today: date) -> Days:
    """ "Friday": the next one; said on a Friday, that or today."""
    weekday = spoken_weekday(phrase)
    return (coming(weekday, today), today)[: 2 if today.weekday() == weekday else 1]


def _this(phrase: Phrase, today: date) -> Days:
    return (coming(spoken_weekday(phrase), today - timedelta(days=1)),)


def _coming(phrase: Phrase, today: date) -> Days:
    return (coming(spoken_weekday(phrase), today),)


def _next(phrase: Phrase, today: date) -> Days:
    """English "next Friday": next week's, or the coming one where that is another."""
    return tuple(dict.fromkeys((*_of_week(1)(phrase, today), coming(spoken_weekday(phrase), today))))


def _of_week(weeks: int) -> Callable[[Phrase, date], Days]:
    """Of the week so many weeks on; weeks begin on Monday."""
    return lambda phrase, today: (today + weeks * _WEEK + timedelta(days=spoken_weekday(phrase) - today.weekday()),)


def _last(phrase: Phrase, today: date) -> Days:
    return (coming(spoken_weekday(phrase), today - _WEEK - timedelta(days=1)),)


def _a_week_after(phrase: Phrase, today: date) -> Days:
    return tuple(day + _WEEK for day in _bare(phrase, today))


def _days_after(phrase: Phrase, today: date) -> Days:
    later = timedelta(days=phrase.number("count") * phrase.number("unit"))
    return tuple(day + later for day in _bare(phrase, today))


def _weekend(_phrase: Phrase, today: date) -> Days:
    """Saturday or Sunday; said on a Sunday, that or the next Saturday."""
    saturday = today + timedelta(days=_SATURDAY - today.weekday())
    return (today, saturday + _WEEK) if today.weekday() == _SUNDAY else (saturday, saturday + timedelta(days=1))


def _next_weekend(_phrase: Phrase, today: date) -> Days:
    """The coming one, or the one after it."""
    saturday = coming(_SATURDAY, today)
    coming_one = saturday, saturday + timedelta(days=1)
    return (*coming_one, *(day + _WEEK for day in coming_one)) if today.weekday() < _SATURDAY else coming_one


# What may be said beside a date that says which one it is: "este viernes 13".
NAMED_WEEKDAYS = frozenset({"weekday", "this_weekday", "coming_weekday", "next_weekday"})

WEEKDAYS: Mapping[str, Callable[[Phrase, date], Days]] = {
    "weekday": _bare,
    "this_weekday": _this,
    "coming_weekday": _coming,
    "next_weekday": _next,
    "weekday_next_week": _of_week(1),
    "weekday_this_week": _of_week(0),
    "last_weekday": _last,
    "week_after_weekday": _a_week_after,
    "weeks_after_weekday": _days_after,
    "weekend": _weekend,
    "next_weekend": _next_weekend,
}
