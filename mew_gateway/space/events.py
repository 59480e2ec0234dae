"""What goes into a space: the journal's contents. An event is all the machine knows of the outside."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from .settings import SpaceSettings


class Configured(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The space's whole configuration, and the version of the machine that runs it from here on.

    `epoch` is drawn once, with the space's first configuration: ids of gateway envelopes derive from it.
    """

    settings: SpaceSettings
    version: int
    epoch: str


class Restarted(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The gateway started: everybody's connections are gone."""


class Connected(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A participant's connection joined. `connection` is never used again, not even after a restart."""

    connection: int
    participant: str


class Disconnected(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A connection ended."""

    connection: int


class Received(msgspec.Struct, frozen=True, array_like=True, tag=4, gc=False):
    """An envelope, sealed, from a participant: `data` is forwarded byte for byte.

    `digest` is the CRC-32 of the frame as it came, before sealing: a resend is told from a reuse by it.
    `connection` is 0 for a post over HTTP.
    """

    participant: str
    connection: int
    digest: int
    data: bytes


class DeadlinePassed(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Time has reached the earliest deadline. Only this event ends a deadline."""


Event: TypeAlias = Configured | Restarted | Connected | Disconnected | Received | DeadlinePassed

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)


def encode(event: Event) -> bytes:
    """An event as the journal keeps it (MessagePack)."""
    return _encoder.encode(event)


def decode(data: bytes) -> Event:
    """The inverse of `encode`. Raises `msgspec.MsgspecError` for anything else."""
    return _decoder.decode(data)
