"""The seam of understanding: a text and where a dialogue stands go in, commands come out (docs/flows.md §2).

Pass 1 says what is meant to happen, pass 2 which slots the text fills. Nothing else happens in either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from mew_agents.flows.commands import AnyCommand, CorrectSlot, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.language.found import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a dialogue stands, as far as understanding needs it.

    `now` is in the zone that hours are meant in. `flows`: those that may be asked for. `at_hand`: the flow on top of
    the stack, None for an empty one; `values`: what its slots hold; `asked`: the slot that its open question is about;
    `question`: what kind of question is open. `history`: what was said before, oldest first, (who, text), who being
    `person` or `agent`. `lists`: by tool, the names of those whose list it has.
    """

    language: Language
    now: datetime
    flows: Sequence[Flow]
    at_hand: Flow | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    asked: str | None = None
    question: Literal["slot", "execution"] | None = None
    changing: bool = False
    history: Sequence[tuple[str, str]] = ()
    lists: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What came of a pass, and the name of whoever decided: that goes on record.

    `fault`: why somebody else than was asked decided (`timeout`, `http_500`, …), else empty.
    """

    commands: tuple[AnyCommand, ...]
    decided_by: str
    fault: str = ""

    @property
    def on_record(self) -> str:
        """Who decided, and why somebody else than was asked."""
        return f"{self.decided_by} ({self.fault})" if self.fault else self.decided_by


class Understander(ABC):
    """Understands. `name` goes on record; `deterministic`: same text, same standing, same commands, without waiting."""

    name: str
    deterministic: bool

    @abstractmethod
    def commands(self, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
        """Pass 1, at once: of a deterministic understander, its answer. Empty: nothing was understood."""

    @abstractmethod
    def slots(self, text: str, standing: Standing) -> tuple[SetSlot | CorrectSlot, ...]:
        """Pass 2, at once: what the text fills of the flow at hand, in its slots' order."""

    async def understand(self, text: str, standing: Standing) -> Understood:
        """Pass 1, and may wait (for a model). Never raises: what cannot be had is decided by rules."""
        return Understood(commands=self.commands(text, standing), decided_by=self.name)

    async def extract(self, text: str, standing: Standing) -> Understood:
        """Pass 2, likewise: `commands` are `SetSlot` and `CorrectSlot` alone."""
        return Understood(commands=self.slots(text, standing), decided_by=self.name)
