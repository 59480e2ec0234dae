"""What comes out of the core: values, in the order to run them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from .interrupt import Interrupt


class Send(msgspec.Struct, frozen=True):
    """Put an envelope on the wire, dated `at` (milliseconds since the epoch): the same again, byte for byte."""

    at: int
    id: str
    kind: str
    payload: dict[str, Any]
    to: tuple[str, ...] = ()
    correlation_id: tuple[str, ...] = ()
    context: str | None = None


class Stop(msgspec.Struct, frozen=True):
    """The directive to a body: end at the next boundary, and say where you got to."""

    run: str
    interrupt: Interrupt


class Lose(msgspec.Struct, frozen=True):
    """The directive to a body whose sequence the gateway no longer has: end, nobody hears you. Why: `code`."""

    run: str
    code: str


class FollowUp(msgspec.Struct, frozen=True):
    """What an interrupt asked for besides stopping: `input` to be handled `instead` of the run or `after` it."""

    when: Literal["instead", "after"]
    input: Any
    interrupt: Interrupt


class Follow(msgspec.Struct, frozen=True):
    """A run is over: handle these, one after the other."""

    run: str
    inputs: tuple[FollowUp, ...]


Effect: TypeAlias = Send | Stop | Lose | Follow
