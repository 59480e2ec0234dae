"""What a message says beyond the values that were read: nothing that could be a value is dropped in silence.

Words that a slot would take if it were asked for are a guess, which is confirmed before it counts; if several slots
would take them, the person is asked which. A held value that the message takes back is cleared, and so is an hour that
a part of the day contradicts: both are asked for anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import (
    BoolSlot,
    DateSlot,
    DatetimeSlot,
    EnumSlot,
    MoneySlot,
    NumberSlot,
    Slot,
    StringSlot,
    TimeSlot,
)
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.coverage import unexplained
from mew_agents.fluxi.interpreter.introduced import introduced
from mew_agents.fluxi.interpreter.own_words import is_of_another
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.interpreter.unusable import Unusable, near_codes, unusable
from mew_agents.fluxi.values import Attention, Reading, Span
from mew_agents.fluxi.values.answer import is_bare_number
from mew_agents.fluxi.values.days import bare_times, parsed_time
from mew_agents.fluxi.values.several import Several, several
from mew_agents.fluxi.values.units import counts_unknown, is_of_another_thing
from mew_agents.fluxi.values.words import CONJUNCTIONS, TAILS
from mew_agents.language.answers import is_polite, opens_with_no
from mew_agents.language.dates import dates
from mew_agents.language.day_parts import DayPart, day_parts
from mew_agents.language.day_ranges import day_ranges
from mew_agents.language.folding import fold
from mew_agents.language.found import Found, Language
from mew_agents.language.numbers import numbers
from mew_agents.language.retractions import corrective, retracted, retraction
from mew_agents.language.spelling import spelled
from mew_agents.language.times import times

_CONFIDENCE: Final = 0.5
_DOING: Final = frozenset(
    [
        "is",
        "was",
        "are",
        "were",
        "that",
        "which",
        "came",
        "arrived",
        "got",
        "has",
        "es",
        "era",
        "son",
        "que",
        "vino",
        "vinieron",
        "llego",
        "llegaron",
        "esta",
        "e",
        "sao",
        "veio",
        "vieram",
        "chegou",
    ]
)
_NEAR: Final = 60  # characters behind a figure that are looked at
_FEW: Final = 5  # words of a message that is little more than a figure
_ARTICLE: Final = 3  # letters of a number that may be an article: "uno", "one"


@dataclass(frozen=True, slots=True)
class Unclear:
    """Words that several slots would take, and where they stand."""

    words: str
    paths: tuple[str, ...]
    start: int
    end: int


@dataclass(slots=True)
class Remainder:
    """What is left of one message. `cleared`: what a held slot keeps of its value, None for nothing; `unusable`: what
    is said back, and used for nothing; `unplaced`: pieces that nothing explains, said back as well;
    `choices`: two values where one is wanted.
    """

    guesses: list[Candidate] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)
    cleared: dict[str, Any] = field(default_factory=dict)
    unusable: list[Unusable] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    choices: list[Several] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.guesses or self.unclear or self.cleared or self.unusable or self.unplaced or self.choices)


def remainder(
    definition: Definition,
    text: str,
    understanding: Understanding,
    candidates: Sequence[Candidate],
    *,
    wish: Span | None = None,
) -> tuple[tuple[Candidate, ...], Remainder]:
    """The candidates that stand, and what else the message says. `wish`: where it asks for the operation."""
    left = Remainder()
    certain = _certain(definition, text, understanding, candidates)
    certain = _without_contradictions(definition, text, understanding, certain, left)
    used = [(one.start, one.end) for one in certain]
    filled = {one.path for one in certain}
    added = introduced(definition, text, understanding, used, filled, wish=wish)
    if wish is not None:
        used.append(wish)
    left.guesses += [one for one in added if one.guessed]
    certain = (*certain, *(one for one in added if not one.guessed))
    spans = [(one.start, one.end) for one in (*certain, *added)]
    added += (codes := near_codes(definition, text, understanding, spans, filled | {one.path for one in added}))
    left.guesses += codes
    used += [(one.start, one.end) for one in added]
    filled |= {one.path for one in added}
    spans += [(one.start, one.end) for one in codes]
    left.choices += _choices(definition, text, understanding, spans)
    _clear_outside(text, understanding, left)
    used += [(one.start, one.end) for one in left.choices]
    left.unusable += unusable(definition, text, understanding, [*spans, *used], filled)
    _guess(definition, text, understanding, used, filled, left)
    _clear(definition, text, understanding, filled, left)
    left.unplaced += _unplaced(definition, text, understanding, certain, left, wish)
    return certain, left


def _choices(definition: Definition, text: str, understanding: Understanding, used: Sequence[Span]) -> list[Several]:
    """The ranges and choices that no value has."""
    found = several(definition, text, understanding)
    path = next((slot.path for slot in definition.slots if isinstance(slot, DatetimeSlot)), None)
    if path is not None:
        days = [(one.start, one.end) for one in day_ranges(text, understanding.language, now=understanding.now)]
        found = [one for one in found if not meets((one.start, one.end), days)]
        found += [Several(*span, path, (span, span), True) for span in days]
    return [one for one in sorted(found) if not meets((one.start, one.end), used)]


def _unplaced(
    definition: Definition,
    text: str,
    understanding: Understanding,
    certain: Sequence[Candidate],
    left: Remainder,
    wish: Span | None,
) -> list[str]:
    """The words that no value, no question and no refusal has; of several that are unclear, one is asked about."""
    named = [(one.start, one.end) for one in left.unclear[:1]]
    named += [(one.start, one.end) for one in left.unusable]
    named += [(one.start, one.end) for one in left.choices]
    taken = (*certain, *left.guesses)
    if left.cleared or any(isinstance(one.value, Mapping) and "part" in one.value for one in taken):
        parts = day_parts(text, understanding.language)
        named += [(one.start, one.end) for one in parts]
    timed = [slot.path for slot in definition.slots if isinstance(slot, TimeSlot | DatetimeSlot)]
    held = {**understanding.values, **{one.path: one.value for one in taken}}
    clocks = [_clock(held[path], understanding) for path in timed if path in held]
    for part in day_parts(text, understanding.language):
        if any(clock is not None and part.value.holds(clock) for clock in clocks):
            named.append((part.start, part.end))
    found = unexplained(definition, text, understanding, taken, named, wish=wish)
    spans = [retraction(text, one.start, one.end, understanding.language) or (one.start, one.end) for one in found]
    return list(dict.fromkeys(text[start:end] for start, end in spans))


def _certain(
    definition: Definition, text: str, understanding: Understanding, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Without bare figures that nothing ties to their slot, unless it was asked for or the message opens the Work; and
    without those that are said of something else, where the slot holds a value.
    """
    language = understanding.language

    def tied(one: Candidate) -> bool:
        slot = definition.slot(one.path)
        if understanding.within is None:
            return True
        if slot.path in understanding.values and _is_of_other_things(slot, text, one, language):
            return False
        if understanding.asked == slot.path:
            return True
        if isinstance(slot, MoneySlot):
            return bool(values.readings(slot, one.evidence, understanding, closely=Attention.MARKED)) or cued(one, slot)
        if not isinstance(slot, NumberSlot):
            return True
        return values.is_marked(slot, text, one.start, one.end, understanding.language)

    def cued(one: Candidate, slot: Slot) -> bool:
        return values.follows_cue(slot, text, one.start, understanding.language)

    def doubted(one: Candidate) -> bool:
        slot = definition.slot(one.path)
        return understanding.within is not None and _is_of_other_things(slot, text, one, language, asked=True)

    kept = (one for one in candidates if one.path in definition.paths and tied(one))
    return tuple(replace(one, guessed=True) if doubted(one) else one for one in kept)


