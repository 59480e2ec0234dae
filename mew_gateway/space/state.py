"""What a space remembers. All of it survives a restart: by replay, or from a snapshot."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from .settings import SpaceSettings

# pending -> acked | timed_out | target_left; timed_out -> late; a promise to stop -> honoured | overrun (§5)
Status: TypeAlias = Literal["pending", "acked", "timed_out", "late", "target_left", "honoured", "overrun"]
Answer: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]
What: TypeAlias = Literal[
    "ack", "conclusion", "escalation", "owner", "watchdog", "halt", "pause", "shutdown", "proposal", "grant"
]  # the deadlines of a space
Outcome: TypeAlias = Literal["concluded", "cancelled", "lost"]


# open -> fulfilled | rejected | withdrawn | voided | expired (§4)
ProposalStatus: TypeAlias = Literal["open", "fulfilled", "rejected", "withdrawn", "voided", "expired"]
# Why a proposal is void: its sequence was interrupted or has ended; its proposer was halted, left, or was removed.
VoidReason: TypeAlias = Literal["interrupted", "ended", "halted", "left", "removed"]


REMEMBERED = 200  # characters of what somebody said, in each of thousands of records; the journal has all of it

Text = TypeVar("Text", str, str | None)


def remembered(text: Text) -> Text:
    """As much of what somebody said as a record keeps."""
    return text if text is None or len(text) <= REMEMBERED else text[: REMEMBERED - 1] + "…"


class Fence(msgspec.Struct):
    """What an ack that promises a stop, or an emergency, leaves behind on its sequence, until the conclusion.

    `thoughts_left` more thoughts are let through; `ordinal` tells sequences opened before it from later ones.
    """

    answer: Literal["stopping", "completing_thought"]
    thoughts_left: int
    ordinal: int


class Sequence(msgspec.Struct):
    """One `reasoning/start` … conclusion. Times are milliseconds since the epoch."""

    id: str
    owner: str
    ordinal: int
    opened_at: int
    message: str | None = None
    is_public: bool = True  # its start was said to everybody
    thoughts: int = 0
    closed_at: int | None = None
    outcome: Outcome | None = None
    said: str | None = None  # the conclusion's own word for its outcome
    ended: int = 0  # the ordinal of its end
    ended_publicly: bool = True
    fence: Fence | None = None
    size: int = 0  # bytes of what its owner sent in it
    suspended_ms: int = 0  # of its age: nobody could send anything, so the watchdog does not count it
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
    """The record of one interrupt, from acceptance on. `steps` is its whole way: (status, when).

    A `reasoning/cancel` from somebody else is one too, without an ack deadline. `data` is the envelope, kept
    while the target may have to be given it again; `conclusion_due` is set while a promise is unredeemed.
    """

    id: str
    kind: Literal["reasoning/interrupt", "reasoning/cancel"]
    sequence: str
    ordinal: int  # the sequence's: its id may come back
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
    rung: int = 0  # of the escalation ladder: how far it was climbed, and when the next is due
    rung_due: int | None = None
    escalated: list[str] = []
    pause: str | None = None  # the ladder's pause of the target
    stop_by: int | None = None  # of an emergency answered `halt_after_span`: when the fence rises
    steps: list[tuple[Status, int]] = []
    number: int = 0  # its own ordinal, from acceptance on
    stalled_ms: int = 0  # for which the gateway stood still while this was open

    def move(self, status: Status, now: int) -> None:
        """Take the next step of its way."""
        self.status = status
        self.steps.append((status, now))


class Request(msgspec.Struct, frozen=True):
    """An open `mcp/request`: who asked, and who has yet to answer (None: anybody, it was a broadcast).

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


class Proposal(msgspec.Struct):
    """One `mcp/proposal`, from acceptance on. `sequence` is the one it belongs to: an interrupt of that voids it.

    `closed_by` is the id of the envelope that closed it: the fulfilment, the rejection, or the withdrawal.
    """

    id: str
    proposer: str
    to: tuple[str, ...]
    method: str
    params: dict[str, Any] | None
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


class Grant(msgspec.Struct):
    """Capabilities that somebody gave somebody at run time; its id is the `capability/grant`'s."""

    id: str
    granter: str
    recipient: str
    capabilities: list[dict[str, Any]]
    granted_at: int
    expires_at: int | None = None
    acked: bool = False
    reason: str | None = None
    ordinal: int = 0


