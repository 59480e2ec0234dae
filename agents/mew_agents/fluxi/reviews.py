"""Proposals that a person looks at before a Work opens (`policies.open: review`, docs/fluxi.md §6)."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, Row

from mew_agents.fluxi import gate
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.decisions import restored_slots
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.opening import Opening
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.refusing import say_invalid
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.waiting import WAITS
from mew_agents.fluxi.wording import title


class Reviews:
    """Accepts and declines proposals. `account_id` narrows to an account. Raises Refused; `by` names who decides."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def accept(self, proposal_id: str, *, by: str, account_id: str | None = None) -> str:
        """Opens its Work and returns its id. The gate is passed again; nothing is interpreted again."""

        def accept(connection: Connection) -> str:
            scene, row, message = self._review(connection, proposal_id, by, account_id)
            conversation = Conversation(row.account_id, row.conversation_id)
            definition = self._desk.catalogue.current(row.type_id)
            if definition is None or not gate.allowed(definition, row.account_id):
                raise Refused("not_allowed", f"The account may not use {row.type_id} any more: decline the proposal.")
            opening = Opening(scene, conversation, message, definition)
            # What it says of days is meant from when it was said.
            heard = datetime.fromtimestamp(row.proposed_at / 1000, UTC)
            refused, filling = opening.examine(restored_slots(row.candidate_slots), source="review", heard=heard)
            if refused is not None:
                raise Refused(refused, f"It cannot be opened now ({refused}): decline it, or try again later.")
            scene.records.settle_proposal(proposal_id, "opened", f"accepted by {by}", at=scene.at)
            scene.say("reply", "reviewed", title=title(definition, scene.policy))
            say_invalid(scene, filling.refused)
            work = opening.open(proposal_id, filling)
            self._desk.finish(scene, work)
            return work.work_id

        return await self._desk.write(accept, point="operator")

    async def decline(self, proposal_id: str, *, by: str, reason: str, account_id: str | None = None) -> None:
        """Discards it, and tells whoever asked why."""

        def decline(connection: Connection) -> None:
            scene, row, message = self._review(connection, proposal_id, by, account_id)
            definition = self._desk.catalogue.current(row.type_id)
            named = row.type_id if definition is None else title(definition, scene.policy)
            scene.say("failed", "review_declined", title=named, reason=reason)
            scene.records.settle_proposal(proposal_id, "discarded", f"declined by {by}: {reason}", at=scene.at)
            self._desk.tell(scene, row.account_id, row.conversation_id, message.sender)
            scene.records.flush()

        await self._desk.write(decline, point="operator")

    def _review(
        self, connection: Connection, proposal_id: str, by: str, account_id: str | None
    ) -> tuple[Scene, Row[tuple[object, ...]], Message]:
        records = self._desk.records(connection)
        row = records.proposal(proposal_id)
        if row is None or account_id not in (None, row.account_id):
            raise Refused("not_found", f"There is no proposal {proposal_id}.")
        if row.part_of is not None:
            raise Refused("part_of_flow", f"The proposal {proposal_id} is a part of a flow: its own question decides.")
        records.lock(row.account_id, row.conversation_id)
        row = records.proposal(proposal_id)
        if row is None or row.status != "pending":
            raise Refused("settled", f"The proposal {proposal_id} is {row and row.status}: there is nothing to decide.")
        if row.reason == WAITS:
            raise Refused("waits", f"The proposal {proposal_id} waits for the Work before it, and begins by itself.")
        said = records.message_of(proposal_id)
        message = Message(message_id=said.message_id, sender=said.sender, **read(said.message))
        policy = self._desk.policy(said.policy)
        return self._desk.scene(records, policy, by=f"operator:{by}", cause_id=proposal_id), row, message
