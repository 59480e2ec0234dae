"""What Fluxi reads and writes in one transaction: rows in, domain objects out; writes go together at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, bindparam, literal_column, select
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.sql.expression import Executable

from mew_agents.fluxi import tables
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.claim import Attempt, Claim
from mew_agents.fluxi.context import ContextStatus, SemanticContext
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.fsm import LIVE, Event, State
from mew_agents.fluxi.work import CHANGEABLE, Slot, Work, WorkEvent, plain_slot


class Stale(Exception):
    """Somebody else changed the row in between: the transaction is void and is run again."""


def _where(table: Any, *names: str) -> Any:
    return [table.c[name] == bindparam(f"_{name}") for name in names]


def _is_live(state: Column[str]) -> Any:
    """Written out as in the index of live Works' keys, which is used for nothing else."""
    return state.in_([literal_column(f"'{one}'") for one in LIVE])


_W, _C, _X = tables.works.c, tables.external_effect_claims.c, tables.semantic_contexts.c

INSERT_DEFINITION = tables.work_definitions.insert()
INSERT_DECISION = tables.decision_events.insert()
INSERT_PROPOSAL = tables.proposed_works.insert()
SETTLE_PROPOSAL = tables.proposed_works.update().where(*_where(tables.proposed_works, "proposal_id", "status"))
INSERT_WORK = tables.works.insert()
UPDATE_WORK = tables.works.update().where(*_where(tables.works, "work_id", "revision"))
INSERT_SLOT = tables.work_slots.insert()
UPDATE_SLOT = tables.work_slots.update().where(*_where(tables.work_slots, "work_id", "path"))
DELETE_SLOT = tables.work_slots.delete().where(*_where(tables.work_slots, "work_id", "path"))
INSERT_EVENT = tables.work_events.insert()
INSERT_CONTEXT = tables.semantic_contexts.insert()
UPDATE_CONTEXT = tables.semantic_contexts.update().where(*_where(tables.semantic_contexts, "context_id", "status"))
INSERT_CLAIM = tables.external_effect_claims.insert()
UPDATE_CLAIM = tables.external_effect_claims.update().where(
    *_where(tables.external_effect_claims, "claim_id", "status", "fence")
)
INSERT_ATTEMPT = tables.effect_attempts.insert()
UPDATE_ATTEMPT = tables.effect_attempts.update().where(*_where(tables.effect_attempts, "claim_id", "attempt"))
INSERT_EFFECT = tables.external_effects.insert()
INSERT_REPLY = tables.outbox.insert()
UPDATE_REPLY = tables.outbox.update().where(*_where(tables.outbox, "message_id"))
INSERT_MESSAGE = tables.inbox.insert()
UPDATE_MESSAGE = tables.inbox.update().where(
    *_where(tables.inbox, "account_id", "conversation_id", "sender", "message_id")
)

# Parents before their children, and who lets go of a key before who takes it; and what must change exactly one row, or
# nobody has changed it in between.
_ORDER: tuple[Executable, ...] = (
    INSERT_DEFINITION, INSERT_DECISION, INSERT_PROPOSAL, SETTLE_PROPOSAL, UPDATE_WORK, INSERT_WORK, INSERT_SLOT,
    UPDATE_SLOT, DELETE_SLOT, INSERT_EVENT, INSERT_CONTEXT, UPDATE_CONTEXT, INSERT_CLAIM, UPDATE_CLAIM, INSERT_ATTEMPT,
    UPDATE_ATTEMPT, INSERT_EFFECT, INSERT_REPLY, UPDATE_REPLY, INSERT_MESSAGE, UPDATE_MESSAGE,
)  # fmt: skip
_EXACTLY_ONE = (SETTLE_PROPOSAL, UPDATE_WORK, UPDATE_CONTEXT, UPDATE_CLAIM)

