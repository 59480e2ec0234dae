"""The id of an envelope: what it is found by."""

from __future__ import annotations

import msgspec

from mew_gateway.space.events import Received

from .base import Record


class _Identified(msgspec.Struct, gc=False):
    id: str


_decoder = msgspec.json.Decoder(_Identified)


def id_of(data: bytes) -> str | None:
    """The id in an envelope's bytes; None where they are none."""
    try:
        return _decoder.decode(data).id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def id_of_event(event: Received) -> str | None:
    """The id of the envelope that an event is, which is mostly decoded already; None where it is none."""
    try:
        return event.envelope.id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return id_of(event.data)


def has(record: Record, id: str) -> bool:
    """Whether an envelope with that id is in a record. One that was refused was never delivered: it does not count."""
    event = record.entry.event
    is_refused = any(output.refusal for output in record.outputs)
    if isinstance(event, Received) and not is_refused and id_of_event(event) == id:
        return True
    return any(id_of(output.data) == id for output in record.outputs)
