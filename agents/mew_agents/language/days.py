"""Which days a phrase may mean: a rule of the calendar for each meaning, the same in every language.

A rule takes the phrase and today, and gives the readings, likeliest first: none for a day that does not exist. It may
raise `ValueError` or `OverflowError` for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from mew_agents.language.month_days import MONTH_DAYS, YEARS, months_after
from mew_agents.language.phrases import Phrase
from mew_agents.language.weekdays import WEEKDAYS, Days

_WITH_TODAY = (8, 15)  # es "en ocho días", pt "daqui a quinze dias": today is counted, it is a week or two


def days(phrase: Phrase, today: date) -> Days:
    """The days that a phrase of kind "date" may mean; () for one that does not exist or lies too far off."""
    try:
        found = _DAYS[phrase.meaning](phrase, today)
    except (OverflowError, ValueError):
        return ()
    return tuple(day for day in found if day.year in YEARS)


def _days_off(phrase: Phrase) -> timedelta:
    return timedelta(days=phrase.number("count") * phrase.number("unit"))


def _months_off(phrase: Phrase) -> int:
    return phrase.number("count") * phrase.number("unit")


def _about_days(phrase: Phrase, today: date) -> Days:
    """ "En ocho días": eight, or the week that it is short for."""
    exactly = today + timedelta(days=phrase.number("count"))
    return (exactly, exactly - timedelta(days=1))[: 2 if phrase.number("count") in _WITH_TODAY else 1]


def _counted_days(phrase: Phrase, today: date) -> Days:
    """ "De hoy en ocho": a week."""
    count = phrase.number("count")
    return (today + timedelta(days=count - (count in _WITH_TODAY)),)


_DAYS: Mapping[str, Callable[[Phrase, date], Days]] = {
    "day": lambda phrase, today: (today + timedelta(days=phrase.number("days")),),
    "this_part": lambda _phrase, today: (today,),
    "days": lambda phrase, today: (today + _days_off(phrase),),
    "about_days": _about_days,
    "counted_days": _counted_days,
    "days_ago": lambda phrase, today: (today - _days_off(phrase),),
    "days_after_day": lambda phrase, today: (today + _days_off(phrase) + timedelta(days=phrase.number("days")),),
    "months": lambda phrase, today: (months_after(today, _months_off(phrase)),),
    "months_ago": lambda phrase, today: (months_after(today, -_months_off(phrase)),),
    **WEEKDAYS,
    **MONTH_DAYS,
}