class Invitee(msgspec.Struct):
    """Somebody who was invited. `digest` is the SHA-256 of the token; None: it has not been drawn yet.

    `invite` is the id of the latest `space/invite`; `joined`: it has used its token since.
    """

    id: str
    inviter: str
    invite: str
    invited_at: int
    capabilities: list[dict[str, Any]]
    digest: bytes | None = None
    joined: bool = False
    ordinal: int = -1  # of the invitation: what came about before it is nothing of theirs

    def invitation(self, epoch: str) -> str:
        """What tells this guest from all others of its name, in a space of that epoch."""
        return f"{epoch}-{self.ordinal}"


class Pause(msgspec.Struct, frozen=True):
    """One `participant/pause` that stands. `until` None: until somebody resumes the target."""

    id: str
    by: str
    at: int
    until: int | None = None
    number: int = 0  # its ordinal


class Shutdown(msgspec.Struct):
    """A `participant/shutdown` that stands: which connections were told to end, and when each of them does (ms).

    While an answer is owed to what was asked before `ordinal`, they may stay until `ends`.
    """

    ordinal: int
    ends: int
    connections: dict[int, int] = {}


class Halt(msgspec.Struct, frozen=True):
    """What an emergency leaves on its target until the safety role's resume."""

    interrupt: str
    sequence: str
    at: int
    reason: str | None = None


class Stream(msgspec.Struct):
    """An open stream. `request` is the payload it was asked for with, whole; `writers` were let in by its owner.

    `asker` asked for it, and it counts among theirs whoever owns it; `to` is whom the request was addressed to.
    """

    id: str
    owner: str
    request: dict[str, Any]
    created_at: int
    requested_by: str  # the id of the `stream/request`
    opened_by: str  # the id of the `stream/open`
    target: tuple[str, ...] = ()  # who gets its frames; none: everybody
    writers: list[str] = []
    asker: str = ""
    to: tuple[str, ...] = ()
    ordinal: int = 0


class State(msgspec.Struct):
    """Everything a space knows but the ids its participants have used, and nothing that can be derived from it."""

    settings: SpaceSettings
    version: int
    epoch: str
    issued: int = 0  # gateway envelopes so far: their ids derive from it
    ordinal: int = 0  # facts so far: sequences and their ends, fences, interrupts, proposals, invitations and so on
    last_connection: int = 0  # the highest number so far: none is used twice
    connections: dict[int, str] = {}  # who holds it, in the order they joined
    absent: dict[str, int] = {}  # who owns something open and has no connection: when the grace ends
    sequences: dict[str, Sequence] = {}
    closed: dict[str, Sequence] = {}
    fenced: dict[str, list[str]] = {}  # by owner: their sequences under a fence
    interrupts: dict[str, Interrupt] = {}  # unsettled: a deadline runs, or the target has yet to answer
    settled: dict[str, Interrupt] = {}
    requests: dict[str, Request] = {}
    asking: dict[str, list[str]] = {}  # by sender: their open requests, oldest first
    proposals: dict[str, Proposal] = {}  # open
    proposals_due: int | None = None  # when the next deadline of theirs is: there is one for all of them
    decided: dict[str, Proposal] = {}  # the other proposals, as far as they are remembered
    grants: dict[str, Grant] = {}
    revoked: dict[str, list[dict[str, Any]]] = {}  # by participant: patterns whose static capabilities it has lost
    invitees: dict[str, Invitee] = {}
    former: dict[str, None] = {}  # guests who were removed: nobody is called so by an alias
    kicked: dict[str, int] = {}  # configured participants that may not come back: since when
    paused: dict[str, list[Pause]] = {}  # by target
    halted: dict[str, list[Halt]] = {}  # by target
    alarms: dict[str, list[int]] = {}  # by sender: when their latest emergencies were accepted
    shutdowns: dict[str, Shutdown] = {}  # by target: those whose connections have not all ended, or that still owe
    shut: dict[str, None] = {}  # who was told to shut down and has not joined since
    returning: int = 0  # until when nobody who is not here is late: the gateway has just started, or had an outage
    streams: dict[str, Stream] = {}
    streamed: int = 0  # streams so far: their ids derive from it
    watch_due: int | None = None  # when the watchdog looks at the ages of open sequences
    visible_since: int | None = 0  # since when everybody sees everything; None: `routing: addressed`
    deadlines: list[tuple[int, int, What, str]] = []  # a heap of (at, number, what, id)
    timers: int = 0
    weighed: dict[str, list[str]] = {}  # by participant: kinds that were looked up, where that takes work
    owing: dict[str, int] = {}  # by participant: until when the work on its envelopes takes up its share

    def next_ordinal(self) -> int:
        """The ordinal of a fact that comes about now."""
        self.ordinal += 1
        return self.ordinal
