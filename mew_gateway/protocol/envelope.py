"""The envelope: the one JSON message that everything travels in (MEW v0.4 §3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import msgspec

from .ids import MAX_ENVELOPE_ID

PROTOCOL: Final = "mew/v0.4"
MAX_KIND: Final = 128  # characters

EnvelopeId = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ENVELOPE_ID)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class Envelope(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A complete envelope. `sender` is the wire's `from`; `to` and `correlation_id` are None where absent.

    Unknown top-level fields are allowed on the wire and travel in the bytes; they are not held here.
    """

    protocol: Literal["mew/v0.4", "mew/v0.3"]
    id: EnvelopeId
    ts: Annotated[str, msgspec.Meta(max_length=64)]
    sender: Name = msgspec.field(name="from")
    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_KIND)]
    to: Annotated[list[Name], msgspec.Meta(max_length=1024)] | None = None
    correlation_id: Annotated[list[EnvelopeId], msgspec.Meta(max_length=1024)] | None = None
    context: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    payload: dict[str, Any] | None = None


def timestamp(now: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    return f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m-%dT%H:%M:%S}.{now % 1000:03d}Z"
