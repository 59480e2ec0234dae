"""The tables of Fluxi as they first were."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

LIVE = (
    "state IN ('CREATED', 'ACTIVE', 'WAITING_USER', 'WAITING_CONFIRMATION', 'EXECUTING') AND aggregate_key IS NOT NULL"
)
STATES = (
    "state IN ('CREATED', 'ACTIVE', 'WAITING_USER', "
    "'WAITING_CONFIRMATION', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED', 'CANCELLED')"
)


def upgrade() -> None:
    _conversations()
    _decision_events()
    _inbox()
    _outbox()
    _work_definitions()
    _proposed_works()
    _works()
    _semantic_contexts()
    _work_events()
    _work_slots()
    _external_effect_claims()
    _effect_attempts()
    _external_effects()


def _conversations() -> None:
    op.create_table(
        "fluxcore_conversations",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "conversation_id", name="pk_fluxcore_conversations"),
    )


def _decision_events() -> None:
    op.create_table(
        "fluxcore_decision_events",
        sa.Column("decision_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("interpreter", sa.String(), nullable=False),
        sa.Column("definitions", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("decision_id", name="pk_fluxcore_decision_events"),
        sa.UniqueConstraint(
            "account_id",
            "conversation_id",
            "sender",
            "message_id",
            "work_id",
            name=op.f("uq_fluxcore_decision_events_account_id_conversation_id_sender_message_id_work_id"),
        ),
    )


def _inbox() -> None:
    op.create_table(
        "fluxcore_inbox",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger()),
        sa.CheckConstraint("status IN ('received', 'done')", name="ck_fluxcore_inbox_status"),
        sa.PrimaryKeyConstraint("account_id", "conversation_id", "sender", "message_id", name="pk_fluxcore_inbox"),
    )
    op.create_index(
        "ix_fluxcore_inbox_received_at",
        "fluxcore_inbox",
        ["received_at"],
        sqlite_where=sa.text("status = 'received'"),
        postgresql_where=sa.text("status = 'received'"),
    )


def _outbox() -> None:
    op.create_table(
        "fluxcore_outbox",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("recipient", sa.String(), nullable=False),
        sa.Column("work_id", sa.String()),
        sa.Column("context_id", sa.String()),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("reason", sa.String()),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger()),
        sa.CheckConstraint("status IN ('waiting', 'done', 'refused')", name="ck_fluxcore_outbox_status"),
        sa.PrimaryKeyConstraint("position", name="pk_fluxcore_outbox"),
        sa.UniqueConstraint("message_id", name="uq_fluxcore_outbox_message_id"),
    )
    op.create_index("ix_fluxcore_outbox_status_position", "fluxcore_outbox", ["status", "position"])


def _work_definitions() -> None:
    op.create_table(
        "fluxcore_work_definitions",
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("type_id", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("is_current", sa.Integer(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("version_id", name="pk_fluxcore_work_definitions"),
    )
    op.create_index(
        "uq_fluxcore_work_definitions_current",
        "fluxcore_work_definitions",
        ["type_id"],
        unique=True,
        sqlite_where=sa.text("is_current = 1"),
        postgresql_where=sa.text("is_current = 1"),
    )


def _proposed_works() -> None:
    op.create_table(
        "fluxcore_proposed_works",
        sa.Column("proposal_id", sa.String(), nullable=False),
        sa.Column("decision_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("type_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("candidate_slots", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String()),
        sa.Column("proposed_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger()),
        sa.CheckConstraint("status IN ('pending', 'opened', 'discarded')", name="ck_fluxcore_proposed_works_status"),
        sa.ForeignKeyConstraint(
            ["decision_id"], ["fluxcore_decision_events.decision_id"], name="fk_fluxcore_proposed_works_decision_id"
        ),
        sa.PrimaryKeyConstraint("proposal_id", name="pk_fluxcore_proposed_works"),
    )
    op.create_index("ix_fluxcore_proposed_works_account_id_status", "fluxcore_proposed_works", ["account_id", "status"])


def _works() -> None:
    op.create_table(
        "fluxcore_works",
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("proposal_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("suspended_reason", sa.String()),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("aggregate_key", sa.String()),
        sa.Column("unresolved", sa.Integer(), nullable=False),
        sa.Column("asked", sa.String()),
        sa.Column("cancel_requested", sa.String()),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("manner", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(STATES, name="ck_fluxcore_works_state"),
        sa.ForeignKeyConstraint(
            ["proposal_id"], ["fluxcore_proposed_works.proposal_id"], name="fk_fluxcore_works_proposal_id"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["fluxcore_work_definitions.version_id"], name="fk_fluxcore_works_version_id"
        ),
        sa.PrimaryKeyConstraint("work_id", name="pk_fluxcore_works"),
        sa.UniqueConstraint("proposal_id", name="uq_fluxcore_works_proposal_id"),
    )
    op.create_index(
        "ix_fluxcore_works_account_id_conversation_id_state",
        "fluxcore_works",
        ["account_id", "conversation_id", "state"],
    )
    op.create_index("ix_fluxcore_works_expires_at", "fluxcore_works", ["expires_at"])
    op.create_index(
        "uq_fluxcore_works_aggregate",
        "fluxcore_works",
        ["account_id", "aggregate_key"],
        unique=True,
        sqlite_where=sa.text(LIVE),
        postgresql_where=sa.text(LIVE),
    )


def _semantic_contexts() -> None:
    op.create_table(
        "fluxcore_semantic_contexts",
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("participant", sa.String(), nullable=False),
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("path", sa.String()),
        sa.Column("proposed", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("sent_at", sa.BigInteger()),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_by", sa.String()),
        sa.Column("settled_at", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('slot', 'execution', 'minted')", name="ck_fluxcore_semantic_contexts_kind"),
        sa.CheckConstraint(
            "status IN ('pending', 'consumed', 'rejected', 'superseded', 'expired', 'void')",
            name="ck_fluxcore_semantic_contexts_status",
        ),
        sa.ForeignKeyConstraint(["work_id"], ["fluxcore_works.work_id"], name="fk_fluxcore_semantic_contexts_work_id"),
        sa.PrimaryKeyConstraint("context_id", name="pk_fluxcore_semantic_contexts"),
    )
    op.create_index(
        "ix_fluxcore_semantic_contexts_account_id_conversation_id_status",
        "fluxcore_semantic_contexts",
        ["account_id", "conversation_id", "status"],
    )
    op.create_index("ix_fluxcore_semantic_contexts_work_id", "fluxcore_semantic_contexts", ["work_id"])


def _work_events() -> None:
    op.create_table(
        "fluxcore_work_events",
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("from_state", sa.String()),
        sa.Column("to_state", sa.String(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("delta", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["work_id"], ["fluxcore_works.work_id"], name="fk_fluxcore_work_events_work_id"),
        sa.PrimaryKeyConstraint("work_id", "revision", name="pk_fluxcore_work_events"),
    )


def _work_slots() -> None:
    op.create_table(
        "fluxcore_work_slots",
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("evidence", sa.Text()),
        sa.Column("set_by", sa.String(), nullable=False),
        sa.Column("set_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("immutable", sa.Integer(), nullable=False),
        sa.CheckConstraint("status IN ('proposed', 'committed')", name="ck_fluxcore_work_slots_status"),
        sa.ForeignKeyConstraint(["work_id"], ["fluxcore_works.work_id"], name="fk_fluxcore_work_slots_work_id"),
        sa.PrimaryKeyConstraint("work_id", "path", name="pk_fluxcore_work_slots"),
    )


def _external_effect_claims() -> None:
    op.create_table(
        "fluxcore_external_effect_claims",
        sa.Column("claim_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("semantic_context_id", sa.String(), nullable=False),
        sa.Column("effect_type", sa.String(), nullable=False),
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("effect_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("required", sa.Integer(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "status IN ('claimed', 'proposed', 'invoking', 'completed', 'aborted', 'in_doubt')",
            name="ck_fluxcore_external_effect_claims_status",
        ),
        sa.ForeignKeyConstraint(
            ["semantic_context_id"],
            ["fluxcore_semantic_contexts.context_id"],
            name="fk_fluxcore_external_effect_claims_semantic_context_id",
        ),
        sa.ForeignKeyConstraint(
            ["work_id"], ["fluxcore_works.work_id"], name="fk_fluxcore_external_effect_claims_work_id"
        ),
        sa.PrimaryKeyConstraint("claim_id", name="pk_fluxcore_external_effect_claims"),
        sa.UniqueConstraint(
            "account_id",
            "semantic_context_id",
            "effect_type",
            name=op.f("uq_fluxcore_external_effect_claims_account_id_semantic_context_id_effect_type"),
        ),
        sa.UniqueConstraint("work_id", "effect_id", name="uq_fluxcore_external_effect_claims_work_id_effect_id"),
    )
    op.create_index(
        "ix_fluxcore_external_effect_claims_status_due_at", "fluxcore_external_effect_claims", ["status", "due_at"]
    )


def _effect_attempts() -> None:
    op.create_table(
        "fluxcore_effect_attempts",
        sa.Column("claim_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("cursor", sa.String()),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("outcome", sa.String()),
        sa.Column("answer", sa.Text()),
        sa.Column("late", sa.Text()),
        sa.ForeignKeyConstraint(
            ["claim_id"], ["fluxcore_external_effect_claims.claim_id"], name="fk_fluxcore_effect_attempts_claim_id"
        ),
        sa.PrimaryKeyConstraint("claim_id", "attempt", name="pk_fluxcore_effect_attempts"),
        sa.UniqueConstraint("request_id", name="uq_fluxcore_effect_attempts_request_id"),
    )


def _external_effects() -> None:
    op.create_table(
        "fluxcore_external_effects",
        sa.Column("claim_id", sa.String(), nullable=False),
        sa.Column("work_id", sa.String(), nullable=False),
        sa.Column("effect_id", sa.String(), nullable=False),
        sa.Column("effect_type", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text()),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("outcome IN ('applied', 'not_applied')", name="ck_fluxcore_external_effects_outcome"),
        sa.CheckConstraint(
            "source IN ('response', 'history', 'reconciled', 'operator')", name="ck_fluxcore_external_effects_source"
        ),
        sa.ForeignKeyConstraint(
            ["claim_id"], ["fluxcore_external_effect_claims.claim_id"], name="fk_fluxcore_external_effects_claim_id"
        ),
        sa.ForeignKeyConstraint(["work_id"], ["fluxcore_works.work_id"], name="fk_fluxcore_external_effects_work_id"),
        sa.PrimaryKeyConstraint("claim_id", name="pk_fluxcore_external_effects"),
        sa.UniqueConstraint("work_id", "effect_id", name="uq_fluxcore_external_effects_work_id_effect_id"),
    )