def _is_of_other_things(
    slot: Slot, text: str, candidate: Candidate, language: Language, *, asked: bool = False
) -> bool:
    """Whether a figure is said of something that its slot does not name: "5 de propina", "3 towels". `asked`: it was
    asked for, so that a noun that nobody knows may be what is counted.
    """
    if not isinstance(slot, NumberSlot | MoneySlot) or values.follows_cue(slot, text, candidate.start, language):
        return False
    if is_of_another_thing(slot, text, candidate.end, language):
        return not (asked and isinstance(slot, MoneySlot))
    return not asked and isinstance(slot, NumberSlot) and counts_unknown(slot, text, candidate.end, language)


def _guess(
    definition: Definition,
    text: str,
    understanding: Understanding,
    used: Sequence[Span],
    filled: Iterable[str],
    left: Remainder,
) -> None:
    """Figures that nobody took: one slot that would take them is a guess, several are asked about."""
    taking = [slot for slot in definition.slots if slot.path not in filled and _takes_figures(slot)]
    if any(slot.path == understanding.asked for slot in taking):
        return  # a figure was asked for: one that was not understood is no other slot's
    open_slots = [slot for slot in taking if slot.required or slot.path in understanding.values]
    used = [*used, *_calendar(text, understanding)]
    by_span: dict[Span, list[tuple[Slot, Candidate]]] = {}
    for slot in open_slots:
        for reading in values.readings(slot, text, understanding, closely=Attention.ASKED):
            if reading.meets(used) or "partial" in reading.doubts:  # 7 % are no 7
                continue
            if is_of_another(definition, slot, text, reading, understanding):
                continue
            if is_of_another_thing(slot, text, reading.end, understanding.language):
                continue
            if _is_bare(text, reading, understanding.language):
                candidate = values.settle(slot, reading.candidate(slot.path, text), understanding)
                if values.refusal(slot, candidate.value, understanding) is None:
                    by_span.setdefault((reading.start, reading.end), []).append((slot, candidate))
    for (start, end), fitting in by_span.items():
        fitting = [(slot, one) for slot, one in fitting if not _is_held_sum(slot, text, understanding)]
        told = {slot.path: candidate for slot, candidate in fitting}
        changed = {path: one for path, one in told.items() if understanding.values.get(path) != one.value}
        if not told:
            continue
        if len(told) > 1:
            left.unclear.append(Unclear(text[start:end], tuple(told), start, end))
        elif changed and all(one.path not in changed for one in left.guesses):
            left.guesses.extend(_guessed(one, understanding) for one in changed.values())


