"""Dates in a text: "pasado mañana", "sexta que vem", "the 3rd of December"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from mew_agents.language.days import days
from mew_agents.language.doubts import confidence
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.hours import own_part
from mew_agents.language.month_days import next_days_of_month
from mew_agents.language.past_days import last_days_of_month, past_days
from mew_agents.language.phrases import Phrase, Phrases, phrases
from mew_agents.language.times import Hour, hours
from mew_agents.language.weekdays import NAMED_WEEKDAYS, WEEKDAYS, Days, on_weekday, spoken_weekday


@dataclass(frozen=True, slots=True)
class Day:
    """A date among the phrases of a text: `signs[first:last]`, with a weekday said beside it."""

    phrase: Phrase
    first: int
    last: int
    readings: Days
    partial: bool  # words beside it that are not of its time leave it partly understood


def dates(
    text: str, language: Language, *, now: datetime, used: Sequence[tuple[int, int]] = (), past: bool = False
) -> list[Found[date]]:
    """The dates that `text` speaks of, in its order (docs/language.md, "Dates and times").

    `now` is aware, in the zone of whoever speaks. A part of the day without an hour ("el viernes por la tarde") is
    outside the evidence, and a doubt, unless it is in `used`: stretches that something else was understood from.
    `past`: days that are over are spoken of.
    """
    found = phrases(text, language)
    told = hours(found)
    return [
        _found(found, day, now.date(), past=past) for day in said_days(found, told, now.date(), used=used, past=past)
    ]


def _found(found: Phrases, day: Day, today: date, *, past: bool) -> Found[date]:
    value, *others = day.readings
    doubts: list[Doubt] = ["ambiguous"] if others else []
    doubts += ["past"] if value < today and not past else []
    doubts += ["partial"] if day.partial else []
    return Found(value, *found.span(day.first, day.last), confidence(doubts), tuple(others), tuple(doubts))


def said_days(
    found: Phrases, told: list[Hour], today: date, *, used: Sequence[tuple[int, int]] = (), past: bool = False
) -> list[Day]:
    """Every date among the phrases of a text; `told` are its times, whose parts of the day are no doubt.

    Nor are those in `used`.
    """
    said: list[Day] = []
    for at, phrase in enumerate(found.found):
        if phrase.kind != "date":
            continue
        partial = (
            phrase.has("partial") or found.hedged(phrase.first, phrase.last) or _has_lone_part(found, at, told, used)
        )
        readings = past_days(phrase, today) if past else days(phrase, today)
        day = Day(phrase, phrase.first, phrase.last, readings, partial)
        merged = _merged(found, said[-1], day, today, past=past) if said else None
        said[-1 if merged else len(said) :] = [merged or day]
    return [day for day in said if day.readings]


def _has_lone_part(found: Phrases, at: int, told: list[Hour], used: Sequence[tuple[int, int]]) -> bool:
    """Whether a part of the day is said with the date, no hour in it, and nothing else was understood from it."""
    phrase, before, after = found.found[at], found.at(at - 1), found.at(at + 1)
    parts = [phrase] if own_part(phrase) else []
    if before and before.kind == "part" and found.between(found.grammar.time_then_date, before.last, phrase.first):
        parts.append(before)
    if after and after.kind == "part" and found.beside(phrase.last, after.first):
        parts.append(after)
    lone = [part for part in parts if all(hour.part is not part for hour in told)]
    return any(not _is_used(found.span(part.first, part.last), used) for part in lone)


def _is_used(span: tuple[int, int], used: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in used)


def _merged(found: Phrases, before: Day, day: Day, today: date, *, past: bool) -> Day | None:
    """A weekday and the date beside it, as one: "viernes 3 de diciembre", "December 3rd, Friday"."""
    if not found.beside(before.last, day.first) and found.letters[before.last : day.first] != "(":
        return None
    weekday, other = (before, day) if before.phrase.meaning in NAMED_WEEKDAYS else (day, before)
    if weekday.phrase.meaning not in NAMED_WEEKDAYS or other.phrase.meaning in WEEKDAYS:
        return None
    said = other.readings
    if other.phrase.meaning == "day_of_month":
        number = other.phrase.number("day")
        said = last_days_of_month(number, today) if past else next_days_of_month(number, today)
    readings = on_weekday(spoken_weekday(weekday.phrase), said) if said else ()
    return Day(other.phrase, before.first, day.last, readings, before.partial or day.partial)
