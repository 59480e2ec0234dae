"""The state of a space. All of it survives a restart, by replay or from a snapshot.

`State` is everything but the used ids (`limits/remembered_ids`); indexes that can be derived from it are in `members`
and `limits/fair_eviction`. Times are milliseconds since the epoch. Names of fields are stored in snapshots, and stay.

Facts are ordered by ordinals (`State.next_ordinal`), not by time: whether a guest was invited before or after a fact
decides what it may see and answer (`visibility`).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from .settings import SpaceSettings

# pending -> acked | timed_out | target_left; timed_out -> late; a promise to stop -> honoured | overrun (§5)
Status: TypeAlias = Literal["pending", "acked", "timed_out", "late", "target_left", "honoured", "overrun"]
Answer: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]
DeadlineKind: TypeAlias = Literal[
    "ack", "conclusion", "escalation", "owner", "watchdog", "halt", "pause", "shutdown", "proposal", "grant"
]  # the deadlines of a space
Outcome: TypeAlias = Literal["concluded", "cancelled", "lost"]


# open -> fulfilled | rejected | withdrawn | voided | expired (§4)
ProposalStatus: TypeAlias = Literal["open", "fulfilled", "rejected", "withdrawn", "voided", "expired"]
# Why a proposal is void: its sequence was interrupted or has ended; its proposer was halted, left, or was removed.
VoidReason: TypeAlias = Literal["interrupted", "ended", "halted", "left", "removed"]


REMEMBERED = 200  # characters of a text in a record, of which there are thousands; the journal has the whole text

Text = TypeVar("Text", str, str | None)


def remembered(text: Text) -> Text:
    """Return as much of a text as a record keeps: at most `REMEMBERED` characters."""
    return text if text is None or len(text) <= REMEMBERED else text[: REMEMBERED - 1] + "…"


class Fence(msgspec.Struct):
    """The fence of a sequence, from an ack that promises a stop (or an emergency) to the conclusion.

    `thoughts_left` more thoughts pass; `ordinal` tells sequences opened before the fence from later ones.
    """

    answer: Literal["stopping", "completing_thought"]
    thoughts_left: int
    ordinal: int


class Sequence(msgspec.Struct):
    """One reasoning sequence, from `reasoning/start` to its conclusion."""

    id: str
    owner: str
    ordinal: int
    opened_at: int
    message: str | None = None
    is_public: bool = True  # its start had no `to`
    thoughts: int = 0
    closed_at: int | None = None
    outcome: Outcome | None = None
    said: str | None = None  # the outcome as the conclusion words it
    ended: int = 0  # the ordinal of its end
    ended_publicly: bool = True
    fence: Fence | None = None
    size: int = 0  # bytes of its owner's envelopes in it
    suspended_ms: int = 0  # of its age, that the watchdog does not count: nobody could send anything
    watched: list[str] = []  # the watchdog's limits that it has passed
    interrupts: list[str] = []  # the unsettled ones
    asked: dict[str, list[int]] = {}  # by sender: when their latest accepted interrupts came


class Ack(msgspec.Struct, frozen=True):
    """The target's typed answer to an interrupt."""

    id: str
    answer: Answer
    at: int
    message: str | None = None
    outcome: str | None = None


class Interrupt(msgspec.Struct):
    """The record of one interrupt, from acceptance on. `steps` is its history: (status, when).

    A `reasoning/cancel` from another participant than the owner is one too, without an ack deadline. `data` is the
    envelope, kept while the target may have to get it again; `conclusion_due` is set while a promise is open.
    """

    id: str
    kind: Literal["reasoning/interrupt", "reasoning/cancel"]
    sequence: str
    ordinal: int  # the sequence's: its id may be used again
    target: str
    sender: str
    reason: str | None
    class_: str
    message: str | None
    accepted_at: int
    data: bytes | None
    delivered_at: int | None = None
    deadline: int | None = None
    conclusion_due: int | None = None
    status: Status = "pending"
    ack: Ack | None = None
    rung: int = 0  # escalation steps taken so far
    rung_due: int | None = None  # when the next step is due
    escalated: list[str] = []
    pause: str | None = None  # the id of the escalation's pause of the target
    stop_by: int | None = None  # of an emergency answered `halt_after_span`: when its sequence is fenced
    steps: list[tuple[Status, int]] = []
    number: int = 0  # its own ordinal, from acceptance on
    stalled_ms: int = 0  # stalls of the gateway while this was open
    delivered_by: int = 0  # the position of the entry with which it was delivered first

    def move(self, status: Status, now: int) -> None:
        """Change the status, and note it in the history."""
        self.status = status
        self.steps.append((status, now))


