"""Bodies of HTTP replies, as types: they are encoded, and the OpenAPI document is made from them (docs/protocol.md §6).

Times are RFC 3339, ages and waits whole milliseconds. The docstrings of the types are part of the document.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

# An envelope as it was delivered, byte for byte.
Forwarded: TypeAlias = Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema={"$ref": "#/components/schemas/Envelope"})]
# An object that is encoded already.
Encoded: TypeAlias = Annotated[msgspec.Raw, msgspec.Meta(extra_json_schema={"type": "object"})]
Patterns: TypeAlias = list[dict[str, Any]]
Answer: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]


class Failure(msgspec.Struct, frozen=True):
    """Why nothing was done: a code and a sentence. A refused envelope has the fields of its `system/error` besides."""

    error: str
    message: str


class Health(msgspec.Struct, frozen=True):
    """Whether the process runs. `clients` are the participants who are here, `uptime` is in seconds."""

    status: Literal["ok"]
    version: str
    protocol: str
    spaces: int
    clients: int
    connections: int
    uptime: int
    features: list[str]


class Ready(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether connections are taken and envelopes accepted; if not, why, as a sentence for a person."""

    ready: bool
    reason: str | None = None


class Posted(msgspec.Struct, frozen=True):
    """An envelope, or a stream's frame, which has no `id`, that was accepted.

    `notices` are `system/error` payloads that refuse nothing.
    """

    id: str | None
    status: Literal["accepted"]
    timestamp: str
    notices: tuple[dict[str, Any], ...]


class Invited(msgspec.Struct, frozen=True):
    """An invitation that was accepted, with the invited participant's token; nobody else is ever told it."""

    id: str
    status: Literal["created"]
    timestamp: str
    participant_id: str
    token: str | None


class Messages(msgspec.Struct, frozen=True):
    """Envelopes in their order. `next`, where there may be more, is the `since` that goes on behind them."""

    messages: list[Forwarded]
    next: str | None


class Placed(msgspec.Struct, frozen=True):
    """An envelope, when it came, and its position in the journal. The gateway's own have that of what they follow."""

    position: int
    at: str
    envelope: Forwarded


class History(msgspec.Struct, frozen=True):
    """Envelopes in their order. `next`, where there may be more, is the `after` that goes on behind them."""

    envelopes: list[Placed]
    next: int | None


class Timeline(msgspec.Struct, frozen=True):
    """What happened, in order, an object an event. `next` is the `after` of the page that follows, `previous` the
    `before` of the page before; null: there is no entry."""

    events: list[Encoded]
    next: int | None
    previous: int | None


class PauseRow(msgspec.Struct, frozen=True):
    """A pause that stands. `until` null: until somebody resumes the target."""

    id: str
    by: str
    at: str
    until: str | None


class HaltRow(msgspec.Struct, frozen=True):
    """An emergency that halts its target until the safety role's resume."""

    interrupt: str
    sequence: str
    at: str


class InvitationRow(msgspec.Struct, frozen=True):
    """How somebody came to be invited, and whether it has joined since."""

    by: str
    at: str
    joined: bool


class StateRow(msgspec.Struct, frozen=True):
    """How a participant stands. `ends_in_ms` is what it has left of its shutdown."""

    kicked: bool
    ends_in_ms: int | None
    pauses: list[PauseRow]
    halts: list[HaltRow]
    invited: InvitationRow | None


class ParticipantRow(msgspec.Struct, frozen=True):
    """A participant, configured or invited. `state` is null where the asker may not see it."""

    id: str
    present: bool
    connections: int | None
    capabilities: Patterns
    state: StateRow | None


class Participants(msgspec.Struct, frozen=True):
    """Everybody who belongs to the space."""

    participants: list[ParticipantRow]


class SequenceRow(msgspec.Struct, frozen=True):
    """A reasoning sequence. `state` is its outcome, the answer it is fenced with, or `open`; `outcome` its own word."""

    id: str
    owner: str
    message: str | None
    opened_at: str
    age_ms: int
    thoughts: int
    state: str
    outcome: str | None
    interrupts: list[str]


class Sequences(msgspec.Struct, frozen=True):
    """Sequences, the oldest first: the closed ones that are remembered, then the open ones."""

    sequences: list[SequenceRow]


class AckRow(msgspec.Struct, frozen=True):
    """The target's answer to an interrupt."""

    id: str
    status: Answer
    message: str | None
    outcome: str | None
    at: str
    after_ms: int


class StepRow(msgspec.Struct, frozen=True):
    """A step of an interrupt's way."""

    status: str
    at: str


class InterruptRow(msgspec.Struct, frozen=True, rename={"sender": "from", "class_": "class"}):
    """An interrupt from its acceptance on."""

    id: str
    kind: str
    sender: str
    target: str
    sequence: str
    reason: str | None
    class_: str
    message: str | None
    status: str
    accepted_at: str
    delivered_at: str | None
    deadline_in_ms: int | None
    conclusion_in_ms: int | None
    ack: AckRow | None
    escalated: list[str]
    steps: list[StepRow]
    stalled_ms: int


class Interrupts(msgspec.Struct, frozen=True):
    """Interrupts in the order they were accepted."""

    interrupts: list[InterruptRow]


class RejectionRow(msgspec.Struct, frozen=True):
    """The `mcp/reject` that closed a proposal; `reason` is null for those who did not see it."""

    by: str
    reason: str | None


class ProposalRow(msgspec.Struct, frozen=True):
    """A proposal. `closed_by` is the envelope that closed it: its fulfilment by `fulfiller`, its `rejection`, or
    its withdrawal; `void` is why it is void. `params` are as the proposer gave them: what `params._meta` says (that
    a tool is asked to do it once, for whom, in which words) is the proposer's word, which nobody has verified."""

    id: str
    proposer: str
    to: list[str]
    method: str
    params: dict[str, Any] | None
    sequence: str | None
    status: Literal["open", "fulfilled", "rejected", "withdrawn", "voided", "expired"]
    proposed_at: str
    age_ms: int
    expires_in_ms: int | None
    closed_at: str | None
    closed_by: str | None
    fulfiller: str | None
    rejection: RejectionRow | None
    void: Literal["interrupted", "ended", "halted", "left", "removed"] | None


class Proposals(msgspec.Struct, frozen=True):
    """Proposals in the order they were made: the decided ones that are remembered, then the open ones."""

    proposals: list[ProposalRow]


class GrantRow(msgspec.Struct, frozen=True):
    """Capabilities given at run time."""

    id: str
    granter: str
    recipient: str
    capabilities: Patterns
    granted_at: str
    expires_at: str | None
    acked: bool
    reason: str | None


class RevocationRow(msgspec.Struct, frozen=True):
    """The static capabilities that a participant has lost: whatever these patterns cover."""

    participant: str
    capabilities: Patterns


class Grants(msgspec.Struct, frozen=True):
    """What was given at run time and still stands, and what was taken of the configuration's."""

    grants: list[GrantRow]
    revocations: list[RevocationRow]
