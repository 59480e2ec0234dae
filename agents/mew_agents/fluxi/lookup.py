"""What is on record, for people: Works, one Work with everything there is about it, proposals. Only reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import Column, Connection, Row, Select, select

from mew_agents.fluxi import tables
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.claim import Attempt, Claim, undo_failed, undone_by
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.version import restore
from mew_agents.fluxi.desk import utc_now
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.message import Conversation, PolicyContext
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.waiting import WAITS
from mew_agents.fluxi.wording import label, prompt, shown, summary, title
from mew_agents.fluxi.work import Slot, Work, WorkEvent

ProposalStatus: TypeAlias = Literal["pending", "opened", "discarded"]

_W, _P, _D = tables.works.c, tables.proposed_works.c, tables.work_definitions.c
_LEAST = 4  # characters that are worth calling a part of an id
_FITTING = 6  # ids named when several fit


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedWork:
    """One Work among others. `title` and `about` are in the language it is spoken about; times in ms.

    `waits_for`: the slot or value that was asked about, in words, or who must do something; None: nothing.
    `undone`: all that it did was compensated; `undo_failed`: something could not be, and nobody has settled that.
    """

    work_id: str
    account_id: str
    conversation_id: str
    owner: str
    version_id: str
    title: str
    about: str
    state: State
    suspended_reason: str | None
    waits_for: str | None
    undone: bool
    undo_failed: bool
    revision: int
    opened_at: int
    changed_at: int
    expires_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEffect:
    """One effect of a Work: its claim, what was tried, and what is recorded of it, if anything."""

    claim: Claim
    attempts: tuple[Attempt, ...]
    outcome: str | None = None
    source: str | None = None
    evidence: str | None = None
    recorded_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWork:
    """Everything about one Work. `labels` and `values`: what people call its slots and what they hold, by path.

    `said`: the messages that caused its events, by id. `waits_for`, `undone` and `undo_failed` as in `ListedWork`.
    """

    work: Work
    title: str
    about: str
    waits_for: str | None
    undone: bool
    undo_failed: bool
    labels: Mapping[str, str]
    values: Mapping[str, str]
    events: tuple[WorkEvent, ...]
    effects: tuple[FoundEffect, ...]
    questions: tuple[SemanticContext, ...]
    said: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedProposal:
    """One proposal. `text` is what was said, `slots` what was understood: path → the words. Times in ms."""

    proposal_id: str
    account_id: str
    conversation_id: str
    sender: str
    type_id: str
    text: str
    slots: Mapping[str, str]
    status: ProposalStatus
    reason: str | None
    proposed_at: int


def works(
    connection: Connection,
    *,
    states: Sequence[State] | None = None,
    account_id: str | None = None,
    conversation_id: str | None = None,
    limit: int = 200,
) -> list[ListedWork]:
    """The newest Works, the oldest of them first."""
    query: Select[Any] = select(_W.work_id, _W.manner, _D.document).join(
        tables.work_definitions, _D.version_id == _W.version_id
    )
    query = _narrowed(query, _W.account_id, account_id)
    query = _narrowed(query, _W.conversation_id, conversation_id)
    if states is not None:
        query = query.where(_W.state.in_(states))
    rows = connection.execute(query.order_by(_W.opened_at.desc(), _W.work_id.desc()).limit(limit)).all()
    records = Records(connection, new_id=_no_new_id)
    definitions: dict[str, Definition] = {}
    return [_listed(records, row, definitions) for row in reversed(rows)]


def work(connection: Connection, work_id: str, *, account_id: str | None = None) -> FoundWork | None:
    """A Work by its whole id; one of another account is not found."""
    records = Records(connection, new_id=_no_new_id)
    found = records.work(work_id)
    if found is None or account_id not in (None, found.account_id):
        return None
    document = connection.execute(select(_D.document).where(_D.version_id == found.version_id)).scalar_one()
    definition, policy = restore(document), spoken(records.manner(work_id))
    questions, events = tuple(records.pending_of(work_id)), tuple(records.history(work_id))
    recorded = {row.claim_id: row for row in records.effects(work_id)}
    return FoundWork(
        work=found,
        title=title(definition, policy),
        about=summary(definition, found, policy),
        waits_for=_waits_for(definition, found, records, policy),
        undone=_undone(recorded.values()),
        undo_failed=bool(undo_failed(records.claims(work_id))),
        labels={slot.path: label(slot, policy) for slot in definition.slots},
        values={path: _said(definition, slot, policy) for path, slot in found.slots.items()},
        events=events,
        effects=tuple(_effect(records, one, recorded.get(one.claim_id)) for one in records.claims(work_id)),
        questions=questions,
        said=_messages(connection, found, events),
    )


def proposals(
    connection: Connection,
    *,
    status: ProposalStatus | None = "pending",
    account_id: str | None = None,
    limit: int = 200,
) -> list[ListedProposal]:
    """The newest proposals, the oldest of them first. `status` None: all of them.

    Those that are a part of a dialogue are nobody's to look at; nor are pending second wishes, which wait for a Work.
    """
    decided, inbox = tables.decision_events, tables.inbox
    same = (
        (inbox.c.account_id == decided.c.account_id)
        & (inbox.c.conversation_id == decided.c.conversation_id)
        & (inbox.c.sender == decided.c.sender)
        & (inbox.c.message_id == decided.c.message_id)
    )
    query: Select[Any] = (
        select(tables.proposed_works, inbox.c.message)
        .join(decided, decided.c.decision_id == _P.decision_id)
        .outerjoin(inbox, same)
        .where(_P.part_of.is_(None))
    )
    query = _narrowed(_narrowed(query, _P.account_id, account_id), _P.status, status)
    if status == "pending":
        query = query.where(_P.reason.is_distinct_from(WAITS))
    rows = connection.execute(query.order_by(_P.proposed_at.desc(), _P.proposal_id.desc()).limit(limit)).all()
    return [_proposal(row) for row in reversed(rows)]


def fitting(connection: Connection, typed: str, *, what: Literal["work", "proposal"]) -> list[str]:
    """The whole ids that somebody who typed a part of one can mean, a few at most; an id that is typed whole: itself.

    Ids sort by time, so that their ends tell them apart: the beginning or the end of one is a part.
    """
    column: Column[Any] = _W.work_id if what == "work" else _P.proposal_id
    if connection.execute(select(column).where(column == typed)).first() is not None:
        return [typed]
    if len(typed) < _LEAST:
        return []
    part = column.startswith(typed, autoescape=True) | column.endswith(typed, autoescape=True)
    return list(connection.execute(select(column).where(part).order_by(column.desc()).limit(_FITTING)).scalars())


def waiting(connection: Connection, conversation: Conversation) -> bool:
    """Whether something was said in a conversation that has not gone out yet."""
    out = tables.outbox.c
    here = (out.account_id == conversation.account_id) & (out.conversation_id == conversation.conversation_id)
    return connection.execute(select(out.position).where(here, out.status == "waiting").limit(1)).first() is not None


def spoken(manner: str) -> PolicyContext:
    """How a Work is spoken about, from what is stored with it."""
    plain = read(manner)
    return PolicyContext(**{**plain, "rules": tuple(plain["rules"])}, now=utc_now())


def _listed(records: Records, row: Row[Any], definitions: dict[str, Definition]) -> ListedWork:
    found = records.work(row.work_id)
    if found is None:
        raise LookupError(row.work_id)
    if found.version_id not in definitions:
        definitions[found.version_id] = restore(row.document)
    definition, policy = definitions[found.version_id], spoken(row.manner)
    return ListedWork(
        work_id=found.work_id,
        account_id=found.account_id,
        conversation_id=found.conversation_id,
        owner=found.owner,
        version_id=found.version_id,
        title=title(definition, policy),
        about=summary(definition, found, policy),
        state=found.state,
        suspended_reason=found.suspended_reason,
        waits_for=_waits_for(definition, found, records, policy),
        undone=_undone(records.effects(found.work_id)),
        undo_failed=bool(undo_failed(records.claims(found.work_id))),
        revision=found.revision,
        opened_at=found.opened_at,
        changed_at=found.changed_at,
        expires_at=found.expires_at,
    )


def _waits_for(definition: Definition, found: Work, records: Records, policy: PolicyContext) -> str | None:
    """What a Work has asked, in words, or who must do something before it goes on."""
    claims = records.claims(found.work_id)
    in_doubt = found.suspended_reason == "in_doubt" or any(one.status == "in_doubt" for one in claims)
    if in_doubt or undo_failed(claims):
        return "an operator"
    if any(one.status == "proposed" for one in claims):
        return "somebody's approval"
    if found.state is State.WAITING_USER and found.asked:
        return prompt(definition.slot(found.asked), policy)
    if found.state is State.WAITING_CONFIRMATION:
        return _confirmed(definition, records.pending_of(found.work_id), policy)
    return None


def _confirmed(definition: Definition, questions: Sequence[SemanticContext], policy: PolicyContext) -> str:
    """What a yes is asked to: a value, or all that the Work is about."""
    path = questions[0].path if questions else None
    if path is None:
        return "a yes"
    slot = definition.slot(path)
    return f"{label(slot, policy)}: {shown(slot, questions[0].proposed, policy)}?"


def _undone(recorded: Iterable[Row[Any]]) -> bool:
    applied = {row.effect_id for row in recorded if row.outcome == "applied"}
    done = {effect_id for effect_id in applied if undone_by(effect_id) is None}
    return bool(done) and done <= {undone_by(effect_id) for effect_id in applied}


def _messages(connection: Connection, found: Work, events: Sequence[WorkEvent]) -> dict[str, str]:
    inbox = tables.inbox.c
    here = (inbox.account_id == found.account_id) & (inbox.conversation_id == found.conversation_id)
    ids = {str(event.cause["id"]) for event in events if event.cause.get("id")}
    query = select(inbox.message_id, inbox.message).where(here, inbox.message_id.in_(sorted(ids)))
    return {row.message_id: read(row.message)["text"] for row in connection.execute(query)}


def _said(definition: Definition, slot: Slot, policy: PolicyContext) -> str:
    return "" if slot.value is None else shown(definition.slot(slot.path), slot.value, policy)


def _effect(records: Records, claim: Claim, recorded: Row[Any] | None) -> FoundEffect:
    tried = tuple(records.attempts(claim.claim_id))
    if recorded is None:
        return FoundEffect(claim=claim, attempts=tried)
    return FoundEffect(
        claim=claim,
        attempts=tried,
        outcome=recorded.outcome,
        source=recorded.source,
        evidence=recorded.evidence,
        recorded_at=recorded.recorded_at,
    )


def _proposal(row: Row[Any]) -> ListedProposal:
    return ListedProposal(
        proposal_id=row.proposal_id,
        account_id=row.account_id,
        conversation_id=row.conversation_id,
        sender=row.sender,
        type_id=row.type_id,
        text="" if row.message is None else read(row.message)["text"],
        slots={slot["path"]: slot["evidence"] for slot in read(row.candidate_slots)},
        status=row.status,
        reason=row.reason,
        proposed_at=row.proposed_at,
    )


def _narrowed(query: Select[Any], column: Column[Any], wanted: str | None) -> Select[Any]:
    return query if wanted is None else query.where(column == wanted)


def _no_new_id() -> str:
    raise RuntimeError("whoever only looks makes no ids")
