"""What comes out of the core: values, in the order to run them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from .interrupt import Interrupt
from .policy import When


class Send(msgspec.Struct, frozen=True, tag=True):
    """Put an envelope on the wire, dated `at` (milliseconds since the epoch): the same again, byte for byte."""

    at: int
    id: str
    kind: str
    payload: dict[str, Any]
    to: tuple[str, ...] = ()
    correlation_id: tuple[str, ...] = ()
    context: str | None = None


class Note(msgspec.Struct, frozen=True, tag=True):
    """Put an event on the agent's timeline (docs/interruption.md §4)."""

    kind: str
    trace_id: str | None = None
    span_id: str | None = None
    cause_id: str | None = None
    data: dict[str, Any] = {}


class End(msgspec.Struct, frozen=True, tag=True):
    """The directive to a span: end. `how`: at its next `boundary`, at its next `await`, or the latter with its state
    put `back` to what `state` holds."""

    span: str
    interrupt: Interrupt
    how: Literal["boundary", "await", "back"]
    state: dict[str, Any] | None = None


class Pause(msgspec.Struct, frozen=True, tag=True):
    """The directive to a span: pause, at its next `boundary` or its next `await`, and say so."""

    span: str
    interrupt: Interrupt
    how: Literal["boundary", "await"]


class Resume(msgspec.Struct, frozen=True, tag=True):
    """The directive to a span that was told to pause: go on. `answer`: what it has been told meanwhile."""

    span: str
    answer: Any = None


class Lose(msgspec.Struct, frozen=True, tag=True):
    """The directive to spans of a run that the gateway never had, which may not be interrupted: end at your next
    boundary, nobody hears you. Why: `code`."""

    run: str
    code: str
    spans: tuple[str, ...]


class FollowUp(msgspec.Struct, frozen=True):
    """What an interrupt asked for besides stopping: `input` to be handled `instead` of the run or `after` it.

    `state`: what the new run begins with, where the old one was put back to a checkpoint.
    """

    when: When
    input: Any
    interrupt: Interrupt
    state: dict[str, Any] | None = None


class Follow(msgspec.Struct, frozen=True, tag=True):
    """A run is over: handle these, one after the other."""

    run: str
    inputs: tuple[FollowUp, ...]


class Talk(msgspec.Struct, frozen=True, tag=True):
    """A span has paused for this interrupt: clarify, then tell the core."""

    run: str
    span: str
    interrupt: Interrupt


class Classify(msgspec.Struct, frozen=True, tag=True):
    """Ask the agent's own classifier what was said, within so many milliseconds."""

    id: str
    text: str
    within: int


class Attend(msgspec.Struct, frozen=True, tag=True):
    """A chat interrupts nothing: attend to it as to any."""

    id: str


class Halt(msgspec.Struct, frozen=True, tag=True):
    """Begin nothing new from here on."""


class Release(msgspec.Struct, frozen=True, tag=True):
    """The last halt was lifted: begin what waits."""


Directive: TypeAlias = End | Pause | Resume
Effect: TypeAlias = Send | Note | End | Pause | Resume | Lose | Follow | Talk | Classify | Attend | Halt | Release
