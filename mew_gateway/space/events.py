"""Events: the input of a space, which is the content of its journal.

An event is all that the machine knows of the outside. Times, ids and tokens come in here, so that a replay of the same
events gives the same state. The encoding is stored for years: fields are positional (`array_like`), tags and the order
of fields never change, new fields come last and have a default.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope

from .settings import SpaceSettings


class Configured(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The configuration of the space, and the version of the machine that handles the following events.

    `epoch` is drawn once, with the first configuration: the ids of the gateway's envelopes derive from it.
    """

    settings: SpaceSettings
    version: int
    epoch: str


class Restarted(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The gateway started: all connections are gone. `milliseconds` is the time since the newest journal entry."""

    milliseconds: int = 0


class Resumed(msgspec.Struct, frozen=True, array_like=True):
    """The envelopes that a connection gets again that named the last envelope it had (`after`, docs/protocol.md §1).

    `count` envelopes lie between the journal's positions `since` and `until`; `interrupts` are the ids of the
    interrupts and cancels among them. `count` None: the envelope `after` is no longer held.
    """

    after: str
    count: int | None = None
    since: int = 0
    until: int = 0
    interrupts: tuple[str, ...] = ()


class Connected(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A connection of a participant joined. `connection` is never used again, not even after a restart."""

    connection: int
    participant: str
    resumed: Resumed | None = None


class Disconnected(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A connection ended."""

    connection: int


class Received(msgspec.Struct, gc=False, eq=False):
    """A sealed envelope from a participant. `data` is forwarded byte for byte.

    `digest` is the CRC-32 of the frame before sealing: it tells a resend from a reuse of the id. `connection` is 0 for
    a post over HTTP. `decoded` is the decoded `data`, if the caller has it already.
    """

    participant: str
    connection: int
    digest: int
    data: bytes
    decoded: Envelope | None = None

    @property
    def envelope(self) -> Envelope:
        """The envelope in `data`. Raises `msgspec.MsgspecError` if it is none."""
        if self.decoded is None:
            self.decoded = reread(self.data)
        return self.decoded

    @property
    def _fields(self) -> tuple[str, int, int, bytes]:
        return self.participant, self.connection, self.digest, self.data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Received) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(self._fields)

    def __repr__(self) -> str:
        return f"Received{self._fields!r}"


class DeadlinePassed(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Time has reached the earliest deadline. No other event ends a deadline."""


class Issued(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """A token was drawn for an invited participant. Only its SHA-256 is known here."""

    participant: str
    invite: str
    inviter: str
    digest: bytes


class Stalled(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """The gateway stood still for `milliseconds`: what it reads next may have arrived at any time since.

    `refused`: it ran, but refused all input as its journal could not be written. Then deadlines move (`outages`).
    """

    milliseconds: int
    refused: bool = False


class DeliveredLate(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """What followed from the entries at the positions `first` to `last` was written to its connections only now.

    The gateway stood still, or was busy, between their times and this one. Deadlines that began with them move
    (`outages`).
    """

    first: int
    last: int


Event: TypeAlias = (
    Configured | Restarted | Connected | Disconnected | Received | DeadlinePassed | Issued | Stalled | DeliveredLate
)

_RECEIVED = 4  # its tag; those of the other events are in their classes


class _Stored(msgspec.Struct, array_like=True, tag=_RECEIVED, gc=False):
    """A `Received` event as the journal stores it."""

    participant: str
    connection: int
    digest: int
    data: bytes


_encoder = msgspec.msgpack.Encoder()
_Any: TypeAlias = (
    Configured | Restarted | Connected | Disconnected | DeadlinePassed | Issued | Stalled | DeliveredLate | _Stored
)
_decoder: msgspec.msgpack.Decoder[_Any] = msgspec.msgpack.Decoder(_Any)


def encode(event: Event) -> bytes:
    """Return the event as the journal stores it (MessagePack)."""
    if isinstance(event, Received):
        return _encoder.encode((_RECEIVED, event.participant, event.connection, event.digest, event.data))
    return _encoder.encode(event)


def decode(data: bytes) -> Event:
    """Return the event of stored bytes; the inverse of `encode`. Raises `msgspec.MsgspecError` for anything else."""
    event = _decoder.decode(data)
    if isinstance(event, _Stored):
        return Received(event.participant, event.connection, event.digest, event.data)
    return event
