"""Times of day in a text: "a las 5 de la tarde", "17h30", "half past five"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

from mew_agents.language.doubts import confidence
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.hours import DAY, Minutes, minutes, own_part
from mew_agents.language.phrases import Phrase, Phrases, phrases


@dataclass(frozen=True, slots=True)
class Hour:
    """A time of day among the phrases of a text: `signs[first:last]`, with the part of the day said apart from it."""

    phrase: Phrase
    first: int
    last: int
    readings: Minutes
    partial: bool
    part: Phrase | None = None


def times(text: str, language: Language) -> list[Found[time]]:
    """The times of day that `text` speaks of, in its order (docs/language.md, "Dates and times").

    An hour from 1 to 12 without a part of the day is ambiguous: the value is the one that offices are open at.
    """
    found = phrases(text, language)
    return [_found(found, hour) for hour in hours(found)]


def _found(found: Phrases, hour: Hour) -> Found[time]:
    value, *others = dict.fromkeys(time(*divmod(minute % DAY, 60)) for minute in hour.readings)
    doubts: list[Doubt] = ["ambiguous"] if others else []
    doubts += ["partial"] if hour.partial else []
    return Found(value, *found.span(hour.first, hour.last), confidence(doubts), tuple(others), tuple(doubts))


def hours(found: Phrases) -> list[Hour]:
    """Every time of day among the phrases of a text, with the part of the day that belongs to it."""
    return [hour for at in range(len(found.found)) if (hour := _hour(found, at))]


def _hour(found: Phrases, at: int) -> Hour | None:
    phrase = found.found[at]
    if phrase.kind not in ("time", "hours") or not _stands_for_a_time(found, at):
        return None
    part = None if own_part(phrase) else _part_before(found, at) or _part_after(found, at)
    readings = minutes(phrase, own_part(part) if part else None)
    first, last = min(phrase.first, part.first if part else phrase.first), max(phrase.last, part.last if part else 0)
    partial = phrase.has("partial") or found.hedged(first, last)
    return Hour(phrase, first, last, readings, partial, part) if readings else None


def _part_before(found: Phrases, at: int) -> Phrase | None:
    """ "Por la tarde" of "por la tarde a las 5" and of "por la tarde del viernes a las 5", or "esta tarde"."""
    phrase, before, part = found.found[at], found.at(at - 1), found.at(at - 2)
    if before is None or not found.between(found.grammar.date_then_time, before.last, phrase.first):
        return None
    if before.kind in ("part", "date") and own_part(before):
        return before
    if part is None or before.kind != "date" or part.kind != "part":
        return None
    return part if found.between(found.grammar.time_then_date, part.last, before.first) else None


def _part_after(found: Phrases, at: int) -> Phrase | None:
    """ "Por la tarde" of "a las 5 del viernes por la tarde", "tonight" of "at 9 tonight"."""
    phrase, date, part = found.found[at], found.at(at + 1), found.at(at + 2)
    if date is None or date.kind != "date":
        return None
    if not found.between(found.grammar.time_then_date, phrase.last, date.first):
        return None
    if own_part(date):
        return date
    return part if part and part.kind == "part" and found.beside(date.last, part.first) else None


def _stands_for_a_time(found: Phrases, at: int) -> bool:
    """20.30 is a price too, "2 horas" a length: a time when it is all there is, or has a date beside it."""
    phrase = found.found[at]
    if phrase.meaning == "late_hour":
        return phrase.number("hour") > 12 or found.beside_a_date(at)
    if phrase.meaning != "lone_clock":
        return True
    around = found.letters[: phrase.first] + found.letters[phrase.last :]
    return found.beside_a_date(at) or not any(letter.isalnum() for letter in around)
