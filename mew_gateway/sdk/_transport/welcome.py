"""Schema of `system/welcome`, the gateway's first envelope on a connection."""

from __future__ import annotations

from typing import Any

import msgspec


class You(msgspec.Struct, frozen=True):
    """The participant that owns this connection, with its capabilities as JSON patterns, and a guest's invitation."""

    id: str
    capabilities: list[dict[str, Any]] = []
    invitation: str | None = None


class Present(msgspec.Struct, frozen=True):
    """Another participant that is present. The `invitation` distinguishes a guest from others of the same name."""

    id: str
    capabilities: list[dict[str, Any]] = []
    invitation: str | None = None


class Guest(msgspec.Struct, frozen=True):
    """A guest who is absent."""

    id: str
    invitation: str | None = None


class AwayGuests(msgspec.Struct, frozen=True):
    """The absent guests, those invited last, and how many there are in all."""

    away: list[Guest] = []
    count: int = 0


class OpenSequence(msgspec.Struct, frozen=True):
    """A reasoning sequence without a conclusion. `interrupts` are the ids of interrupts without an ack."""

    id: str
    owner: str
    age_ms: int = 0
    interrupts: list[str] = []


class OpenSequences(msgspec.Struct, frozen=True):
    """The newest open sequences of the space, and how many there are in all."""

    open: list[OpenSequence] = []
    count: int = 0


class Resume(msgspec.Struct, frozen=True):
    """Answer to a resume after the envelope `after`: `count` envelopes follow; None if `after` is no longer held."""

    after: str
    count: int | None = None


class Welcome(msgspec.Struct, frozen=True):
    """`system/welcome` (§3.8.1; docs/protocol.md §5). Unknown fields are ignored.

    `active_streams` are the open streams, each as `sdk.streams` parses it (§3.10.8). `halted` are the emergencies that
    halt this agent; None if the gateway does not report them. `guests` is None if the gateway reports no invitations.
    """

    you: You
    participants: list[Present] = []
    sequences: OpenSequences = OpenSequences()
    halted: list[str] | None = None
    active_streams: list[dict[str, Any]] = []
    resume: Resume | None = None
    guests: AwayGuests | None = None


def welcome_in(payload: dict[str, Any] | None) -> Welcome:
    """Parse the payload of a welcome. Raises `msgspec.ValidationError`."""
    return msgspec.convert(payload or {}, Welcome)