_LOCK = (
    select(tables.conversations.c.account_id)
    .where(*_where(tables.conversations, "account_id", "conversation_id"))
    .with_for_update()
)
_NEW_CONVERSATION = tables.conversations.insert()
_CONVERSATION_KEY = ("account_id", "conversation_id")
_MESSAGE_KEY = (*_CONVERSATION_KEY, "sender", "message_id")
_ONE_MESSAGE = select(tables.inbox).where(*_where(tables.inbox, *_MESSAGE_KEY))
_DECISIONS = select(tables.decision_events).where(*_where(tables.decision_events, *_MESSAGE_KEY))
_ONE_WORK = select(tables.works).where(*_where(tables.works, "work_id"))
_PLACE = select(_W.account_id, _W.conversation_id).where(*_where(tables.works, "work_id"))
_LIVE_HERE = (
    select(tables.works)
    .where(*_where(tables.works, *_CONVERSATION_KEY), _is_live(_W.state))
    .order_by(_W.opened_at, _W.work_id)
)
_LAST_OF = (
    select(tables.works)
    .where(*_where(tables.works, *_CONVERSATION_KEY, "owner"))
    .order_by(_W.opened_at.desc(), _W.work_id.desc())
    .limit(1)
)
_SLOTS = select(tables.work_slots).where(*_where(tables.work_slots, "work_id"))
_EVENTS = (
    select(tables.work_events).where(*_where(tables.work_events, "work_id")).order_by(tables.work_events.c.revision)
)
_HOLDER = select(_W.work_id).where(*_where(tables.works, "account_id", "aggregate_key"), _is_live(_W.state))
_PENDING_HERE = select(tables.semantic_contexts).where(
    *_where(tables.semantic_contexts, *_CONVERSATION_KEY),
    _X.participant == bindparam("participant"),
    _X.status == "pending",
)
_PENDING_OF = select(tables.semantic_contexts).where(_X.work_id == bindparam("work_id"), _X.status == "pending")
_CONTEXT_HERE = select(tables.semantic_contexts).where(
    *_where(tables.semantic_contexts, *_CONVERSATION_KEY, "context_id"), _X.participant == bindparam("participant")
)
_ASKED_IN = select(tables.outbox.c.context_id, tables.outbox.c.work_id).where(
    *_where(tables.outbox, *_CONVERSATION_KEY, "message_id")
)
_SAID = select(tables.outbox.c.recipient).where(
    *_where(tables.outbox, *_CONVERSATION_KEY),
    (tables.outbox.c.message_id == bindparam("reference")) | (tables.outbox.c.context_id == bindparam("reference")),
)
_CLAIMS = (
    select(tables.external_effect_claims)
    .where(*_where(tables.external_effect_claims, "work_id"))
    .order_by(_C.position, _C.claimed_at)
)
_ONE_CLAIM = select(tables.external_effect_claims).where(*_where(tables.external_effect_claims, "claim_id"))
_ATTEMPTS = (
    select(tables.effect_attempts)
    .where(*_where(tables.effect_attempts, "claim_id"))
    .order_by(tables.effect_attempts.c.attempt)
)
_EFFECTS = select(tables.external_effects).where(*_where(tables.external_effects, "work_id"))
_PROPOSED = (
    select(tables.proposed_works)
    .where(
        *_where(tables.proposed_works, *_CONVERSATION_KEY, "sender"),
        tables.proposed_works.c.status == "pending",
    )
    .order_by(tables.proposed_works.c.proposed_at, tables.proposed_works.c.proposal_id)
)
_MESSAGE_OF = (
    select(tables.inbox)
    .join(
        tables.decision_events,
        (tables.decision_events.c.account_id == tables.inbox.c.account_id)
        & (tables.decision_events.c.conversation_id == tables.inbox.c.conversation_id)
        & (tables.decision_events.c.sender == tables.inbox.c.sender)
        & (tables.decision_events.c.message_id == tables.inbox.c.message_id),
    )
    .join(tables.proposed_works, tables.proposed_works.c.decision_id == tables.decision_events.c.decision_id)
    .where(*_where(tables.proposed_works, "proposal_id"))
)
_ONE_PROPOSAL = select(tables.proposed_works).where(*_where(tables.proposed_works, "proposal_id"))


