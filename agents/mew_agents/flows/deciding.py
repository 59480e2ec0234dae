"""What was understood of a message, decided once: each pass is a DecisionEvent (docs/flows.md §2; seed 002 §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Row

from mew_agents.flows import commands as commanding
from mew_agents.flows.commands import AnyCommand
from mew_agents.flows.understanding.base import Standing, Understander, Understood
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.statements import INSERT_DECISION

# What a decision is about: in pass 1 whatever may be meant, in pass 2 the slots of a flow.
FIRST_PASS = ""


class Wanted(Exception):
    """A turn cannot go on before an understander has been asked, and this one takes its time."""

    def __init__(self, standing: Standing, about: str) -> None:
        super().__init__(about)
        self.standing = standing
        self.about = about


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pass has decided, and the id under which that is on record."""

    decision_id: str
    commands: tuple[AnyCommand, ...]


class Deciding:
    """The passes of one message. `key` is (account, conversation, sender, message id); `about` `FIRST_PASS` or a
    flow's id. What is on record is never decided again, whoever would decide otherwise by now. `fresh`: the message
    has come just now, and nothing is on record.
    """

    def __init__(
        self,
        records: Records,
        understander: Understander,
        key: Sequence[str],
        text: str,
        *,
        at: int,
        fresh: bool = False,
    ) -> None:
        self._records = records
        self._understander = understander
        self._key = key
        self._text = text
        self._at = at
        self._fresh = fresh

    def decide(self, about: str, standing: Standing) -> Decision:
        """What a pass says. Raises Wanted, where it cannot be told at once."""
        stored = self._on_record.get(about)
        if stored is not None:
            return Decision(stored.decision_id, commanding.read(stored.answer))
        understander = self._understander
        if not understander.deterministic:
            raise Wanted(standing, about)
        found: tuple[AnyCommand, ...]
        first = about == FIRST_PASS
        found = understander.commands(self._text, standing) if first else understander.slots(self._text, standing)
        return self.record(about, standing, Understood(commands=found, decided_by=understander.name))

    def record(self, about: str, standing: Standing, understood: Understood) -> Decision:
        """Puts on record what was decided."""
        account_id, conversation_id, sender, message_id = self._key
        decision_id = self._records.new_id()
        flows = standing.flows if standing.at_hand is None else (standing.at_hand, *standing.flows)
        self._records.write(
            INSERT_DECISION,
            {
                "decision_id": decision_id,
                "account_id": account_id,
                "conversation_id": conversation_id,
                "sender": sender,
                "message_id": message_id,
                "work_id": about,
                "interpreter": understood.on_record,
                "definitions": written(list(dict.fromkeys(flow.version for flow in flows))),
                "answer": commanding.written(understood.commands),
                "decided_at": self._at,
            },
        )
        return Decision(decision_id, understood.commands)

    def missing(self, about: str) -> bool:
        """Whether nothing was decided about this yet."""
        return about not in self._on_record

    @cached_property
    def _on_record(self) -> dict[str, Row[Any]]:
        """What earlier transactions have decided: a pass is decided once in each."""
        return {} if self._fresh else self._records.decisions(*self._key)


async def asked(understander: Understander, text: str, wanted: Wanted) -> Understood:
    """What an understander that takes its time says of a pass."""
    if wanted.about == FIRST_PASS:
        return await understander.understand(text, wanted.standing)
    return await understander.extract(text, wanted.standing)
