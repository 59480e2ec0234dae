"""Which stretch of a text fills which slot: each stretch one slot at most (docs/fluxi.md §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import (
    BoolSlot,
    DateSlot,
    DatetimeSlot,
    EnumSlot,
    RefSlot,
    Slot,
    StringSlot,
    TimeSlot,
)
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.named_answer import named_answer
from mew_agents.fluxi.interpreter.own_words import is_of_another
from mew_agents.fluxi.interpreter.quoting import told_apart
from mew_agents.fluxi.interpreter.segments import meets
from mew_agents.fluxi.interpreter.trailing import trailing
from mew_agents.fluxi.interpreter.two_ends import two_ends
from mew_agents.fluxi.values import Attention, Reading, Span
from mew_agents.fluxi.values.addresses import is_address
from mew_agents.fluxi.values.answer import core, is_bare_number
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.day_ranges import ranged
from mew_agents.fluxi.values.labels import named_from
from mew_agents.fluxi.values.several import several
from mew_agents.fluxi.values.telling import tells_pain
from mew_agents.fluxi.values.units import lengths
from mew_agents.language.ages import ages
from mew_agents.language.dates import dates
from mew_agents.language.day_parts import day_parts, parts_named_as_days
from mew_agents.language.folding import fold
from mew_agents.language.named_days import is_of_a_name
from mew_agents.language.occupied import is_occupied
from mew_agents.language.retractions import corrective, replaced, retracted
from mew_agents.language.tenses import is_past, is_since, told_days, without_ago

_MOST = 16  # readings of one slot that are looked at
_UNSURE = 0.6


class _Claim(NamedTuple):
    """A reading and the slot that it could fill."""

    slot: Slot
    reading: Reading
    asked: bool
    cued: bool
    specificity: int

    def beats(self, other: _Claim) -> bool:
        """Of two slots that want the same words: the one whose cue stands there, the asked one, the more specific."""
        return self._strength > other._strength

    @property
    def _strength(self) -> tuple[bool, bool, int, int]:
        return self.cued, self.asked, self.specificity, self.reading.size

    def meets(self, other: _Claim) -> bool:
        """Whether both want a stretch."""
        return self.reading.meets(other.reading.claims)


def allot(definition: Definition, text: str, understanding: Understanding) -> tuple[Candidate, ...]:
    """What a text fills of a definition's slots, in their order, each with its other readings as alternatives."""
    ends, spans = ranged(definition, text, understanding)
    choices = [one for one in several(definition, text, understanding) if not meets((one.start, one.end), spans)]
    for one in choices:
        ends += two_ends(definition, text, understanding, one)
    spans += [(one.start, one.end) for one in choices]
    found = _Allotment(definition, text, understanding, spans).candidates()
    if any(one.start < end and start < one.end for one in found for start, end in spans):
        return found  # words that were asked for have a range in them
    both = {one.path: one for one in (*found, *ends)}
    return tuple(both[slot.path] for slot in definition.slots if slot.path in both)


def said_twice(definition: Definition, text: str, understanding: Understanding) -> list[tuple[Slot, int, int]]:
    """The slots that a text has two values for, none of which corrects the other: where the first one ends, and where
    the second begins.
    """
    return _Allotment(definition, text, understanding).said_twice()


def without_excluded(text: str, understanding: Understanding) -> str:
    """A text with blanks for the days that its words exclude or take back."""
    language, found = understanding.language, dates(text, understanding.language, now=understanding.now)
    excluded = [(one.start, one.end) for one in found if retracted(text, one.start, one.end, language)]
    for start, end in excluded:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@dataclass(slots=True)
class _Filled:
    """A slot's reading, and further ones elsewhere in the text."""

    slot: Slot
    reading: Reading
    others: list[Reading]


