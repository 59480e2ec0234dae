"""What Fluxi reads and writes in one transaction: rows in, domain objects out; writes go together at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row

from mew_agents.fluxi import statements
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.claim import Attempt, Claim
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.questions import Questions
from mew_agents.fluxi.rows import (
    attempt_of,
    claim_of,
    event_of,
    event_row,
    slot_of_row,
    slot_row,
    work_of,
    work_row,
)
from mew_agents.fluxi.transaction import bound
from mew_agents.fluxi.work import Work, WorkEvent

# What is written of a Work once, when it opens.
_FIXED = (
    "work_id", "proposal_id", "account_id", "conversation_id", "owner", "version_id", "opened_at", "part_of",
)  # fmt: skip


class Records(Questions):
    """One transaction. What is read is true at once; what is written goes to the database with `flush`."""

    def __init__(self, connection: Connection, *, new_id: Callable[[], str]) -> None:
        super().__init__(connection, new_id=new_id)
        self._loaded: dict[str, Work | None] = {}
        self._works: dict[str, Work] = {}
        self._live: set[tuple[str, str]] = set()
        self._holders: dict[tuple[str, str], str | None] = {}
        self._manners: dict[str, str] = {}
        self._settled: set[str] = set()
        self.events: list[WorkEvent] = []

    # Conversations and messages

    def definition(self, catalogue: Catalogue, version: str) -> Definition:
        """A version of a definition, whoever has registered it. Raises UnknownDefinition."""
        return catalogue.known(self._connection, version)

    def take(self, work_id: str) -> Work | None:
        """A Work with the turn of its conversation."""
        return self.work(work_id) if self.lock_place(statements.PLACE, bound(work_id=work_id)) else None

    def place_of(self, work_id: str) -> tuple[str, str] | None:
        """Account and conversation of a Work."""
        row = self._first(statements.PLACE, bound(work_id=work_id))
        return None if row is None else (row.account_id, row.conversation_id)

    def message(self, *key: str) -> Row[Any] | None:
        """The inbox row of (account, conversation, sender, message id)."""
        return self._first(statements.ONE_MESSAGE, message_key(*key))

    def decisions(self, *key: str) -> dict[str, Row[Any]]:
        """What was decided about a message, by the Work whose slots were looked for ("": a new intent)."""
        rows = self._all(statements.DECISIONS, message_key(*key))
        return {row.work_id: row for row in rows}

    def decided(self) -> list[dict[str, Any]]:
        """The decisions of this transaction, which is not to be committed."""
        return self._writes.get(statements.INSERT_DECISION, [])

    # Works

    def work(self, work_id: str) -> Work | None:
        """A Work with its slots."""
        if work_id not in self._works:
            row = self._first(statements.ONE_WORK, bound(work_id=work_id))
            return None if row is None else self._remember(row)
        return self._works[work_id]

    def asker(self, question: SemanticContext) -> Work | None:
        """The Work that asks a question; None: a dialogue does."""
        return None if question.work_id is None else self.work(question.work_id)

    def live_in(self, account_id: str, conversation_id: str) -> list[Work]:
        """The live Works of a conversation whose turn is taken, as they are by now, oldest first: also those that this
        transaction has opened.

        Those that are a part of a dialogue are not the conversation's.
        """
        place = (account_id, conversation_id)
        if place not in self._live:
            for row in self._all(statements.LIVE_HERE, bound(account_id=account_id, conversation_id=conversation_id)):
                self._remember(row)
            self._live.add(place)
        here = (one for one in self._works.values() if (one.account_id, one.conversation_id) == place)
        live = (one for one in here if one.live and one.part_of is None)
        return sorted(live, key=lambda one: (one.opened_at, one.work_id))

    def last_of(self, account_id: str, conversation_id: str, owner: str) -> Work | None:
        """The last Work that somebody opened in a conversation, whatever became of it."""
        key = bound(account_id=account_id, conversation_id=conversation_id, owner=owner)
        row = self._first(statements.LAST_OF, key)
        return None if row is None else self._remember(row)

    def recent_of(self, account_id: str, conversation_id: str, owner: str) -> list[Work]:
        """The last Works that somebody opened in a conversation, the newest first."""
        key = bound(account_id=account_id, conversation_id=conversation_id, owner=owner)
        return [self._remember(row) for row in self._all(statements.RECENT_OF, key)]

    def _remember(self, row: Row[Any]) -> Work:
        work_id = row.work_id
        if work_id not in self._works:
            slots = {slot.path: slot_of_row(slot) for slot in self._all(statements.SLOTS, bound(work_id=work_id))}
            self._works[work_id] = self._loaded[work_id] = work_of(row, slots)
            self._manners[work_id] = row.manner
        return self._works[work_id]

    def manner(self, work_id: str) -> str:
        """The PolicyContext of a Work's last message, as JSON."""
        return self._manners[work_id]

    def set_manner(self, work_id: str, manner: str) -> None:
        """How a Work is spoken about from now on; written when the Work changes."""
        self._manners[work_id] = manner

    def history(self, work_id: str) -> list[WorkEvent]:
        """All events of a Work, in order."""
        return [event_of(row) for row in self._all(statements.EVENTS, bound(work_id=work_id))]

    def holder(self, account_id: str, aggregate_key: str) -> str | None:
        """The live Work that an aggregate key belongs to by now."""
        key = (account_id, aggregate_key)
        for work in self._works.values():
            if work.live and (work.account_id, work.aggregate_key) == key:
                return work.work_id
        if key not in self._holders:
            row = self._first(statements.HOLDER, bound(account_id=account_id, aggregate_key=aggregate_key))
            self._holders[key] = None if row is None else row.work_id
        holder = self._holders[key]
        now = None if holder is None else self._works.get(holder)
        return None if now is not None and not now.live else holder

    def happened(self, work: Work, event: WorkEvent) -> None:
        """Something happened to a Work, which is `work` now."""
        self._loaded.setdefault(work.work_id, None)
        self._works[work.work_id] = work
        self.events.append(event)

    # Dialogues

    def dialogue(self, account_id: str, conversation_id: str, participant: str) -> Row[Any] | None:
        """The row of the dialogue with a participant in a conversation."""
        key = bound(account_id=account_id, conversation_id=conversation_id, participant=participant)
        return self._first(statements.ONE_DIALOGUE, key)

    def dialogue_by_id(self, dialogue_id: str) -> Row[Any] | None:
        """The row of a dialogue, whosever turn it is."""
        return self._first(statements.DIALOGUE_BY_ID, bound(dialogue_id=dialogue_id))

    def take_dialogue(self, dialogue_id: str) -> Row[Any] | None:
        """The row of a dialogue, with the turn of its conversation."""
        key = bound(dialogue_id=dialogue_id)
        found = self.lock_place(statements.DIALOGUE_PLACE, key)
        return self._first(statements.DIALOGUE_BY_ID, key) if found else None

    def flow_events(self, dialogue_id: str) -> Sequence[Row[Any]]:
        """The rows of all events of a dialogue, in order."""
        return self._all(statements.FLOW_EVENTS, bound(dialogue_id=dialogue_id))

    # Claims, proposals

    def claims(self, work_id: str) -> list[Claim]:
        """The claims of a Work, in the order of its effects."""
        return [claim_of(row) for row in self._all(statements.CLAIMS, bound(work_id=work_id))]

    def claim(self, claim_id: str) -> Claim | None:
        """One claim."""
        row = self._first(statements.ONE_CLAIM, bound(claim_id=claim_id))
        return None if row is None else claim_of(row)

    def change_claim(self, claim: Claim, **changes: Any) -> Claim:
        """Changes a claim that is as it was read."""
        was = bound(claim_id=claim.claim_id, status=claim.status, fence=claim.fence)
        self.write(statements.UPDATE_CLAIM, {**was, **changes})
        return replace(claim, **changes)

    def attempts(self, claim_id: str) -> list[Attempt]:
        """The attempts at an effect, in order."""
        return [attempt_of(row) for row in self._all(statements.ATTEMPTS, bound(claim_id=claim_id))]

    def effects(self, work_id: str) -> list[Row[Any]]:
        """The recorded effects of a Work."""
        return list(self._all(statements.EFFECTS, bound(work_id=work_id)))

    def proposal(self, proposal_id: str) -> Row[Any] | None:
        """One proposal."""
        return self._first(statements.ONE_PROPOSAL, bound(proposal_id=proposal_id))

    def proposed(self, account_id: str, conversation_id: str, sender: str) -> Sequence[Row[Any]]:
        """The pending proposals of a participant in a conversation, oldest first: those that a person has to look at,
        and those that wait for a Work.
        """
        key = bound(account_id=account_id, conversation_id=conversation_id, sender=sender)
        return [row for row in self._all(statements.PROPOSED, key) if row.proposal_id not in self._settled]

    def settle_proposal(self, proposal_id: str, status: str, reason: str, *, at: int) -> None:
        """Decides about a pending proposal, once."""
        self._settled.add(proposal_id)
        was = bound(proposal_id=proposal_id, status="pending")
        self.write(statements.SETTLE_PROPOSAL, {**was, "status": status, "reason": reason, "settled_at": at})

    def message_of(self, proposal_id: str) -> Row[Any]:
        """The inbox row of the message that a proposal was made of."""
        row = self._first(statements.MESSAGE_OF, bound(proposal_id=proposal_id))
        if row is None:
            raise LookupError(f"the proposal {proposal_id} has no message")
        return row

    # The database

    def flush(self) -> None:
        """Sends all writes, parents first. Raises Stale when a row is not as it was read."""
        for work_id, work in self._works.items():
            self._write_work(self._loaded.get(work_id), work)
        for event in self.events:
            self.write(statements.INSERT_EVENT, event_row(event))
        super().flush()

    def _write_work(self, was: Work | None, work: Work) -> None:
        if was is work:
            return
        row = {**work_row(work), "manner": self._manners[work.work_id]}
        if was is None:
            self.write(statements.INSERT_WORK, {**{name: getattr(work, name) for name in _FIXED}, **row})
        else:
            self.write(statements.UPDATE_WORK, {**bound(work_id=work.work_id, revision=was.revision), **row})
        before = {} if was is None else was.slots
        for path, slot in work.slots.items():
            if path not in before:
                self.write(statements.INSERT_SLOT, {"work_id": work.work_id, **slot_row(slot)})
            elif before[path] != slot:
                self.write(statements.UPDATE_SLOT, {**bound(work_id=work.work_id, path=path), **slot_row(slot)})
        for path in before:
            if path not in work.slots:
                self.write(statements.DELETE_SLOT, bound(work_id=work.work_id, path=path))


def message_key(*key: str) -> dict[str, Any]:
    """(account, conversation, sender, message id), as updates of a message name it."""
    return bound(**dict(zip(statements.MESSAGE_KEY, key, strict=True)))