class Request(msgspec.Struct, frozen=True):
    """An open `mcp/request`. `awaited` are those that have yet to answer (None: anybody, it was a broadcast).

    `proposers` are those whose proposals it fulfils: they see its response.
    """

    id: str
    sender: str
    awaited: tuple[str, ...] | None
    proposers: tuple[str, ...] = ()
    ordinal: int = 0


class Rejection(msgspec.Struct, frozen=True):
    """The `mcp/reject` that closed a proposal."""

    id: str
    by: str
    reason: str | None = None
    is_public: bool = True
    ordinal: int = 0


class Proposal(msgspec.Struct):
    """One `mcp/proposal`, from acceptance on. An interrupt of its `sequence` voids it.

    `closed_by` is the id of the envelope that closed it: the fulfilment, the rejection, or the withdrawal.
    """

    id: str
    proposer: str
    to: tuple[str, ...]
    method: str
    params: bytes | None  # in JSON: decoded it would take twenty times the memory
    proposed_at: int
    expires_at: int
    size: int  # bytes of its envelope
    sequence: str | None = None
    status: ProposalStatus = "open"
    closed_at: int | None = None
    closed_by: str | None = None
    fulfiller: str | None = None
    rejection: Rejection | None = None
    void: VoidReason | None = None
    ordinal: int = 0
    asked: bytes = b""  # the digest of `method` and `params` (`request_digest`), while it is open
    recipients: bytes = b""  # that of `to`, if there is one
    sponsor: str = ""  # the proposer's (`State.sponsor`)


class Grant(msgspec.Struct):
    """Capabilities granted at run time. The id is that of the `capability/grant`."""

    id: str
    granter: str
    recipient: str
    capabilities: list[dict[str, Any]]
    granted_at: int
    expires_at: int | None = None
    acked: bool = False
    reason: str | None = None
    ordinal: int = 0
    sponsor: str = ""  # the granter's (`State.sponsor`)


class Invitee(msgspec.Struct):
    """A participant that was invited. `digest` is the SHA-256 of its token; None: it has not been drawn yet.

    `invite` is the id of the latest `space/invite`; `joined`: the guest has used its token since.
    """

    id: str
    inviter: str
    invite: str
    invited_at: int
    capabilities: list[dict[str, Any]]
    digest: bytes | None = None
    joined: bool = False
    ordinal: int = -1  # of the invitation: earlier facts concern an earlier guest of the name
    sponsor: str = ""  # the inviter's (`State.sponsor`)
    position: int = 0  # of the invitation in the journal: earlier entries are not for this guest to read

    def invitation(self, epoch: str) -> str:
        """Return the string that tells this guest from all others of its name, in a space of that epoch."""
        return f"{epoch}-{self.ordinal}"


class Pause(msgspec.Struct, frozen=True):
    """One `participant/pause` in force. `until` None: until a participant resumes the target."""

    id: str
    by: str
    at: int
    until: int | None = None
    number: int = 0  # its ordinal


class Shutdown(msgspec.Struct):
    """A `participant/shutdown` in force: the connections that are to end, and when each of them does (ms).

    While an answer is owed to a request from before `ordinal`, they may stay until `ends`. It was told last at the time
    `at`, by the entry at `position`.
    """

    ordinal: int
    ends: int
    connections: dict[int, int] = {}
    at: int = 0
    position: int = 0


class Halt(msgspec.Struct, frozen=True):
    """A halt by an emergency, in force until the safety role's resume."""

    interrupt: str
    sequence: str
    at: int
    reason: str | None = None
    ordinal: int = 0  # of the emergency


