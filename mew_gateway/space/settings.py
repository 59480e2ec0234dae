"""The settings of a space, as `config` builds them. They are journalled whole. Durations are whole milliseconds.

What a person may set is stated here once: name, type and default of the field, and its `Setting`, which has the
description and the range. The keys of spaces.yaml, its JSON Schema and its reference page are derived from that
(`mew_gateway.config.stated`). The space itself does not read a `Setting`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec


class Setting(msgspec.Struct, frozen=True):
    """What a person is told of a setting, and its range. Without `least`, a duration is longer than zero."""

    description: str
    least: int | None = None
    most: int | None = None


class Unit(msgspec.Struct, frozen=True):
    """The unit of a number that is written with one."""

    name: Literal["ms"]


Milliseconds: TypeAlias = Annotated[int, Unit("ms")]


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

    ack_deadline: Annotated[Milliseconds, Setting("How long a target has to acknowledge.")] = 30_000
    emergency_ack_deadline: Annotated[Milliseconds, Setting("The same, for an emergency.")] = 2_000
    stopping_conclusion: Annotated[Milliseconds, Setting("How long one that answered `stopping` has to conclude.")] = (
        5_000
    )
    completing_conclusion: Annotated[Milliseconds, Setting("The same, for `completing_thought`.")] = 60_000
    per_sequence: Annotated[Rate, Setting("Interrupts per sender and sequence.")] = Rate(5, 10_000)
    emergency: Annotated[Rate, Setting("Emergencies per sender.")] = Rate(3, 60_000)
    escalation: Annotated[tuple[Step, ...], Setting("What happens after the deadline, in order.")] = (Step("notify"),)
    emergency_escalation: Annotated[tuple[Step, ...], Setting("The same, for an emergency.")] = (
        Step("notify"),
        Step("pause"),
        Step("kick", 5_000),
    )


class Watchdog(msgspec.Struct, frozen=True):
    """The limits after which the gateway itself interrupts a sequence. None: no limit."""

    max_seconds: Annotated[int | None, Setting("Age of a sequence, in seconds.", least=1)] = None
    max_thoughts: Annotated[int | None, Setting("Thoughts of a sequence.", least=1)] = None
    max_bytes: Annotated[int | None, Setting("Bytes of a sequence.", least=1)] = None  # of its owner's envelopes in it


class Bounds(msgspec.Struct, frozen=True):
    """How much a space remembers. Each bound has its named outcome in docs/protocol.md §7.

    `pending_bytes` are of the interrupts that one target has not answered: its emergencies have as much of their own.
    """

    open_sequences: Annotated[int, Setting("Open reasoning sequences of one participant.", least=1, most=100_000)] = 64
    open_streams: Annotated[int, Setting("Open streams of one participant.", least=1, most=100_000)] = 64
    open_requests: Annotated[int, Setting("Unanswered requests of one participant.", least=1, most=100_000)] = 256
    open_proposals: Annotated[int, Setting("Open proposals of one participant.", least=1, most=100_000)] = 256
    remembered_ids: Annotated[int, Setting("Envelope ids remembered of one participant.", least=1, most=10_000_000)] = (
        10_000
    )
    remembered_for: Annotated[Milliseconds, Setting("How long an envelope id is remembered at least.")] = 600_000
    closed_sequences: Annotated[int, Setting("Closed sequences a space remembers.", least=1, most=10_000_000)] = (
        1_000  # as many closed proposals
    )
    settled_interrupts: Annotated[int, Setting("Settled interrupts a space remembers.", least=1, most=10_000_000)] = (
        10_000
    )
    grants: Annotated[int, Setting("Grants of a space.", least=1, most=10_000_000)] = 10_000
    given_bytes: Annotated[
        int,
        Setting(
            "Bytes of capabilities that the participants of a space are given; an eighth of `outbox_bytes`, if less.",
            least=1,
            most=134_217_728,
        ),
    ] = 1_048_576
    invitees: Annotated[int, Setting("Invited participants of a space.", least=1, most=10_000_000)] = 1_000
    pending_bytes: int = 524_288  # of unanswered interrupts of a target: a part of its outbox, which is the gateway's


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
    description: Annotated[str, Setting("For people.")] = ""
    routing: Annotated[
        Literal["visible", "addressed"],
        Setting("visible: everyone sees everything; addressed: only those in `to`."),
    ] = "visible"
    validation: Annotated[
        Literal["strict", "off"],
        Setting("strict: known kinds are typed; off: forwarded as they are."),
    ] = "strict"
    owner_grace: Annotated[Milliseconds, Setting("A sequence whose owner is gone this long is lost.", least=0)] = 30_000
    proposal_expiry: Annotated[Milliseconds, Setting("An open proposal ends after this.")] = 86_400_000
    interrupts: Interrupts = Interrupts()
    watchdog: Watchdog = Watchdog()
    bounds: Bounds = Bounds()
    invited_capabilities: tuple[dict[str, Any], ...] = ()
