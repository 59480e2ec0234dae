"""Days and hours that a text names and that there are not: "el 31 de febrero", "the 32nd", "a las 27"."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from mew_agents.language.days import days
from mew_agents.language.found import Found, Language
from mew_agents.language.hours import minutes, own_part
from mew_agents.language.phrases import phrases

_IN_FIGURES: Final = frozenset(("day_first", "month_first"))  # "40/60" is a ratio, if no day was asked for


def impossible_days(text: str, language: Language, *, now: datetime, asked: bool = False) -> list[Found[str]]:
    """The days that a text names and that no calendar has, in its order, in its words. `asked`: for a day."""
    found = phrases(text, language)
    dates = (phrase for phrase in found.found if phrase.kind == "date" and not days(phrase, now.date()))
    spans = [found.span(phrase.first, phrase.last) for phrase in dates if asked or phrase.meaning not in _IN_FIGURES]
    return [Found(text[start:end], start, end) for start, end in spans if text[start:end] != "24/7"]


def impossible_hours(text: str, language: Language) -> list[Found[str]]:
    """The hours that a text names and that no clock shows, in its words."""
    found = phrases(text, language)
    times = (phrase for phrase in found.found if phrase.kind == "time" and not minutes(phrase, own_part(phrase)))
    spans = [found.span(phrase.first, phrase.last) for phrase in times]
    return [Found(text[start:end], start, end) for start, end in spans]