def _is_held_sum(slot: Slot, text: str, understanding: Understanding) -> bool:
    """Whether a bare figure in a longer message would change an amount that is held, and nothing says so."""
    if not isinstance(slot, MoneySlot) or slot.path not in understanding.values or len(text.split()) <= _FEW:
        return False
    language = understanding.language
    tokens = spelled(text, language).tokens
    said = (at for at, token in enumerate(tokens) if token.text not in CONJUNCTIONS[language])
    if opens_with_no(text, language) or any(corrective(tokens, at, language) for at in said):
        return False
    return not any(retracted(text, one.start, one.end, language) for one in numbers(text, language))


def _takes_figures(slot: Slot) -> bool:
    return isinstance(slot, NumberSlot | MoneySlot | DateSlot | TimeSlot | DatetimeSlot)


def _calendar(text: str, understanding: Understanding) -> list[Span]:
    """Where days and hours stand: their figures are no others, unless the message is nothing but a figure."""
    if is_bare_number(text, understanding.language):
        return []
    language = understanding.language
    days = [(one.start, one.end) for one in dates(text, language, now=understanding.now)]
    return days + [(one.start, one.end) for one in times(text, language)]


def _is_bare(text: str, reading: Reading, language: Language) -> bool:
    """Whether a figure counts nothing that stands behind it ("2 cups"), and is not taken back ("5 instead of 2")."""
    if retracted(text, reading.start, reading.end, language):
        return False
    words, preceding = text[reading.start : reading.end], text[: reading.start].split()
    if not any(sign.isdigit() for sign in words) and len(words) <= _ARTICLE:
        return False
    street = len(preceding) > 1 and preceding[-1][:1].isupper() and preceding[-2][-1:] not in ".!?"
    if street and not any(map(str.isdigit, preceding[-1])):
        return False  # a street and its number
    behind = text[reading.end : reading.end + _NEAR]
    following = spelled(behind, language).tokens
    if not following or following[0].kind != "word":
        return True
    if following[0].text in _DOING:
        return False  # "1 is the wrong one"
    return following[0].text in TAILS[language] or is_polite(behind, *_first(behind), language)


def _first(behind: str) -> Span:
    """Where the first word of a text stands."""
    start = len(behind) - len(behind.lstrip())
    return start, start + len(behind.split(maxsplit=1)[0])


def _guessed(candidate: Candidate, understanding: Understanding) -> Candidate:
    """A value to be confirmed; the held one is what else may be meant."""
    held = understanding.values.get(candidate.path)
    others = candidate.alternatives
    if held is not None and held not in others:
        others = (*others, held)
    return replace(candidate, alternatives=others, guessed=True, confidence=_CONFIDENCE)


def _clear(
    definition: Definition, text: str, understanding: Understanding, filled: Iterable[str], left: Remainder
) -> None:
    """Held values that the message takes back without another one."""
    told = {*filled, *(one.path for one in left.guesses)}
    for slot in definition.slots:
        held = understanding.values.get(slot.path)
        if held is None or slot.path in told or slot.path in left.cleared or isinstance(slot, BoolSlot | StringSlot):
            continue
        found = values.readings(slot, text, understanding)
        if any(one.value == held and retracted(text, one.start, one.end, understanding.language) for one in found):
            left.cleared[slot.path] = None


