"""What goes into a space: the journal's contents. An event is all the machine knows of the outside."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope

from .settings import SpaceSettings


class Configured(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The space's whole configuration, and the version of the machine that runs it from here on.

    `epoch` is drawn once, with the space's first configuration: ids of gateway envelopes derive from it.
    """

    settings: SpaceSettings
    version: int
    epoch: str


class Restarted(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The gateway started: everybody's connections are gone. It was down for at most so long: the time since the newest
    entry of its journal."""

    milliseconds: int = 0


class Resumed(msgspec.Struct, frozen=True, array_like=True):
    """What a connection that named the last envelope it had (`after`) is to be given again (docs/protocol.md §1).

    `count` envelopes lie between the journal's positions `since` and `until`, and `interrupts` among them are the ids
    of the interrupts and cancels. None for `count`: `after` is no longer held.
    """

    after: str
    count: int | None = None
    since: int = 0
    until: int = 0
    interrupts: tuple[str, ...] = ()


class Connected(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A participant's connection joined. `connection` is never used again, not even after a restart."""

    connection: int
    participant: str
    resumed: Resumed | None = None


class Disconnected(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A connection ended."""

    connection: int


class Received(msgspec.Struct, gc=False, eq=False):
    """An envelope, sealed, from a participant: `data` is forwarded byte for byte.

    `digest` is the CRC-32 of the frame as it came, before sealing: a resend is told from a reuse by it.
    `connection` is 0 for a post over HTTP. `decoded` is what `data` says; whoever has it hands it in.
    """

    participant: str
    connection: int
    digest: int
    data: bytes
    decoded: Envelope | None = None

    @property
    def envelope(self) -> Envelope:
        """The envelope in `data`. Raises `msgspec.MsgspecError` where there is none."""
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
    """Time has reached the earliest deadline. Only this event ends a deadline."""


class Issued(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """A token was drawn for an invited participant; only its SHA-256 is known here."""

    participant: str
    invite: str
    inviter: str
    digest: bytes


class Stalled(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """The gateway stood still for so long: what it reads next may have arrived any time since.

    `refused`: it ran and refused what arrived, as its journal could not be written. Then deadlines move (outages.py).
    """

    milliseconds: int
    refused: bool = False


Event: TypeAlias = Configured | Restarted | Connected | Disconnected | Received | DeadlinePassed | Issued | Stalled

_RECEIVED = 4  # its tag; the others are in their classes


class _Stored(msgspec.Struct, array_like=True, tag=_RECEIVED, gc=False):
    """A `Received` as the journal has it."""

    participant: str
    connection: int
    digest: int
    data: bytes


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[
    Configured | Restarted | Connected | Disconnected | DeadlinePassed | Issued | Stalled | _Stored
] = msgspec.msgpack.Decoder(
    Configured | Restarted | Connected | Disconnected | DeadlinePassed | Issued | Stalled | _Stored
)


def encode(event: Event) -> bytes:
    """An event as the journal keeps it (MessagePack)."""
    if isinstance(event, Received):
        return _encoder.encode((_RECEIVED, event.participant, event.connection, event.digest, event.data))
    return _encoder.encode(event)


def decode(data: bytes) -> Event:
    """The inverse of `encode`. Raises `msgspec.MsgspecError` for anything else."""
    event = _decoder.decode(data)
    if isinstance(event, _Stored):
        return Received(event.participant, event.connection, event.digest, event.data)
    return event
