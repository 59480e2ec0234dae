"""Events of the core: what it learns of bodies and of the wire. Class names are tags on the timeline; fresh ids are
arguments."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.protocol.reasons import Class

from .interrupt import Interrupt
from .policy import When
from .spans import Declaration

Ending: TypeAlias = Literal["returned", "interrupted", "failed", "cancelled"]


class StandingHalt(msgspec.Struct, frozen=True):
    """An emergency that is in force. `vouched`: the gateway has checked its sender, and checks who lifts it."""

    interrupt: str
    vouched: bool = True


class KeptInput(msgspec.Struct, frozen=True):
    """An interrupt whose input was to be handled `when`, and has not been."""

    when: When
    interrupt: Interrupt


class Started(msgspec.Struct, frozen=True, tag=True):
    """The agent starts. `halts` are emergencies in force from an earlier process, `kept` its unhandled inputs."""

    execution: str
    halts: tuple[StandingHalt, ...] = ()
    kept: tuple[KeptInput, ...] = ()


class Began(msgspec.Struct, frozen=True, tag=True):
    """A body opens a run. `run` is the sequence's id, `span` its root span's, `conclusion` the id of its last envelope.

    `user` is the participant that asked for it, with a guest's `invitation`. `caused_by` is the interrupt that made
    room for it. `state` is its initial state. A `silent` run, the body of a tool, is recorded but not sent; `within` is
    the silent run in which it begins.
    """

    run: str
    span: str
    conclusion: str
    declared: Declaration = Declaration()
    message: str | None = None
    correlation_id: tuple[str, ...] = ()
    payload: dict[str, Any] = {}
    user: str | None = None
    caused_by: str | None = None
    state: dict[str, Any] = {}
    silent: bool = False
    within: str | None = None
    invitation: str | None = None


class SpanBegan(msgspec.Struct, frozen=True, tag=True):
    """A body opens a span within a span of its run."""

    run: str
    span: str
    parent: str
    declared: Declaration = Declaration()
    name: str | None = None
    state: dict[str, Any] = {}


class BoundaryReached(msgspec.Struct, frozen=True, tag=True):
    """A body reached a boundary. With a `message` it finished a thought; `id` is for its envelope."""

    run: str
    span: str
    id: str
    message: str | None = None
    payload: dict[str, Any] = {}


class BoundaryLeft(msgspec.Struct, frozen=True, tag=True):
    """A body continues with its next thought."""

    run: str
    span: str


class CheckpointReached(msgspec.Struct, frozen=True, tag=True):
    """A body reached a checkpoint: `state` is its state there."""

    run: str
    span: str
    id: str
    state: dict[str, Any] = {}


class Held(msgspec.Struct, frozen=True, tag=True):
    """A body that was directed to pause has paused. `id` and `state` are for the checkpoint that a pause may need."""

    run: str
    span: str
    id: str
    state: dict[str, Any] = {}


class Clarified(msgspec.Struct, frozen=True, tag=True):
    """The clarification is answered: the span may go on."""

    run: str
    span: str
    answer: Any = None


class SpanEnded(msgspec.Struct, frozen=True, tag=True):
    """A span below the root has ended."""

    run: str
    span: str
    how: Ending


class Failure(msgspec.Struct, frozen=True):
    """Exception that ended a body: its class, and its message, of bounded length."""

    type: str
    message: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """A body has ended. `outcome` None derives the outcome from `how` it ended.

    `timeline` is the head of the agent's timeline, `seq:hash`: it goes into the conclusion, so that the shared record
    holds it too. `error` is the exception of a body that failed.
    """

    run: str
    how: Ending
    message: str | None = None
    outcome: str | None = None
    payload: dict[str, Any] = {}
    timeline: str | None = None
    error: Failure | None = None


class Interrupted(msgspec.Struct, frozen=True, tag=True):
    """An interrupt arrived at `received`. `ack` is the id for its acknowledgement, used if the interrupt is new."""

    interrupt: Interrupt
    ack: str
    received: int = 0


class Ordered(msgspec.Struct, frozen=True, tag=True):
    """The agent is to `restart`, to `shut-down`, or was `removed` by the gateway: an interrupt of every run, at
    `received`.

    The policy of each run decides. A non-interruptible span goes on within its limit: silently after `shut-down`,
    unknown to the gateway after `removed`.
    """

    order: Literal["restart", "shut-down", "removed"]
    interrupt: Interrupt
    received: int = 0


class Heard(msgspec.Struct, frozen=True, tag=True):
    """A chat arrived at `received`. The core decides whether it interrupts.

    `confidence` is the certainty of a speech recogniser, if there was one. `allowed`: the classes that the sender's
    capabilities allow. `mode`: with `stop-words` nothing else interrupts. `model`: how many milliseconds to wait for
    the agent's own classifier; None: the rules decide at once. `ack`: the id for a `chat/acknowledge`; None if we may
    not send one. `name`: its name in `Attend`, `Classify` and `Classified`; None: its id. Two senders may use the same
    id, so the second chat gets its own name. `invitation` distinguishes guests of the same name.
    """

    id: str
    sender: str
    text: str
    received: int
    confidence: float | None = None
    allowed: tuple[Class, ...] = ()
    mode: Literal["any", "stop-words"] = "any"
    model: int | None = None
    ack: str | None = None
    name: str | None = None
    invitation: str | None = None

    @property
    def called(self) -> str:
        """Name of the chat in the effects."""
        return self.name or self.id


class Classified(msgspec.Struct, frozen=True, tag=True, rename={"class_": "class"}):
    """The agent's own classifier has decided, in time or late."""

    id: str
    class_: Class
    confidence: float
    rule: str


