"""Read the id of an envelope, by which it is found."""

from __future__ import annotations

import msgspec

from mew_gateway.space.events import Received


class _Identified(msgspec.Struct, gc=False):
    id: str


_decoder = msgspec.json.Decoder(_Identified)


def id_of(data: bytes) -> str | None:
    """Return the id in an envelope's bytes; None if they are no envelope."""
    try:
        return _decoder.decode(data).id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def id_of_event(event: Received) -> str | None:
    """Return the id of the envelope in an event, which is mostly decoded already; None if it is no envelope."""
    return id_of(event.data) if event.decoded is None else event.decoded.id