class Stream(msgspec.Struct):
    """An open stream. `request` is the whole payload of its request; `writers` are those that its owner has admitted.

    `asker` requested it: the stream counts towards its limit, whoever owns it. `to` is the recipients of the request.
    """

    id: str
    owner: str
    request: dict[str, Any]
    created_at: int
    requested_by: str  # the id of the `stream/request`
    opened_by: str  # the id of the `stream/open`
    target: tuple[str, ...] = ()  # the recipients of its frames; none: all
    writers: list[str] = []
    asker: str = ""
    to: tuple[str, ...] = ()
    ordinal: int = 0


class State(msgspec.Struct):
    """Everything a space knows, except the ids that its participants have used and what can be derived."""

    settings: SpaceSettings
    version: int
    epoch: str
    issued: int = 0  # number of gateway envelopes so far: their ids derive from it
    ordinal: int = 0  # number of facts so far: starts, ends, fences, interrupts, proposals, invitations …
    last_connection: int = 0  # the highest number so far: no number is used twice
    connections: dict[int, str] = {}  # the participant of each, in the order of joining
    absent: dict[str, int] = {}  # by absent owner of something open: when its grace period ends
    sequences: dict[str, Sequence] = {}
    closed: dict[str, Sequence] = {}
    fenced: dict[str, list[str]] = {}  # by owner: their sequences under a fence
    interrupts: dict[str, Interrupt] = {}  # unsettled: a deadline runs, or the target has yet to answer
    settled: dict[str, Interrupt] = {}
    requests: dict[str, Request] = {}
    asking: dict[str, list[str]] = {}  # by sender: their open requests, oldest first
    proposals: dict[str, Proposal] = {}  # open
    proposals_due: int | None = None  # the one deadline of all of them
    decided: dict[str, Proposal] = {}  # closed proposals that are remembered
    grants: dict[str, Grant] = {}
    revoked: dict[str, list[dict[str, Any]]] = {}  # by participant: configured capabilities that it has lost
    invitees: dict[str, Invitee] = {}
    former: dict[str, None] = {}  # names of removed guests, which no alias may have
    kicked: dict[str, int] = {}  # configured participants that were kicked: since when
    paused: dict[str, list[Pause]] = {}  # by target
    halted: dict[str, list[Halt]] = {}  # by target
    alarms: dict[str, list[int]] = {}  # by sender: when their latest emergencies were accepted
    shutdowns: dict[str, Shutdown] = {}  # by target: with connections still open, or answers still owed
    shut: dict[str, None] = {}  # participants that were shut down and have not joined since
    returning: int = 0  # until then no absent participant is late, after a start or an outage
    streams: dict[str, Stream] = {}
    streamed: int = 0  # number of streams so far: their ids derive from it
    watch_due: int | None = None  # when the watchdog checks the ages of open sequences
    visible_since: int | None = 0  # the ordinal since which routing is visible; None: `routing: addressed`
    visible_position: int = 0  # the journal's position since which it is
    deadlines: list[tuple[int, int, DeadlineKind, str]] = []  # a heap of (at, number, what, id)
    timers: int = 0
    pending: dict[str, int] = {}  # by kind and id: the number of the deadline, of those that can be unset (`deadlines`)
    unset: int = 0  # deadlines on the heap that were unset
    weighed: dict[str, list[str]] = {}  # by participant: kinds whose lookup was charged (`cpu_quota`)
    owing: dict[str, int] = {}  # by participant: until when its debt of work is paid off (`cpu_quota`)

    def sponsor(self, name: str) -> str:
        """Return the configured participant to whom it is charged what a participant gives.

        It is the participant itself. For a guest it is the one that invited it, or invited who did, and so on: so a
        guest that invites more guests gives no more than its inviter could.
        """
        guest = None if name in self.settings.participants else self.invitees.get(name)
        return name if guest is None else guest.sponsor

    def next_ordinal(self) -> int:
        """Return the ordinal of a new fact."""
        self.ordinal += 1
        return self.ordinal
