"""Which days a phrase means where it speaks of what is over: "Saturday" is the last one, "the 3rd" the last third."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from itertools import islice

from mew_agents.language.days import days
from mew_agents.language.phrases import Phrase
from mew_agents.language.weekdays import Days

_WEEK = timedelta(weeks=1)
_YEARS = 9  # within so many every day of the calendar has been
_MONTHS = 13


def past_days(phrase: Phrase, today: date) -> Days:
    """The days that a phrase may mean, none after today if one before it may be meant; `()` as for `days`."""
    found = days(phrase, today)
    earlier = None if phrase.has("year") else _EARLIER.get(phrase.meaning)
    if earlier is None or not found:
        return found
    moved = (one for day in found for one in islice(earlier(day, today), 1))
    return tuple(dict.fromkeys(moved)) or found


def last_days_of_month(day: int, today: date) -> Days:
    """The last two such days of a month, today among them; months without that day are passed over."""
    return tuple(islice(_days_back(day, today), 2))


def _weeks(day: date, today: date) -> Iterator[date]:
    """The day, so many weeks before that it is over; today's weekday is that of last week."""
    yield day if day < today else day - _WEEK * ((day - today).days // 7 + 1)


def _months(day: date, today: date) -> Iterator[date]:
    """The same day of this month or the last one that had it."""
    return _days_back(day.day, today)


def _days_back(day: int, today: date) -> Iterator[date]:
    for back in range(_MONTHS):
        year, month = divmod(today.year * 12 + today.month - 1 - back, 12)
        try:
            found = date(year, month + 1, day)
        except ValueError:
            continue
        if found <= today:
            yield found


def _years(day: date, today: date) -> Iterator[date]:
    """The same day of this year or the last one that had it."""
    for year in range(today.year, today.year - _YEARS, -1):
        try:
            found = day.replace(year=year)
        except ValueError:
            continue
        if found <= today:
            yield found


_EARLIER: Mapping[str, Callable[[date, date], Iterator[date]]] = {
    **dict.fromkeys(("weekday", "this_weekday", "weekday_this_week", "weekend"), _weeks),
    **dict.fromkeys(("day_of_month", "day_this_month"), _months),
    **dict.fromkeys(
        ("day_month", "day_first", "month_first", "christmas", "christmas_eve", "new_year", "year_end"), _years
    ),
}
