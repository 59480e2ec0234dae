"""The seam of understanding: a text and the definitions go in, a proposal comes out, and nothing else happens.

An interpreter only proposes (invariant 4): what it says is checked against the text and the typed extractors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.language.found import Doubt, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A value for a slot, and its verbatim evidence: `text[start:end]` of this message (docs/fluxi.md §2.2).

    `value` is JSON, as the slot stores it. `checked`: the typed extractor yields exactly this from the evidence;
    a value that is not checked is confirmed before it counts. `guessed`: nothing but its shape says that the value is
    this slot's, so that it is always confirmed.
    """

    path: str
    value: Any
    start: int
    end: int
    evidence: str
    confidence: float = 1.0
    alternatives: tuple[Any, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    checked: bool = True
    guessed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedWork:
    """A hypothesis: which operation is meant, and the slots the text fills (seed 002 §4).

    `rivals`: other types that the text fits as well; then somebody has to choose. `wish`: where the words stand that
    ask for the operation itself, `text[start:end]`; None: only its slots speak for it. `later`: types that other words
    of the text ask for; they are not done now. `second`: the wish that is taken up when this one is done.
    """

    type_id: str
    confidence: float
    slots: tuple[Candidate, ...] = ()
    rivals: tuple[str, ...] = ()
    wish: tuple[int, int] | None = None
    later: tuple[str, ...] = ()
    second: ProposedWork | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What an interpreter is told besides text and definitions.

    `now` is in the zone that hours are meant in. `asked`: the slot that was just asked for ("": what to change), None
    outside a Work; `values`: what the Work holds, proposed pieces included. Inside a Work (`within` is its type) only
    slots are looked for, never a new intent. `lists`: by tool, the names of those whose list it has; what is
    made of one is remembered, so a list that changed is another object.
    """

    language: Language
    now: datetime
    within: str | None = None
    asked: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    lists: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """What came of a text, and the name of the interpreter that decided: that goes on record.

    `fault`: why another one than the one that was asked decided (`timeout`, `http_500`, …), else empty.
    """

    proposal: ProposedWork | None
    decided_by: str
    fault: str = ""

    @property
    def on_record(self) -> str:
        """Who decided, and why somebody else than was asked."""
        return f"{self.decided_by} ({self.fault})" if self.fault else self.decided_by


class Interpreter(ABC):
    """Proposes. `name` goes on record with each decision; `deterministic`: the same input, the same proposal."""

    name: str
    deterministic: bool

    @abstractmethod
    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        """At once, without waiting for anything: of a deterministic interpreter, its answer."""

    async def interpret(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> Interpretation:
        """The same, and may wait (for a model). Never raises: what cannot be had is decided by rules."""
        return Interpretation(proposal=self.propose(text, definitions, understanding), decided_by=self.name)
