"""What a message fills of the flow at hand: new values, and other ones for what it holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from mew_agents.flows.commands import CorrectSlot, ReopenSlot, SetSlot
from mew_agents.flows.understanding.after_yes import second_part
from mew_agents.flows.understanding.amends import (
    Amended,
    Naming,
    amended,
    named_words,
    namings,
)
from mew_agents.flows.understanding.asides import SOFT
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.choices import chosen_between, with_other
from mew_agents.flows.understanding.excluded import excluded
from mew_agents.flows.understanding.implausible import plausible
from mew_agents.flows.understanding.named import named, said_to_be
from mew_agents.flows.understanding.noted import to_the_end
from mew_agents.flows.understanding.parted import named_alone, parted
from mew_agents.flows.understanding.parts_of_day import taken_back, within
from mew_agents.flows.understanding.refused import doubted, said_back, without_parts
from mew_agents.flows.understanding.remarks import Made, with_remark
from mew_agents.flows.understanding.retracted import Retracted, retracted, without
from mew_agents.flows.understanding.set_right import is_all, names_change, only_names, set_right
from mew_agents.flows.understanding.units import counted, is_foreign, led_to, tied, with_noun
from mew_agents.flows.understanding.whole import Whole
from mew_agents.flows.understanding.words import STEERING, WILLS
from mew_agents.flows.understanding.written_anew import EDGES, around, is_held_name, written_anew
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import EnumSlot, NumberSlot, RefSlot, Slot
from mew_agents.fluxi.interpreter.allotment import allot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Reading, Span
from mew_agents.fluxi.values.cues import cues
from mew_agents.fluxi.values.places import token_at
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import OTHERS
from mew_agents.language.asking import asks
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.day_parts import day_parts
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import bare, says_nothing
from mew_agents.language.naming import NAMINGS
from mew_agents.language.numbers import numbers
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES

_LONG_CUE = 5  # characters: "para" stands before anything, "destinatario" before one thing
_BREAK = ";"  # ends a name
_FEWEST_WORDS = 4  # of a message that may tell anew what happened
_MOST_WORDS = 6  # of what may be another value of a slot that takes any words
_NAMED_BY = 3  # letters: shorter words of a label name nothing
_EXACT: Final = ("enum", "ref", "email", "phone", "string")  # set right, they are what a message is about
_REACHED_BY = ("email", "phone")  # ways to reach somebody, which are options as well: "how shall we answer?"
_NAMED_ALONE = ("enum", "ref", "email", "phone")  # of these a value is nothing else, wherever it stands
# A name in capitals, with the little words of names in it, and words without any behind it.
_NAME_ALONE: Final = re.compile(
    r"(?P<name>[^\W\d_a-zà-ÿ][\w'’.-]*"
    r"(?: (?:(?:de|del|la|las|los|da|do|dos|das|e|y|van|von|of|the) )*[^\W\d_a-zà-ÿ][\w'’.-]*)*)"
    r"(?P<rest>,? [^A-ZÀ-Þ\d]+)"
)
_SAID_OF_IT = 4  # words
_NOBODY: Final = re.compile(r"(?:the|my|this|that|mi|esta|este|meu|minha|un|una|um|uma) [^A-ZÀ-Þ]+$")
_OR: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(r",? (?:o|u|ó) (?=\S)"),
    "pt": re.compile(r",? ou (?=\S)"),
    "en": re.compile(r",? or (?=\S)"),
}
_SENTENCES: Final = re.compile(r"(?:[^.!?\n]|\.(?=\w))+")
_TWO = 2


def fill(
    text: str,
    definition: Definition,
    standing: Standing,
    language: Language,
    *,
    restated: bool = False,
    triggers: Sequence[Span] = (),
) -> tuple[SetSlot | CorrectSlot | ReopenSlot, ...] | None:
    """Commands in the order of the slots; None: the message has no value in this language.

    `restated`: the flow at hand was asked for again, so all of it counts. `triggers`: where the words that ask for the
    flow stand: no value is there.
    """
    filling = _Filling(text, definition, standing, language, restated=restated, triggers=triggers)
    found = filling.candidates()
    if language != standing.language:
        found = without_parts(text, standing, found)
    made = _commanded(filling, found)
    gone = [*filling.reopened, *taken_back(definition, text, standing, language, found)]
    if filling.changes and not gone:
        apart = _of_parts(text, definition, standing, language, restated=restated)
        made = apart if apart is not None and len(apart) >= len(made) else made
    made = _without_explanation(definition, standing, made)
    made = with_remark(text, definition, standing, language, made)
    reopened = {path: ReopenSlot(path=path) for path in gone if made.get(path) is None}
    refused = said_back(definition, text, standing, language, found)
    if not found and not gone and not refused and not made:
        return None
    both = {**made, **reopened} | {path: one for path, one in refused.items() if made.get(path) is None}
    return tuple(command for path in definition.paths if (command := both.get(path)) is not None)


def _commanded(filling: _Filling, found: dict[str, Candidate]) -> Made:
    """What candidates come to, by path; None for what is held already."""
    sure = filling.sure(found)
    return {path: filling.command(sure[path]) for path in filling.paths if path in sure}


def _without_explanation(definition: Definition, standing: Standing, made: Made) -> Made:
    """Without a guess that what happened is told anew, where a value that is held is set right beside it: of "I mixed
    up two digits, it's P-15280" the first part only says why. What pass 1 has set right is held in pass 2.
    """

    def is_right(path: str, one: SetSlot | CorrectSlot | None) -> bool:
        kind = definition.slot(path).type
        return kind in _EXACT and (one is not None or kind != "enum" or standing.question == "slot")

    others = [path for path, one in made.items() if path in standing.values and is_right(path, one)]
    return {
        path: one
        for path, one in made.items()
        if not others
        or one is None
        or one.checked
        or definition.slot(path).type != "text"
        or path not in standing.values
        or path == standing.asked
    }


def _of_parts(
    text: str, definition: Definition, standing: Standing, language: Language, *, restated: bool
) -> Made | None:
    """What the parts of a correction come to, each by itself: "no, 80 and to Lucía". None: some part says nothing
    alone, or two are for the same slot.
    """
    made: dict[str, SetSlot | CorrectSlot | None] = {}
    parts = parted(text, definition, standing, language)
    for start, end in parts:
        alone = f"{' ' * start}{text[start:end]}{' ' * (len(text) - end)}"
        filling = _Filling(alone, definition, standing, language, restated=restated, triggers=(), corrects=True)
        found = filling.candidates() or named_alone(text, start, end, definition, standing)
        told = _commanded(filling, found)
        rest = [with_noun(text, one.start, one.end, language) for one in found.values()]
        leads = [(led_to(definition, alone, one.start), one.start) for one in found.values()]
        rest += [(told[1], at) for told, at in leads if told is not None and told[0] in found]
        if not told or made.keys() & told.keys() or not _BESIDE[language].covers(fold(alone), rest):
            return None
        made |= told
    return made or None


def allotted(definition: Definition, text: str, known: Understanding, triggers: Sequence[Span]) -> dict[str, Candidate]:
    """What Fluxi's rules allot, by path; words that ask for the flow are no value: “I want to transfer 50 to Ana”."""
    definition = _without_shadowed(definition, text, known.language)
    found = {one.path: one for one in allot(definition, text, known)}
    wrong = [path for path, one in found.items() if values.is_free(definition.slot(path)) and _meets(one, triggers)]
    if not wrong:
        return found
    masked = text
    for start, end in triggers:
        masked = f"{masked[:start]}{_BREAK * (end - start)}{masked[end:]}"
    others = {
        one.path: one for one in allot(definition, masked, known) if one.path in wrong and not _meets(one, triggers)
    }
    return {path: one for path, one in (found | others).items() if path not in wrong or path in others}


