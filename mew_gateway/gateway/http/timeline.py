"""A space's timeline: what happened, in order, derived from the journal (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mew_gateway.journal.base import Record
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.reasons import class_of
from mew_gateway.space.events import Configured, Received, Restarted

from ..history import WELCOME, View

# What a reader wants of each payload; the whole envelope stays in the journal.
_TOLD = (
    *("message", "text", "confidence", "reason", "class", "scope", "status", "outcome", "reason_code", "stop_by"),
    *("method", "interrupted", "interrupt_id", "policy_applied", "partial", "rolled_back_to", "span_id", "timeline"),
)
_LONGEST = 300  # characters of a told text


def timeline(records: Iterable[Record], view: View) -> Iterator[dict[str, Any]]:
    """One object an event that the view shows: `position`, `at` (RFC 3339), `kind`, and what that kind tells.

    An envelope has `id`, `from`, `to`, `correlation_id`, `context` and the telling fields of its payload. A refused one
    is told to its sender, and to whoever sees everything: it has `refused` (the code) besides, and `claimed` where its
    sender gave somebody else's name. What the gateway said has `from` `system:gateway`.
    """
    for record in records:
        entry = record.entry
        for told in _of_record(record, view):
            yield {"position": entry.position, "at": timestamp(entry.time), **told}


def _of_record(record: Record, view: View) -> Iterator[dict[str, Any]]:
    event, time = record.entry.event, record.entry.time
    refusal = next((output.data for output in record.outputs if output.refusal), None)
    if isinstance(event, Configured):
        yield {"kind": "gateway/configured", "machine": event.version}
    elif isinstance(event, Restarted):
        yield {"kind": "gateway/restarted"}
    elif isinstance(event, Received) and refusal is not None and view.sees_refusal(event, time):
        yield _of_refused(event, refusal)
    for seen in view.of(record):
        if seen.kind != WELCOME and seen.data is not refusal:
            yield _of_envelope(reread(seen.data))


def _of_refused(event: Received, refusal: bytes) -> dict[str, Any]:
    error = msgspec.json.decode(refusal)["payload"]
    told = _of_envelope(event.envelope) | {"from": event.participant}
    if event.envelope.sender != event.participant:
        told["claimed"] = event.envelope.sender
    return {**told, "refused": error["error"], "message": error["message"]}


def _of_envelope(envelope: Envelope) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": envelope.kind, "id": envelope.id, "from": envelope.sender}
    for field in ("to", "correlation_id", "context"):
        value = getattr(envelope, field)
        if value:
            told[field] = value
    payload = envelope.payload or {}
    for field in _TOLD:
        if field in payload:
            told[field] = _shortened(payload[field])
    if envelope.kind == "reasoning/interrupt":
        told["class"] = class_of(payload.get("reason"), payload.get("class"))
    elif envelope.kind == "system/presence":
        told |= {"event": payload["event"], "participant": payload["participant"]["id"]}
    elif envelope.kind == "system/error":
        told |= {key: value for key, value in payload.items() if key not in told}
    return told


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[: _LONGEST - 1] + "…"
    return value if isinstance(value, str | int | float | bool) else None
