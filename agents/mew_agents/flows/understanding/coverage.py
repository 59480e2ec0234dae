"""What a message says that nothing was done with: no piece that could be a value is dropped in silence.

`left_out` is asked once for each message, after everything it comes to has been decided, whatever the message answers.
Each piece that could be a value of the flow at hand must stand in the evidence of a value, or it is said back. A day,
an hour or a recurrence where no slot takes one is said back as well: the flow acts now, and once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mew_agents.flows.commands import (
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Handoff,
    LeftOut,
    QueueFlow,
    SetSlot,
    Wait,
    WhichSlot,
)
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Action
from mew_agents.flows.understanding.amends import amended
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.excluded import after_excluding, excluded
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.triggers import wanted
from mew_agents.flows.understanding.units import counted, ranges, with_noun
from mew_agents.flows.understanding.unplaced_words import RECURRENCES, TIME_UNITS
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import BoolSlot, DateSlot, DatetimeSlot, DurationSlot, EnumSlot, Slot, TimeSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.values import Attention, Reading, Span
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.numbers import numbers
from mew_agents.language.retractions import retraction
from mew_agents.language.times import times

# What these do says all that there is to say of a message.
_WHOLE: Final = (CancelFlow, Clarify, Handoff, ChitChat, Wait, WhichSlot)
_WHEN: Final = (DateSlot, DatetimeSlot, TimeSlot, DurationSlot)
_ARTICLE: Final = 3  # letters of a number that may be an article: "uno", "one"
_SURE: Final = 0.9  # confidence of a word that is an option and no other word mistyped
_LITTLE: Final = 4  # letters of a word between two pieces that belong together


class _Piece(NamedTuple):
    """A stretch that could be a value; `when`: only a day, an hour or a recurrence that no slot takes."""

    start: int
    end: int
    when: bool = False


def left_out(text: str, standing: Standing, commands: Sequence[AnyCommand]) -> tuple[LeftOut, ...]:
    """In the order of the text. `standing`: before the message, with the flow that is at hand after it; `commands`:
    all that was done.
    """
    flow = standing.at_hand
    definition = None if flow is None else heard(flow)
    if flow is None or definition is None or any(isinstance(one, _WHOLE) for one in commands):
        return ()
    used = [*_used(text, standing, commands)]
    later = [(one.start, one.end) for one in commands if isinstance(one, QueueFlow)]
    pieces = [
        one
        for one in sorted(set(_pieces(text, flow, definition, standing, commands)))
        if not meets((one.start, one.end), used) and (one.when or not meets((one.start, one.end), later))
    ]
    return tuple(LeftOut(start=one.start, end=one.end, when=one.when) for one in _joined(text, pieces))


def _used(text: str, standing: Standing, commands: Sequence[AnyCommand]) -> Iterator[Span]:
    """The stretches that something was done with."""
    for one in commands:
        if isinstance(one, SetSlot | CorrectSlot):
            yield one.start, one.end
        if isinstance(one, SetSlot | CorrectSlot) and one.alternatives:
            yield from _asked_beside(text, one, standing.language)
    asked_for = wanted(text, standing)
    yield from () if asked_for is None else (*asked_for.spans, *asked_for.again)
    again = amended(text, standing.language).again
    if again is not None:
        yield 0, again  # it is taken back by what follows


def _asked_beside(text: str, command: SetSlot | CorrectSlot, language: Language) -> Iterator[Span]:
    """Where the other readings of a value stand, which are asked about with it."""
    yield from (span for span in ranges(text) if span[0] < command.end and command.start < span[1])
    others = [one for one in command.alternatives if isinstance(one, int)]
    yield from ((one.start, one.end) for one in numbers(text, language) if one.value in others)


def _pieces(
    text: str, flow: Flow, definition: Definition, standing: Standing, commands: Sequence[AnyCommand]
) -> Iterator[_Piece]:
    yield from _valued(text, definition, standing, [one for one in commands if isinstance(one, SetSlot | CorrectSlot)])
    if any(isinstance(one, Action) and one.effect for one in flow.program.steps.values()):
        yield from (_Piece(start, end, True) for start, end in _times_said(text, definition, standing))


def _valued(
    text: str, definition: Definition, standing: Standing, commands: Sequence[SetSlot | CorrectSlot]
) -> Iterator[_Piece]:
    """Where the text says something that a typed slot of the flow takes, with the noun behind a figure.

    A value that it takes back is none, unless nothing else is said for the slot and it holds nothing.
    """
    language = standing.language
    taking = [slot for slot in definition.slots if not values.is_free(slot) and not isinstance(slot, BoolSlot)]
    for slot in taking:
        mine = [one for one in commands if one.path == slot.path]
        known = [standing.values.get(slot.path)]
        known += [value for one in mine for value in (one.value, *one.alternatives)]
        for one in _readings(slot, text, definition, standing):
            if one.value in known or not _says(text, one.start, one.end):
                continue
            gone = retraction(text, one.start, one.end, language)
            if gone is None:
                left = [*excluded(text, language, one.claims)]
                yield from (_Piece(*span) for span in left)
                yield from (_Piece(*with_noun(text, start, end, language)) for start, end in one.claims)
            elif not mine and standing.values.get(slot.path) is None:
                yield _Piece(*gone)
        yield from _left_out_of(slot, text, definition, standing)
    if any(slot.type in ("int", "number", "money") for slot in taking):
        yield from (_Piece(start, end) for start, end in ranges(text))
        yield from (_Piece(*span) for span in _measured(text, language))


def _measured(text: str, language: Language) -> Iterator[Span]:
    """Figures with a unit of time behind them, which no slot of figures reads: "18 meses"."""
    for one in numbers(text, language):
        if counted(text, one.end, language) in TIME_UNITS and any(sign.isdigit() for sign in one.evidence(text)):
            yield with_noun(text, one.start, one.end, language)


def _left_out_of(slot: Slot, text: str, definition: Definition, standing: Standing) -> Iterator[_Piece]:
    """What a message leaves out of what is wanted, where the words for it are read only by themselves."""
    for start, (begin, end) in after_excluding(text, standing.language):
        for one in _readings(slot, text[begin:end], definition, standing):
            if one.start == 0 and _says(text, begin, begin + one.end):
                yield _Piece(start, begin + one.end)


def _readings(slot: Slot, text: str, definition: Definition, standing: Standing) -> Iterator[Reading]:
    """Everything that could be a value of a slot, if it were asked for; of options only what is sure."""
    known = Understanding(
        language=standing.language,
        now=standing.now,
        within=definition.type_id,
        asked=slot.path,
        values=standing.values,
        lists=standing.lists,
    )
    for one in values.readings(slot, text, known, closely=Attention.ASKED):
        sure = one.confidence >= _SURE and "approximate" not in one.doubts
        if sure or not isinstance(slot, EnumSlot):
            yield one


def _says(text: str, start: int, end: int) -> bool:
    """Whether words are more than an article."""
    return any(sign.isdigit() for sign in text[start:end]) or end - start > _ARTICLE


def _times_said(text: str, definition: Definition, standing: Standing) -> Iterator[Span]:
    """Days to come, hours and recurrences, where no slot takes any."""
    if any(isinstance(slot, _WHEN) for slot in definition.slots):
        yield from recurrences(text, standing.language)
        return
    today = standing.now.date()
    yield from recurrences(text, standing.language)
    yield from ((one.start, one.end) for one in dates(text, standing.language, now=standing.now) if one.value > today)
    yield from ((one.start, one.end) for one in times(text, standing.language))


def recurrences(text: str, language: Language) -> Iterator[Span]:
    """Where a text says that something is to be done again and again."""
    folded = fold(text)
    yield from (folded.origin(*one.span()) for one in RECURRENCES[language].finditer(folded.text))


def _joined(text: str, pieces: Sequence[_Piece]) -> list[_Piece]:
    """Pieces that overlap or have only little words between them, as one: "50 y 60"."""
    found: list[_Piece] = []
    for one in pieces:
        last = found[-1] if found else None
        between = "" if last is None else text[last.end : one.start]
        near = one.start <= (0 if last is None else last.end) or all(
            len(word) < _LITTLE and not word.endswith((",", ".", ";")) for word in between.split()
        )
        if last is not None and near and "," not in between:
            found[-1] = _Piece(last.start, max(last.end, one.end), last.when and one.when)
        else:
            found.append(one)
    return found
