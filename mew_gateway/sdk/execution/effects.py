"""Effects of the core: values, in the order in which they are performed. Class names are tags on the timeline."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from .interrupt import Interrupt
from .policy import When


class Send(msgspec.Struct, frozen=True, tag=True):
    """Send an envelope dated `at` (milliseconds since the epoch). Sent again, it has the same bytes."""

    at: int
    id: str
    kind: str
    payload: dict[str, Any]
    to: tuple[str, ...] = ()
    correlation_id: tuple[str, ...] = ()
    context: str | None = None


class Note(msgspec.Struct, frozen=True, tag=True):
    """Record an event on the agent's timeline (docs/interruption.md §4)."""

    kind: str
    trace_id: str | None = None
    span_id: str | None = None
    cause_id: str | None = None
    data: dict[str, Any] = {}


class End(msgspec.Struct, frozen=True, tag=True):
    """Directive to a span: end. `how`: at its next `boundary`, or at its next `await`; `back` is an await too.

    With `back` the span's state is set to `state`, that of its checkpoint.
    """

    span: str
    interrupt: Interrupt
    how: Literal["boundary", "await", "back"]
    state: dict[str, Any] | None = None


class Pause(msgspec.Struct, frozen=True, tag=True):
    """Directive to a span: pause at its next `boundary` or `await`, and report it."""

    span: str
    interrupt: Interrupt
    how: Literal["boundary", "await"]


class Resume(msgspec.Struct, frozen=True, tag=True):
    """Directive to a paused span: go on. `answer` is the answer that came meanwhile."""

    span: str
    answer: Any = None


class Lose(msgspec.Struct, frozen=True, tag=True):
    """Directive to non-interruptible spans of a run that the gateway does not know: end at the next boundary. `code`
    says why."""

    run: str
    code: str
    spans: tuple[str, ...]


class FollowUp(msgspec.Struct, frozen=True):
    """Input of an interrupt that is handled `instead` of a run or `after` it.

    `state` is the new run's initial state, if the old run was rolled back to a checkpoint.
    """

    when: When
    input: Any
    interrupt: Interrupt
    state: dict[str, Any] | None = None


class Follow(msgspec.Struct, frozen=True, tag=True):
    """A run has ended: handle these inputs in order."""

    run: str
    inputs: tuple[FollowUp, ...]


class Talk(msgspec.Struct, frozen=True, tag=True):
    """A span has paused for this interrupt: clarify, then report `Clarified`."""

    run: str
    span: str
    interrupt: Interrupt


class Classify(msgspec.Struct, frozen=True, tag=True):
    """Classify a text with the agent's own classifier, within so many milliseconds."""

    id: str
    text: str
    within: int


class Attend(msgspec.Struct, frozen=True, tag=True):
    """Handle a chat that interrupts nothing as an ordinary chat."""

    id: str


class Halt(msgspec.Struct, frozen=True, tag=True):
    """Begin nothing new from now on."""


class Release(msgspec.Struct, frozen=True, tag=True):
    """The last halt was lifted: begin what waits."""


Directive: TypeAlias = End | Pause | Resume
Effect: TypeAlias = Send | Note | End | Pause | Resume | Lose | Follow | Talk | Classify | Attend | Halt | Release
