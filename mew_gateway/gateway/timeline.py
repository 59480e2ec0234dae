"""A space's timeline: what happened, in order, derived from the journal (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mew_gateway.journal.base import Output, Record
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope, timestamp
from mew_gateway.protocol.reasons import class_of
from mew_gateway.space.events import Configured, Connected, DeadlinePassed, Disconnected, Event, Received, Restarted

# What a reader wants of each payload; the whole envelope stays in the journal.
_TOLD = ("message", "text", "reason", "class", "status", "outcome", "interrupted", "interrupt_id", "method", "partial")
_LONGEST = 300  # characters of a told text


def timeline(records: Iterable[Record], *, viewer: str | None = None) -> Iterator[dict[str, Any]]:
    """One object an event: `position`, `at` (RFC 3339), `kind`, and what that kind tells.

    An envelope has `id`, `from`, `to`, `correlation_id`, `context` and the telling fields of its payload; a refused
    one has `refused` (the code) besides, and `claimed` where its sender gave somebody else's name. What the gateway
    said has `from` `system:gateway`. With `viewer`, only what that participant was shown: `routing: addressed`.
    """
    for record in records:
        if viewer is not None and not _is_shown(record.entry.event, viewer):
            continue
        refusal = next((output for output in record.outputs if output.refusal), None)
        told = _of_event(record.entry.event, refusal)
        if told is not None:
            yield {"position": record.entry.position, "at": timestamp(record.entry.time), **told}
        for output in record.outputs:
            if output.refusal or not (viewer is None or output.audience is None or viewer in output.audience):
                continue
            envelope = reread(output.data)
            if envelope.kind != "system/welcome":
                yield {
                    "position": record.entry.position,
                    "at": timestamp(record.entry.time),
                    **_of_envelope(envelope),
                }


def _is_shown(event: Event, viewer: str) -> bool:
    if not isinstance(event, Received):
        return True
    return not event.envelope.to or viewer in event.envelope.to or viewer == event.participant


def _of_event(event: Event, refusal: Output | None) -> dict[str, Any] | None:
    """An entry as the timeline tells it; None where what the gateway said about it tells all."""
    match event:
        case Received():
            told = _of_envelope(event.envelope) | {"from": event.participant}
            if event.envelope.sender != event.participant:
                told["claimed"] = event.envelope.sender
            if refusal is not None:
                error = msgspec.json.decode(refusal.data)["payload"]
                told["refused"] = error["error"]
                told["message"] = error["message"]
            return told
        case Configured():
            return {"kind": "gateway/configured", "machine": event.version}
        case Restarted():
            return {"kind": "gateway/restarted"}
        case Connected() | Disconnected() | DeadlinePassed():
            return None


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