def _without_shadowed(definition: Definition, text: str, language: Language) -> Definition:
    """The definition without the cues of a slot where a longer one of another slot begins: the "soy" of "soy de"."""
    named = [slot for slot in definition.slots if slot.type == "string" and values.is_free(slot)]
    found = [(slot.path, cue) for slot in named for cue in cues(Same(slot), text, language)]
    shadowed = {
        path
        for path, cue in found
        if any(other != path and cue.first == longer.first and cue.after < longer.after for other, longer in found)
    }
    if not shadowed:
        return definition
    slots = tuple(one.model_copy(update={"cues": {}}) if one.path in shadowed else one for one in definition.slots)
    return definition.model_copy(update={"slots": slots})


def _without(definition: Definition, paths: Collection[str]) -> Definition:
    """The definition without some of its slots."""
    slots = tuple(one for one in definition.slots if one.path not in paths)
    return definition.model_copy(update={"slots": slots}) if paths else definition


def told(candidate: Candidate) -> dict[str, Any]:
    """A candidate as what a command says of a value."""
    return {
        "path": candidate.path,
        "value": candidate.value,
        "start": candidate.start,
        "end": candidate.end,
        "evidence": candidate.evidence,
        "alternatives": candidate.alternatives,
        "doubts": candidate.doubts,
        "checked": candidate.checked and not candidate.guessed,
    }


def understanding(standing: Standing, language: Language, *, within: str | None, asked: str | None) -> Understanding:
    """Where a dialogue stands, as Fluxi's extractors take it."""
    return Understanding(
        language=language,
        now=standing.now,
        within=within,
        asked=asked,
        values=standing.values,
        lists=standing.lists,
    )