class _Allotment:
    """`ranges`: where days from one to another stand, in which nothing typed is read."""

    def __init__(
        self, definition: Definition, text: str, understanding: Understanding, ranges: Sequence[Span] = ()
    ) -> None:
        self._ranges = ranges
        self._definition = definition
        self._slots = definition.slots
        self._text = text
        self._understanding = understanding
        self._filled: dict[str, _Filled] = {}
        self._within_words: list[_Filled] = []
        self._before: int | None = None
        self._named = named_answer(definition, text, understanding)

    def said_twice(self) -> list[tuple[Slot, int, int]]:
        self.candidates()
        pairs = []
        for filled in self._filled.values():
            found = sorted([filled.reading, *filled.others], key=lambda one: one.start)
            if len(found) > 1 and not values.is_free(filled.slot) and not self._corrects(found[1], found[0]):
                pairs.append((filled.slot, found[0].end, found[1].start))
        return pairs

    def candidates(self) -> tuple[Candidate, ...]:
        typed = [slot for slot in self._slots if not values.is_free(slot)]
        free = [slot for slot in self._slots if values.is_free(slot)]
        reserved = [span for slot in free for span in values.reserved(slot, self._text, self._understanding)]
        texts = list(self._ranges)
        texts += [span for span in (self._quoted(),) if span is not None]
        texts += [
            span
            for slot in free
            if isinstance(slot, StringSlot) and slot.type == "text"
            for span in values.reserved(slot, self._words(slot), self._understanding)
        ]
        claims = [claim for slot in typed for claim in self._claims(slot, reserved) if not claim.reading.meets(texts)]
        self._fill(claim for claim in claims if not any(self._beats(other, claim) for other in claims))
        for slot in typed:
            self._read_again(slot)
        for slot in sorted(free, key=lambda one: one.type == "text"):
            self._fill_free(slot)
        found = {path: self._settled(filled) for path, filled in self._filled.items()}
        for filled in self._within_words:  # another code than the held one, in words that were asked for
            found.setdefault(filled.slot.path, replace(self._settled(filled), guessed=True))
        return tuple(found[slot.path] for slot in self._slots if slot.path in found)

    def _quoted(self) -> Span | None:
        """The words in quotation marks, in which nothing typed is read: they are the one optional text."""
        asked = next((slot for slot in self._slots if slot.path == self._understanding.asked), None)
        if isinstance(asked, StringSlot):
            return None
        return told_apart(self._definition, self._text, self._understanding)

    def _claims(self, slot: Slot, reserved: Sequence[Span]) -> Iterator[_Claim]:
        closely = values.attention(slot, self._understanding)
        found = values.readings(slot, self._of_its_tense(slot), self._understanding, closely=closely)
        named = isinstance(slot, RefSlot)
        answer = self._answer() if named else None
        for reading in found[:_MOST]:
            if isinstance(slot, DateSlot | DatetimeSlot) and is_of_a_name(
                self._text, reading.start, reading.end, self._understanding.language, asked=self._asks_for_a_name()
            ):
                continue
            if self._is_in_the_name(slot, reading):
                continue
            if named and (reading.meets(reserved) or reading.claims == (answer,)):
                continue
            language = self._understanding.language
            if is_of_another(self._definition, slot, self._text, reading, self._understanding):
                continue
            said = self._text[: self._denying_option(reading.end)]
            if not isinstance(slot, BoolSlot) and retracted(said, reading.start, reading.end, language):
                continue
            cued = follows_cue(slot, self._text, reading.start, language)
            yield _Claim(slot, reading, closely is Attention.ASKED, cued, values.specificity(slot))

    def _is_in_the_name(self, slot: Slot, reading: Reading) -> bool:
        """Whether an option is a part of the name that was asked for, or a day is all of it or follows its cue."""
        language = self._understanding.language
        names = (one for one in self._slots if isinstance(one, StringSlot) and values.is_free(one))
        if isinstance(slot, DateSlot | DatetimeSlot) and any(
            one.type == "string" and follows_cue(one, self._text, reading.start, language) for one in names
        ):
            return True
        if self._named is None:
            return False
        (start, end), _ = self._named
        inside = start <= reading.start and reading.end <= end
        if isinstance(slot, EnumSlot):
            return inside and (reading.start, reading.end) != (start, end)
        return isinstance(slot, DateSlot | DatetimeSlot) and (reading.start, reading.end) == (start, end)

    def _asks_for_a_name(self) -> bool:
        asked = next((slot for slot in self._slots if slot.path == self._understanding.asked), None)
        return isinstance(asked, StringSlot) and asked.type == "string" and asked.pattern is None

    def _words(self, slot: Slot) -> str:
        """The text for a slot of words, with blanks for values of other slots that it ends with."""
        if slot.type != "text":
            return self._text
        if self._before is None:
            self._before = trailing(self._definition, self._text, self._understanding)
        return self._text[: self._before] + " " * (len(self._text) - self._before)

    def _of_its_tense(self, slot: Slot) -> str:
        """The text for a slot of days, with blanks for excluded ones ("any day but monday"); if it tells of days
        that are over and of days to come, also for those of the other kind.
        """
        if not isinstance(slot, DateSlot | DatetimeSlot):
            return self._text
        language, text = self._understanding.language, self._text
        text = without_excluded(text, self._understanding)
        for start, end in parts_named_as_days(text, language) if isinstance(slot, DateSlot) else ():
            text = text[:start] + " " * (end - start) + text[end:]
        if not slot.past and any(isinstance(one, StringSlot) and one.type == "text" for one in self._slots):
            text = without_ago(text, language, now=self._understanding.now)
            for start, end in told_days(text, language, now=self._understanding.now):
                text = text[:start] + " " * (end - start) + text[end:]
        days = [(one.start, one.end) for one in dates(text, language, now=self._understanding.now)]
        if not slot.past:
            held = isinstance(slot, DatetimeSlot) and slot.path in self._understanding.values
            since = (span for span in days if is_since(text, span[0], language))
            for start, end in (span for span in since if held or tells_pain(text, span[0], language)):
                text = text[:start] + " " * (end - start) + text[end:]
        over = [span for span in days if is_past(text, span[0], language)]
        if not over or len(over) == len(days):
            return text
        for start, end in (span for span in days if (span in over) is not slot.past):
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    def _denying_option(self, start: int) -> int | None:
        """Where an option that begins with "no" begins right after a value: "order K-17 not delivered" keeps K-17."""
        beginnings = (
            reading.start
            for slot in self._slots
            if isinstance(slot, EnumSlot)
            for reading in values.readings(slot, self._text, self._understanding)
            if not self._text[start : reading.start].strip()
        )
        return min((one for one in beginnings if one >= start), default=None)

    def _answer(self) -> Span | None:
        """The whole message, when a name was asked for: then it is that name, whoever else is called so."""
        asked = next((slot for slot in self._slots if slot.path == self._understanding.asked), None)
        if asked is None or not values.is_free(asked):
            return None
        return core(self._text, self._understanding.language, introduced=True)

    def _beats(self, one: _Claim, other: _Claim) -> bool:
        return one.slot is not other.slot and one.beats(other) and one.meets(other)

    def _fill(self, claims: Iterable[_Claim]) -> None:
        """The asked slot first, then cues, then the order of the text; what is left over is another reading."""
        order = sorted(claims, key=lambda claim: (not claim.asked, not claim.cued, claim.reading.start))
        spare: list[_Claim] = []
        for claim in order:
            if claim.slot.path in self._filled:
                spare.append(claim)
            elif not claim.reading.meets(self._taken()):
                self._filled[claim.slot.path] = _Filled(claim.slot, claim.reading, [])
        for claim in spare:
            if not claim.reading.meets(self._taken()):
                self._filled[claim.slot.path].others.append(claim.reading)

    def _read_again(self, slot: Slot) -> None:
        """A day whose part of the day is another slot's ("Friday, in the afternoon") has no doubt left.

        Nor has one where the hour is a slot of its own: it is asked for.
        """
        filled = self._filled.get(slot.path)
        if filled is None or not isinstance(slot, DateSlot):
            return
        others = [span for span in self._taken() if span not in filled.reading.claims]
        if any(isinstance(one, TimeSlot) for one in self._slots):
            others += [(part.start, part.end) for part in day_parts(self._text, self._understanding.language)]
        again = values.readings(slot, self._text, self._understanding, taken=others)
        by_claims = {reading.claims: reading for reading in again}
        filled.reading = by_claims.get(filled.reading.claims, filled.reading)
        filled.others = [by_claims.get(other.claims, other) for other in filled.others]

    def _fill_free(self, slot: Slot) -> None:
        taken = [*self._taken(), *self._parts_of_days(), *self._labels()]
        if slot.type == "string" and not is_address(slot, self._understanding.language):
            taken += [*ages(self._text), *lengths(self._text)]
        found = values.readings(slot, self._without_names(slot), self._understanding, taken=taken)
        for reading in found[:_MOST]:
            if slot.path in self._filled:
                self._filled[slot.path].others.append(reading)
            else:
                self._drop(reading)
                self._filled[slot.path] = _Filled(slot, reading, [])

    def _without_names(self, slot: Slot) -> str:
        """The text for a slot of words, with blanks for names behind a comma and their cue, unless it was asked for."""
        text = self._words(slot)
        if slot.type != "text" or slot.path == self._understanding.asked:
            return text
        for filled in self._filled.values():
            start, end = filled.reading.start, filled.reading.end
            if filled.slot.type == "string" and text[:start].rstrip().endswith(","):
                text = text[:start] + " " * (end - start) + text[end:]
        return text

    def _parts_of_days(self) -> list[Span]:
        """Parts of the day that belong to a day that was said, or correct an hour: "no, monday in the afternoon"."""
        language = self._understanding.language
        moments = [slot for slot in self._slots if isinstance(slot, DateSlot | TimeSlot | DatetimeSlot)]
        told = any(slot.path in self._filled for slot in moments)
        tokens = fold(self._text).tokens
        held = any(slot.path in self._understanding.values for slot in moments)
        corrects = held and any(corrective(tokens, at, language) for at in range(len(tokens)))
        return [(one.start, one.end) for one in day_parts(self._text, language)] if told or corrects else []

    def _labels(self) -> Iterator[Span]:
        """Words that only say which slot a value is for: "the code is" before one."""
        for filled in self._filled.values():
            start = named_from(filled.slot, self._text, filled.reading.start, self._understanding.language)
            if start < filled.reading.start:
                yield start, filled.reading.start

    def _drop(self, reading: Reading) -> None:
        """An answer in words that was asked for takes what was understood within it."""
        for path in [path for path, filled in self._filled.items() if reading.meets(filled.reading.claims)]:
            filled = self._filled.pop(path)
            if values.is_code(filled.slot) and self._understanding.values.get(path) not in (None, filled.reading.value):
                self._within_words.append(filled)

    def _taken(self) -> list[Span]:
        every = (reading for filled in self._filled.values() for reading in (filled.reading, *filled.others))
        return [*self._ranges, *(span for reading in every for span in reading.claims)]

    def _standing(self, filled: _Filled) -> list[Reading]:
        """The readings that nothing takes back: not what a later one corrects, nor a mention of what is held."""
        found = [filled.reading, *filled.others]
        if values.is_free(filled.slot):
            return self._not_taken_back(filled.slot, found)
        held = self._understanding.values.get(filled.slot.path)
        found = [one for one in found if held is None or held not in (one.value, *one.alternatives)] or found[:1]
        if len(found) > 1:
            found = [one for one in found if not self._is_of_something_else(filled.slot, one)] or found
        return [one for one in found if not any(self._corrects(other, one) for other in found)]

    def _is_of_something_else(self, slot: Slot, reading: Reading) -> bool:
        """Whether somebody is busy at a day, an hour or a part of the day: "I work on Monday, so Tuesday"."""
        language = self._understanding.language
        part = isinstance(slot, EnumSlot) and bool(day_parts(self._text[reading.start : reading.end], language))
        timed = isinstance(slot, DateSlot | TimeSlot | DatetimeSlot)
        return (timed or part) and is_occupied(self._text, reading.start, reading.end, language)

    def _not_taken_back(self, slot: Slot, found: list[Reading]) -> list[Reading]:
        """Without the words that a "no" excludes, and the held ones: "not in the name of Molina, in that of Correa"."""
        held, language = self._understanding.values.get(slot.path), self._understanding.language
        left = [one for one in found if one.value != held and not retracted(self._text, one.start, one.end, language)]
        return left if len(found) > 1 and left else found

    def _corrects(self, later: Reading, earlier: Reading) -> bool:
        return later.start >= earlier.end and replaced(
            self._text, earlier.end, later.start, self._understanding.language
        )

    def _settled(self, filled: _Filled) -> Candidate:
        """The first reading that the slot takes, what it takes of the others as alternatives; or else the first."""
        slot, understanding = filled.slot, self._understanding
        read = [reading.candidate(slot.path, self._text) for reading in self._standing(filled)]
        settled = [values.settle(slot, candidate, understanding) for candidate in read]
        settled = [self._in_its_tense(slot, self._cued(slot, one)) for one in settled]
        taken = [one for one in settled if values.refusal(slot, one.value, understanding) is None]
        first, *others = taken or settled[:1]
        if self._is_figure_for_words(slot, first) or self._is_doubted_name(slot):
            first = replace(first, guessed=True)
        more = [value for one in others for value in (one.value, *one.alternatives)]
        more = [value for value in more if value != first.value and value not in first.alternatives]
        if not more:
            return first
        doubted = replace(
            first,
            alternatives=(*first.alternatives, *more),
            doubts=tuple(dict.fromkeys((*first.doubts, "ambiguous"))),
            confidence=min(first.confidence, _UNSURE),
        )
        return values.settle(slot, doubted, understanding)

    def _cued(self, slot: Slot, candidate: Candidate) -> Candidate:
        """A day with one reading is certain behind its slot's cue: "until" before it leaves nothing open there."""
        if not isinstance(slot, DateSlot) or candidate.doubts != ("partial",) or candidate.alternatives:
            return candidate
        cued = follows_cue(slot, self._text, candidate.start, self._understanding.language)
        return replace(candidate, doubts=(), confidence=1.0) if cued else candidate

    def _in_its_tense(self, slot: Slot, candidate: Candidate) -> Candidate:
        """A day that is told of the past, where one to come is asked for: it is asked whether that is meant."""
        if not isinstance(slot, DateSlot | DatetimeSlot) or slot.past or slot.path in self._understanding.values:
            return candidate
        if "past" in candidate.doubts or not is_past(self._text, candidate.start, self._understanding.language):
            return candidate
        over = slot.model_copy(update={"past": True, "future_only": False})
        said = values.readings(over, candidate.evidence, self._understanding)
        before = tuple(one.value for one in said if one.value != candidate.value)
        return replace(candidate, alternatives=(*candidate.alternatives, *before), guessed=True)

    def _is_doubted_name(self, slot: Slot) -> bool:
        """Whether the name that was asked for may be something else: it is a day, or has an option in small letters."""
        if self._named is None or self._named.certain or slot.path != self._understanding.asked:
            return False
        others = (one for one in self._slots if isinstance(one, EnumSlot | DateSlot | DatetimeSlot))
        return any(
            self._is_in_the_name(one, reading)
            for one in others
            for reading in values.readings(one, self._text, self._understanding)[:_MOST]
        )

    def _is_figure_for_words(self, slot: Slot, candidate: Candidate) -> bool:
        """Whether a figure answers a question for a name, or one alone a question for words: "5" may be meant for
        something else.
        """
        if slot.path != self._understanding.asked or not isinstance(slot, StringSlot) or not values.is_free(slot):
            return False
        if is_bare_number(self._text, self._understanding.language):
            return True
        said = str(candidate.value)
        counted = said[:1].isdigit() and said == said.lower()  # "5 adults", but "5 Main Street"
        return slot.type == "string" and counted and not is_address(slot, self._understanding.language)
