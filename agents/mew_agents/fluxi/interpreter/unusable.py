"""What a message says for a slot and the slot cannot take: a day that there is not, a name that no list has, a code in
another form. It is said back with the reason. So are lengths of time where nothing asks for one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import DateSlot, DatetimeSlot, DurationSlot, RefSlot, Slot, StringSlot, TimeSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.codes import mended, misshapen
from mew_agents.fluxi.values.places import token_at
from mew_agents.fluxi.values.words import LASTING, NIGHTS, TAILS, WITH
from mew_agents.language.dates import dates
from mew_agents.language.durations import durations
from mew_agents.language.folding import Token, fold
from mew_agents.language.found import Language
from mew_agents.language.impossible_days import impossible_days, impossible_hours
from mew_agents.language.naming import NAMINGS
from mew_agents.language.numbers import numbers
from mew_agents.language.times import times

_CONFIDENCE: Final = 0.5
_TWO, _LAST_DAY = 2, 31  # digits and days
_DAY: Final = timedelta(days=1)
_THE_DAY: Final[dict[Language, str]] = {"es": "el día", "pt": "o dia", "en": "day"}
_CAPITALS: Final = re.compile(r"[^\W\d_a-zà-ÿ][\w'’-]+(?: (?:(?:de|del|la|da|do|dos) )*[^\W\d_a-zà-ÿ][\w'’-]+)*")


class Unusable(NamedTuple):
    """Words that stand in a message, `text[start:end]`, and the slot that cannot take them; without one, nothing asks
    for such a thing.
    """

    words: str
    path: str | None
    start: int
    end: int


def near_codes(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> list[Candidate]:
    """Codes that only lack the signs of their pattern: "A1001" for "A-1001". They are asked back."""
    found: list[Candidate] = []
    for slot in _codes(definition, filled):
        asked = understanding.asked == slot.path
        for (start, end), value in mended(slot, text, understanding.language, asked=asked):
            if meets((start, end), used) or understanding.values.get(slot.path) == value:
                continue
            evidence = text[start:end]
            found.append(
                Candidate(
                    path=slot.path,
                    value=value,
                    start=start,
                    end=end,
                    evidence=evidence,
                    confidence=_CONFIDENCE,
                    guessed=True,
                )
            )
            break
    return found


def unusable(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> list[Unusable]:
    """What no slot can take of the words that are not used, in the order of the slots."""
    found = [
        *_impossible(definition, text, understanding, used, filled),
        *_misshapen(definition, text, understanding, used, filled),
        *_unknown(definition, text, understanding, used, filled),
        *_lengths(definition, text, understanding.language, used),
    ]
    return list(dict.fromkeys(found))


def _impossible(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Iterator[Unusable]:
    """Days and hours that there are not, for the slot that is asked for, or the first that could be meant."""
    language, now = understanding.language, understanding.now
    slot = _for(definition, understanding, (DateSlot, DatetimeSlot), filled)
    if slot is not None and not dates(text, language, now=now):
        asked = understanding.asked == slot.path
        found = impossible_days(text, language, now=now, asked=asked)
        bare = [] if found or not asked else _bare_day(text, understanding)
        yield from (one._replace(path=slot.path) for one in bare)
        yield from (
            Unusable(one.value, slot.path, one.start, one.end) for one in found if not meets((one.start, one.end), used)
        )
    clock = _for(definition, understanding, (TimeSlot, DatetimeSlot), filled)
    if clock is not None and not times(text, language):
        hours = impossible_hours(text, language)
        yield from (
            Unusable(one.value, clock.path, one.start, one.end)
            for one in hours
            if not meets((one.start, one.end), used)
        )


def _bare_day(text: str, understanding: Understanding) -> list[Unusable]:
    """A figure alone that is no day of any month: "32"."""
    kept = core(text, understanding.language)
    words = "" if kept is None else text[kept[0] : kept[1]]
    if kept is None or not words.isdigit() or len(words) != _TWO or 1 <= int(words) <= _LAST_DAY:
        return []
    return [Unusable(f"{_THE_DAY[understanding.language]} {words}", None, *kept)]


def _for(
    definition: Definition, understanding: Understanding, kinds: tuple[type[Slot], ...], filled: Collection[str]
) -> Slot | None:
    """The slot of one of these kinds that is asked for; else the first that is empty, or else the first; of days to
    come before days that are over.
    """
    slots = [slot for slot in definition.slots if isinstance(slot, kinds)]

    def rank(slot: Slot) -> tuple[bool, bool, bool]:
        over = isinstance(slot, DateSlot | DatetimeSlot) and slot.past
        return slot.path != understanding.asked, slot.path in understanding.values or slot.path in filled, over

    return min(slots, key=rank, default=None)


def _misshapen(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Iterator[Unusable]:
    for slot in _codes(definition, filled):
        asked = understanding.asked == slot.path
        for start, end in misshapen(slot, text, understanding.language, asked=asked):
            if not meets((start, end), used):
                yield Unusable(text[start:end], slot.path, start, end)


def _codes(definition: Definition, filled: Collection[str]) -> list[StringSlot]:
    return [
        slot
        for slot in definition.slots
        if isinstance(slot, StringSlot) and slot.pattern is not None and slot.path not in filled
    ]


def _unknown(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Iterator[Unusable]:
    """Names that stand where one out of a list would: behind a title, "with", the slot's name or its cue."""
    slots = [slot for slot in definition.slots if isinstance(slot, RefSlot) and slot.path not in filled]
    named = any(
        isinstance(slot, StringSlot) and slot.type == "string" and slot.pattern is None for slot in definition.slots
    )
    for slot in slots[:1]:
        alone = not named and slot.path not in understanding.values
        for start, end in _names(slot, text, understanding, alone=alone):
            if not meets((start, end), used) and not values.readings(slot, text[start:end], understanding):
                yield Unusable(text[start:end], slot.path, start, end)


