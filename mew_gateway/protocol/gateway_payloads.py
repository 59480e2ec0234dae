"""Payloads of the kinds that only the gateway sends, and the join frame of a client.

The space composes them as plain objects. These types are the source of the schemas, and tests check the objects of a
space against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from .codes import ERRORS

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Patterns: TypeAlias = list[dict[str, Any]]
Time: TypeAlias = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
Omissible: TypeAlias = msgspec.UnsetType  # a field that is left out rather than null


class Member(msgspec.Struct, frozen=True):
    """A participant, and what it may send; of a guest, the `invitation` that it is here by."""

    id: str
    capabilities: Patterns
    invitation: str | Omissible = msgspec.UNSET


class ActiveStream(msgspec.Struct, frozen=True):
    """An open stream (§3.8.1): the gateway's own fields, and beside them whatever it was asked for with."""

    stream_id: str
    owner: str
    direction: Literal["upload", "download"]
    created: Time
    authorized_writers: Annotated[list[str], msgspec.Meta(min_length=1)]
    target: list[str] | Omissible = msgspec.UNSET


class SpaceSummary(msgspec.Struct, frozen=True):
    """The space that was joined."""

    id: str
    description: str | None


class OpenSequence(msgspec.Struct, frozen=True):
    """A sequence that has not concluded; `interrupts` are the ids of those that wait for their ack."""

    id: str
    owner: str
    age_ms: Count
    interrupts: list[str]


class OpenSequences(msgspec.Struct, frozen=True):
    """The newest open sequences, and how many there are."""

    open: list[OpenSequence]
    count: Count


class OpenProposal(msgspec.Struct, frozen=True):
    """A proposal that waits. `params` is left out where there are none, or (`params_omitted`) where they are long."""

    id: str
    proposer: str
    to: list[str]
    method: str
    age_ms: Count
    expires_in_ms: int
    params: dict[str, Any] | Omissible = msgspec.UNSET
    params_omitted: Literal[True] | Omissible = msgspec.UNSET


class OpenProposals(msgspec.Struct, frozen=True):
    """The newest open proposals that the participant may see, and how many those are."""

    open: list[OpenProposal]
    count: Count


class Guest(msgspec.Struct, frozen=True):
    """A guest. The `invitation` tells it from all others of its name, those that were and those to come."""

    id: str
    invitation: str


class AwayGuests(msgspec.Struct, frozen=True):
    """The guests who are not here, those invited last, and how many those are."""

    away: list[Guest]
    count: Count


class Resumption(msgspec.Struct, frozen=True):
    """How many envelopes follow that were delivered since `after`. null: they cannot be replayed."""

    after: str
    count: Count | None


class Welcome(msgspec.Struct, frozen=True):
    """`system/welcome` (§3.8.1): who you are, what you may send, who and what is here. Sent anew after a grant.

    `halted` are the emergencies that stand against you.
    """

    you: Member
    participants: list[Member]
    active_streams: list[ActiveStream]
    space: SpaceSummary
    sequences: OpenSequences
    halted: list[str]
    proposals: OpenProposals
    resume: Resumption | Omissible = msgspec.UNSET
    guests: AwayGuests | Omissible = msgspec.UNSET


class Present(msgspec.Struct, frozen=True):
    """The participant that news are about; without `capabilities` once it has left, with a guest's `invitation`."""

    id: str
    capabilities: Patterns | Omissible = msgspec.UNSET
    invitation: str | Omissible = msgspec.UNSET


class Presence(msgspec.Struct, frozen=True):
    """`system/presence` (§3.7): somebody came or went, may send something else than before, was invited, or (a
    guest) removed."""

    event: Literal["join", "leave", "update", "invited", "removed"]
    participant: Present


class Failure(msgspec.Struct, frozen=True):
    """`system/error` (§3.8.2): a refusal, or a notice that refuses nothing. Each code has details of its own."""

    error: Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(ERRORS)})]
    message: str
    attempted_kind: str | Omissible = msgspec.UNSET
    your_capabilities: Patterns | Omissible = msgspec.UNSET
    retry_after_ms: Count | Omissible = msgspec.UNSET


class Heartbeat(msgspec.Struct, frozen=True):
    """`system/heartbeat`: a sign of life from a participant, accepted and dropped."""


class StreamOpen(ActiveStream, frozen=True, kw_only=True):
    """`stream/open` (§3.10.2): the stream that was asked for, with the id that its frames begin with."""

    encoding: Literal["binary"]


class WritersChanged(msgspec.Struct, frozen=True):
    """`stream/write-granted`, `stream/write-revoked` (§3.10.5, §3.10.6): who may write to a stream from here on."""

    stream_id: str
    participant_id: str
    authorized_writers: Annotated[list[str], msgspec.Meta(min_length=1)]
    reason: str | Omissible = msgspec.UNSET


class OwnerChanged(msgspec.Struct, frozen=True):
    """`stream/ownership-transferred` (§3.10.7): whose stream it is from here on."""

    stream_id: str
    previous_owner: str
    new_owner: str
    authorized_writers: Annotated[list[str], msgspec.Meta(min_length=1)]
    reason: str | Omissible = msgspec.UNSET


class InviteAck(msgspec.Struct, frozen=True):
    """`space/invite-ack` (§3.6.5): for the inviter alone. `token` is null in any later replay, and if the participant
    was `readmitted`: it has one."""

    status: Literal["created", "readmitted"]
    participant_id: str
    token: str | None
    capabilities: Patterns


class Join(msgspec.Struct, frozen=True):
    """The join frame's fields (docs/protocol.md §1). Another name than one's own is an alias of the connection."""

    token: Annotated[str, msgspec.Meta(min_length=1)]
    space: str | None = None
    participantId: str | None = None
    participant_id: str | None = None
    after: str | None = None


GATEWAY_PAYLOADS: dict[str, type[msgspec.Struct]] = {
    "system/welcome": Welcome,
    "system/presence": Presence,
    "system/error": Failure,
    "system/heartbeat": Heartbeat,
    "stream/open": StreamOpen,
    "stream/write-granted": WritersChanged,
    "stream/write-revoked": WritersChanged,
    "stream/ownership-transferred": OwnerChanged,
    "space/invite-ack": InviteAck,
}
