"""Which days of a month or a year a phrase may mean; `days` says what such a rule is."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from itertools import islice

from mew_agents.language.phrases import Phrase
from mew_agents.language.weekdays import Days, coming, spoken_weekday

YEARS = range(1900, 2200)  # that people speak of
_LEAP_CYCLE = 9  # within so many years every day of the calendar comes again


def next_days_of_month(day: int, today: date) -> Days:
    """The next two such days of a month, today among them; months without that day are passed over."""
    months = (_month_after(today, months) for months in range(_LEAP_CYCLE * 12))
    existing = (first.replace(day=day) for first in months if 1 <= day <= _length(first))
    return tuple(islice((found for found in existing if found >= today), 2))


def months_after(today: date, months: int) -> date:
    """The same day so many months on, or that month's last day where it has no such day."""
    first = _month_after(today, months)
    return first.replace(day=min(today.day, _length(first)))


def _month_after(today: date, months: int) -> date:
    """The first of the month so many months on."""
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return date(year, month + 1, 1)


def _length(first: date) -> int:
    return calendar.monthrange(first.year, first.month)[1]


def _last_of_month(today: date, months: int) -> date:
    first = _month_after(today, months)
    return first.replace(day=_length(first))


def _year(phrase: Phrase) -> int | None:
    return _full_year(phrase.number("year")) if phrase.has("year") else None


def _full_year(year: int) -> int:
    """The year that was written, 26 for 2026; `ValueError` for one that nobody means."""
    full = year if year >= 100 else 2_000 + year
    if full not in YEARS:
        raise ValueError(year)
    return full


def _in_year(day: int, month: int, year: int | None, today: date) -> Days:
    """That day of that year; without a year the next such day, today among them. () for one that does not exist."""
    years = range(today.year, today.year + _LEAP_CYCLE) if year is None else range(year, year + 1)
    existing = _existing(day, month, years)
    return tuple(islice((found for found in existing if year is not None or found >= today), 1))


def _existing(day: int, month: int, years: range) -> Iterator[date]:
    for year in years:
        if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
            yield date(year, month, day)


def _day_month(phrase: Phrase, today: date) -> Days:
    return _in_year(phrase.number("day"), phrase.number("month"), _year(phrase), today)


def _last_day_month(phrase: Phrase, today: date) -> Days:
    """The latest such day that is over."""
    existing = _existing(phrase.number("day"), phrase.number("month"), range(today.year, today.year - _LEAP_CYCLE, -1))
    return tuple(islice((day for day in existing if day < today), 1))


def _day_month_of(years: int) -> Callable[[Phrase, date], Days]:
    return lambda phrase, today: _in_year(phrase.number("day"), phrase.number("month"), today.year + years, today)


def _yearly_on(day: int, month: int) -> Callable[[Phrase, date], Days]:
    return lambda _phrase, today: _in_year(day, month, None, today)


def _day_of_month(phrase: Phrase, today: date) -> Days:
    return next_days_of_month(phrase.number("day"), today)[:1]


def _coming_day_of_month(phrase: Phrase, today: date) -> Days:
    return next_days_of_month(phrase.number("day"), today + timedelta(days=1))[:1]


def _day_of(months: int) -> Callable[[Phrase, date], Days]:
    return lambda phrase, today: (_month_after(today, months).replace(day=phrase.number("day")),)


def _month_end(months: int) -> Callable[[Phrase, date], Days]:
    return lambda _phrase, today: (_last_of_month(today, months),)


def _end_of_month(phrase: Phrase, today: date) -> Days:
    month, year = phrase.number("month"), _year(phrase)
    if year is None:
        year = today.year + (month < today.month)
    return (_last_of_month(date(year, month, 1), 0),)


def _nth_weekday(phrase: Phrase, today: date) -> Days:
    """ "El primer lunes de mayo": the next one unless its year is said; without a month, of this one."""
    if not phrase.has("month"):
        return (_nth(phrase, today.replace(day=1)),)
    month, year = phrase.number("month"), _year(phrase)
    if year is not None:
        return (_nth(phrase, date(year, month, 1)),)
    candidates = (_nth(phrase, date(today.year + years, month, 1)) for years in (0, 1))
    return tuple(islice((day for day in candidates if day >= today), 1))


def _nth_weekday_next_month(phrase: Phrase, today: date) -> Days:
    return (_nth(phrase, _month_after(today, 1)),)


def _nth(phrase: Phrase, first: date) -> date:
    """Raises `ValueError` for a fifth one in a month that has four."""
    weekday, nth = spoken_weekday(phrase), phrase.number("nth")
    if nth < 0:
        return coming(weekday, first.replace(day=_length(first)) - timedelta(weeks=1))
    day = coming(weekday, first - timedelta(days=1)) + timedelta(weeks=nth - 1)
    if day.month != first.month:
        raise ValueError(nth)
    return day


def _day_first(phrase: Phrase, today: date) -> Days:
    """3/12 and 3/12/2026 as Spanish and Portuguese have it."""
    day, month, year = _numbers(phrase)
    return _in_year(day, month, year, today)


def _month_first(phrase: Phrase, today: date) -> Days:
    """3/12 in English: the 12th of March to Americans, the 3rd of December to everybody else."""
    first, second, year = _numbers(phrase)
    if (first, second, year) == (24, 7, None):  # around the clock
        return ()
    return tuple(dict.fromkeys(_in_year(second, first, year, today) + _in_year(first, second, year, today)))


def _numbers(phrase: Phrase) -> tuple[int, int, int | None]:
    first, second, *year = (int(part) for part in phrase.text("numbers").replace("-", "/").replace(".", "/").split("/"))
    return first, second, _full_year(year[0]) if year else None


def _iso(phrase: Phrase, today: date) -> Days:
    day = date.fromisoformat(phrase.text("numbers"))
    return _in_year(day.day, day.month, _full_year(day.year), today)


MONTH_DAYS: Mapping[str, Callable[[Phrase, date], Days]] = {
    "nth_weekday": _nth_weekday,
    "nth_weekday_next_month": _nth_weekday_next_month,
    "day_month": _day_month,
    "last_day_month": _last_day_month,
    "day_month_this_year": _day_month_of(0),
    "day_month_next_year": _day_month_of(1),
    "day_month_last_year": _day_month_of(-1),
    "day_of_month": _day_of_month,
    "coming_day_of_month": _coming_day_of_month,
    "day_this_month": _day_of(0),
    "day_next_month": _day_of(1),
    "day_last_month": _day_of(-1),
    "month_end": _month_end(0),
    "next_month_end": _month_end(1),
    "end_of_month": _end_of_month,
    "year_end": _yearly_on(31, 12),
    "christmas": _yearly_on(25, 12),
    "christmas_eve": _yearly_on(24, 12),
    "new_year": _yearly_on(1, 1),
    "day_first": _day_first,
    "month_first": _month_first,
    "iso": _iso,
}
