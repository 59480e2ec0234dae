"""What goes into the core: all it knows of the agent's bodies and of the wire. Fresh ids come as arguments."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from .interrupt import Interrupt
from .policy import Policy

Ending: TypeAlias = Literal["returned", "interrupted", "failed", "cancelled"]


class Began(msgspec.Struct, frozen=True):
    """A body opens a run; `run` becomes the sequence's id, `span` its root span's."""

    run: str
    span: str
    policy: Policy = "non-interruptible"
    span_kind: str = "think"
    message: str | None = None
    correlation_id: tuple[str, ...] = ()
    payload: dict[str, Any] = {}


class BoundaryReached(msgspec.Struct, frozen=True):
    """A body has finished a thought: here the run may stop. `id` is for the thought's envelope."""

    run: str
    id: str
    message: str
    payload: dict[str, Any] = {}


class BoundaryLeft(msgspec.Struct, frozen=True):
    """A body goes on with its next thought."""

    run: str


class Ended(msgspec.Struct, frozen=True):
    """A body is over. `id` is for the conclusion; `outcome` None leaves the word to how it ended."""

    run: str
    id: str
    how: Ending
    message: str | None = None
    outcome: str | None = None
    payload: dict[str, Any] = {}


class Interrupted(msgspec.Struct, frozen=True):
    """An interrupt arrived. `ack` is an id for its acknowledgement, used if it is a new one."""

    interrupt: Interrupt
    ack: str


class Listed(msgspec.Struct, frozen=True):
    """An open sequence of ours, as the gateway lists it. `conclusion` is an id in case it must be concluded."""

    id: str
    conclusion: str


class Welcomed(msgspec.Struct, frozen=True):
    """A connection begins. `complete`: the list holds every open sequence of ours."""

    sequences: tuple[Listed, ...]
    complete: bool


class Accepted(msgspec.Struct, frozen=True):
    """The gateway delivered our own `reasoning/start`: from here on it knows the run."""

    run: str


class Refused(msgspec.Struct, frozen=True):
    """A `system/error` that correlates to an envelope of ours."""

    id: str
    code: str


class Closed(msgspec.Struct, frozen=True):
    """A sequence of ours was ended by another connection of ours."""

    run: str


Event: TypeAlias = Began | BoundaryReached | BoundaryLeft | Ended | Interrupted | Welcomed | Accepted | Refused | Closed
