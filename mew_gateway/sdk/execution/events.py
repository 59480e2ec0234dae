"""What goes into the core: all it knows of the agent's bodies and of the wire. Fresh ids come as arguments."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.protocol.reasons import Class

from .interrupt import Interrupt
from .policy import When
from .spans import Declaration

Ending: TypeAlias = Literal["returned", "interrupted", "failed", "cancelled"]


class Standing(msgspec.Struct, frozen=True):
    """An emergency that stands. `vouched`: the gateway has checked who sent it, and checks who lifts it."""

    interrupt: str
    vouched: bool = True


class Kept(msgspec.Struct, frozen=True):
    """An interrupt whose input was to be handled `when`, and has not been."""

    when: When
    interrupt: Interrupt


class Started(msgspec.Struct, frozen=True, tag=True):
    """A life of the agent begins. `halts` are the emergencies that an earlier one left standing, `kept` what it had
    promised to hear."""

    execution: str
    halts: tuple[Standing, ...] = ()
    kept: tuple[Kept, ...] = ()


class Began(msgspec.Struct, frozen=True, tag=True):
    """A body opens a run: `run` becomes the sequence's id, `span` its root span's, `conclusion` its last envelope's.

    `user` is who asked for it, a guest by its `invitation` too; `caused_by` the interrupt that made room for it;
    `state` what it begins with. A `silent` run, the body of a tool, is on the timeline and not on the wire; `within` is
    the silent run that it begins in.
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
    """A body begins a span within a span of its run."""

    run: str
    span: str
    parent: str
    declared: Declaration = Declaration()
    name: str | None = None
    state: dict[str, Any] = {}


class BoundaryReached(msgspec.Struct, frozen=True, tag=True):
    """A body is where its span may stop. With a `message` it has finished a thought; `id` is for its envelope."""

    run: str
    span: str
    id: str
    message: str | None = None
    payload: dict[str, Any] = {}


class BoundaryLeft(msgspec.Struct, frozen=True, tag=True):
    """A body goes on with its next thought."""

    run: str
    span: str


class CheckpointReached(msgspec.Struct, frozen=True, tag=True):
    """A body is where it could be put back to: `state` is what it has there."""

    run: str
    span: str
    id: str
    state: dict[str, Any] = {}


class Held(msgspec.Struct, frozen=True, tag=True):
    """A body that was told to pause has paused; `id` and `state` are for the checkpoint that a pause may need."""

    run: str
    span: str
    id: str
    state: dict[str, Any] = {}


class Clarified(msgspec.Struct, frozen=True, tag=True):
    """What was to be clarified is: the span may go on, with these words."""

    run: str
    span: str
    answer: Any = None


class SpanEnded(msgspec.Struct, frozen=True, tag=True):
    """A span below the root is over."""

    run: str
    span: str
    how: Ending


class Failure(msgspec.Struct, frozen=True):
    """The exception that ended a body: its class and its message, bounded in length."""

    type: str
    message: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """A body is over. `outcome` None leaves the word to how it ended. `timeline` names the head of the agent's
    timeline up to here, `seq:hash`: it travels in the conclusion, so that the shared record holds it too. `error` is
    the exception that the body failed with."""

    run: str
    how: Ending
    message: str | None = None
    outcome: str | None = None
    payload: dict[str, Any] = {}
    timeline: str | None = None
    error: Failure | None = None


class Interrupted(msgspec.Struct, frozen=True, tag=True):
    """An interrupt arrived, at `received`. `ack` is an id for its acknowledgement, used if it is a new one."""

    interrupt: Interrupt
    ack: str
    received: int = 0


class Ordered(msgspec.Struct, frozen=True, tag=True):
    """The agent is to `restart`, to `shut-down`, or the gateway has `removed` it: an interrupt of every run, at
    `received`, which the policy of each decides. What may not be interrupted goes on, within its time limit: it says
    nothing more after `shut-down`, and the gateway does not know it any more after `removed`."""

    order: Literal["restart", "shut-down", "removed"]
    interrupt: Interrupt
    received: int = 0


class Heard(msgspec.Struct, frozen=True, tag=True):
    """Somebody said something to the agent, at `received`. Whether that interrupts is decided here.

    `confidence`: how sure a recogniser of speech was, if one was at work. `allowed`: the classes that the sender's
    capabilities let it interrupt us with. `mode`: `stop-words` takes nothing but those for an interruption.
    `model`: how many milliseconds to wait for a classifier of the agent's own; None: the rules decide at once.
    `ack` is an id for a `chat/acknowledge`, None if we may not send one. `name`: what `Attend`, `Classify` and
    `Classified` call it; None: its id. Two people may use the same id, so the second gets a name of its own.
    `invitation` tells a sender who is a guest from others of its name.
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
        """What the effects call it."""
        return self.name or self.id


class Classified(msgspec.Struct, frozen=True, tag=True, rename={"class_": "class"}):
    """The agent's own classifier has decided what was said, at last or in time."""

    id: str
    class_: Class
    confidence: float
    rule: str


class Followed(msgspec.Struct, frozen=True, tag=True):
    """What an interrupt of `sender` asked for besides is being handled, from here on. `sender` None: whose it was is
    not on the record, which is so in older ones."""

    id: str
    sender: str | None = None


class Withdrawn(msgspec.Struct, frozen=True, tag=True):
    """What `sender` (None: anybody) said under these ids, and waits for the end of a run, is not to be attended to;
    `ids` None: whatever waits."""

    ids: tuple[str, ...] | None = None
    sender: str | None = None
    invitation: str | None = None


class ResumeHeard(msgspec.Struct, frozen=True, tag=True):
    """Somebody lifts emergencies; where none is named, the agent's own. `trusted`: the sender may send them itself."""

    sender: str
    interrupts: tuple[str, ...]
    trusted: bool = False


class TimePassed(msgspec.Struct, frozen=True, tag=True):
    """It is later than the core's deadline."""


class Listed(msgspec.Struct, frozen=True):
    """An open sequence of ours, as the gateway lists it. `conclusion` is an id in case it must be concluded."""

    id: str
    conclusion: str


class Welcomed(msgspec.Struct, frozen=True, tag=True):
    """A connection begins. `complete`: the list holds every open sequence of ours. `halted`: the emergencies that the
    gateway holds us to; None: it is one that does not say."""

    sequences: tuple[Listed, ...]
    complete: bool
    halted: tuple[str, ...] | None = None


class Accepted(msgspec.Struct, frozen=True, tag=True):
    """The gateway delivered our own `reasoning/start`: from here on it knows the run."""

    run: str


class Refused(msgspec.Struct, frozen=True, tag=True):
    """A `system/error` that correlates to an envelope of ours; `halt` is the emergency that it names, if any. `yours`:
    of a duplicate, whether the envelope that has its id is ours."""

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
