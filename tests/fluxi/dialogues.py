"""A dialogue that asks whether an effect shall happen, written row by row: what flows do on the store of Fluxi."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection

from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.claims import claim_all
from mew_agents.fluxi.context import ContextKind, SemanticContext
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.message import Conversation, PolicyContext
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.statements import INSERT_DECISION, INSERT_DIALOGUE, INSERT_PROPOSAL
from mew_agents.fluxi.work import Work

from .bookings import START, ZONE

T = TypeVar("T")
HERE = Conversation("clinic", "c")
AT = round(START.timestamp() * 1000)


def dialogue_row(dialogue_id: str = "d", **changes: Any) -> dict[str, Any]:
    """A dialogue with ana that nothing has happened in."""
    place = {"account_id": HERE.account_id, "conversation_id": HERE.conversation_id, "participant": "ana"}
    standing = {"revision": 0, "state": "{}", "top": None, "waiting": None, "suspended": None, "due_at": None}
    return {"dialogue_id": dialogue_id, **place, **standing, "opened_at": AT, "changed_at": AT, **changes}


def question(context_id: str, dialogue_id: str = "d", *, kind: ContextKind = "slot", **changes: Any) -> SemanticContext:
    """A question that a dialogue with ana asks."""
    plain: dict[str, Any] = {
        "context_id": context_id,
        "account_id": HERE.account_id,
        "conversation_id": HERE.conversation_id,
        "participant": "ana",
        "dialogue_id": dialogue_id,
        "kind": kind,
        "path": None,
        "proposed": {"amount": 80},
        "sent_at": None,
        "expires_at": AT + 60_000,
        "created_at": AT,
    }
    return SemanticContext(**plain | changes)


@dataclass
class Dialogue:
    """One in which an effect of the only definition of a Fluxi is confirmed."""

    fluxi: Fluxi
    work_ids: list[str] = field(default_factory=list)

    async def write(self, do: Callable[[Records], T]) -> T:
        """What is done to the records of one transaction."""

        def act(connection: Connection) -> T:
            records = self.fluxi.desk.records(connection)
            value = do(records)
            records.flush()
            return value

        return await self.fluxi.desk.write(act, point="x")

    async def read(self, look: Callable[[Records], T]) -> T:
        return await self.fluxi.database.read(lambda connection: look(self.fluxi.desk.records(connection)))

    async def ask(self) -> None:
        """The effect is proposed, and whether it shall happen is asked."""

        def ask(records: Records) -> None:
            place = {"account_id": HERE.account_id, "conversation_id": HERE.conversation_id, "sender": "ana"}
            (definition,) = self.fluxi.catalogue.of_account(HERE.account_id)
            records.write(INSERT_DIALOGUE, dialogue_row(waiting="question"))
            decided = {"interpreter": "rules", "definitions": "[]", "answer": "[]", "decided_at": AT}
            asked = {"decision_id": "decision", "message_id": "m0", "work_id": ""}
            records.write(INSERT_DECISION, {**place, **decided, **asked})
            version = self.fluxi.catalogue.version_of(definition)
            proposed = {"type_id": definition.type_id, "version_id": version, "candidate_slots": written([])}
            standing = {"status": "pending", "reason": None, "proposed_at": AT, "settled_at": None, "part_of": "d"}
            records.write(
                INSERT_PROPOSAL,
                {"proposal_id": "proposal", "decision_id": "decision", **place, **proposed, **standing},
            )
            records.ask(question("q", kind="execution", sent_at=AT))

        await self.write(ask)

    async def yes(self) -> Work:
        """The question is consumed, and the Work of the effect opened and claimed, in one transaction."""
        desk, policy = self.fluxi.desk, PolicyContext(now=START, timezone=ZONE)

        def yes(records: Records) -> Work:
            scene = desk.scene(records, policy, by="ana", cause_id="m1")
            (asked,) = records.open_of("d")
            (definition,) = self.fluxi.catalogue.of_account(HERE.account_id)
            records.settle(asked, "consumed", by="m1", at=AT + 1)
            records.settle_proposal("proposal", "opened", "confirmed", at=AT + 1)
            work_id = records.new_id()
            records.set_manner(work_id, self.fluxi.catalogue.manner(policy))
            work = scene.open(
                work_id,
                proposal_id="proposal",
                conversation=HERE,
                owner="ana",
                version_id=self.fluxi.catalogue.version_of(definition),
                slots={},
                part_of="d",
            )
            work = scene.happen(work, Event.STATE_CHANGED, State.ACTIVE)
            note = {"semantic_context_id": asked.context_id}
            work = scene.happen(work, Event.SEMANTIC_COMMIT, State.EXECUTING, note=note)
            return claim_all(scene, work, asked.context_id) or work

        return await self.write(yes)
