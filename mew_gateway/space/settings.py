"""The settings of a space, as `config` builds them. They are journalled whole. Durations are whole milliseconds."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Rate(msgspec.Struct, frozen=True):
    """At most `count` in any `per` milliseconds."""

    count: int
    per: int


class Step(msgspec.Struct, frozen=True):
    """One escalation step, `after` milliseconds after the one before."""

    name: Literal["notify", "pause", "revoke", "kick", "terminate"]
    after: int = 0


class Interrupts(msgspec.Struct, frozen=True):
    """The deadlines, limits and escalations of interrupts (docs/protocol.md §5)."""

    ack_deadline: int = 30_000
    emergency_ack_deadline: int = 2_000
    stopping_conclusion: int = 5_000
    completing_conclusion: int = 60_000
    per_sequence: Rate = Rate(5, 10_000)
    emergency: Rate = Rate(3, 60_000)
    escalation: tuple[Step, ...] = (Step("notify"),)
    emergency_escalation: tuple[Step, ...] = (Step("notify"), Step("pause"), Step("kick", 5_000))


class Watchdog(msgspec.Struct, frozen=True):
    """The limits after which the gateway itself interrupts a sequence. None: no limit."""

    max_seconds: int | None = None  # of its age
    max_thoughts: int | None = None
    max_bytes: int | None = None  # of its owner's envelopes in it


class Bounds(msgspec.Struct, frozen=True):
    """How much a space remembers. Each bound has its named outcome in docs/protocol.md §7.

    `pending_bytes` are of the interrupts that one target has not answered: its emergencies have as much of their own.
    """

    open_sequences: int = 64  # per participant, as the next four
    open_streams: int = 64
    open_requests: int = 256
    open_proposals: int = 256
    remembered_ids: int = 10_000
    remembered_for: int = 600_000
    closed_sequences: int = 1_000  # per space, as the next four; as many closed proposals
    settled_interrupts: int = 10_000
    grants: int = 10_000
    given_bytes: int = 1_048_576
    invitees: int = 1_000
    pending_bytes: int = 524_288


class Participant(msgspec.Struct, frozen=True):
    """A configured participant. `capabilities` are JSON patterns, its roles' included. `watchdog` None: the space's."""

    id: str
    capabilities: tuple[dict[str, Any], ...] = ()
    observe: bool = False
    watchdog: Watchdog | None = None


class SpaceSettings(msgspec.Struct, frozen=True):
    """The settings of one space, without its tokens.

    `invited_capabilities` are for guests invited without their own.
    """

    id: str
    participants: dict[str, Participant]
    description: str = ""
    routing: Literal["visible", "addressed"] = "visible"
    validation: Literal["strict", "off"] = "strict"
    owner_grace: int = 30_000
    proposal_expiry: int = 86_400_000
    interrupts: Interrupts = Interrupts()
    watchdog: Watchdog = Watchdog()
    bounds: Bounds = Bounds()
    invited_capabilities: tuple[dict[str, Any], ...] = ()
