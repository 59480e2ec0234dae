"""The tables of an SQLite journal, and opening or migrating a file that has them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import apsw
import msgspec

from mew_gateway.errors import CorruptJournal
from mew_gateway.space.events import Event, Restarted, decode

from .errors import REMEDY, explain
from .fingerprint_index import STRETCH, Place, fingerprints_of

Synchronous: TypeAlias = Literal["normal", "full"]

APPLICATION = 0x4D455747  # "MEWG"
VERSION = 5

# The index of a space's history is sparse: a row of `stretches` says that the space has an entry among the
# 2**STRETCH positions of a stretch (another STRETCH is another VERSION). Measured, 20 spaces, 470-byte events,
# µs an entry alone and in commits of 64: no index 11.9 and 1.6, this one 12.1 and 1.8, an index on (space,
# position) 16.7 and 4.0, the space in the rowid 25.9 and 7.4. Pages of 8 KiB instead of 4 cost 3 more alone.

# Older formats: 1 had no fingerprints; those of 2 had the stretch of an id and not its position; 3 retained nothing; 4
# did not record for whom an entry is kept: such entries stay, and count for nobody.
_FINGERPRINTS = "create table if not exists prints (place integer primary key, prints blob not null) strict"
_RETAINED = """
create table if not exists retained (
    space integer not null, id text not null, primary key (space, id)
) strict, without rowid;
create table if not exists kept (
    space integer not null, participant text not null, position integer not null, size integer not null,
    primary key (space, participant, position)
) strict, without rowid;
create table if not exists pruned (one integer primary key check (one = 1), position integer not null) strict
"""
_TABLES = f"""
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
{_FINGERPRINTS};
{_RETAINED};
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


def make_folder(path: str) -> None:
    """Make the folder of the journal at `path` (mode 0700). Raises `OSError`."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _restrict(path: str) -> None:
    """Let only the owner read the files. SQLite gives new companion files the mode of the database."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if os.path.exists(name):
            os.chmod(name, 0o600)


def _identify(connection: apsw.Connection, path: str) -> None:
    """Check that the database is a journal before anything is changed in it; make the tables in an empty one."""
    application, version = connection.pragma("application_id"), connection.pragma("user_version")
    if application == APPLICATION:
        if 0 < version < VERSION:
            _migrate(connection, version)
        elif version != VERSION:
            raise CorruptJournal(
                f"The journal {path} has format {version}, this gateway reads format {VERSION}: start the "
                f"version of the gateway that wrote it, or move the file away to begin anew."
            )
    elif application or version or connection.execute("select 1 from sqlite_schema").fetchall():
        raise CorruptJournal(f"{path} is the database of something else, not a journal. {REMEDY}")
    else:
        connection.execute(
            f"begin immediate; {_TABLES} pragma application_id = {APPLICATION};pragma user_version = {VERSION}; commit"
        )


def _migrate(connection: apsw.Connection, version: int) -> None:
    """Migrate from an older format to this one: all of it, or nothing. About ten seconds for a million entries."""
    connection.execute(f"begin immediate; {_RETAINED}")
    if version < 3:
        _rebuild_fingerprints(connection)
    connection.execute(f"pragma user_version = {VERSION}; commit")


def _rebuild_fingerprints(connection: apsw.Connection) -> None:
    connection.execute(f"{_FINGERPRINTS}; delete from prints")
    stretches: list[Any] = connection.execute(f"select distinct position >> {STRETCH} from entries").fetchall()
    for (stretch,) in stretches[:-1]:  # that of the newest stretch is kept in memory
        connection.executemany(ADD_FINGERPRINTS, list(stored_fingerprints(connection.execute, stretch).items()))


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
