"""Dialogues of flows, whose questions are kept with those of Works, and Works that are a part of one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

# What is released does not change: the triggers are those of the tables before.
from mew_agents.fluxi.migrations.versions.r0002_append_only import ALWAYS, POSTGRESQL, SQLITE

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _versions()
    _dialogues()
    _events()
    _append_only("flow_events")
    _questions()
    for table in ("fluxcore_works", "fluxcore_proposed_works"):
        op.add_column(table, sa.Column("part_of", sa.String()))


def _versions() -> None:
    op.create_table(
        "flow_versions",
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_flow_versions"),
    )


def _dialogues() -> None:
    op.create_table(
        "flow_dialogues",
        sa.Column("dialogue_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("participant", sa.String(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("top", sa.String()),
        sa.Column("waiting", sa.String()),
        sa.Column("suspended", sa.String()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("waiting IN ('question', 'action', 'effect')", name="ck_flow_dialogues_waiting"),
        sa.PrimaryKeyConstraint("dialogue_id", name="pk_flow_dialogues"),
        sa.UniqueConstraint(
            "account_id",
            "conversation_id",
            "participant",
            name="uq_flow_dialogues_account_id_conversation_id_participant",
        ),
    )
    where = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_flow_dialogues_due_at", "flow_dialogues", ["due_at"], sqlite_where=where, postgresql_where=where
    )


def _events() -> None:
    op.create_table(
        "flow_events",
        sa.Column("dialogue_id", sa.String(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("delta", sa.Text(), nullable=False),
        sa.Column("effects", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["dialogue_id"], ["flow_dialogues.dialogue_id"], name="fk_flow_events_dialogue_id"),
        sa.PrimaryKeyConstraint("dialogue_id", "revision", name="pk_flow_events"),
    )


def _append_only(table: str) -> None:
    if op.get_context().dialect.name == "sqlite":
        for deed in ("UPDATE", "DELETE"):
            op.execute(SQLITE.format(table=table, deed=deed))
    else:
        op.execute(POSTGRESQL.format(table=table))
        op.execute(ALWAYS.format(table=table))


def _questions() -> None:
    with op.batch_alter_table("fluxcore_semantic_contexts") as questions:
        questions.alter_column("work_id", existing_type=sa.String(), nullable=True)
        questions.add_column(sa.Column("dialogue_id", sa.String()))
        questions.create_foreign_key(
            "fk_fluxcore_semantic_contexts_dialogue_id", "flow_dialogues", ["dialogue_id"], ["dialogue_id"]
        )
        questions.create_check_constraint(
            "ck_fluxcore_semantic_contexts_owner", "(work_id IS NULL) <> (dialogue_id IS NULL)"
        )
    where = sa.text("dialogue_id IS NOT NULL")
    op.create_index(
        "ix_fluxcore_semantic_contexts_dialogue_id_settled_at",
        "fluxcore_semantic_contexts",
        ["dialogue_id", "settled_at"],
        sqlite_where=where,
        postgresql_where=where,
    )
