"""Candidates become slots: each is checked against the text, the type and the validators before it counts.

What an interpreter says is a proposal (invariant 4); here it is decided which values are committed, which have to be
confirmed and which are refused. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.remainder import Remainder
from mew_agents.fluxi.interpreter.unusable import Unusable
from mew_agents.fluxi.message import Message
from mew_agents.fluxi.values import Refusal
from mew_agents.fluxi.work import Slot, plain_slot
from mew_agents.language.answers import is_answer_word, yes_or_no
from mew_agents.language.retractions import is_correction

_SURE = 0.99  # an option that needs no question at a confirmation
_BESIDE = 2  # words between a day and the part of it


@dataclass(slots=True)
class Filling:
    """What came of the candidates of one message: new slots, refused values, slots that may not change any more.

    `unused`: words for something that no slot asks for; `unplaced`: words that nothing explains; `choices`: two values
    for one slot; `cleared`: what is left of held values that the message takes
    back.
    """

    slots: dict[str, Slot] = field(default_factory=dict)
    refused: list[tuple[SlotDefinition, Any, Refusal]] = field(default_factory=list)
    immutable: list[SlotDefinition] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    choices: list[tuple[SlotDefinition, str]] = field(default_factory=list)
    repeated: bool = False
    cleared: dict[str, Slot | None] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Something was said that can be used, be it only what is known already."""
        return bool(self.slots) or self.repeated

    @property
    def changes(self) -> dict[str, Slot | None]:
        """All that is different afterwards; None: the slot holds nothing any more."""
        return {**self.cleared, **self.slots}

    @property
    def unsure(self) -> bool:
        """Some words of the message were not used for anything."""
        return bool(self.refused or self.unused or self.unplaced or self.choices)

    def delta(self) -> dict[str, Any]:
        """The changes as the delta of an event."""
        return {path: None if slot is None else plain_slot(slot) for path, slot in self.changes.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Fills the slots of one definition from one message. `heard`: when it came, if that was not just now.

    `confirming`: it meets a question that takes a yes or a no.
    """

    definition: Definition
    message: Message
    understanding: Understanding
    source: str
    at: int
    heard: datetime | None = None
    confirming: bool = False

    def fill(self, held: dict[str, Slot], candidates: Iterable[Candidate]) -> Filling:
        """What the candidates make of the slots that are held."""
        filling = Filling()
        candidates = tuple(candidates)
        for candidate in candidates:
            if self.confirming and self._belongs_to_a_day(candidate, candidates):
                candidate = replace(candidate, confidence=_SURE)
            if candidate.path in self.definition.paths and candidate.path not in filling.slots:
                self._take(self.definition.slot(candidate.path), candidate, held.get(candidate.path), filling)
        return filling

    def clear(self, held: dict[str, Slot], cleared: Mapping[str, Any], filling: Filling) -> None:
        """Takes back held values, but for what is left of each."""
        for path, left in cleared.items():
            slot = held.get(path)
            if slot is None or slot.immutable or path in filling.slots:
                continue
            filling.cleared[path] = None if left is None else replace(slot, value=left, status="proposed")

    def refuse(self, unusable: Iterable[Unusable], filling: Filling) -> None:
        """Notes the words of the message that no slot can take, with the reason."""
        for one in unusable:
            if one.path is None:
                filling.unused.append(one.words)
            elif refusal := values.refusal(self.definition.slot(one.path), one.words, self.understanding):
                filling.refused.append((self.definition.slot(one.path), one.words, refusal))

    def leave(self, left: Remainder, filling: Filling) -> None:
        """Notes what the message says and nothing takes."""
        filling.unplaced += left.unplaced
        text = self.message.text
        filling.choices += [(self.definition.slot(one.path), text[one.start : one.end]) for one in left.choices]

    def _take(self, slot: SlotDefinition, candidate: Candidate, held: Slot | None, filling: Filling) -> None:
        found = values.checked(slot, candidate, self.message.text, self._meant)
        if found is None:
            return
        if self.confirming and candidate.confidence != _SURE and self._in_passing(slot, found, held):
            if self._is_an_answer(found):
                return
            if not self._is_correction(found):
                found = replace(found, guessed=True)
        elif not self.confirming and self._is_aside(slot, found, held):
            return
        found = values.settle(slot, found, self._meant)
        if refusal := values.refusal(slot, found.value, self.understanding):
            filling.refused.append((slot, found.value, refusal))
        elif held is not None and held.status == "committed" and held.value == found.value:
            filling.repeated = True
        elif held is not None and held.status == "committed" and held.immutable:
            filling.immutable.append(slot)
        else:
            filling.slots[slot.path] = self._slot(slot, found, held)

    def _in_passing(self, slot: SlotDefinition, found: Candidate, held: Slot | None) -> bool:
        """An option's word without the slot's cue may be said in passing: then it is asked whether it is meant.

        So may a yes or a no, but not the slot's subject: "no terrace".
        """
        if held is None or held.status != "committed" or slot.type not in ("enum", "bool"):
            return False
        if slot.type == "bool" and not yes_or_no(found.evidence, self.understanding.language):
            return False
        return not values.follows_cue(slot, self.message.text, found.start, self.understanding.language)

    def _is_aside(self, slot: SlotDefinition, found: Candidate, held: Slot | None) -> bool:
        """Whether a word that only bends to an option of a settled slot is said while another one is asked for."""
        if self.understanding.asked in (None, slot.path) or slot.type != "enum" or len(found.evidence.split()) > 1:
            return False
        bent = found.confidence < 1 and self._in_passing(slot, found, held)
        return bent and not self._is_correction(found)

    def _belongs_to_a_day(self, candidate: Candidate, others: Iterable[Candidate]) -> bool:
        """Whether an option stands right beside a new day or hour: "Wednesday the 24th in the morning"."""
        if self.definition.slot(candidate.path).type != "enum":
            return False
        days = [one for one in others if self.definition.slot(one.path).type in ("date", "time", "datetime")]
        text = self.message.text
        between = [text[min(a.end, b.end) : max(a.start, b.start)] for a in days for b in (candidate,)]
        return any(len(words.split()) <= _BESIDE and not set(".!?;") & set(words) for words in between)

    def _is_an_answer(self, found: Candidate) -> bool:
        """A word of an answer: "no, está equivocado", "más tarde"."""
        return is_answer_word(self.message.text, found.start, found.end, self.understanding.language)

    def _is_correction(self, found: Candidate) -> bool:
        """A word of a correction: "I meant morning", "sí, pero a la noche"."""
        return is_correction(self.message.text, found.start, found.end, self.understanding.language)

    @property
    def _meant(self) -> Understanding:
        """What words such as “mañana” are understood with; what may be said is decided now."""
        if self.heard is None:
            return self.understanding
        return replace(self.understanding, now=self.heard.astimezone(self.understanding.now.tzinfo))

    def _slot(self, slot: SlotDefinition, found: Candidate, held: Slot | None) -> Slot:
        against = _contradicted(slot, found, held, self.understanding)
        asked = bool(against) or self._must_be_asked(slot, found)
        others = [value for value in found.alternatives if values.refusal(slot, value, self.understanding) is None]
        return Slot(
            path=slot.path,
            type=slot.type,
            value=found.value,
            source=self.source,
            set_by=self.message.sender,
            set_at=self.at,
            status="proposed" if asked else "committed",
            immutable=slot.immutable,
            evidence={
                "message_id": self.message.message_id,
                "start": found.start,
                "end": found.end,
                "text": found.evidence,
                **_earlier(slot, found, held),
                **against,
                **({"alternatives": others, "doubts": list(found.doubts)} if asked else {}),
            },
        )

    def _must_be_asked(self, slot: SlotDefinition, found: Candidate) -> bool:
        """Seed 002 §3.5: what is ambiguous or critical is not assumed. Nor is what no extractor confirms."""
        if not found.checked or found.guessed or not values.is_complete(slot, found.value):
            return True
        match self.definition.confirmation.slots:
            case "never":
                return False
            case "ambiguous":
                return bool(found.doubts)
            case "critical":
                return bool(found.doubts) or slot.critical
            case "always":
                return True


def _contradicted(
    slot: SlotDefinition, found: Candidate, held: Slot | None, understanding: Understanding
) -> dict[str, Any]:
    """The words of the part of the day that an hour contradicts, and the piece that stays if it is not meant."""
    if held is None or not values.is_complete(slot, found.value) or not isinstance(held.value, dict):
        return {}
    clock = values.clock_of(found.value, understanding)
    if clock is None or not values.contradicts_part(held.value, clock):
        return {}
    return {"against": held.value.get("said", ""), "piece": held.value}


def _earlier(slot: SlotDefinition, found: Candidate, held: Slot | None) -> dict[str, Any]:
    """The evidence of the piece that a value was completed from, so that all of a value has its words."""
    if held is None or held.evidence is None or values.is_complete(slot, held.value):
        return {}
    if not values.is_complete(slot, found.value):
        return {}
    names = ("message_id", "start", "end", "text")
    return {"earlier": {name: held.evidence[name] for name in names if name in held.evidence}}


def defaults(definition: Definition, understanding: Understanding, *, sender: str, at: int) -> dict[str, Slot]:
    """What the slots hold before anybody says anything."""
    found: dict[str, Slot] = {}
    for slot in definition.slots:
        if slot.default is not None:
            value = values.normal(slot, sender if slot.default.sender else slot.default.value, understanding)
            if value is None:
                continue
            found[slot.path] = Slot(
                path=slot.path,
                type=slot.type,
                value=value,
                source="default",
                set_by="definition",
                set_at=at,
                status="committed",
            )
    return found
