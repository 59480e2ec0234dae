"""Domain objects as rows, and rows as domain objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.claim import Attempt, Claim
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.work import CHANGEABLE, Slot, Work, WorkEvent, plain_slot


def work_row(work: Work) -> dict[str, Any]:
    row = {name: getattr(work, name) for name in CHANGEABLE}
    return {**row, "state": work.state.value, "revision": work.revision, "changed_at": work.changed_at}


def work_of(row: Row[Any], slots: Mapping[str, Slot]) -> Work:
    plain = {name: getattr(row, name) for name in CHANGEABLE}
    return Work(
        work_id=row.work_id,
        proposal_id=row.proposal_id,
        account_id=row.account_id,
        conversation_id=row.conversation_id,
        owner=row.owner,
        version_id=row.version_id,
        state=State(row.state),
        revision=row.revision,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
        part_of=row.part_of,
        slots=slots,
        **plain,
    )


def slot_row(slot: Slot) -> dict[str, Any]:
    plain = plain_slot(slot)
    evidence = plain["evidence"]
    return {
        **plain,
        "value": written(slot.value),
        "evidence": None if evidence is None else written(evidence),
        "immutable": int(slot.immutable),
    }


def slot_of_row(row: Row[Any]) -> Slot:
    return Slot(
        path=row.path,
        type=row.type,
        value=read(row.value),
        source=row.source,
        set_by=row.set_by,
        set_at=row.set_at,
        status=row.status,
        immutable=bool(row.immutable),
        evidence=None if row.evidence is None else read(row.evidence),
    )


def event_row(event: WorkEvent) -> dict[str, Any]:
    return {
        "work_id": event.work_id,
        "revision": event.revision,
        "type": event.type.value,
        "from_state": None if event.source is None else event.source.value,
        "to_state": event.target.value,
        "cause": written(event.cause),
        "delta": written(event.delta),
        "at": event.at,
    }


def event_of(row: Row[Any]) -> WorkEvent:
    """A WorkEvent from its row."""
    return WorkEvent(
        work_id=row.work_id,
        revision=row.revision,
        type=Event(row.type),
        source=None if row.from_state is None else State(row.from_state),
        target=State(row.to_state),
        cause=read(row.cause),
        delta=read(row.delta),
        at=row.at,
    )


def context_of(row: Row[Any]) -> SemanticContext:
    return SemanticContext(
        context_id=row.context_id,
        account_id=row.account_id,
        conversation_id=row.conversation_id,
        participant=row.participant,
        work_id=row.work_id,
        dialogue_id=row.dialogue_id,
        kind=row.kind,
        path=row.path,
        proposed=read(row.proposed),
        status=row.status,
        sent_at=row.sent_at,
        expires_at=row.expires_at,
        settled_by=row.settled_by,
        settled_at=row.settled_at,
        created_at=row.created_at,
    )


def context_row(context: SemanticContext) -> dict[str, Any]:
    return {
        "context_id": context.context_id,
        "account_id": context.account_id,
        "conversation_id": context.conversation_id,
        "participant": context.participant,
        "work_id": context.work_id,
        "dialogue_id": context.dialogue_id,
        "kind": context.kind,
        "path": context.path,
        "proposed": written(context.proposed),
        "status": context.status,
        "sent_at": context.sent_at,
        "expires_at": context.expires_at,
        "settled_by": context.settled_by,
        "settled_at": context.settled_at,
        "created_at": context.created_at,
    }


def claim_of(row: Row[Any]) -> Claim:
    plain = dict(row._mapping)
    return Claim(**{**plain, "required": bool(row.required), "call": read(row.call), "cause": read(row.cause)})


def attempt_of(row: Row[Any]) -> Attempt:
    return Attempt(
        claim_id=row.claim_id,
        attempt=row.attempt,
        fence=row.fence,
        request_id=row.request_id,
        request=row.request,
        cursor=row.cursor,
        deadline=row.deadline,
        began_at=row.began_at,
        outcome=row.outcome,
        answer=None if row.answer is None else read(row.answer),
        late=None if row.late is None else read(row.late),
    )
