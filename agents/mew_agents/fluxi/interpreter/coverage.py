"""What a message says that nothing has used: every piece that could be a value is taken, asked about, or said back.

`unexplained` is the one place that decides this, for an opening, an answer, a correction, and a yes or a no with more
behind it. Pieces are numbers with their nouns, amounts, days, hours, parts of the day, lengths, and the options and
names that a definition knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import (
    DateSlot,
    DatetimeSlot,
    DurationSlot,
    EnumSlot,
    MoneySlot,
    NumberSlot,
    RefSlot,
    Slot,
    TimeSlot,
)
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.own_words import is_of_another
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.values import Attention, Span
from mew_agents.fluxi.values.labels import is_sum
from mew_agents.fluxi.values.units import quantities
from mew_agents.language.answers import is_answer_word, is_polite
from mew_agents.language.dates import dates
from mew_agents.language.day_parts import day_parts
from mew_agents.language.money import money
from mew_agents.language.occupied import is_occupied
from mew_agents.language.retractions import replaced, retraction
from mew_agents.language.times import times

_MOST = 64  # pieces that are looked at: nobody hears of more
_OF_TIME = (DateSlot, TimeSlot, DatetimeSlot)
_COUNTING = (NumberSlot, MoneySlot, *_OF_TIME, DurationSlot)


class Piece(NamedTuple):
    """Words of a message that could be a value, `text[start:end]`. `path`: the slot whose option or name they are."""

    start: int
    end: int
    path: str | None = None


def unexplained(
    definition: Definition,
    text: str,
    understanding: Understanding,
    taken: Sequence[Candidate],
    named: Sequence[Span],
    *,
    wish: Span | None = None,
) -> list[Piece]:
    """The pieces that are in no value that is taken, and in nothing that is asked about or said back, in their order.

    `named`: where the words stand that are asked about or said back; `wish`: the words that ask for the operation.
    """
    used = [*named, *((one.start, one.end) for one in taken)]
    found = _pieces(definition, text, understanding)
    left = [one for one in found[:_MOST] if not meets((one.start, one.end), used)]
    return [
        one
        for one in left
        if not _is_in_wish(one, wish)
        and not _is_courtesy(one, text, understanding)
        and not _is_in_a_sum(one, definition, text, understanding, taken)
        and not _is_known(one, definition, text, understanding, taken)
        and not _is_taken_back(one, definition, text, understanding, taken)
        and not _is_of_something_else(one, definition, text, understanding, taken)
    ]


def _pieces(definition: Definition, text: str, understanding: Understanding) -> list[Piece]:
    """The pieces of a text, those that overlap joined."""
    found = sorted(
        {*_typed(definition, text, understanding), *_listed(definition, text, understanding)},
        key=lambda one: (one.start, one.end),
    )
    joined: list[Piece] = []
    for one in found:
        if joined and one.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Piece(last.start, max(last.end, one.end), last.path if last.path == one.path else None)
        else:
            joined.append(one)
    return joined


def _typed(definition: Definition, text: str, understanding: Understanding) -> Iterator[Piece]:
    """Numbers, amounts, days, hours and lengths, of kinds that the definition has to do with."""
    language, now = understanding.language, understanding.now
    slots = definition.slots
    if any(isinstance(slot, _OF_TIME) for slot in slots):
        for day in dates(text, language, now=now):
            yield Piece(day.start, day.end)
        for clock in times(text, language):
            yield Piece(clock.start, clock.end)
        for part in day_parts(text, language):
            yield Piece(part.start, part.end)
    if any(isinstance(slot, _COUNTING) for slot in slots):
        for span in quantities(text, language):
            yield Piece(*span)
        for amount in money(text, language, currency=""):
            yield Piece(amount.start, amount.end)


def _listed(definition: Definition, text: str, understanding: Understanding) -> Iterator[Piece]:
    """The options and names that the definition knows, as they are spelt."""
    for slot in definition.slots:
        if not isinstance(slot, EnumSlot | RefSlot):
            continue
        for reading in values.readings(slot, text, understanding, closely=Attention.OPEN):
            if "approximate" in reading.doubts:
                continue
            if not is_of_another(definition, slot, text, reading, understanding):
                yield Piece(reading.start, reading.end, slot.path)


def _is_in_wish(piece: Piece, wish: Span | None) -> bool:
    """Whether an option or a name is a part of the words that ask for the operation."""
    return wish is not None and piece.path is not None and meets((piece.start, piece.end), [wish])


def _is_courtesy(piece: Piece, text: str, understanding: Understanding) -> bool:
    """Whether it is a greeting ("good morning"), or a word of an answer ("no, it is wrong")."""
    language = understanding.language
    return is_polite(text, piece.start, piece.end, language) or is_answer_word(text, piece.start, piece.end, language)


def _is_known(
    piece: Piece, definition: Definition, text: str, understanding: Understanding, taken: Sequence[Candidate]
) -> bool:
    """Whether it says what is held already, or another reading of a value that is asked about."""
    words = text[piece.start : piece.end]
    told = {one.path: (one.value, *one.alternatives) for one in taken}
    for slot in definition.slots:
        known = [*told.get(slot.path, ()), understanding.values.get(slot.path)]
        if isinstance(slot, NumberSlot | MoneySlot) and slot.path not in told:
            known = known if values.follows_label(slot, text, piece.start, understanding.language) else []
        if any(one is not None for one in known) and _says_one_of(slot, words, known, understanding):
            return True
    return False


def _is_of_something_else(
    piece: Piece, definition: Definition, text: str, understanding: Understanding, taken: Sequence[Candidate]
) -> bool:
    """Whether somebody is busy at a day or an hour, where another one is taken: "I'm on till one, so quarter past"."""
    timed = piece.path is None and any(isinstance(definition.slot(one.path), _OF_TIME) for one in taken)
    return timed and is_occupied(text, piece.start, piece.end, understanding.language)


def _is_in_a_sum(
    piece: Piece, definition: Definition, text: str, understanding: Understanding, taken: Sequence[Candidate]
) -> bool:
    """Whether a taken number behind it is the sum of it and others: "two adults and two kids, four in all"."""
    return any(
        piece.end <= one.start and is_sum(text, one.start, one.end, understanding.language)
        for one in taken
        if isinstance(definition.slot(one.path), NumberSlot)
    )


def _says_one_of(slot: Slot, words: str, known: Sequence[Any], understanding: Understanding) -> bool:
    """Whether words mean one of the values, or a piece of a moment that is one."""
    for reading in values.readings(slot, words, understanding, closely=Attention.ASKED):
        for value in (reading.value, *reading.alternatives):
            if any(one is not None and (one == value or _is_piece_of(value, one)) for one in known):
                return True
    return False


def _is_piece_of(value: Any, whole: Any) -> bool:
    """Whether a day or an hour is that of a moment."""
    if not isinstance(value, Mapping) or not isinstance(whole, str | Mapping):
        return False
    if isinstance(whole, Mapping):
        return any(value.get(name) is not None and value.get(name) == whole.get(name) for name in ("date", "time"))
    day, _, clock = whole.partition("T")
    return value.get("date") == day or (bool(clock) and value.get("time") == clock[:5])


def _is_taken_back(
    piece: Piece, definition: Definition, text: str, understanding: Understanding, taken: Sequence[Candidate]
) -> bool:
    """Whether another value corrects it, or stands in its place where it is taken back."""
    language = understanding.language
    back = retraction(text, piece.start, piece.end, language) is not None
    for one in taken:
        corrects = one.start >= piece.end and replaced(text, piece.end, one.start, language)
        if not (back or corrects) or _lacks_day(one):
            continue
        if _is_alike(piece, definition.slot(one.path), text, understanding):
            return True
    return False


def _lacks_day(candidate: Candidate) -> bool:
    """Whether it is an hour without its day, or a part of the day."""
    return isinstance(candidate.value, Mapping) and not {"date", "amount"} & candidate.value.keys()


def _is_alike(piece: Piece, slot: Slot, text: str, understanding: Understanding) -> bool:
    """Whether the slot could take the piece."""
    return bool(values.readings(slot, text[piece.start : piece.end], understanding, closely=Attention.ASKED))
