"""A space's timeline: what happened, in order, derived from the journal (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mew_gateway.journal.base import Record
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import KINDS
from mew_gateway.protocol.reasons import class_of
from mew_gateway.space.events import Configured, Received, Restarted, Stalled

from ..broker.history import WELCOME, View

# What a reader wants of each payload; the whole envelope stays in the journal.
_TOLD = (
    *("message", "text", "confidence", "reason", "class", "scope", "status", "outcome", "reason_code", "stop_by"),
    *("method", "interrupted", "interrupt_id", "policy_applied", "partial", "rolled_back_to", "span_id", "timeline"),
)
_LONGEST = 300  # characters of a told text
_NAMED = 8  # fields of a payload that are left out
_LARGEST = 4_096  # bytes of JSON of an envelope's payload that are told


def timeline(records: Iterable[Record], view: View) -> Iterator[dict[str, Any]]:
    """One object an event that the view shows: `position`, `at` (RFC 3339), `kind`, and what that kind tells.

    An envelope has `id`, `from`, `to`, `correlation_id`, `context`, the telling fields of its payload, and `payload`:
    as much of it as 4 KiB hold, field by field; what is left out is named in `omitted`. A refused one is told to its
    sender: it has `refused` (the code) besides, and `claimed` where somebody else's name was given. Whoever sees
    everything is told of it no more than `from`, `refused`, and `kind` if the gateway knows that. What the gateway said
    has `from` `system:gateway`.
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
    elif isinstance(event, Stalled):
        yield {"kind": "gateway/stalled", "stalled_ms": event.milliseconds, "refused": event.refused}
    elif isinstance(event, Received) and refusal is not None and view.sees_refusal(event, time):
        yield _of_refused(event, refusal) if view.is_own(event, time) else _that_refused(event, refusal)
    for seen in view.of(record):
        if seen.kind != WELCOME and seen.data is not refusal:
            yield _of_envelope(_read(seen.data))


def _of_refused(event: Received, refusal: bytes) -> dict[str, Any]:
    error = msgspec.json.decode(refusal)["payload"]
    claimed = _read(event.data)
    told = {**_of_envelope(claimed), "from": event.participant}
    if claimed.sender != event.participant:
        told["claimed"] = claimed.sender
    return {**told, "refused": error["error"], "message": error["message"]}


def _that_refused(event: Received, refusal: bytes) -> dict[str, Any]:
    """What others are told: an id, a kind of its own making, or a word of it are its sender's."""
    kind = _read(event.data).kind
    told = kind if kind in KINDS else "refused"
    return {"kind": told, "from": event.participant, "refused": msgspec.json.decode(refusal)["payload"]["error"]}


class _Envelope(msgspec.Struct, gc=False):
    """An envelope whose payload is not read: it may be long, and little of it is told."""

    id: str
    kind: str
    sender: str = msgspec.field(name="from")
    to: list[str] | None = None
    correlation_id: list[str] | None = None
    context: str | None = None
    payload: dict[str, msgspec.Raw] | None = None


_envelope = msgspec.json.Decoder(_Envelope)


def _read(data: bytes) -> _Envelope:
    try:
        return _envelope.decode(data)
    except msgspec.ValidationError:
        one = reread(data)
        payload = {key: msgspec.Raw(msgspec.json.encode(value)) for key, value in (one.payload or {}).items()}
        return _Envelope(one.id, one.kind, one.sender, one.to, one.correlation_id, one.context, payload)


def _of_envelope(envelope: _Envelope) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": envelope.kind, "id": envelope.id, "from": envelope.sender}
    for field in ("to", "correlation_id", "context"):
        value = getattr(envelope, field)
        if value:
            told[field] = value
    payload = envelope.payload or {}
    for field in _TOLD:
        if field in payload:
            told[field] = _shortened(payload[field])
    told |= _held(payload)
    if envelope.kind == "reasoning/interrupt":
        told["class"] = class_of(*(_shortened(payload[key]) if key in payload else None for key in ("reason", "class")))
    elif envelope.sender == GATEWAY:
        told |= _of_gateway(envelope.kind, payload, told)
    return told


def _held(payload: dict[str, msgspec.Raw]) -> dict[str, Any]:
    """The fields of a payload that fit, the first ones first, and the names of the others."""
    left, held = _LARGEST, dict[str, Any]()
    omitted: list[str] = []
    for field, raw in payload.items():
        size = len(field) + memoryview(raw).nbytes
        if size <= left:
            left -= size
            held[field] = raw
        elif len(omitted) < _NAMED:
            omitted.append(field[:_LONGEST])
    return {**({"payload": held} if held else {}), **({"omitted": omitted} if omitted else {})}


def _of_gateway(kind: str, payload: dict[str, msgspec.Raw], told: dict[str, Any]) -> dict[str, Any]:
    """What only the gateway says: nobody else's words are taken for it."""
    if kind == "system/presence":
        said = {key: msgspec.json.decode(payload[key]) for key in ("event", "participant")}
        return {"event": said["event"], "participant": said["participant"]["id"]}
    if kind == "system/error":
        return {key: msgspec.json.decode(value) for key, value in payload.items() if key not in told}
    return {}


def _shortened(raw: msgspec.Raw) -> Any:
    """A text's beginning, or another value; None for what has others within."""
    if bytes(memoryview(raw)[:1]) in (b"[", b"{"):
        return None
    value = msgspec.json.decode(raw)
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[: _LONGEST - 1] + "…"
    return value
