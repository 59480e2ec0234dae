"""The tables of an SQLite journal, and opening a file that has them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import apsw
import msgspec

from mew_gateway.errors import CorruptJournal
from mew_gateway.space.events import Event, Restarted, decode
from mew_gateway.storage.sqlite_files import format_of, make_file, other_version, stamp

from .errors import REMEDY, explain
from .fingerprint_index import STRETCH, Place, fingerprints_of

Synchronous: TypeAlias = Literal["normal", "full"]

APPLICATION = 0x4D455747  # "MEWG"
VERSION = 5

# The index of a space's history is sparse: a row of `stretches` says that the space has an entry among the
# 2**STRETCH positions of a stretch (another STRETCH is another VERSION). Measured, 20 spaces, 470-byte events,
# µs an entry alone and in commits of 64: no index 11.9 and 1.6, this one 12.1 and 1.8, an index on (space,
# position) 16.7 and 4.0, the space in the rowid 25.9 and 7.4. Pages of 8 KiB instead of 4 cost 3 more alone.

_TABLES = """
create table spaces (number integer primary key, id text not null unique) strict;
create table entries (
    position integer primary key, space integer not null, time integer not null, event blob not null
) strict;
create table stretches (
    space integer not null, stretch integer not null, primary key (space, stretch)
) strict, without rowid;
create table outputs (
    position integer not null, nth integer not null,
    audience text, refusal integer not null, data blob not null,
    primary key (position, nth)
) strict, without rowid;
create table prints (place integer primary key, prints blob not null) strict;
create table retained (
    space integer not null, id text not null, primary key (space, id)
) strict, without rowid;
create table kept (
    space integer not null, participant text not null, position integer not null, size integer not null,
    primary key (space, participant, position)
) strict, without rowid;
create table pruned (one integer primary key check (one = 1), position integer not null) strict;
create table states (part text primary key, state blob not null) strict;
create table snapshot (one integer primary key check (one = 1), position integer not null, time integer not null)
strict;
"""

_STORED_ENVELOPES = """
select space, position, event, 0 from entries where position between :first and :last
union all select e.space, o.position, o.data, 1 from outputs o join entries e on e.position = o.position
where o.position between :first and :last
"""
ADD_FINGERPRINTS = (
    "insert into prints values (?, ?) on conflict do update set prints = cast(prints || excluded.prints as blob)"
)


def connect(path: str, *, synchronous: Synchronous, busy_timeout: int) -> apsw.Connection:
    """Return a connection to the journal at `path`. A missing file is made (mode 0600).

    Raises `OSError`, `apsw.Error`, `Unavailable`, and `CorruptJournal` for a file that is something else or of another
    version.
    """
    _restrict(path)
    connection = apsw.Connection(path)
    with contextlib.ExitStack() as opened:
        opened.callback(connection.close)
        try:
            connection.set_busy_timeout(busy_timeout)
            _identify(connection, path)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", synchronous)
        except apsw.Error as error:
            raise explain(error, path, errno=connection.system_errno) from error
        opened.pop_all()
    return connection


def _restrict(path: str) -> None:
    """Let only the owner read the files, also those that were made with other rights."""
    make_file(path)
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name):
            os.chmod(name, 0o600)


def _identify(connection: apsw.Connection, path: str) -> None:
    """Check that the database is a journal before anything is changed in it; make the tables in an empty one."""
    owner, version = format_of(connection, APPLICATION)
    if owner == "somebody else":
        raise CorruptJournal(f"{path} is the database of something else, not a journal. {REMEDY}")
    if owner == "nobody":
        connection.execute(f"begin immediate; {_TABLES} {stamp(APPLICATION, VERSION)} commit")
    elif version != VERSION:
        raise CorruptJournal(other_version(f"The journal {path}", version, VERSION))


def stored_fingerprints(read: Callable[[str, dict[str, Any]], Iterable[Any]], stretch: int) -> dict[Place, bytes]:
    """Return the fingerprints of a stretch, computed from its entries.

    `read` yields the rows of a query one at a time.
    """
    bounds = {"first": stretch << STRETCH, "last": (stretch + 1 << STRETCH) - 1}
    rows = read(_STORED_ENVELOPES, bounds)
    return fingerprints_of((space, at, data if is_own else _event(data)) for space, at, data, is_own in rows)


def _event(data: bytes) -> Event:
    try:
        return decode(data)
    except (ValueError, msgspec.MsgspecError):  # a reader of the entry gets the error
        return Restarted()
