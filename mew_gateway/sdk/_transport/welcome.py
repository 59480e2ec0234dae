"""The gateway's first word to a connection: who you are, who is here, which sequences are open."""

from __future__ import annotations

from typing import Any

import msgspec


class You(msgspec.Struct, frozen=True):
    """The participant this connection belongs to, with its capabilities as JSON patterns, and a guest's invitation."""

    id: str
    capabilities: list[dict[str, Any]] = []
    invitation: str | None = None


class Present(msgspec.Struct, frozen=True):
    """Another participant that is here. The `invitation` tells a guest from all others of its name."""

    id: str
    capabilities: list[dict[str, Any]] = []
    invitation: str | None = None


class Guest(msgspec.Struct, frozen=True):
    """A guest who is not here."""

    id: str
    invitation: str | None = None


class AwayGuests(msgspec.Struct, frozen=True):
    """The guests who are not here, those invited last, and how many there are in all."""

    away: list[Guest] = []
    count: int = 0


class OpenSequence(msgspec.Struct, frozen=True):
    """A reasoning sequence that has no conclusion yet; `interrupts` are the ids that wait for their ack."""

    id: str
    owner: str
    age_ms: int = 0
    interrupts: list[str] = []


class OpenSequences(msgspec.Struct, frozen=True):
    """The newest open sequences of the space, and how many there are in all."""

    open: list[OpenSequence] = []
    count: int = 0


class Resume(msgspec.Struct, frozen=True):
    """What follows for who named the last envelope it had: `count` envelopes; None: that one is no longer held."""

    after: str
    count: int | None = None


class Welcome(msgspec.Struct, frozen=True):
    """`system/welcome` (§3.8.1; docs/protocol.md §5). Unknown fields are ignored.

    `active_streams` are the streams that are open, each as `sdk.streams` reads it (§3.10.8); `halted` the emergencies
    that stand against us, None where the gateway does not say; `guests` None: it tells of no invitations.
    """

    you: You
    participants: list[Present] = []
    sequences: OpenSequences = OpenSequences()
    halted: list[str] | None = None
    active_streams: list[dict[str, Any]] = []
    resume: Resume | None = None
    guests: AwayGuests | None = None


def welcome_in(payload: dict[str, Any] | None) -> Welcome:
    """The welcome in a payload. Raises `msgspec.ValidationError`."""
    return msgspec.convert(payload or {}, Welcome)