class Records:
    """One transaction. What is read is true at once; what is written goes to the database with `flush`."""

    def __init__(self, connection: Connection, *, new_id: Callable[[], str]) -> None:
        self._connection = connection
        self.new_id = new_id
        self._writes: dict[Executable, list[dict[str, Any]]] = {}
        self._loaded: dict[str, Work | None] = {}
        self._works: dict[str, Work] = {}
        self._live: dict[tuple[str, str], list[str]] = {}
        self._holders: dict[tuple[str, str], str | None] = {}
        self._manners: dict[str, str] = {}
        self.events: list[WorkEvent] = []

    # Conversations and messages

    def lock(self, account_id: str, conversation_id: str) -> None:
        """Takes the turn of a conversation until the end of the transaction.

        On SQLite a writing transaction has everybody's turn already (BEGIN IMMEDIATE).
        """
        if self._connection.dialect.name == "sqlite":
            return
        key = _bound(account_id=account_id, conversation_id=conversation_id)
        if self._connection.execute(_LOCK, key).first() is None:
            # Who loses the race for the first row is run again (docs/store.md).
            row = {"account_id": account_id, "conversation_id": conversation_id}
            self._connection.execute(_NEW_CONVERSATION, row)

    def definition(self, catalogue: Catalogue, version: str) -> Definition:
        """A version of a definition, whoever has registered it. Raises UnknownDefinition."""
        return catalogue.known(self._connection, version)

    def take(self, work_id: str) -> Work | None:
        """A Work with the turn of its conversation."""
        if self._connection.dialect.name != "sqlite":
            place = self.place_of(work_id)
            if place is None:
                return None
            self.lock(*place)
        return self.work(work_id)

    def place_of(self, work_id: str) -> tuple[str, str] | None:
        """Account and conversation of a Work."""
        row = self._first(_PLACE, _bound(work_id=work_id))
        return None if row is None else (row.account_id, row.conversation_id)

    def message(self, *key: str) -> Row[Any] | None:
        """The inbox row of (account, conversation, sender, message id)."""
        return self._first(_ONE_MESSAGE, message_key(*key))

    def decisions(self, *key: str) -> dict[str, Row[Any]]:
        """What was decided about a message, by the Work whose slots were looked for ("": a new intent)."""
        rows = self._all(_DECISIONS, message_key(*key))
        return {row.work_id: row for row in rows}

    def decided(self) -> list[dict[str, Any]]:
        """The decisions of this transaction, which is not to be committed."""
        return self._writes.get(INSERT_DECISION, [])

    # Works

    def work(self, work_id: str) -> Work | None:
        """A Work with its slots."""
        if work_id not in self._works:
            row = self._first(_ONE_WORK, _bound(work_id=work_id))
            return None if row is None else self._remember(row)
        return self._works[work_id]

    def live_in(self, account_id: str, conversation_id: str) -> list[Work]:
        """The live Works of a conversation whose turn is taken, as they are by now, oldest first."""
        place = (account_id, conversation_id)
        if place not in self._live:
            rows = self._all(_LIVE_HERE, _bound(account_id=account_id, conversation_id=conversation_id))
            self._live[place] = [self._remember(row).work_id for row in rows]
        return [work for work_id in self._live[place] if (work := self._works[work_id]).live]

    def last_of(self, account_id: str, conversation_id: str, owner: str) -> Work | None:
        """The last Work that somebody opened in a conversation, whatever became of it."""
        key = _bound(account_id=account_id, conversation_id=conversation_id, owner=owner)
        row = self._first(_LAST_OF, key)
        return None if row is None else self._remember(row)

    def _remember(self, row: Row[Any]) -> Work:
        work_id = row.work_id
        if work_id not in self._works:
            slots = {slot.path: _slot(slot) for slot in self._all(_SLOTS, _bound(work_id=work_id))}
            self._works[work_id] = self._loaded[work_id] = _work(row, slots)
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
        return [event_of(row) for row in self._all(_EVENTS, _bound(work_id=work_id))]

    def holder(self, account_id: str, aggregate_key: str) -> str | None:
        """The live Work that an aggregate key belongs to."""
        key = (account_id, aggregate_key)
        if key not in self._holders:
            row = self._first(_HOLDER, _bound(account_id=account_id, aggregate_key=aggregate_key))
            self._holders[key] = None if row is None else row.work_id
        holder = self._holders[key]
        now = None if holder is None else self._works.get(holder)
        return None if now is not None and not now.live else holder

    def happened(self, work: Work, event: WorkEvent) -> None:
        """Something happened to a Work, which is `work` now."""
        self._loaded.setdefault(work.work_id, None)
        self._works[work.work_id] = work
        self.events.append(event)

    # Questions, claims, proposals

    def pending(self, account_id: str, conversation_id: str, participant: str) -> list[SemanticContext]:
        """The open questions to a participant in a conversation, oldest first."""
        key = _bound(account_id=account_id, conversation_id=conversation_id)
        rows = self._all(_PENDING_HERE, {**key, "participant": participant})
        return sorted((_context(row) for row in rows), key=lambda one: (one.created_at, one.context_id))

    def pending_of(self, work_id: str) -> list[SemanticContext]:
        """The open questions of a Work."""
        return [_context(row) for row in self._all(_PENDING_OF, {"work_id": work_id})]

    def question(
        self, account_id: str, conversation_id: str, participant: str, reference: str
    ) -> SemanticContext | None:
        """The question with this id, or asked in the message with this id; of others there is none."""
        key = _bound(account_id=account_id, conversation_id=conversation_id)
        asked = self._first(_ASKED_IN, {**key, "_message_id": reference})
        context_id = asked.context_id if asked is not None and asked.context_id else reference
        row = self._first(_CONTEXT_HERE, {**key, "_context_id": context_id, "participant": participant})
        return None if row is None else _context(row)

    def said_to_another(self, account_id: str, conversation_id: str, participant: str, reference: str) -> bool:
        """Whether this is the id of a message, or of a question, to somebody else in the conversation."""
        key = _bound(account_id=account_id, conversation_id=conversation_id)
        said = self._first(_SAID, {**key, "reference": reference})
        return said is not None and said.recipient != participant

    def said_about(self, account_id: str, conversation_id: str, message_id: str) -> str | None:
        """The Work that an outgoing message was about."""
        key = _bound(account_id=account_id, conversation_id=conversation_id, message_id=message_id)
        row = self._first(_ASKED_IN, key)
        return None if row is None else row.work_id

    def settle(self, context: SemanticContext, status: ContextStatus, *, by: str, at: int) -> None:
        """Closes an open question, once."""
        change = {"status": status, "settled_by": by, "settled_at": at}
        self.write(UPDATE_CONTEXT, {**_bound(context_id=context.context_id, status="pending"), **change})

    def claims(self, work_id: str) -> list[Claim]:
        """The claims of a Work, in the order of its effects."""
        return [_claim(row) for row in self._all(_CLAIMS, _bound(work_id=work_id))]

    def claim(self, claim_id: str) -> Claim | None:
        """One claim."""
        row = self._first(_ONE_CLAIM, _bound(claim_id=claim_id))
        return None if row is None else _claim(row)

    def change_claim(self, claim: Claim, **changes: Any) -> Claim:
        """Changes a claim that is as it was read."""
        was = _bound(claim_id=claim.claim_id, status=claim.status, fence=claim.fence)
        self.write(UPDATE_CLAIM, {**was, **changes})
        return replace(claim, **changes)

    def attempts(self, claim_id: str) -> list[Attempt]:
        """The attempts at an effect, in order."""
        return [_attempt(row) for row in self._all(_ATTEMPTS, _bound(claim_id=claim_id))]

    def effects(self, work_id: str) -> list[Row[Any]]:
        """The recorded effects of a Work."""
        return list(self._all(_EFFECTS, _bound(work_id=work_id)))

    def proposal(self, proposal_id: str) -> Row[Any] | None:
        """One proposal."""
        return self._first(_ONE_PROPOSAL, _bound(proposal_id=proposal_id))

    def proposed(self, account_id: str, conversation_id: str, sender: str) -> Sequence[Row[Any]]:
        """What somebody asked for in a conversation and a person has to look at first, oldest first."""
        return self._all(_PROPOSED, _bound(account_id=account_id, conversation_id=conversation_id, sender=sender))

    def settle_proposal(self, proposal_id: str, status: str, reason: str, *, at: int) -> None:
        """Decides about a pending proposal, once."""
        was = _bound(proposal_id=proposal_id, status="pending")
        self.write(SETTLE_PROPOSAL, {**was, "status": status, "reason": reason, "settled_at": at})

    def message_of(self, proposal_id: str) -> Row[Any]:
        """The inbox row of the message that a proposal was made of."""
        row = self._first(_MESSAGE_OF, _bound(proposal_id=proposal_id))
        if row is None:
            raise LookupError(f"the proposal {proposal_id} has no message")
        return row

    # The database

    def write(self, statement: Insert | Update | Any, row: dict[str, Any]) -> None:
        """Keeps a write for `flush`. Names that begin with `_` say which row an update means."""
        self._writes.setdefault(statement, []).append(row)

    def flush(self) -> None:
        """Sends all writes, parents first. Raises Stale when a row is not as it was read."""
        for work_id, work in self._works.items():
            self._write_work(self._loaded.get(work_id), work)
        for event in self.events:
            self.write(INSERT_EVENT, _event_row(event))
        for statement in _ORDER:
            rows = self._writes.pop(statement, None)
            if rows:
                self._send(statement, rows)

    def _send(self, statement: Executable, rows: list[dict[str, Any]]) -> None:
        for group in _alike(rows) if not isinstance(statement, Insert) else [rows]:
            found = self._connection.execute(statement, group if len(group) > 1 else group[0]).rowcount
            if statement in _EXACTLY_ONE and found != len(group):
                raise Stale

    def _write_work(self, was: Work | None, work: Work) -> None:
        if was is work:
            return
        row = {**_work_row(work), "manner": self._manners[work.work_id]}
        if was is None:
            fixed = ("work_id", "proposal_id", "account_id", "conversation_id", "owner", "version_id", "opened_at")
            self.write(INSERT_WORK, {**{name: getattr(work, name) for name in fixed}, **row})
        else:
            self.write(UPDATE_WORK, {**_bound(work_id=work.work_id, revision=was.revision), **row})
        before = {} if was is None else was.slots
        for path, slot in work.slots.items():
            if path not in before:
                self.write(INSERT_SLOT, {"work_id": work.work_id, **_slot_row(slot)})
            elif before[path] != slot:
                self.write(UPDATE_SLOT, {**_bound(work_id=work.work_id, path=path), **_slot_row(slot)})
        for path in before:
            if path not in work.slots:
                self.write(DELETE_SLOT, _bound(work_id=work.work_id, path=path))

    def _first(self, statement: Select[Any], key: Mapping[str, Any]) -> Row[Any] | None:
        return self._connection.execute(statement, dict(key)).first()

    def _all(self, statement: Select[Any], key: Mapping[str, Any]) -> Sequence[Row[Any]]:
        return self._connection.execute(statement, dict(key)).all()


