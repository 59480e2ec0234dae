"""The id of an envelope, by which it is found, and what it is about, by which it is kept."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mew_gateway.space.events import Received


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
    return id_of(event.data) if event.decoded is None else event.decoded.id


class _About(msgspec.Struct, gc=False):
    id: str
    kind: str = ""
    context: str | None = None
    correlation_id: list[str] | None = None
    payload: msgspec.Raw = msgspec.Raw(b"")


_about = msgspec.json.Decoder(_About)


def subjects_of(data: bytes) -> Iterator[str]:
    """The ids of what an envelope is, is within, and refers to; none where it cannot be read."""
    try:
        about = _about.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    yield about.id
    if about.context is not None:
        yield about.context.partition("/")[0]
    yield from about.correlation_id or ()


def holds_a_head(data: bytes) -> bool:
    """Whether an envelope is a conclusion that holds the head of its agent's timeline."""
    if b'"timeline"' not in data:
        return False
    try:
        about = _about.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return about.kind == "reasoning/conclusion" and b'"timeline"' in bytes(about.payload)
