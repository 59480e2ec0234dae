"""Parts of the day that a message names without an hour: "no, saturday morning", "thursday morning".

A part takes an hour back that is outside of it: the hour is asked for again. It is remembered by the words of the
person: a bare "4" after "thursday morning" is not 16:00.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DatetimeSlot, EnumSlot, TimeSlot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.language.answers import is_polite
from mew_agents.language.day_parts import DayPart, day_parts
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.times import times


def taken_back(
    definition: Definition, text: str, standing: Standing, language: Language, found: Mapping[str, Candidate]
) -> list[str]:
    """The slots whose hour is outside of the part of the day that a message names, and that it gives no other hour."""
    parts = _parts(definition, text, language)
    if not parts:
        return []
    slots = (slot.path for slot in definition.slots if isinstance(slot, TimeSlot))
    held = ((path, _clock(standing.values.get(path))) for path in slots)
    return [
        path
        for path, clock in held
        if clock is not None and path not in found and not any(part.holds(clock) for part in parts)
    ]


def within(
    definition: Definition, text: str, standing: Standing, language: Language, candidate: Candidate
) -> Candidate:
    """A candidate for an hour, in the part of the day that was named with it or before; of a moment, without the hour
    that was held, if that is outside of the part.
    """
    slot = definition.slot(candidate.path)
    if isinstance(slot, DatetimeSlot):
        return _day_alone(definition, text, standing, language, candidate)
    clock = _clock(candidate.value)
    if not isinstance(slot, TimeSlot) or clock is None or _names_its_part(text, candidate, language):
        return candidate
    parts = _parts(definition, text, language)
    parts = parts or _remembered(definition, text, standing)
    if not parts or any(part.holds(clock) for part in parts):
        return candidate
    exact = _said_exactly(text, candidate, language)
    fitting = [one for one in _readings(clock) if not exact and any(part.holds(one) for part in parts)]
    if not fitting:  # the hour contradicts the part: which of them is meant is asked
        return replace(candidate, checked=False)
    others = tuple(one for one in candidate.alternatives if one != fitting[0].strftime("%H:%M"))
    doubts = tuple(one for one in candidate.doubts if one != "ambiguous")
    return replace(candidate, value=fitting[0].strftime("%H:%M"), alternatives=others, doubts=doubts)


def _day_alone(
    definition: Definition, text: str, standing: Standing, language: Language, candidate: Candidate
) -> Candidate:
    held, new = _clock(standing.values.get(candidate.path)), _clock(candidate.value)
    if held is None or held != new:
        return candidate
    parts = _parts(definition, text, language)
    if not parts or any(part.holds(new) for part in parts):
        return candidate
    day = {"date": str(candidate.value)[:10]}
    return replace(candidate, value=day, alternatives=(), doubts=(), checked=False)


def _parts(definition: Definition, text: str, language: Language) -> list[DayPart]:
    """Those of a message that are no greeting and no option of the flow."""
    options = {
        fold(word).text
        for slot in definition.slots
        if isinstance(slot, EnumSlot)
        for option in slot.options.values()
        for known in option.values()
        for word in known
    }

    def meant(one: Found[DayPart]) -> bool:
        return fold(one.evidence(text)).text not in options and not is_polite(text, one.start, one.end, language)

    return [one.value for one in day_parts(text, language) if meant(one)]


def _remembered(definition: Definition, text: str, standing: Standing) -> list[DayPart]:
    """The part of the day that the person has named last, if they have said no hour since."""
    for line in _lines(text, standing):
        for language in LANGUAGES:
            parts = _parts(definition, line, language)
            if parts:
                return parts
            if any(times(line, language)):
                return []
    return []


def _lines(text: str, standing: Standing) -> Iterator[str]:
    """What the person has said before, the last first."""
    said = [line for who, line in standing.history if who == "person"]
    if said and said[-1] == text:
        said.pop()
    yield from reversed(said)


def _names_its_part(text: str, candidate: Candidate, language: Language) -> bool:
    """Whether an hour was said with its part of the day: "9 de la noche", "4 pm"."""
    words = text[candidate.start : candidate.end]
    found = times(words, language)
    return bool(found) and not found[0].alternatives and any(sign.isalpha() for sign in _tail(words))


def _tail(words: str) -> str:
    """What stands behind the last figure of an hour."""
    return words[max((at for at, sign in enumerate(words) if sign.isdigit()), default=0) + 1 :]


def _said_exactly(text: str, candidate: Candidate, language: Language) -> bool:
    """Whether an hour was said with its part of the day, or as one of 24: "4 pm", "16:00"."""
    words = text[candidate.start : candidate.end]
    hours = [int(token.text) for token in fold(words).tokens if token.kind == "digits"]
    if any(hour > _HALF_DAY or hour == 0 for hour in hours[:1]):
        return True
    found = times(words, language)
    return bool(found) and not found[0].alternatives


def _readings(clock: time) -> list[time]:
    """The hour of the other half of the day."""
    return [clock.replace(hour=(clock.hour + _HALF_DAY) % 24)]


def _clock(value: Any) -> time | None:
    """The hour of a time or a moment."""
    if not isinstance(value, str):
        return None
    try:
        return time.fromisoformat(value) if len(value) <= len("17:00:00") else datetime.fromisoformat(value).time()
    except ValueError:
        return None


_HALF_DAY = 12
