"""The timeline: what happened to an agent, in order, each entry chained to the one before by a hash.

The hash of an entry is the SHA-256, in hex, of three lines in UTF-8, joined by single line feeds:

    the hash of the entry before, or 64 zeros
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
    """An entry on its way into the timeline. `at` is in milliseconds since the epoch; `data` is JSON.

    `execution_id` is one life of the agent, `trace_id` a run, `cause_id` what led to it: an interrupt's id, mostly.
    """

    at: int
    kind: str
    execution_id: str
    trace_id: str | None = None
    span_id: str | None = None
    cause_id: str | None = None
    data: dict[str, Any] = {}


class Entry(Row, frozen=True, kw_only=True):
    """An entry of the timeline. `seq` counts from 1 and skips nothing."""

    seq: int
    hash: str


def canonical(value: Any) -> bytes:
    """A value as JSON, always in the same bytes. Raises `TypeError` for what is not JSON."""
    return _canonical.encode(value)


def link(previous: str, seq: int, row: Row) -> str:
    """The hash of a row as the entry `seq` behind one with the hash `previous`."""
    head = canonical((seq, row.at, row.kind, row.execution_id, row.trace_id, row.span_id, row.cause_id))
    return sha256(b"\n".join((previous.encode(), head, canonical(row.data)))).hexdigest()


def chained(previous: str, seq: int, row: Row) -> Entry:
    """A row as the entry `seq` behind one with the hash `previous`."""
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
    """The entries of kinds in `SETTLED_BY` that nothing has settled: no such entry with the same cause came after."""
    found: dict[tuple[str, str | None], Entry] = {}
    for entry in entries:
        if entry.kind in SETTLED_BY:
            found[entry.kind, entry.cause_id] = entry
        for kind, settled_by in SETTLED_BY.items():
            if entry.kind in settled_by:
                found.pop((kind, entry.cause_id), None)
    return tuple(found.values())
