"""What has happened is not unsaid: the events of Works and decisions are only ever added (docs/fluxi.md §5)."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = ("fluxcore_decision_events", "fluxcore_work_events")

# REPLACE deletes, which fires the second of these because the store sets `recursive_triggers`.
SQLITE = """
CREATE TRIGGER {table}_refuses_{deed} BEFORE {deed} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

REFUSAL = """
CREATE FUNCTION fluxcore_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END
$$
"""
POSTGRESQL = """
CREATE TRIGGER {table}_refuses BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION fluxcore_refuse()
"""
# Also where a session calls itself a replica.
ALWAYS = "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_refuses"


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        for table in TABLES:
            for deed in ("UPDATE", "DELETE"):
                op.execute(SQLITE.format(table=table, deed=deed))
        return
    op.execute(REFUSAL)
    for table in TABLES:
        op.execute(POSTGRESQL.format(table=table))
        op.execute(ALWAYS.format(table=table))
