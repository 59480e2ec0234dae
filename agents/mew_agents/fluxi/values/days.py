"""Days, times of day and lengths of time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from mew_agents.fluxi.definitions.slots import DateSlot, DatetimeSlot, DurationSlot, TimeSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.kind import Kind, Missing
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, reading
from mew_agents.fluxi.values.words import DAY, HOUR
from mew_agents.language.dates import dates
from mew_agents.language.durations import durations
from mew_agents.language.found import Found, Language
from mew_agents.language.times import times
from mew_gateway.documents.durations import milliseconds

_LONGEST = 2**53
_MILLISECOND = timedelta(milliseconds=1)
_WORD = re.compile(r"\S+")
_OF_AN_HOUR = 3  # words of an hour and its minutes
_LONGEST_BARE = 12
T = TypeVar("T")


class Dates(Kind[DateSlot]):
    """`date`: `2026-11-27`."""

    specific = 7

    def readings(
        self,
        slot: DateSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),
    ) -> Iterable[Reading]:
        """Days; asked for one, a bare number is a day of the month."""
        found = dates(text, understanding.language, now=understanding.now, used=taken, past=slot.past)
        if found or attention is not Attention.ASKED:
            return [reading(item, date.isoformat) for item in found]
        return [reading(item, date.isoformat) for item in bare_days(text, understanding, past=slot.past)]

    def refusal(self, slot: DateSlot, value: Any, understanding: Understanding) -> Refusal | None:
        """Which days are taken."""
        day = parsed_date(value)
        return not_there(value) if day is None else refused_day(slot, day, understanding.now)


class Times(Kind[TimeSlot]):
    """`time`: `17:00`."""

    specific = 7

    def readings(
        self,
        slot: TimeSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Times of day; asked for one, a bare number is an hour. Of a part of the day that was said, those in it."""
        found = times(text, understanding.language)
        if not found and attention is Attention.ASKED:
            found = bare_times(text, understanding.language)
        held = understanding.values.get(slot.path)
        return [_in_held_part(slot, reading(item, plain_time), held) for item in found]

    def missing(self, value: Any) -> Missing | None:
        """Of a part of the day, the hour."""
        return "time" if isinstance(value, dict) else None

    def normal(self, slot: TimeSlot, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002
        """`17:00:00` as well."""
        return value[:5] if isinstance(value, str) and parsed_time(value[:5]) and value[5:] == ":00" else value

    def refusal(self, slot: TimeSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """Which times of day are taken."""
        if isinstance(value, dict):
            return None if set(value) <= {"part", "said"} and part_of(value) is not None else Refusal("form")
        clock = parsed_time(value)
        return not_there(value) if clock is None else refused_time(slot, clock)


class Durations(Kind[DurationSlot]):
    """`duration`: whole milliseconds."""

    specific = 6

    def readings(
        self,
        slot: DurationSlot,  # noqa: ARG002
        text: str,
        understanding: Understanding,
        attention: Attention,  # noqa: ARG002
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Lengths of time."""
        found = durations(text, understanding.language)
        return [reading(item, _milliseconds) for item in found if _milliseconds(item.value) <= _LONGEST]

    def normal(self, slot: DurationSlot, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002
        """`30m` as well."""
        try:
            return milliseconds(value) if isinstance(value, str) else value
        except ValueError:
            return value

    def refusal(self, slot: DurationSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """Its bounds, in milliseconds."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LONGEST:
            return Refusal("form")
        if slot.min is not None and value < slot.min:
            return Refusal("too_small", {"limit": slot.min})
        if slot.max is not None and value > slot.max:
            return Refusal("too_big", {"limit": slot.max})
        return None


def _milliseconds(length: timedelta) -> int:
    return length // _MILLISECOND


def part_of(held: Any) -> tuple[time, time] | None:
    """From when to when the part of the day lasts that a piece holds. None: it holds none."""
    part = held.get("part") if isinstance(held, dict) else None
    if not isinstance(part, list) or len(part) != len(("from", "to")):
        return None
    earliest, latest = map(parsed_time, part)
    return None if earliest is None or latest is None else (earliest, latest)


def contradicts_part(held: Any, clock: time) -> bool:
    """Whether an hour is not in the part of the day that a piece holds."""
    part = part_of(held)
    return part is not None and not part[0] <= clock <= part[1]


def _in_held_part(slot: TimeSlot, found: Reading, held: Any) -> Reading:
    """An hour in the readings that are in the part of the day that was said; if none is, in all of them."""
    hours = [(one, clock) for one in (found.value, *found.alternatives) if (clock := parsed_time(one)) is not None]
    taken = [(one, clock) for one, clock in hours if refused_time(slot, clock) is None]
    within = [one for one, clock in taken if not contradicts_part(held, clock)]
    if part_of(held) is None or not within:
        return found
    doubts = found.doubts if len(within) > 1 else tuple(one for one in found.doubts if one != "ambiguous")
    return replace(found, value=within[0], alternatives=tuple(within[1:]), doubts=doubts)


def plain_time(clock: time) -> str:
    """`17:00`"""
    return clock.isoformat("minutes")


def parsed_date(value: Any) -> date | None:
    """A day from its JSON. None: it has not the shape."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return day if day is not None and day.isoformat() == value else None


def parsed_time(value: Any) -> time | None:
    """A time of day from its JSON. None: it has not the shape."""
    try:
        clock = time.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return clock if clock is not None and plain_time(clock) == value else None


def not_there(value: Any) -> Refusal:
    """Why something is no day and no hour: people's words that no calendar and no clock has, or another shape."""
    return Refusal("no_such" if isinstance(value, str) and " " in value.strip() else "form")


def refused_day(slot: DateSlot | DatetimeSlot, day: date, now: datetime) -> Refusal | None:
    """Why a day is not taken, whatever the hour."""
    if slot.future_only and day < now.date():
        return Refusal("past")
    if slot.past and day > now.date():
        return Refusal("future")
    if slot.within is not None and (latest := last_day(now, slot.within)) < day:
        return Refusal("too_far", {"limit": latest.isoformat()})
    if slot.weekdays is not None and day.weekday() not in slot.weekdays:
        return Refusal("weekday", {"days": list(slot.weekdays)})
    return None


def refused_time(slot: TimeSlot | DatetimeSlot, clock: time) -> Refusal | None:
    """Why a time of day is not taken, whatever the day."""
    early = slot.earliest is not None and clock < slot.earliest
    late = slot.latest is not None and clock > slot.latest
    if not early and not late:
        return None
    bounds = {"earliest": slot.earliest, "latest": slot.latest}
    return Refusal("hours", {name: plain_time(bound) for name, bound in bounds.items() if bound is not None})


def last_day(now: datetime, within: int) -> date:
    """The day that is `within` milliseconds from now, or the last there is."""
    try:
        return (now + timedelta(milliseconds=within)).date()
    except OverflowError:
        return date.max


def bare_times(text: str, language: Language) -> list[Found[time]]:
    """The answer to a question for a time of day: "17", "cinco y media"."""
    found = _bare(text, language, HOUR[language], lambda asked: times(asked, language))
    return found or _closing(text, language)


def _closing(text: str, language: Language) -> list[Found[time]]:
    """The hour and its minutes, in words, that a longer answer ends with: "sorry, yes, it can be ten and a half"."""
    kept = core(text, language)
    starts = [] if kept is None else [one.start() for one in _WORD.finditer(text, *kept)]
    if kept is None or len(starts) <= _OF_AN_HOUR:
        return []
    words, said = text[starts[-_OF_AN_HOUR] : kept[1]], HOUR[language]
    found = times(said + words, language)
    if len(found) != 1 or found[0].end < len(said) + len(words):
        return []
    item, start = found[0], starts[-_OF_AN_HOUR]
    return [Found(item.value, start, kept[1], item.confidence, item.alternatives, item.doubts)]


def bare_days(text: str, understanding: Understanding, *, past: bool = False) -> list[Found[date]]:
    """The answer to a question for a day: "17" is the next seventeenth, of `past` days the last one."""
    language, now = understanding.language, understanding.now
    return _bare(text, language, DAY[language], lambda asked: dates(asked, language, now=now, past=past))


def _bare(text: str, language: Language, before: str, read: Callable[[str], list[Found[T]]]) -> list[Found[T]]:
    """What the words are read as behind those that would usually be said before them, if that uses all of them."""
    kept = core(text, language)
    if kept is None:
        return []
    answer = text[kept[0] : kept[1]]
    if len(answer.split()) > _LONGEST_BARE:
        return []
    found = read(before + answer)
    if len(found) != 1 or found[0].end < len(before) + len(answer):
        return []
    item = found[0]
    return [Found(item.value, kept[0], kept[1], item.confidence, item.alternatives, item.doubts)]
