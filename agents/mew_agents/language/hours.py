"""Which minutes of the day a phrase may mean.

They are counted from the midnight that the day begins with: 17:30 is 1050. Beyond 1439 they belong to the night after
the day: midnight on Friday may be the end of Friday.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mew_agents.language.calendar_words.vocabulary import AFTERNOON, AM, MIDDAY, MORNING, NIGHT, PM, SMALL_HOURS
from mew_agents.language.phrases import Phrase

Minutes: TypeAlias = tuple[int, ...]  # readings, likeliest first

DAY = 24 * 60
_AFTERNOON_HOURS = range(1, 8)  # "a las 5" in an office is 17:00, "a las 8" is 8:00


def minutes(phrase: Phrase, part: int | None) -> Minutes:
    """The minutes of the day of a phrase of kind "time" or "hours", () for none.

    `part` is the part of the day said beside it, which one within it goes before.
    """
    return _MEANINGS[phrase.meaning](phrase, own_part(phrase) or part)


def own_part(phrase: Phrase) -> int | None:
    """The part of the day in the phrase itself."""
    return phrase.number("part") or phrase.number("half") or None


def _of_hour(phrase: Phrase, part: int | None) -> Minutes:
    said = phrase.text("hour")
    return _told(phrase.number("hour"), phrase.number("min") - phrase.number("less"), said.startswith("0"), part)


def _of_clock(phrase: Phrase, part: int | None) -> Minutes:
    hour, minute, *_ = phrase.text("clock").replace(".", ":").split(":")
    return _told(int(hour), int(minute), len(hour) == 2 and hour < "10", part)


def _told(hour: int, minute: int, padded: bool, part: int | None) -> Minutes:
    """`padded` is an hour written with a zero before it, which nobody does in the afternoon."""
    if not -60 < minute < 60 or hour > 24 or (hour == 24 and minute):
        return ()
    of_day = _hours(hour, padded) if part is None else _hours_in_part(hour, part)
    return tuple(60 * hour + minute for hour in of_day if 60 * hour + minute >= 0)


def _hours(hour: int, padded: bool) -> Minutes:
    if hour == 12:
        return 12, 24
    if padded or hour == 0 or hour > 12:
        return (hour,)
    return (hour + 12, hour) if hour in _AFTERNOON_HOURS else (hour, hour + 12)


def _hours_in_part(hour: int, part: int) -> Minutes:
    """The hours of the day that an hour said with a part of the day may be, () where they contradict each other."""
    spoken = hour - 12 if hour > 12 else hour  # "15 de la tarde"
    candidates = _PARTS[part](spoken)
    return candidates if hour <= 12 else tuple(found for found in candidates if found == hour)


def _in_night(hour: int) -> Minutes:
    """After midnight the day before is still the one that is spoken of, or no longer."""
    return (24 + hour % 12, hour % 12) if hour in (0, 1, 2, 3, 4, 12) else (hour + 12,)


_PARTS: Mapping[int, Callable[[int], Minutes]] = {
    MORNING: lambda hour: (12, 0) if hour == 12 else (hour,) if hour else (),
    AFTERNOON: lambda hour: (hour % 12 + 12,) if hour else (),
    NIGHT: _in_night,
    SMALL_HOURS: lambda hour: (0, 24) if hour == 12 else (hour,) if hour <= 6 else (),
    MIDDAY: lambda hour: (hour,) if hour in (11, 12) else (hour + 12,) if 1 <= hour <= 3 else (),
    AM: lambda hour: (0, 24) if hour == 12 else (hour,),
    PM: lambda hour: (hour % 12 + 12,) if hour else (),
}

_MEANINGS: Mapping[str, Callable[[Phrase, int | None], Minutes]] = {
    "hour": _of_hour,
    "late_hour": _of_hour,
    "clock": _of_clock,
    "lone_clock": _of_clock,
    "noon": lambda phrase, _part: (DAY // 2 + phrase.number("min"),),
    "midnight": lambda phrase, _part: (DAY + phrase.number("min"), phrase.number("min")),
}
