"""A day and a time, which may come one after the other: "para el viernes", and in the next message "a las 17"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import product
from typing import Any, TypeAlias, TypeVar

from mew_agents.fluxi.definitions.slots import DatetimeSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.days import (
    bare_days,
    bare_times,
    last_day,
    not_there,
    parsed_date,
    parsed_time,
    plain_time,
    refused_day,
    refused_time,
)
from mew_agents.fluxi.values.kind import Kind, Missing
from mew_agents.fluxi.values.places import token_at
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, reading
from mew_agents.fluxi.values.words import TAILS
from mew_agents.language.dates import dates
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.local_time import local
from mew_agents.language.moments import moments
from mew_agents.language.retractions import replaced
from mew_agents.language.spelling import spelled
from mew_agents.language.times import times

Piece: TypeAlias = datetime | date | time
T = TypeVar("T")


class Datetimes(Kind[DatetimeSlot]):
    """`datetime`: `2026-11-27T17:00:00-03:00`, or a piece of one.

    A piece is `{"date": "2026-11-27"}` or `{"time": "17:00"}`, with `others`, more such texts, when it has several
    readings; these count again when it is completed, so that no doubt is lost on the way. A day has a `part`, from
    and to, if a part of it was said: an hour outside of it is asked about.
    """

    specific = 7

    def readings(
        self,
        slot: DatetimeSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Moments, completed with what the Work holds. Of a day and an hour that stand apart, one moment is made."""
        held, zone = understanding.values.get(slot.path), _zone(understanding)
        whole = [
            reading(item, plain)
            for item in moments(text, understanding.language, now=understanding.now, past=slot.past)
        ]
        days, clocks = _pieces(slot, text, understanding, whole)
        if not whole and days and clocks:
            whole = [self.completed(days.pop(0), clocks[0].value, zone, claims=clocks.pop(0).claims)]
        if not (whole or days or clocks) and attention is Attention.ASKED:
            days, clocks = self._bare(slot, text, understanding, held)
        pieces = [*days, *clocks]
        for piece in [one for one in pieces if whole and _corrects(one, whole[-1], text, understanding.language)]:
            pieces.remove(piece)
            whole[-1] = self.completed(piece, whole[-1].value, zone, claims=whole[-1].claims)
        context = whole[0].value if whole else held
        return [*whole, *(self.completed(piece, context, zone) for piece in pieces)]

    def _bare(
        self, slot: DatetimeSlot, text: str, understanding: Understanding, held: Any
    ) -> tuple[list[Reading], list[Reading]]:
        """A bare number is what is missing; with nothing held it could be either."""
        if held is None:
            return [], []
        if self.missing(held) == "date":
            return [_piece(item) for item in bare_days(text, understanding, past=slot.past)], []
        return [], [_piece(item) for item in bare_times(text, understanding.language)]

    def missing(self, value: Any) -> Missing | None:
        """Of a piece, the other one."""
        if not isinstance(value, dict):
            return None
        return "time" if "date" in value else "date"

    def options(self, value: Any) -> tuple[Any, ...]:
        """A piece and its others."""
        if isinstance(value, dict):
            for name in ("date", "time"):
                if name in value:
                    part = {key: value[key] for key in ("part", "said") if key in value}
                    return tuple({name: text, **part} for text in (value[name], *value.get("others", ())))
        return (value,)

    def packed(self, options: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """Pieces of one kind as one value, what else there is as alternatives."""
        first, rest = options[0], options[1:]
        if not isinstance(first, dict):
            return first, rest
        name = next(iter(first))
        others = [other[name] for other in rest if isinstance(other, dict) and name in other]
        apart = tuple(other for other in rest if not (isinstance(other, dict) and name in other))
        return ({**first, "others": others} if others else first), apart

    def completed(self, reading: Reading, held: Any, zone: tzinfo, *, claims: tuple[Span, ...] = ()) -> Reading:
        """The moment that a piece and what is held make, in all their readings; else the reading as it is."""
        new = [_parsed(option) for option in self.options(reading.value)]
        old = [_parsed(option) for option in self.options(held)]
        made, doubts = _made(new, old, zone)
        if not made:
            return reading
        within = _within(made, held, zone)
        if within:
            made, doubts = within, doubts if len(within) > 1 else tuple(one for one in doubts if one != "ambiguous")
        elif within is not None:
            doubts = (*doubts, "partial")
        kept = [doubt for doubt in reading.doubts if doubt not in ("partial", "ambiguous")]
        said: tuple[Doubt, ...] = tuple(dict.fromkeys((*kept, *doubts)))
        return replace(
            reading,
            value=plain(made[0]),
            alternatives=tuple(plain(other) for other in made[1:]),
            claims=tuple(sorted((*reading.claims, *claims))),
            doubts=said,
            confidence=min(reading.confidence, 0.7) if "ambiguous" in said else reading.confidence,
        )

    def refusal(self, slot: DatetimeSlot, value: Any, understanding: Understanding) -> Refusal | None:
        """Which moments are taken; of a piece, whether there are such days or times."""
        if isinstance(value, dict):
            return self._refused_piece(slot, value, understanding)
        moment = _parsed(value)
        if not isinstance(moment, datetime):
            return not_there(value)
        now, local = understanding.now, moment.astimezone(_zone(understanding))
        if slot.future_only and moment < now:
            return Refusal("past")
        if slot.past and moment > now:
            return Refusal("future")
        if slot.within is not None and moment - now > timedelta(milliseconds=slot.within):
            return Refusal("too_far", {"limit": last_day(now, slot.within).isoformat()})
        return refused_day(slot, local.date(), now) or refused_time(slot, local.time().replace(second=0))

    def _refused_piece(self, slot: DatetimeSlot, value: dict[Any, Any], understanding: Understanding) -> Refusal | None:
        name = "date" if "date" in value else "time"
        others = value.get("others", [])
        if not set(value) <= {name, "others", "part", "said"} or not isinstance(others, list) or not _is_part(value):
            return Refusal("form")
        for option in self.options(value):
            piece = _parsed(option)
            if isinstance(piece, time):
                refused = refused_time(slot, piece)
            elif isinstance(piece, date):
                refused = refused_day(slot, piece, understanding.now)
            else:
                refused = Refusal("form")
            if refused is not None:
                return refused
        return None

    def normal(self, slot: DatetimeSlot, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002
        """A local time without offset, and in one of another zone this zone's; a day or a time alone is a piece."""
        if not isinstance(value, str):
            return value
        piece = parsed_date(value) or parsed_time(value) or _lenient(value)
        if isinstance(piece, datetime):
            zone = _zone(understanding)
            return plain(local(piece, zone).value if piece.tzinfo is None else piece.astimezone(zone))
        return value if piece is None else plain(piece)

    def written(self, slot: DatetimeSlot, value: Any) -> str:  # noqa: ARG002
        """In UTC: `2026-11-27T20:00:00Z`, whatever the zone it was said in."""
        moment = _parsed(value)
        if not isinstance(moment, datetime):
            return str(value)
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def clock_of(value: Any, understanding: Understanding) -> time | None:
    """The hour of a stored time of day or moment, in the zone of the message."""
    moment = _parsed(value)
    if isinstance(moment, datetime):
        return moment.astimezone(_zone(understanding)).time()
    return moment if isinstance(moment, time) else parsed_time(value)


def _lenient(value: str) -> datetime | None:
    try:
        return _sound(datetime.fromisoformat(value).replace(microsecond=0))
    except ValueError:
        return None


def _sound(moment: datetime) -> datetime | None:
    """None for one of the first and the last year, which other zones cannot tell."""
    return moment if date.min.year < moment.year < date.max.year else None


def plain(piece: Piece) -> Any:
    """A moment or a piece of one as JSON."""
    if isinstance(piece, datetime):
        return piece.isoformat(timespec="seconds")
    return {"date": piece.isoformat()} if isinstance(piece, date) else {"time": plain_time(piece)}


def _is_part(value: dict[Any, Any]) -> bool:
    """Whether the part of the day of a piece, if it has one, is two times of day."""
    part = value.get("part", ["00:00", "23:59"])
    return isinstance(part, list) and len(part) == len(("from", "to")) and None not in map(parsed_time, part)


def _within(made: Sequence[datetime], held: Any, zone: tzinfo) -> tuple[datetime, ...] | None:
    """The moments that are in the part of the day that was said with the held day. None: none was said."""
    if not isinstance(held, dict) or "part" not in held:
        return None
    earliest, latest = map(parsed_time, held["part"])
    if earliest is None or latest is None:
        return None
    return tuple(one for one in made if earliest <= one.astimezone(zone).time() <= latest)


def _zone(understanding: Understanding) -> tzinfo:
    return understanding.now.tzinfo or UTC


def _corrects(piece: Reading, moment: Reading, text: str, language: Language) -> bool:
    """Whether a day or a time changes the moment said before it: "Tuesday at nine, no, make it one"."""
    return piece.start >= moment.end and replaced(text, moment.end, piece.start, language)


def _pieces(
    slot: DatetimeSlot, text: str, understanding: Understanding, whole: Sequence[Reading]
) -> tuple[list[Reading], list[Reading]]:
    """The days and the times of day that are in no moment, in the order of the text."""
    spans = [span for item in whole for span in item.claims]
    found = dates(text, understanding.language, now=understanding.now, past=slot.past)
    days = [_led_in(piece, text, understanding.language) for piece in map(_piece, found) if not piece.meets(spans)]
    spans += [span for item in days for span in item.claims]
    clocks = [_piece(item) for item in times(text, understanding.language)]
    return days, [item for item in clocks if not item.meets(spans)]


def _led_in(piece: Reading, text: str, language: Language) -> Reading:
    """With the word that leads to it, without which some days are none: "na sexta", not "sexta consulta"."""
    folded = spelled(text, language)
    place = token_at(folded, piece.start)
    if place == 0 or folded.tokens[place - 1].text not in TAILS[language]:
        return piece
    return replace(piece, claims=((folded.span(place - 1, place - 1)[0], piece.end),))


def _piece(item: Found[date] | Found[time]) -> Reading:
    """A piece with its other readings inside."""
    name = "time" if isinstance(item.value, time) else "date"
    value = plain(item.value)
    if item.alternatives:
        value["others"] = [plain(other)[name] for other in item.alternatives]
    doubts = tuple(doubt for doubt in item.doubts if doubt != "ambiguous" or not item.alternatives)
    return Reading(value, ((item.start, item.end),), item.confidence, (), doubts)


def _parsed(value: Any) -> Piece | None:
    """A moment or one option of a piece from its JSON."""
    if isinstance(value, dict):
        return parsed_date(value["date"]) if "date" in value else parsed_time(value.get("time"))
    try:
        moment = _sound(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None and moment.microsecond == 0 else None


def _made(
    new: Sequence[Piece | None], old: Sequence[Piece | None], zone: tzinfo
) -> tuple[tuple[datetime, ...], tuple[Doubt, ...]]:
    """Every day with every time, the new one's readings first, where one side has the days and the other the times."""
    fresh = {type(piece) for piece in new}
    if fresh == {date}:
        pairs = list(product(_of(new, date), _clocks(old, zone)))
    elif fresh == {time}:
        pairs = [(day, clock) for clock, day in product(_of(new, time), _days(old, zone))]
    else:
        return (), ()
    read = [local(datetime.combine(day, clock), zone) for day, clock in pairs]
    seconds = [one.second for one in read if one.second is not None]
    made = tuple(dict.fromkeys((*(one.value for one in read), *seconds)))
    several: tuple[Doubt, ...] = ("ambiguous",) if len({one.value for one in read}) > 1 else ()
    return made, (*several, *(one.doubt for one in read if one.doubt is not None))


def _of(pieces: Sequence[Piece | None], kind: type[T]) -> Iterator[T]:
    return (piece for piece in pieces if type(piece) is kind)


def _days(pieces: Sequence[Piece | None], zone: tzinfo) -> list[date]:
    return [*_of(pieces, date), *(moment.astimezone(zone).date() for moment in _of(pieces, datetime))]


def _clocks(pieces: Sequence[Piece | None], zone: tzinfo) -> list[time]:
    return [*_of(pieces, time), *(moment.astimezone(zone).time() for moment in _of(pieces, datetime))]
