"""Timeline entries: what happened to an agent, in order, each entry chained to the previous one by a hash.

The hash of an entry is the SHA-256, in hex, of three lines in UTF-8, joined by single line feeds:

    the hash of the previous entry, or 64 zeros
    [seq,at,kind,execution_id,trace_id,span_id,cause_id]     compact JSON
    data                                                     compact JSON, the keys of every object sorted

JSON has no raw line feed, so nothing can move from one line to the next (docs/timeline.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

GENESIS = "0" * 64

# An emergency stands from the one kind until the other with the same cause (docs/interruption.md §2).
# An input is promised to be heard until it is.
SETTLED_BY = {"halted": ("resumed",), "queued": ("followed", "withdrawn")}

_canonical = msgspec.json.Encoder(order="deterministic")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """An entry before it is appended. `at` is in milliseconds since the epoch; `data` is JSON.

    `execution_id` identifies one process of the agent, `trace_id` a run, `cause_id` the cause: usually an interrupt's
    id.
    """

    at: int
    kind: str
    execution_id: str
    trace_id: str | None = None
    span_id: str | None = None
    cause_id: str | None = None
    data: dict[str, Any] = {}


class Entry(Row, frozen=True, kw_only=True):
    """An entry of the timeline. `seq` counts from 1 without gaps."""

    seq: int
    hash: str


def canonical(value: Any) -> bytes:
    """Encode a value as JSON, always in the same bytes. Raises `TypeError` if it is not JSON."""
    return _canonical.encode(value)


def link(previous: str, seq: int, row: Row) -> str:
    """Return the hash of a row as the entry `seq` after one with the hash `previous`."""
    head = canonical((seq, row.at, row.kind, row.execution_id, row.trace_id, row.span_id, row.cause_id))
    return sha256(b"\n".join((previous.encode(), head, canonical(row.data)))).hexdigest()


def chained(previous: str, seq: int, row: Row) -> Entry:
    """Return a row as the entry `seq` after one with the hash `previous`."""
    return Entry(
        seq=seq,
        at=row.at,
        kind=row.kind,
        execution_id=row.execution_id,
        trace_id=row.trace_id,
        span_id=row.span_id,
        cause_id=row.cause_id,
        data=row.data,
        hash=link(previous, seq, row),
    )


def unsettled(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries of kinds in `SETTLED_BY` that no later entry with the same cause settles."""
    found: dict[tuple[str, str | None], Entry] = {}
    for entry in entries:
        if entry.kind in SETTLED_BY:
            found[entry.kind, entry.cause_id] = entry
        for kind, settled_by in SETTLED_BY.items():
            if entry.kind in settled_by:
                found.pop((kind, entry.cause_id), None)
    return tuple(found.values())
