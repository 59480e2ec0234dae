"""The tables of Fluxi (docs/fluxi.md §5; seed 002 §6): the nine of the seed under their names, and inbox, outbox,
attempts and conversations; and two of dialogues (docs/flows.md), whose questions and effects are in those of Fluxi.

Times are ms since the epoch, UTC. What is JSON is canonical JSON text. Ids are UUIDv7 unless said otherwise.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    DDL,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)

from mew_agents.durable import Schema
from mew_agents.fluxi.fsm import LIVE, State

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _one_of(column: str, *words: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({_quoted(words)})", name=column)


_LIVE: Final = text(f"state IN ({_quoted(LIVE)}) AND aggregate_key IS NOT NULL")
_CURRENT: Final = text("is_current = 1")
_ASKED_IN_A_DIALOGUE: Final = text("dialogue_id IS NOT NULL")
_UNFINISHED: Final = text("due_at IS NOT NULL")

# One row a conversation: whoever holds its lock has the turn (docs/fluxi.md §2).
conversations = Table(
    "fluxcore_conversations",
    METADATA,
    Column("account_id", String, primary_key=True),
    Column("conversation_id", String, primary_key=True),
)

inbox = Table(
    "fluxcore_inbox",
    METADATA,
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("sender", String, nullable=False),
    Column("message_id", String, nullable=False),
    Column("content_hash", String, nullable=False),
    Column("message", Text, nullable=False),  # JSON: text, answers, arrived
    Column("policy", Text, nullable=False),  # JSON: the PolicyContext it came with
    Column("status", String, nullable=False),
    Column("result", Text),  # JSON
    Column("received_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    PrimaryKeyConstraint("account_id", "conversation_id", "sender", "message_id"),
    _one_of("status", "received", "done"),
    Index(None, "received_at", sqlite_where=text("status = 'received'"), postgresql_where=text("status = 'received'")),
)

work_definitions = Table(
    "fluxcore_work_definitions",
    METADATA,
    Column("version_id", String, primary_key=True),  # typeId@version#hash
    Column("type_id", String, nullable=False),
    Column("document", Text, nullable=False),  # JSON, as loaded
    Column("is_current", Integer, nullable=False),
    Column("registered_at", BigInteger, nullable=False),
    Index(
        "uq_fluxcore_work_definitions_current", "type_id", unique=True, sqlite_where=_CURRENT, postgresql_where=_CURRENT
    ),
)

decision_events = Table(
    "fluxcore_decision_events",
    METADATA,
    Column("decision_id", String, primary_key=True),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("sender", String, nullable=False),
    Column("message_id", String, nullable=False),
    Column("work_id", String, nullable=False),  # whose slots were looked for; "": a new intent
    Column("interpreter", String, nullable=False),
    Column("definitions", Text, nullable=False),  # JSON: the version ids it chose among
    Column("answer", Text, nullable=False),  # JSON; null: nothing was recognised
    Column("decided_at", BigInteger, nullable=False),
    UniqueConstraint("account_id", "conversation_id", "sender", "message_id", "work_id"),
)

proposed_works = Table(
    "fluxcore_proposed_works",
    METADATA,
    Column("proposal_id", String, primary_key=True),
    Column("decision_id", ForeignKey(decision_events.c.decision_id), nullable=False),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("sender", String, nullable=False),
    Column("type_id", String, nullable=False),
    Column("version_id", String, nullable=False),  # "": there is no such definition
    Column("candidate_slots", Text, nullable=False),  # JSON, with their evidence
    Column("status", String, nullable=False),
    Column("reason", String),
    Column("proposed_at", BigInteger, nullable=False),
    Column("settled_at", BigInteger),
    Column("part_of", String),  # the dialogue that it is a part of: no person looks at it, its own question decides
    _one_of("status", "pending", "opened", "discarded"),
    Index(None, "account_id", "status"),
)

works = Table(
    "fluxcore_works",
    METADATA,
    Column("work_id", String, primary_key=True),
    # Invariant 2: no Work without a proposal, and one Work a proposal.
    Column("proposal_id", ForeignKey(proposed_works.c.proposal_id), nullable=False, unique=True),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("version_id", ForeignKey(work_definitions.c.version_id), nullable=False),
    Column("state", String, nullable=False),
    Column("suspended_reason", String),
    Column("revision", BigInteger, nullable=False),
    Column("aggregate_key", String),
    Column("unresolved", Integer, nullable=False),
    Column("asked", String),  # the slot that was asked for; "": what to change
    Column("cancel_requested", String),  # by whom
    Column("expires_at", BigInteger),
    Column("manner", Text, nullable=False),  # JSON: the PolicyContext of its last message, for what is said later
    Column("opened_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("part_of", String),  # the dialogue that it is an effect of: never the active Work of its conversation
    _one_of("state", *State),
    Index(
        "uq_fluxcore_works_aggregate",
        "account_id",
        "aggregate_key",
        unique=True,
        sqlite_where=_LIVE,
        postgresql_where=_LIVE,
    ),
    Index(None, "account_id", "conversation_id", "state"),
    Index(None, "expires_at"),
)

work_slots = Table(
    "fluxcore_work_slots",
    METADATA,
    Column("work_id", ForeignKey(works.c.work_id), nullable=False),
    Column("path", String, nullable=False),
    Column("type", String, nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("source", String, nullable=False),
    Column("evidence", Text),  # JSON: {message_id, start, end, text}
    Column("set_by", String, nullable=False),
    Column("set_at", BigInteger, nullable=False),
    Column("status", String, nullable=False),
    Column("immutable", Integer, nullable=False),
    PrimaryKeyConstraint("work_id", "path"),
    _one_of("status", "proposed", "committed"),
)

# Append-only: triggers refuse UPDATE and DELETE.
work_events = Table(
    "fluxcore_work_events",
    METADATA,
    Column("work_id", ForeignKey(works.c.work_id), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("type", String, nullable=False),
    Column("from_state", String),
    Column("to_state", String, nullable=False),
    Column("cause", Text, nullable=False),  # JSON: {by, id}
    Column("delta", Text, nullable=False),  # JSON: what it changes of the Work
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("work_id", "revision"),
)

# One row a dialogue: one participant in one conversation, and where it stands.
flow_dialogues = Table(
    "flow_dialogues",
    METADATA,
    Column("dialogue_id", String, primary_key=True),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("participant", String, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("state", Text, nullable=False),  # JSON: what its events make of it
    Column("top", String),  # the flow on top of its stack
    Column("waiting", String),  # for what: an answer, an action, an effect
    Column("suspended", String),  # why, if it is
    Column("due_at", BigInteger),  # when a turn that was left unfinished is taken up
    Column("opened_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    UniqueConstraint("account_id", "conversation_id", "participant"),
    _one_of("waiting", "question", "action", "effect"),
    Index(None, "due_at", sqlite_where=_UNFINISHED, postgresql_where=_UNFINISHED),
)

# Every version of a flow that something may still run in.
flow_versions = Table(
    "flow_versions",
    METADATA,
    Column("version", String, primary_key=True),  # name@hash
    Column("name", String, nullable=False),
    Column("document", Text, nullable=False),  # JSON, as loaded
    Column("registered_at", BigInteger, nullable=False),
)

# Append-only, as the events of Works.
flow_events = Table(
    "flow_events",
    METADATA,
    Column("dialogue_id", ForeignKey(flow_dialogues.c.dialogue_id), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("type", String, nullable=False),
    Column("cause", Text, nullable=False),  # JSON
    Column("event", Text, nullable=False),  # JSON
    Column("delta", Text, nullable=False),  # JSON: what it changes of the dialogue
    Column("effects", Text, nullable=False),  # JSON: what came of it
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("dialogue_id", "revision"),
)

# A question belongs to a Work or to a dialogue.
semantic_contexts = Table(
    "fluxcore_semantic_contexts",
    METADATA,
    Column("context_id", String, primary_key=True),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("participant", String, nullable=False),
    Column("work_id", ForeignKey(works.c.work_id)),
    Column("dialogue_id", ForeignKey(flow_dialogues.c.dialogue_id)),
    Column("kind", String, nullable=False),
    Column("path", String),
    Column("proposed", Text, nullable=False),  # JSON
    Column("status", String, nullable=False),
    Column("sent_at", BigInteger),
    Column("expires_at", BigInteger, nullable=False),
    Column("settled_by", String),
    Column("settled_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    _one_of("kind", "slot", "execution", "minted"),
    _one_of("status", "pending", "consumed", "rejected", "superseded", "expired", "void"),
    CheckConstraint("(work_id IS NULL) <> (dialogue_id IS NULL)", name="owner"),
    Index(None, "account_id", "conversation_id", "status"),
    Index(None, "work_id"),
    Index(
        None,
        "dialogue_id",
        "settled_at",
        sqlite_where=_ASKED_IN_A_DIALOGUE,
        postgresql_where=_ASKED_IN_A_DIALOGUE,
    ),
)

external_effect_claims = Table(
    "fluxcore_external_effect_claims",
    METADATA,
    Column("claim_id", String, primary_key=True),
    Column("account_id", String, nullable=False),
    Column("semantic_context_id", ForeignKey(semantic_contexts.c.context_id), nullable=False),
    Column("effect_type", String, nullable=False),
    Column("work_id", ForeignKey(works.c.work_id), nullable=False),
    Column("effect_id", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("required", Integer, nullable=False),
    Column("idempotency_key", String, nullable=False),
    Column("call", Text, nullable=False),  # JSON: tool, arguments
    Column("status", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("lease_until", BigInteger),
    Column("due_at", BigInteger),
    Column("cause", Text, nullable=False),  # JSON: the message whose result this becomes
    Column("claimed_at", BigInteger, nullable=False),
    UniqueConstraint("account_id", "semantic_context_id", "effect_type"),
    UniqueConstraint("work_id", "effect_id"),
    _one_of("status", "claimed", "proposed", "invoking", "completed", "aborted", "in_doubt"),
    Index(None, "status", "due_at"),
)

effect_attempts = Table(
    "fluxcore_effect_attempts",
    METADATA,
    Column("claim_id", ForeignKey(external_effect_claims.c.claim_id), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("request_id", String, nullable=False, unique=True),
    Column("request", Text, nullable=False),  # the bytes that are sent, and sent again
    Column("cursor", String),  # where in the space's order it began
    Column("deadline", BigInteger, nullable=False),
    Column("began_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("outcome", String),
    Column("answer", Text),  # JSON
    Column("late", Text),  # JSON: an answer that came when somebody else had taken over; it moved nothing
    PrimaryKeyConstraint("claim_id", "attempt"),
)

external_effects = Table(
    "fluxcore_external_effects",
    METADATA,
    Column("claim_id", ForeignKey(external_effect_claims.c.claim_id), primary_key=True),
    Column("work_id", ForeignKey(works.c.work_id), nullable=False),
    Column("effect_id", String, nullable=False),
    Column("effect_type", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("source", String, nullable=False),
    Column("answer", Text, nullable=False),  # JSON
    Column("evidence", Text),
    Column("recorded_at", BigInteger, nullable=False),
    UniqueConstraint("work_id", "effect_id"),
    _one_of("outcome", "applied", "not_applied"),
    _one_of("source", "response", "history", "reconciled", "operator"),
)

outbox = Table(
    "fluxcore_outbox",
    METADATA,
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("message_id", String, nullable=False, unique=True),
    Column("account_id", String, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("recipient", String, nullable=False),
    Column("work_id", String),
    Column("context_id", String),
    Column("body", Text, nullable=False),  # the bytes, fixed when it is put here
    Column("status", String, nullable=False),
    Column("lease_until", BigInteger),
    Column("reason", String),
    Column("queued_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    _one_of("status", "waiting", "done", "refused"),
    Index(None, "status", "position"),
)

# What has happened is not unsaid: the events of Works, of dialogues and of decisions are only ever added.
_APPEND_ONLY: Final = (decision_events, work_events, flow_events)
# REPLACE deletes, which fires the second of these because the store sets `recursive_triggers`.
_SQLITE: Final = """
CREATE TRIGGER {table}_refuses_{deed} BEFORE {deed} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
_REFUSAL: Final = """
CREATE FUNCTION fluxcore_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END
$$
"""
_POSTGRESQL: Final = (
    """
CREATE TRIGGER {table}_refuses BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION fluxcore_refuse()
""",
    "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_refuses",  # also where a session calls itself a replica
)


def _after(statement: str, dialect: str) -> None:
    event.listen(METADATA, "after_create", DDL(statement).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]


_after(_REFUSAL, "postgresql")
for _table in _APPEND_ONLY:
    for _deed in ("UPDATE", "DELETE"):
        _after(_SQLITE.format(table=_table.name, deed=_deed), "sqlite")
    for _statement in _POSTGRESQL:
        _after(_statement.format(table=_table.name), "postgresql")

SCHEMA: Final = Schema(METADATA, name="fluxcore_version", version=1)
