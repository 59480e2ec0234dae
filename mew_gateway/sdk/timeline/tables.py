"""Tables of a timeline file, and the triggers that permit nothing but appending."""

from __future__ import annotations

import apsw

from mew_gateway.storage.sqlite_files import stamp

from .entry import SETTLED_BY

APPLICATION = 0x4D455754  # "MEWT"
VERSION = 1

SETTLING = ", ".join(f"'{kind}'" for kind in (*SETTLED_BY, *(one for kinds in SETTLED_BY.values() for one in kinds)))

# AUTOINCREMENT keeps the highest seq that was ever given, so that the loss of the newest entries shows.
_TABLES = f"""
create table events (
    seq integer primary key autoincrement,
    at integer not null, kind text not null, execution_id text not null,
    trace_id text, span_id text, cause_id text, data text not null, hash text not null
) strict;
create index promises on events (seq) where kind in ({SETTLING});
create index causes on events (cause_id) where cause_id is not null;
"""
_GUARDS = {
    "no_update": """before update on events begin
    select raise(abort, 'the timeline is append-only');
end""",
    "no_delete": """before delete on events begin
    select raise(abort, 'the timeline is append-only');
end""",
    "in_order": """before insert on events
when new.seq is not 1 + max(
    coalesce((select max(seq) from events), 0),
    coalesce((select seq from sqlite_sequence where name = 'events'), 0)
) begin
    select raise(abort, 'the timeline is append-only');
end""",
}
_TRIGGERS = "select name, sql from sqlite_schema where type = 'trigger'"


def create(connection: apsw.Connection) -> None:
    """Create the tables in an empty file, in one commit."""
    connection.execute(f"begin immediate; {_TABLES} {_guarding(tuple(_GUARDS))} {stamp(APPLICATION, VERSION)} commit")


def unguarded(connection: apsw.Connection) -> tuple[str, ...]:
    """Return the triggers that are missing or differ."""
    found = connection.execute(_TRIGGERS).fetchall()
    return tuple(name for name, rule in _GUARDS.items() if (name, f"CREATE TRIGGER {name} {rule}") not in found)


def restore(connection: apsw.Connection) -> tuple[str, ...]:
    """Restore the triggers that are missing or differ, in one commit. Return their names."""
    lost = unguarded(connection)
    if lost:
        dropped = "".join(f"drop trigger if exists {name}; " for name in lost)
        connection.execute(f"begin immediate; {dropped}{_guarding(lost)} commit")
    return lost


def _guarding(names: tuple[str, ...]) -> str:
    return "".join(f"create trigger {name} {_GUARDS[name]}; " for name in names)