class _Filling:
    def __init__(
        self,
        text: str,
        definition: Definition,
        standing: Standing,
        language: Language,
        *,
        restated: bool,
        triggers: Sequence[Span],
        corrects: bool = False,
    ) -> None:
        """`corrects`: the text is a part of a message that takes something back."""
        self._corrects = corrects
        self._said = text
        self._definition = definition
        self._standing = standing
        self._language = language
        self._restated = restated
        self._triggers = triggers
        self._right: dict[str, Candidate] = {}
        self._readings: dict[tuple[str, str, Attention], Sequence[Reading]] = {}
        self._retracted = self._taken_back()
        self._text = without(text, self._retracted)

    @property
    def paths(self) -> Sequence[str]:
        """The slots, in their order."""
        return self._definition.paths

    @property
    def changes(self) -> bool:
        """Whether the message may change several slots that are held."""
        asked = self._asked
        confirming = self._standing.question == "execution" or self._standing.changing
        return (self._amended.marked or confirming) and (asked is None or asked.type != "text")

    def sure(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """Candidates by what the rest of the message says of them: a part of the day, a wish for nothing."""
        definition, text, standing, language = self._definition, self._said, self._standing, self._language
        hours = {path: within(definition, text, standing, language, one) for path, one in found.items()}
        return {path: doubted(definition, text, standing, one) for path, one in hours.items()}

    @property
    def reopened(self) -> Sequence[str]:
        """The slots whose values are not meant any more."""
        return [one.path for one in self._retracted if one.held]

    def candidates(self) -> dict[str, Candidate]:
        """By path, each with its words in the message as evidence."""
        stretches = [(one.start, one.end) for one in self._retracted]
        instead = written_anew(
            self._definition, self._said, self._text, self._standing, self._language,
            reopened=self.reopened, named=self._named,
        )  # fmt: skip
        stretches += [(one.start, one.end) for one in instead.values()]
        read = {path: one for path, one in self._candidates().items() if not _meets(one, stretches)}
        kept = {path: self._bare(one) for path, one in read.items() if not self._is_idle(one)}
        found = {path: self._name_alone(self._whole_note(one, kept)) for path, one in kept.items()} | instead
        found = self._bound({path: one for path, one in found.items() if not self._is_asked(one)})
        found = self._named_or_right(self._options_meant(found) | self._answered(found))
        if self._asked is None or not values.is_free(self._asked):
            found |= chosen_between(self._definition, self._text, self._understood(self._standing.asked), found)
        return {path: replace(one, evidence=self._said[one.start : one.end]) for path, one in found.items()}

    def _named_or_right(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """Without what is no name, and with what is set right beside the answer, which may be all that is said."""
        definition, said, language = self._definition, self._said, self._language
        if language != self._standing.language:
            return {
                path: one
                for path, one in found.items()
                if not only_names(definition, said, self._standing, one, self._readable)
            }
        right = set_right(definition, said, self._standing, language, found, self._readable)
        sound = {
            path: plausible(definition.slot(path), one, definition, said, language, self._readable)
            for path, one in found.items()
        }
        kept = {
            path: one
            for path, one in sound.items()
            if one is not None and not only_names(definition, said, self._standing, one, self._readable)
        }
        self._right = right
        taken = [(one.start, one.end) for one in right.values()]
        kept = {path: one for path, one in kept.items() if not self._is_held_elsewhere(one, taken)}
        corrected = right | {path: one for path, one in kept.items() if path in self._standing.values}
        asked = self._asked
        if asked is not None and asked.type == "text" and is_all(said, definition, language, corrected):
            kept.pop(asked.path, None)
        return kept | right

    def _is_held_elsewhere(self, candidate: Candidate, taken: Sequence[Span]) -> bool:
        """Whether the words for a name stand in what is set right."""
        slot = self._definition.slot(candidate.path)
        return slot.type == "string" and values.is_free(slot) and _meets(candidate, taken)

    def _options_meant(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """Options without those that the message only seems to say, and with those that a value of it says."""
        meant = {path: self._either(self._without_labels(one, found)) for path, one in found.items()}
        return meant | self._implied(meant)

    def _without_labels(self, candidate: Candidate, found: dict[str, Candidate]) -> Candidate:
        """An option, read without the words that call another slot before its value: in "la factura del pedido P-28767"
        nothing is said of delivery.
        """
        slot = self._definition.slot(candidate.path)
        if slot.type != "enum" or not candidate.alternatives:
            return candidate
        text = self._text
        for other in found.values():
            label = fold(self._definition.slot(other.path).label.get(self._language, "")).tokens
            words = {token.text for token in label if len(token.text) >= _NAMED_BY}
            if other.path == slot.path:
                continue
            for token in reversed(fold(text[: other.start]).tokens):
                if token.text in words:
                    text = f"{text[: token.start]}{_BREAK * (token.end - token.start)}{text[token.end :]}"
                elif token.kind == "word" and not SOFT[self._language].covers(fold(token.text), ()):
                    break
        readings = [] if text == self._text else self._read(slot, text)
        left = {repr(one.value) for one in readings}
        if len(left) != 1:
            return candidate
        return values.settle(slot, readings[0].candidate(slot.path, self._text), self._understood(slot.path))

    def _either(self, candidate: Candidate) -> Candidate:
        """A value with the one that is named beside it, before or behind: of "50 o 51" neither is taken, and the words
        for both are what is asked about.
        """
        slot = self._definition.slot(candidate.path)
        if values.is_free(slot) or slot.type == "enum":
            return candidate
        others = [*self._read(slot, self._said), *self._beside(slot, candidate)]
        return with_other(candidate, others, self._said, self._language)

    def _beside(self, slot: Slot, candidate: Candidate) -> Sequence[Reading]:
        """What is named right behind an "or", read by itself."""
        joined = _OR[self._language].match(self._said, candidate.end)
        if joined is None:
            return ()
        found = self._read(slot, self._said[joined.end() :])
        at = joined.end()
        return [
            replace(one, claims=tuple((start + at, end + at) for start, end in one.claims))
            for one in found
            if one.start == 0
        ]

    def _implied(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """The option that is called like the slot or the kind of a value that is said: an address says "by e-mail"."""
        said = {key: one for one in found.values() for key in (one.path, self._definition.slot(one.path).type)}
        implied: dict[str, Candidate] = {}
        for slot in self._definition.slots:
            if not isinstance(slot, EnumSlot) or slot.path in found or slot.path in self._standing.values:
                continue
            named = {option: said[option] for option in slot.options if option in said and option in _REACHED_BY}
            if len(named) == 1:
                option, value = next(iter(named.items()))
                implied[slot.path] = replace(value, path=slot.path, value=option, alternatives=(), doubts=())
        return implied

    def _is_asked(self, candidate: Candidate) -> bool:
        """Whether words for a name stand in a question: it asks something, and says no name."""
        slot = self._definition.slot(candidate.path)
        if not values.is_free(slot) or slot.type == "text":
            return False
        sentence = re.split(r"[.!\n]\s", self._said[candidate.start :], maxsplit=1)[0]
        return "?" in sentence

    def _answered(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """The name that was asked for, of an answer that begins with something else: "sure thing! Marcus Lindqvist"."""
        slot, language = self._asked, self._language
        if slot is None or slot.type != "string" or not values.is_free(slot) or found or self._amended.marked:
            return {}
        if slot.path in self._standing.values or language != self._standing.language or asks(self._said, language):
            return {}
        told = named(self._said, 0, len(self._said), language)
        if told is None or changes_of_mind(self._said, language):
            return {}
        words = self._said[slice(*told)]
        return {slot.path: Candidate(path=slot.path, value=words, start=told[0], end=told[1], evidence=words)}

    def _bare(self, candidate: Candidate) -> Candidate:
        """A name without what stands around it and is none: "uhh let's see, Young Smith", "Dundee will ya"."""
        slot, value = self._definition.slot(candidate.path), candidate.value
        named_here = slot.type == "string" and slot.required and values.is_free(slot)
        if not named_here or not isinstance(value, str) or value not in self._said:
            return candidate
        start = self._said.index(value, max(0, candidate.end - len(value)) if candidate.end >= len(value) else 0)
        asked = self._asked is not None and self._asked.path == slot.path
        told = named(self._said, start, start + len(value), self._language) if asked else None
        begin, end = told or bare(self._said, start, start + len(value), self._language)
        if (begin, end) == (start, start + len(value)):
            return candidate
        return replace(candidate, value=self._said[begin:end], start=begin, end=end)

    def _whole_note(self, candidate: Candidate, found: dict[str, Candidate]) -> Candidate:
        """Words for a slot that is never asked for, to the end of their clause or another value."""
        slot, starts = self._definition.slot(candidate.path), [one.start for one in found.values()]
        named = candidate.path in self._named
        return to_the_end(slot, candidate, self._text, self._said, starts, self._language, named=named)

    def _is_idle(self, candidate: Candidate) -> bool:
        """Whether words for a name only address somebody or hesitate."""
        slot = self._definition.slot(candidate.path)
        is_name = slot.type == "string" and slot.required and values.is_free(slot)
        words = candidate.value if is_name and isinstance(candidate.value, str) else ""
        asked = self._asked is not None and self._asked.path == slot.path
        nobody = not asked and _NOBODY.match(words) is not None  # "the name of the town"
        return bool(words) and (nobody or says_nothing(words, self._language))

    def _name_alone(self, candidate: Candidate) -> Candidate:
        """A name that was asked for, without what is said of it: it is asked back, and the whole is another reading.

        "Sete Lagoas, fui pra lá por causa da família": a name in capitals, and four small words or more behind it.
        """
        slot, asked = self._definition.slot(candidate.path), self._asked
        if slot.type != "string" or not values.is_free(slot) or not isinstance(candidate.value, str):
            return candidate
        split = _NAME_ALONE.fullmatch(candidate.value)
        few = _SAID_OF_IT if asked is not None and asked.path == slot.path else 1
        if split is None or not slot.required or candidate.value not in self._said:
            return candidate
        rest = [token.text for token in fold(split["rest"]).tokens if token.kind == "word"]
        if len(rest) < few or rest[0] in NAMINGS[self._language].particles:
            return candidate
        name = split["name"].rstrip(" ,")
        end = self._said.index(candidate.value, max(0, candidate.end - len(candidate.value))) + len(name)
        return replace(candidate, value=name, end=end, alternatives=(candidate.value,), checked=False)

    def _taken_back(self) -> tuple[Retracted, ...]:
        """The values that are named and not meant; in an answer in words only where another one is named."""
        found = retracted(self._definition, self._said, self._language, self._standing.values, self._readable)
        if self._asked is None or self._asked.type != "text":
            return found
        return tuple(one for one in found if one.held and self._swapped(one, found))

    def _readable(self, slot: Slot, said: str) -> Sequence[Reading]:
        """Everything that could be a value of a slot, wherever the dialogue stands."""
        known = understanding(self._standing, self._language, within=self._definition.type_id, asked=slot.path)
        return values.readings(slot, said, known, closely=Attention.ASKED)

    def _swapped(self, one: Retracted, found: Sequence[Retracted]) -> bool:
        """Whether a message says another value instead of one, and nothing else."""
        slot = self._definition.slot(one.path)
        rest = without(self._said, found)
        readings = self._readable(slot, rest)
        spans = [(other.start, other.end) for other in found]
        spans += [claim for reading in readings for claim in reading.claims]
        return bool(readings) and not values.is_free(slot) and _BESIDE[self._language].covers(fold(self._said), spans)

    def _candidates(self) -> dict[str, Candidate]:
        """What is called by its name counts first, then what was said last."""
        named = self._named
        if named:
            spans = [
                (min(one.start, named[one.path].start), max(one.start, named[one.path].end))
                for one in self._namings
                if one.path in named
            ]
            typed = self._asked is not None and not values.is_free(self._asked)
            apart = self._text
            for start, end in spans:
                apart = f"{apart[:start]}{_BREAK * (end - start)}{apart[end:]}"
            rest = self._allotted(apart, 0, asked=self._standing.asked if typed else None)
            rest |= {} if typed else self._answer_beside(spans)
            rest |= {path: one for path, one in self._only_figure(rest | named).items() if self._is_money(path)}
            return {**{path: one for path, one in rest.items() if not _meets(one, spans)}, **named}
        primary = self._primary()
        if self._asked is not None and self._asked.type == "text" and primary == self._asked.path:
            return self._allotted(self._text, 0, asked=primary)  # words that were asked for are taken whole
        counts = self._text[self._amended.start : self._amended.end]
        found = self._allotted(counts, self._amended.start, asked=primary)
        if self._amended.again is not None:
            later = self._text[self._amended.again : self._amended.end]
            again = self._allotted(later, self._amended.again, asked=primary)
            again |= self._replacing(found, later, again)
            # "no, ese es otro" says of what was named that it is not meant, and names nothing itself.
            found |= {path: one for path, one in again.items() if path not in found or not self._is_other(one)}
        found |= self._only_figure(found)
        return {path: self._sure(self._news(one), primary) for path, one in found.items()}

    def _replacing(self, found: dict[str, Candidate], later: str, again: dict[str, Candidate]) -> dict[str, Candidate]:
        """A bare value behind the words that take one back, for the slot whose value stood before them: "tengo 40, qué
        digo, 41".
        """
        at = self._amended.again or 0
        typed = [one for one in found.values() if not values.is_free(self._definition.slot(one.path))]
        before = [one for one in typed if one.end <= at]
        last = max(before, key=lambda one: one.end, default=None)
        if last is None or last.path in again:
            return {}
        slot = self._definition.slot(last.path)
        readings = self._read(slot, later)
        taken = [(one.start - at, one.end - at) for one in again.values()]
        if len(readings) != 1 or readings[0].meets(taken) or readings[0].value == last.value:
            return {}
        candidate = values.settle(slot, readings[0].candidate(slot.path, later), self._understood(slot.path))
        return {slot.path: _moved(candidate, at)}

    def _is_other(self, candidate: Candidate) -> bool:
        said = {token.text for token in fold(candidate.evidence).tokens}
        return self._definition.slot(candidate.path).type == "enum" and said <= OTHERS[self._language]

    def _answer_beside(self, spans: Sequence[Span]) -> dict[str, Candidate]:
        """The name that was asked for, in a sentence of its own beside what is called by its name: “The name is wrong,
        it's Ana. Leeds.”
        """
        asked = self._asked
        if asked is None or asked.type != "string" or asked.path in self._named:
            return {}
        parts = [(part.start(), part.end()) for part in _SENTENCES.finditer(self._text) if part[0].strip()]
        apart = [(start, end) for start, end in parts if not any(start < after and at < end for at, after in spans)]
        if len(parts) < _TWO or len(apart) != 1 or len(self._text[slice(*apart[0])].split()) > _MOST_WORDS:
            return {}
        start, end = apart[0]
        return self._allotted(self._text[start:end], start, asked=asked.path)

    def _only_figure(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """The one figure of a message that asks for a flow, for the one slot that takes figures: “mandale 15 a Bruno”.

        What is counted stands behind a figure: "15 entradas" is no amount.
        """
        slots = [slot for slot in self._definition.slots if slot.type in ("int", "number", "money")]
        if self._standing.question is not None or len(slots) != 1 or slots[0].path in found:
            return {}
        readings = self._read(slots[0], self._text)
        taken = [(one.start, one.end) for one in found.values()]
        if len(readings) != 1 or readings[0].meets(taken) or self._counts(readings[0].end):
            return {}
        known = self._understood(slots[0].path)
        return {slots[0].path: values.settle(slots[0], readings[0].candidate(slots[0].path, self._text), known)}

    def _is_money(self, path: str) -> bool:
        return self._definition.slot(path).type == "money"

    def _counts(self, end: int) -> bool:
        """Whether a noun follows there, as far as words tell."""
        folded = fold(self._text[end:])
        after = next(iter(folded.tokens), None)
        if after is None or after.kind != "word":
            return False
        return not SOFT[self._language].begins(folded)

    def command(self, candidate: Candidate) -> SetSlot | CorrectSlot | None:
        """What a candidate comes to. None: nothing, for it is held, or is hardly meant to replace what is."""
        held = self._standing.values.get(candidate.path)
        if held is None:
            return SetSlot(**told(candidate))
        if candidate.path == self._standing.asked and not self._amended.marked:
            return SetSlot(**told(candidate))
        if held == candidate.value:
            return None
        if self._is_meant(candidate):
            adds = second_part(self._said, self._standing) is not None  # "yes, and to Lucía" may be a second wish
            meant = (
                replace(candidate, checked=False, alternatives=(*candidate.alternatives, held)) if adds else candidate
            )
            return CorrectSlot(**told(meant))
        slot = self._definition.slot(candidate.path)
        if values.is_free(slot) or slot.type == "bool":
            return None
        # Nothing says that it replaces what is held: that is asked, and what is held stays among the readings.
        others = (*(one for one in candidate.alternatives if one != held), held)
        return CorrectSlot(**told(replace(candidate, checked=False, alternatives=others)))

    @cached_property
    def _amended(self) -> Amended:
        found = amended(self._text, self._language)
        return found._replace(marked=True) if self._corrects else found

    def _bound(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """Without figures that count something else; a slot gets another figure of the message in their place."""
        left = [*excluded(self._said, self._language, [(one.start, one.end) for one in found.values()])]
        kept = {path: one for path, one in found.items() if not self._is_foreign(one) and not _meets(one, left)}
        for path in found.keys() - kept.keys():
            slot = self._definition.slot(path)
            taken = [(one.start, one.end) for one in kept.values()]
            counts = self._text[: self._amended.end]
            others = [one for one in self._read(slot, counts) if not one.meets(taken)]
            told = [values.settle(slot, one.candidate(path, counts), self._understood(path)) for one in others]
            fitting = [one for one in told if not self._is_foreign(one)]
            if len(fitting) == 1 and (path == self._standing.asked or self._amended.marked):
                kept[path] = fitting[0]
        kept |= self._led(kept)
        return {path: self._or_another(one, kept) for path, one in kept.items()}

    def _led(self, found: dict[str, Candidate]) -> dict[str, Candidate]:
        """The figure of a correction that a slot's own word leads to: "no, el sábado y cumple 9"."""
        led: dict[str, Candidate] = {}
        for one in numbers(self._text, self._language) if self._amended.marked else ():
            told = led_to(self._definition, self._text, one.start)
            held = told is not None and told[0] in self._standing.values
            if (
                told is None
                or not held
                or told[0] in found
                or any(other.start < one.end and one.start < other.end for other in found.values())
            ):
                continue
            slot = self._definition.slot(told[0])
            for reading in self._read(slot, self._text):
                candidate = values.settle(slot, reading.candidate(slot.path, self._text), self._understood(slot.path))
                if (reading.start, reading.end) == (one.start, one.end) and not self._is_foreign(candidate):
                    led[slot.path] = candidate
        return led

    def _or_another(self, candidate: Candidate, found: dict[str, Candidate]) -> Candidate:
        """A figure that was asked for, where another one stands beside it that counts nothing else: "5 of us, 3 kids".
        Which of them is meant is asked.
        """
        slot = self._definition.slot(candidate.path)
        whole = isinstance(slot, NumberSlot) and candidate.path == self._standing.asked and slot.type == "int"
        if not whole or self._amended.again is not None or self._read(slot, self._said, Attention.MARKED):
            return candidate
        taken = [(one.start, one.end) for one in found.values()]
        others = [
            int(one.value)
            for one in numbers(self._said, self._language)
            if not any(one.start < end and begin < one.end for begin, end in taken)
            and any(sign.isdigit() for sign in one.evidence(self._said))
            and one.value == int(one.value)
            and counted(self._said, one.end, self._language) is None
        ]
        others = [one for one in others if one not in (candidate.value, self._standing.values.get(candidate.path))]
        return replace(candidate, checked=False, alternatives=tuple(others)) if others else candidate

    def _is_foreign(self, one: Candidate) -> bool:
        return is_foreign(
            self._definition,
            self._said,
            one,
            self._language,
            asked=one.path == self._standing.asked,
            held=one.path in self._standing.values,
            corrects=self._amended.marked,
        )

    @property
    def _marked(self) -> bool:
        """Whether something that is held may be meant: it is taken back, said anew, or there to be confirmed."""
        changing = self._standing.question == "execution" or self._standing.changing
        return self._amended.marked or self._restated or changing or bool(self.reopened)

    @cached_property
    def _asked(self) -> Slot | None:
        path = self._standing.asked
        return next((slot for slot in self._definition.slots if slot.path == path), None)

    def _understood(self, asked: str | None) -> Understanding:
        fresh = self._restated or (self._standing.question is None and not self._marked)
        within = None if fresh else self._definition.type_id
        return understanding(self._standing, self._language, within=within, asked=asked if asked is not None else "")

    def _allotted(self, text: str, offset: int, *, asked: str | None) -> dict[str, Candidate]:
        inside = [(start - offset, end - offset) for start, end in self._triggers if start >= offset]
        free = asked is not None and values.is_free(self._definition.slot(asked))
        own = {} if free else self._tied(text)
        for one in own.values():
            start, end = with_noun(text, one.start, one.end, self._language)
            text = f"{text[:start]}{_BREAK * (end - start)}{text[end:]}"
        found = allotted(_without(self._definition, own), text, self._understood(asked), inside) | own
        return {path: _moved(one, offset) for path, one in found.items()}

    def _tied(self, text: str) -> dict[str, Candidate]:
        """The figures that count what their slots count, one for a slot: of "4 bolsas a Mitre 55" the 4."""
        found: dict[str, Candidate] = {}
        for slot in self._definition.slots:
            figures = tied(slot, text, self._language)
            if len(figures) != 1:
                continue
            told = [one for one in self._read(slot, text) if (one.start, one.end) == figures[0]]
            if len(told) == 1:
                candidate = told[0].candidate(slot.path, text)
                found[slot.path] = values.settle(slot, candidate, self._understood(slot.path))
        return found

    @cached_property
    def _namings(self) -> Sequence[Naming]:
        """Where slots are called by their names; a name right behind a figure is what that counts: "4 bolsas a …"."""
        found = namings(self._definition, self._text, self._language)
        return [one for one in found if not self._is_counted(one)]

    def _is_counted(self, naming: Naming) -> bool:
        figures = tied(self._definition.slot(naming.path), self._text, self._language)
        return any(not self._text[end : naming.start].strip() for _, end in figures if end <= naming.start)

    @cached_property
    def _named(self) -> dict[str, Candidate]:
        """Values of slots that are called by their names: “cambiá el monto a 80”, “el monto es 80”."""
        found: dict[str, Candidate] = {}
        for naming in self._namings:
            slot = self._definition.slot(naming.path)
            typed = not values.is_free(slot) and (self._amended.marked or (self._marked and slot.type != "enum"))
            if not (naming.joined or typed or is_held_name(slot, self._standing)):
                continue
            begins, ends = naming.begins, naming.ends
            saying = said_to_be(self._text, naming.start, ends, self._language)
            if is_held_name(slot, self._standing) and not naming.joined:
                if saying is None:
                    continue
                begins, ends = saying
            elif values.is_free(slot) and slot.type == "string":
                ends = min((at for at in self._cued_elsewhere(slot) if at > begins), default=ends)
                begins, ends = named_words(self._text, begins, ends, self._language)
            said = self._text[begins:ends]
            readings = self._read(slot, said)
            if not readings and typed:
                begins, said = self._before_its_name(naming.start)
                readings = self._read(slot, said)
            if readings:
                candidate = self._chosen(slot, said, readings)
                found[naming.path] = _moved(candidate, begins)
        return found

    def _before_its_name(self, start: int) -> tuple[int, str]:
        """What stands in the same part of a sentence before a slot's name: "puede ser 21 la edad"."""
        begins = max((self._text.rfind(sign, 0, start) + 1 for sign in EDGES), default=0)
        return begins, self._text[begins:start]

    def _cued_elsewhere(self, slot: Slot) -> Iterator[int]:
        """Where long enough cues of other slots begin."""
        folded = fold(self._text)
        for other in self._definition.slots:
            for cue in () if other.path == slot.path else cues(Same(other), self._text, self._language):
                start, end = folded.span(cue.first, cue.after - 1)
                if end - start >= _LONG_CUE:
                    yield start

    def _read(self, slot: Slot, said: str, closely: Attention = Attention.ASKED) -> Sequence[Reading]:
        known = self._readings.get((slot.path, said, closely))
        if known is None:
            known = values.readings(slot, said, self._understood(slot.path), closely=closely)
            self._readings[slot.path, said, closely] = known
        return known

    def _chosen(self, slot: Slot, said: str, readings: Sequence[Reading]) -> Candidate:
        """The reading at the beginning, or else the last one that is news: “no es 50, es 80”."""
        held = self._standing.values.get(slot.path)
        folded, clauses = fold(said), CLAUSES[self._language]
        meant = [one for one in readings if not clauses.directly_denied(folded.tokens, token_at(folded, one.start))]
        if self._amended.again is None:  # of "tip: 5, to 12 Main Street" the 5
            meant = [one for one in meant if one.value != held and not said[: one.start].strip(" :=")] or meant
        ordered = sorted(meant or readings, key=lambda reading: (reading.value != held, reading.start))
        understood = self._understood(slot.path)
        return values.settle(slot, ordered[-1].candidate(slot.path, said), understood)

    def _news(self, candidate: Candidate) -> Candidate:
        """The reading that differs from what is held, where what is held is named as well."""
        held = self._standing.values.get(candidate.path)
        if held is None or candidate.value != held or not candidate.alternatives or not self._marked:
            return candidate
        slot = self._definition.slot(candidate.path)
        counts = self._text[self._amended.start : self._amended.end]
        return _moved(self._chosen(slot, counts, self._read(slot, counts)), self._amended.start)

    def _primary(self) -> str | None:
        """The slot that a bare value is for: the asked one, or of a correction the one filled last that fits."""
        if self.reopened:
            return next((path for path in self.reopened if self._reads(path)), self._standing.asked)
        asked = self._asked
        counts = self._text[self._amended.start : self._amended.end]
        if not self._marked or self._restated:
            return self._standing.asked if asked is None or not (self._restated and values.is_free(asked)) else None
        if asked is not None and not values.is_free(asked) and self._read(asked, counts):
            return asked.path
        for slot in self._held():
            if self._says_nothing_else(slot, counts):
                return slot.path
        if asked is None:
            return self._only_free(counts)
        about_another = values.is_free(asked) and any(one.path != asked.path for one in self._namings)
        return None if about_another else asked.path

    def _reads(self, path: str) -> bool:
        """Whether the message has a value of a typed slot."""
        slot = self._definition.slot(path)
        return not values.is_free(slot) and bool(self._read(slot, self._text))

    def _held(self) -> Iterator[Slot]:
        """Typed slots with a value: first those that the words alone point to, then the one filled last."""
        counts = self._text[self._amended.start : self._amended.end]
        slots = {slot.path: slot for slot in self._definition.slots}
        held = [slots[path] for path in reversed([*self._standing.values]) if path in slots]
        those = [slot for slot in held if not values.is_free(slot)]
        if len(those) < 2:
            return iter(those)
        return iter(sorted(those, key=lambda slot: not self._read(slot, counts, Attention.MARKED)))

    def _says_nothing_else(self, slot: Slot, counts: str) -> bool:
        """Whether there is a value for it; where words could be meant as well, only if there is nothing but that."""
        readings = self._read(slot, counts)
        if not readings:
            return False
        asked = self._asked
        # Words of the option that is held, among many others, are hardly said to correct it.
        held = self._standing.values.get(slot.path)
        news = slot.type != "enum" or any(reading.value != held for reading in readings)
        if news and self._amended.marked and (asked is None or not values.is_free(asked)):
            return True
        spans = [claim for reading in readings for claim in reading.claims]
        return SOFT[self._language].covers(fold(counts), spans)

    def _only_free(self, counts: str) -> str | None:
        """The one held slot that takes any words, of a message that is taken back and says only a few; unless they
        lead to something else (“no, a Luis”), or may be a name that no list has.
        """
        held = [slot for slot in self._definition.slots if slot.path in self._standing.values]
        free = [slot for slot in held if values.is_free(slot)]
        told = [slot.path for slot in free if slot.type == "text"]
        if self._amended.marked and len(told) == 1 and len(counts.split()) >= _FEWEST_WORDS:
            another = _WILLS[self._language].begins(fold(counts)) or self._says_figures(counts) or self._reaches(counts)
            another = another or names_change(counts, self._definition, self._language)
            return None if another else told[0]
        few = 0 < len(counts.split()) <= _MOST_WORDS and not SOFT[self._language].begins(fold(counts))
        named = any(isinstance(slot, RefSlot) for slot in held)
        return free[0].path if self._amended.marked and len(free) == 1 and few and not named else None

    def _reaches(self, counts: str) -> bool:
        """Whether words have an address or a telephone number that no slot holds yet."""
        ways = (one for one in self._definition.slots if one.type in _REACHED_BY)
        return any(one.path not in self._standing.values and self._readable(one, counts) for one in ways)

    def _says_figures(self, counts: str) -> bool:
        """Whether words could be meant for a slot of figures, days or hours."""
        exact = (slot for slot in self._definition.slots if not values.is_free(slot) and slot.type not in _NAMED_ALONE)
        return bool(day_parts(counts, self._language)) or any(self._read(slot, counts) for slot in exact)

    def _sure(self, candidate: Candidate, primary: str | None) -> Candidate:
        """Unchecked, so that it is asked back, if it is a guess which slot is meant."""
        if candidate.path != primary or not self._amended.marked:
            return candidate
        slot = self._definition.slot(candidate.path)
        guessed = (
            values.is_free(slot)
            and not self._is_told_anew
            and self._standing.asked is None
            and not cues(Same(slot), self._text, self._language)
        )
        return replace(candidate, checked=False) if guessed or self._may_be_another(slot) else candidate

    @cached_property
    def _is_told_anew(self) -> bool:
        """Whether a message begins by saying that what happened was told wrong."""
        head = fold(self._text[: self._amended.start])
        return any(_MISTAKEN[self._language].starting(head.tokens, at) for at in range(len(head.tokens)))

    def _may_be_another(self, slot: Slot) -> bool:
        """“No, mejor 80” to a new question: it may be meant for a slot of the kind that was answered before."""
        if values.is_free(slot) or self._standing.values.get(slot.path) is not None:
            return False
        counts = self._text[self._amended.start : self._amended.end]
        if self._read(slot, counts, Attention.MARKED):
            return False
        return any(self._read(other, counts) for other in self._held())

    def _is_meant(self, candidate: Candidate) -> bool:
        """Whether a value replaces the one that is held: something says so, or its own cue stands before it."""
        if candidate.path in self._right and candidate.checked:
            return True
        if self._marked or candidate.path in self._named:
            return not self.reopened or candidate.path in (*self.reopened, *self._named)
        slot = self._definition.slot(candidate.path)
        found = cues(Same(slot), self._text, self._language)
        folded = fold(self._text)
        return any(
            folded.span(cue.first, cue.after - 1)[1] <= candidate.start
            and len(self._text[slice(*folded.span(cue.first, cue.after - 1))]) >= _LONG_CUE
            and values.follows_cue(slot, self._text, candidate.start, self._language)
            for cue in found
        )


def _moved(candidate: Candidate, offset: int) -> Candidate:
    return replace(candidate, start=candidate.start + offset, end=candidate.end + offset)


def _meets(candidate: Candidate, spans: Sequence[Span]) -> bool:
    return any(candidate.start < end and begin < candidate.end for begin, end in spans)


# What somebody says of what they want or are going to do: it tells nothing of what happened.
_WILLS: Final = {language: Whole((*VOCABULARIES[language].phrases.wishes, *WILLS[language])) for language in LANGUAGES}
_MISTAKEN: Final = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].mistaken) for language in LANGUAGES
}
_BESIDE: Final = {
    language: Whole(
        (*STEERING[language].soft, *STEERING[language].mistaken, *around(language)),
        VOCABULARIES[language].phrases.turns,
    )
    for language in LANGUAGES
}