def _names(slot: RefSlot, text: str, understanding: Understanding, *, alone: bool) -> Iterator[Span]:
    """`alone`: also whole names between signs."""
    language, naming = understanding.language, NAMINGS[understanding.language]
    folded = fold(text)
    tokens = folded.tokens
    capitals = {match.start(): match.end() for match in _CAPITALS.finditer(text)}
    after = 0
    for at, token in enumerate(tokens):
        start, end = folded.span(at, at)
        titled = naming.titled(tokens, at)
        if start < after or token.kind != "word" or token.text in naming.common | naming.titles | TAILS[language]:
            continue
        if start not in capitals and not titled:
            continue
        whole = alone and _is_between_signs(text, start, capitals.get(start, end))
        if titled or whole or _is_led(slot, text, start, tokens, at, language):
            after = capitals.get(start, end)
            yield start, after


def _is_between_signs(text: str, start: int, end: int) -> bool:
    """Whether a name of two words or more stands between a comma and another sign."""
    before, behind = text[:start].rstrip(), text[end:].lstrip()
    return " " in text[start:end] and before.endswith(",") and behind[:1] in ("", ",", ".", ";", "!", "\n")


def _is_led(slot: RefSlot, text: str, start: int, tokens: Sequence[Token], at: int, language: Language) -> bool:
    before = next((one.text for one in reversed(tokens[:at]) if one.text not in NAMINGS[language].particles), "")
    if before in WITH[language] or values.follows_cue(slot, text, start, language):
        return True
    return values.follows_label(slot, text, start, language) and token_at(fold(text), start) > 0


def _lengths(definition: Definition, text: str, language: Language, used: Sequence[Span]) -> Iterator[Unusable]:
    """Lengths of time that somebody wants, where no slot takes any."""
    kinds = {type(slot) for slot in definition.slots}
    if DurationSlot in kinds or not kinds & {DateSlot, TimeSlot, DatetimeSlot}:
        return
    before, behind = LASTING[language]
    for one in durations(text, language):
        led = re.search(before, fold(text[: one.start]).text) or re.match(behind, fold(text[one.end :]).text)
        if led and one.value < _DAY and not meets((one.start, one.end), used):
            yield Unusable(text[one.start : one.end], None, one.start, one.end)
    for number in numbers(text, language):
        noun = next(iter(fold(text[number.end :]).tokens), None)
        if noun is not None and noun.text in NIGHTS:
            end = number.end + noun.end
            yield Unusable(text[number.start : end], None, number.start, end)
