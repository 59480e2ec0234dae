"""Timeline of a space: its events in order, derived from the journal (docs/protocol.md §6)."""

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

from ..broker.spaces.history_view import WELCOME, View

# Fields of payloads that are copied to the top of a timeline event; the whole envelope stays in the journal.
_COPIED = (
    *("message", "text", "confidence", "reason", "class", "scope", "status", "outcome", "reason_code", "stop_by"),
    *("method", "interrupted", "interrupt_id", "policy_applied", "partial", "rolled_back_to", "span_id", "timeline"),
)
_LONGEST = 300  # characters of a copied text
_NAMED = 8  # names of omitted fields
_LARGEST = 4_096  # bytes of JSON of an envelope's payload


def timeline(records: Iterable[Record], view: View) -> Iterator[dict[str, Any]]:
    """Yield one object per event that the view shows: `position`, `at` (RFC 3339), `kind`, and the fields of the kind.

    An envelope has `id`, `from`, `to`, `correlation_id`, `context`, the fields in `_COPIED` of its payload, and
    `payload`: the fields that fit into 4 KiB; `omitted` names the others. A rejected envelope is shown to its sender:
    it has `refused` (the code), and `claimed` if it named another sender. Participants that see everything get only
    its `from`, `refused`, and `kind` if that is known. Envelopes of the gateway have `from` `system:gateway`.
    """
    for record in records:
        entry = record.entry
        for fields in _of_record(record, view):
            yield {"position": entry.position, "at": timestamp(entry.time), **fields}


def _of_record(record: Record, view: View) -> Iterator[dict[str, Any]]:
    event, position = record.entry.event, record.entry.position
    refusal = next((output.data for output in record.outputs if output.refusal), None)
    if isinstance(event, Configured):
        yield {"kind": "gateway/configured", "machine": event.version}
    elif isinstance(event, Restarted):
        yield {"kind": "gateway/restarted"}
    elif isinstance(event, Stalled):
        yield {"kind": "gateway/stalled", "stalled_ms": event.milliseconds, "refused": event.refused}
    elif isinstance(event, Received) and refusal is not None and view.sees_refusal(event, position):
        yield _own_refused(event, refusal) if view.is_own(event, position) else _others_refused(event, refusal)
    for seen in view.of(record):
        if seen.kind != WELCOME and seen.data is not refusal:
            yield _of_envelope(_read(seen.data))


def _own_refused(event: Received, refusal: bytes) -> dict[str, Any]:
    """Return the fields of a rejected envelope for its sender."""
    error = msgspec.json.decode(refusal)["payload"]
    claimed = _read(event.data)
    fields = {**_of_envelope(claimed), "from": event.participant}
    if claimed.sender != event.participant:
        fields["claimed"] = claimed.sender
    return {**fields, "refused": error["error"], "message": error["message"]}


def _others_refused(event: Received, refusal: bytes) -> dict[str, Any]:
    """Return the fields of a rejected envelope for others: its id, text and unknown kind are only its sender's."""
    kind = _read(event.data).kind
    shown = kind if kind in KINDS else "refused"
    return {"kind": shown, "from": event.participant, "refused": msgspec.json.decode(refusal)["payload"]["error"]}


class _Envelope(msgspec.Struct, gc=False):
    """An envelope whose payload fields stay undecoded: they may be long, and few of them are used."""

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
    fields: dict[str, Any] = {"kind": envelope.kind, "id": envelope.id, "from": envelope.sender}
    for name in ("to", "correlation_id", "context"):
        value = getattr(envelope, name)
        if value:
            fields[name] = value
    payload = envelope.payload or {}
    for name in _COPIED:
        if name in payload:
            fields[name] = _shortened(payload[name])
    fields |= _bounded_payload(payload)
    if envelope.kind == "reasoning/interrupt":
        reason, class_ = (_shortened(payload[key]) if key in payload else None for key in ("reason", "class"))
        fields["class"] = class_of(reason, class_)
    elif envelope.sender == GATEWAY:
        fields |= _of_gateway(envelope.kind, payload, fields)
    return fields


def _bounded_payload(payload: dict[str, msgspec.Raw]) -> dict[str, Any]:
    """Return `payload` with the fields that fit, in order, and `omitted` with the names of the others."""
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


def _of_gateway(kind: str, payload: dict[str, msgspec.Raw], present: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that only an envelope of the gateway has; `present` are those that it has already."""
    if kind == "system/presence":
        presence = {key: msgspec.json.decode(payload[key]) for key in ("event", "participant")}
        return {"event": presence["event"], "participant": presence["participant"]["id"]}
    if kind == "system/error":
        return {key: msgspec.json.decode(value) for key, value in payload.items() if key not in present}
    return {}


def _shortened(raw: msgspec.Raw) -> Any:
    """Return the beginning of a text, or another scalar; None for an array or an object."""
    if bytes(memoryview(raw)[:1]) in (b"[", b"{"):
        return None
    value = msgspec.json.decode(raw)
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[: _LONGEST - 1] + "…"
    return value