def message_key(*key: str) -> dict[str, Any]:
    """(account, conversation, sender, message id), as updates of a message name it."""
    return _bound(**dict(zip(_MESSAGE_KEY, key, strict=True)))


def _bound(**key: Any) -> dict[str, Any]:
    return {f"_{name}": value for name, value in key.items()}


def _alike(rows: list[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Updates of the same columns together: a statement sets what its rows name."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row), []).append(row)
    return groups.values()


def _work_row(work: Work) -> dict[str, Any]:
    row = {name: getattr(work, name) for name in CHANGEABLE}
    return {**row, "state": work.state.value, "revision": work.revision, "changed_at": work.changed_at}


def _work(row: Row[Any], slots: Mapping[str, Slot]) -> Work:
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
        slots=slots,
        **plain,
    )


def _slot_row(slot: Slot) -> dict[str, Any]:
    plain = plain_slot(slot)
    evidence = plain["evidence"]
    return {
        **plain,
        "value": written(slot.value),
        "evidence": None if evidence is None else written(evidence),
        "immutable": int(slot.immutable),
    }


def _slot(row: Row[Any]) -> Slot:
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


def _event_row(event: WorkEvent) -> dict[str, Any]:
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


def _context(row: Row[Any]) -> SemanticContext:
    return SemanticContext(
        context_id=row.context_id,
        account_id=row.account_id,
        conversation_id=row.conversation_id,
        participant=row.participant,
        work_id=row.work_id,
        kind=row.kind,
        path=row.path,
        proposed=read(row.proposed),
        status=row.status,
        sent_at=row.sent_at,
        expires_at=row.expires_at,
        created_at=row.created_at,
    )


def _claim(row: Row[Any]) -> Claim:
    plain = dict(row._mapping)
    return Claim(**{**plain, "required": bool(row.required), "call": read(row.call), "cause": read(row.cause)})


def _attempt(row: Row[Any]) -> Attempt:
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
