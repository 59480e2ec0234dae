"""Moments in a text: a date and a time that belong together, in the zone of whoever speaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from mew_agents.language.dates import Day, said_days
from mew_agents.language.doubts import confidence
from mew_agents.language.durations import length
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.local_time import local
from mew_agents.language.phrases import Phrase, Phrases, phrases
from mew_agents.language.times import Hour, hours


@dataclass(frozen=True, slots=True)
class _Pair:
    """A date and the time that belongs to it: `signs[first:last]`."""

    day: Day
    hour: Hour
    partial: bool

    @property
    def first(self) -> int:
        return min(self.day.first, self.hour.first)

    @property
    def last(self) -> int:
        return max(self.day.last, self.hour.last)


def moments(text: str, language: Language, *, now: datetime, past: bool = False) -> list[Found[datetime]]:
    """The moments that `text` speaks of, in its order (docs/language.md, "Dates and times").

    A date with the time beside it, or so long from now ("en dos horas"). Values are aware, in `now`'s zone, which
    should be a `zoneinfo.ZoneInfo`. `past`: moments that are over are spoken of. Raises `ValueError` for a naive `now`.
    """
    if now.tzinfo is None:
        raise ValueError("`now` has no zone.")
    found = phrases(text, language)
    told = hours(found)
    pairs = _pairs(found, said_days(found, told, now.date(), past=past), told)
    values = [(pair.first, _of_pair(found, pair, now, past=past)) for pair in pairs]
    values += [(phrase.first, _alone(found, phrase, now, past=past)) for phrase in found.found]
    return [value for _, value in sorted(values, key=lambda item: item[0]) if value]


def _pairs(found: Phrases, said: list[Day], told: list[Hour]) -> list[_Pair]:
    """Neighbours that belong together, from left to right, each date and each time in one pair at most."""
    items: list[Day | Hour] = sorted([*said, *told], key=lambda item: item.phrase.first)
    pairs: list[_Pair] = []
    lone: list[Day | Hour] = []
    while items:
        pair = _pair(found, items[0], items[1]) if len(items) > 1 else None
        if pair:
            pairs.append(pair)
        else:
            lone.append(items[0])
        items = items[2 if pair else 1 :]
    return [replace(pair, partial=pair.partial or _has_another(found, pair, lone)) for pair in pairs]


def _pair(found: Phrases, one: Day | Hour, other: Day | Hour) -> _Pair | None:
    if isinstance(one, Day) and isinstance(other, Hour):
        day, hour, start = one, other, one.last
        if hour.part and hour.part.kind == "part" and found.beside(day.last, hour.part.first):
            start = hour.part.last  # "mañana por la tarde a las 5"
        words = found.between(found.grammar.date_then_time, min(start, hour.phrase.first), hour.phrase.first)
    elif isinstance(one, Hour) and isinstance(other, Day):
        day, hour = other, one
        words = found.between(found.grammar.time_then_date, hour.phrase.last, day.first)
    else:
        return None
    if not words:
        return None
    return _Pair(day, hour, day.partial or hour.partial or bool(words.groupdict().get("partial")))


def _has_another(found: Phrases, pair: _Pair, lone: list[Day | Hour]) -> bool:
    """Whether a date or time without its other half is offered as well: "el viernes a las 17 o a las 18"."""
    words = found.grammar.alternative
    return any(
        found.between(words, pair.last, item.first) or found.between(words, item.last, pair.first) for item in lone
    )


def _of_pair(found: Phrases, pair: _Pair, now: datetime, *, past: bool) -> Found[datetime] | None:
    """Readings that lie before now give way to those that do not, and are forgotten unless they were the likeliest; if
    the `past` is spoken of, it is the other way round.
    """
    zone = now.tzinfo
    try:
        walls = _walls(pair)
    except OverflowError:
        return None
    if zone is None:
        return None
    readings = [local(wall, zone) for wall in walls]
    ahead = [reading for reading in readings if (reading.value.timestamp() >= now.timestamp()) is not past]
    value, *others = [*ahead, *readings[:1]] if ahead and readings[0] not in ahead else ahead or readings
    alternatives = [other.value for other in others]
    doubts: list[Doubt] = ["ambiguous"] if others else []
    doubts += [value.doubt] if value.doubt else []
    doubts += ["past"] if not past and value.value.timestamp() < now.timestamp() else []
    doubts += ["partial"] if pair.partial else []
    if value.second:
        alternatives.append(value.second)
    return _told(found, pair.first, pair.last, value.value, tuple(alternatives), tuple(doubts))


def _walls(pair: _Pair) -> list[datetime]:
    """What the clock shows by each reading of date and time, the likeliest together first."""
    ranked = sorted(
        (at + later, at, datetime.combine(day, time()) + timedelta(minutes=minute))
        for at, day in enumerate(pair.day.readings)
        for later, minute in enumerate(pair.hour.readings)
    )
    return list(dict.fromkeys(wall for _, _, wall in ranked))


def _alone(found: Phrases, phrase: Phrase, now: datetime, *, past: bool) -> Found[datetime] | None:
    """A moment that needs no date: so long from now, so long ago, or written whole as ISO 8601 has it."""
    try:
        value = _instant(phrase, now) if phrase.kind == "instant" else _off(phrase, now)
    except (OverflowError, ValueError):
        return None
    if value is None:
        return None
    doubts: list[Doubt] = ["past"] if value < now and not past else []
    if found.hedged(phrase.first, phrase.last):
        doubts.append("partial")
    return _told(found, phrase.first, phrase.last, value, (), tuple(doubts))


def _instant(phrase: Phrase, now: datetime) -> datetime:
    written = datetime.fromisoformat(phrase.text("instant").upper())
    return written.astimezone(now.tzinfo) if written.tzinfo else written.replace(tzinfo=now.tzinfo)


def _off(phrase: Phrase, now: datetime) -> datetime | None:
    off = length(phrase) if phrase.kind in ("hence", "ago") else None
    if off is None:
        return None
    moment = (now.astimezone(UTC) + (off if phrase.kind == "hence" else -off)).astimezone(now.tzinfo)
    return moment.replace(microsecond=0) if off.seconds % 60 else moment.replace(second=0, microsecond=0)


def _told(
    found: Phrases,
    first: int,
    last: int,
    value: datetime,
    alternatives: tuple[datetime, ...],
    doubts: tuple[Doubt, ...],
) -> Found[datetime]:
    return Found(value, *found.span(first, last), confidence(doubts), alternatives, doubts)