class Followed(msgspec.Struct, frozen=True, tag=True):
    """An input of an interrupt by `sender` is being handled from now on. `sender` is None in older records."""

    id: str
    sender: str | None = None


class Withdrawn(msgspec.Struct, frozen=True, tag=True):
    """Chats of `sender` with these ids that still wait are withdrawn.

    `sender` None: of any sender. `ids` None: everything that waits.
    """

    ids: tuple[str, ...] | None = None
    sender: str | None = None
    invitation: str | None = None


class ResumeHeard(msgspec.Struct, frozen=True, tag=True):
    """A resume arrived for emergencies; without names, for the agent's own. `trusted`: its sender may send
    emergencies."""

    sender: str
    interrupts: tuple[str, ...]
    trusted: bool = False


class TimePassed(msgspec.Struct, frozen=True, tag=True):
    """The core's deadline has passed."""


class Listed(msgspec.Struct, frozen=True):
    """An open sequence of ours in the gateway's list. `conclusion` is an id, if it must be concluded."""

    id: str
    conclusion: str


class Welcomed(msgspec.Struct, frozen=True, tag=True):
    """A connection begins. `complete`: the list has every open sequence of ours.

    `halted` are the emergencies by which the gateway halts us; None if the gateway does not report them.
    """

    sequences: tuple[Listed, ...]
    complete: bool
    halted: tuple[str, ...] | None = None


class Accepted(msgspec.Struct, frozen=True, tag=True):
    """The gateway delivered our own `reasoning/start`: it knows the run from now on."""

    run: str


class Refused(msgspec.Struct, frozen=True, tag=True):
    """A `system/error` that correlates to an envelope of ours. `halt` is the emergency that it names, if any.

    `yours`: for a duplicate id, true if the envelope that has the id is ours.
    """

    id: str
    code: str
    halt: str | None = None
    yours: bool = True


class Closed(msgspec.Struct, frozen=True, tag=True):
    """A sequence of ours was ended by another connection of ours."""

    run: str


Event: TypeAlias = (
    Started
    | Began
    | SpanBegan
    | BoundaryReached
    | BoundaryLeft
    | CheckpointReached
    | Held
    | Clarified
    | SpanEnded
    | Ended
    | Interrupted
    | Ordered
    | Heard
    | Classified
    | Followed
    | Withdrawn
    | ResumeHeard
    | TimePassed
    | Welcomed
    | Accepted
    | Refused
    | Closed
)