def _clear_outside(text: str, understanding: Understanding, left: Remainder) -> None:
    """The hour that is held, where the message has hours from one to another that it is not in; its day stays."""
    for one in left.choices:
        held = understanding.values.get(one.path)
        clock = _clock(held, understanding)
        words = [text[start:end] for start, end in one.ends]
        language = understanding.language
        ends = [found[0].value for part in words if (found := times(part, language) or bare_times(part, language))]
        if clock is None or not one.ordered or len(ends) != len(words) or min(ends) <= clock <= max(ends):
            continue
        left.cleared[one.path] = _day_of(held, understanding)


def _without_contradictions(
    definition: Definition,
    text: str,
    understanding: Understanding,
    candidates: Sequence[Candidate],
    left: Remainder,
) -> tuple[Candidate, ...]:
    """Without the hour that was held before, where the message names a part of the day that it is not in."""
    words = [(one.start, one.end) for one in candidates if values.is_free(definition.slot(one.path))]
    parts = [
        one
        for one in day_parts(text, understanding.language)
        if not _is_an_option(definition, one.evidence(text))
        and not meets((one.start, one.end), words)
        and not is_polite(text, one.start, one.end, understanding.language)
    ]
    if not parts:
        return tuple(candidates)
    told = {one.path: one for one in candidates}
    for slot in definition.slots:
        if not isinstance(slot, TimeSlot | DatetimeSlot):
            continue
        held, new = understanding.values.get(slot.path), told.get(slot.path)
        if new is not None and isinstance(slot, DatetimeSlot) and values.missing(slot, new.value) == "time":
            told[slot.path] = replace(new, value=_in_part(new.value, parts, text))
            continue
        if isinstance(slot, TimeSlot) and (piece := _part_alone(slot, held, new, parts, text, understanding)):
            told[slot.path] = piece
            continue
        clock = _clock(held, understanding)
        if clock is None or any(part.value.holds(clock) for part in parts):
            continue
        if new is None:
            left.cleared[slot.path] = _in_part(_day_of(held, understanding), parts, text)
        elif _clock(new.value, understanding) == clock and isinstance(slot, DatetimeSlot):
            day = _in_part(_day_of(new.value, understanding), parts, text)
            told[slot.path] = replace(new, value=day, alternatives=(), doubts=(), confidence=_CONFIDENCE)
    return tuple(told.values())


def _part_alone(
    slot: TimeSlot,
    held: Any,
    new: Candidate | None,
    parts: Sequence[Found[DayPart]],
    text: str,
    understanding: Understanding,
) -> Candidate | None:
    """A part of the day as the piece of an hour that is asked for then. None: an hour that fits is there."""
    clock = _clock(held if new is None else new.value, understanding)
    if len(parts) != 1 or (clock is not None and (new is not None or parts[0].value.holds(clock))):
        return None
    start, end = parts[0].start, parts[0].end
    value = _in_part({}, parts, text)
    return Candidate(path=slot.path, value=value, start=start, end=end, evidence=text[start:end], guessed=True)


def _is_an_option(definition: Definition, words: str) -> bool:
    """Whether a part of the day is an option of the definition's own."""
    folded = fold(words).text
    options = (option for slot in definition.slots if isinstance(slot, EnumSlot) for option in slot.options.values())
    return any(fold(word).text == folded for option in options for known in option.values() for word in known)


def _clock(value: Any, understanding: Understanding) -> Any:
    if isinstance(value, Mapping):
        return parsed_time(value.get("time"))
    moment = _moment(value, understanding)
    return parsed_time(value) if moment is None else moment.time()


def _day_of(value: Any, understanding: Understanding) -> Any:
    """The day of a moment, as a piece of one; None of a time of day."""
    moment = _moment(value, understanding)
    return None if moment is None else {"date": moment.date().isoformat()}


def _in_part(day: Any, parts: Sequence[Found[DayPart]], text: str) -> Any:
    """A day with the one part of it that was said, so that its hour can be looked at by it."""
    if day is None or len(parts) != 1:
        return day
    return {**day, "part": [f"{one:%H:%M}" for one in parts[0].value], "said": parts[0].evidence(text)}


def _moment(value: Any, understanding: Understanding) -> datetime | None:
    if not isinstance(value, str) or "T" not in value:
        return None
    return datetime.fromisoformat(value).astimezone(understanding.now.tzinfo)
