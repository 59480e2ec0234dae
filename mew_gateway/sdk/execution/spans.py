"""Spans: units of an agent's work, their declarations and their states (docs/interruption.md §1)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.errors import MewError

from .interrupt import Interrupt
from .policy import POLICIES, Policy

Kind: TypeAlias = Literal["think", "speak", "listen", "wait", "move", "act", "plan"]
SideEffect: TypeAlias = Literal["none", "reversible", "irreversible"]
State: TypeAlias = Literal["spawned", "running", "paused", "interrupted", "completed", "cancelled", "failed"]

KINDS: tuple[Kind, ...] = ("think", "speak", "listen", "wait", "move", "act", "plan")
SIDE_EFFECTS: tuple[SideEffect, ...] = ("none", "reversible", "irreversible")

TERMINAL: tuple[State, ...] = ("completed", "cancelled", "failed")
TRANSITIONS: dict[State, tuple[State, ...]] = {
    "spawned": ("running", "cancelled", "failed"),
    "running": ("paused", "interrupted", "completed", "cancelled", "failed"),
    "paused": ("running", "interrupted", "completed", "cancelled", "failed"),
    "interrupted": TERMINAL,
    "completed": (),
    "cancelled": (),
    "failed": (),
}


class Misdeclared(MewError):
    """A declaration contradicts itself: an error of its author, reported before the span begins."""


class IllegalTransition(MewError):
    """A span cannot change from its state to that one."""


class Declaration(msgspec.Struct, frozen=True):
    """Declaration of a span. Nothing may be interrupted unless its policy says so (seed 000 §3).

    `interruptible` None follows the policy; False makes any policy `non-interruptible`. `limit` is a time limit in
    milliseconds: an interruptible span is ended by its policy when it is over; a non-interruptible one is recorded as
    overdue. `foreground`: it takes the focus while it is open. An interrupt with a confidence below `ignored_below` is
    ignored, one below `queued_below` is queued; None: as the run, or 0.40 and 0.75.
    """

    policy: Policy = "non-interruptible"
    kind: Kind = "think"
    side_effect: SideEffect = "none"
    limit: int | None = None
    foreground: bool = True
    interruptible: bool | None = None
    ignored_below: float | None = None
    queued_below: float | None = None

    @property
    def effective(self) -> Policy:
        """The policy in effect."""
        return "non-interruptible" if self.interruptible is False else self.policy


def validated(declared: Declaration) -> Declaration:
    """Return the declaration if it is consistent. Raises `Misdeclared`."""
    for field, allowed in (("policy", POLICIES), ("kind", KINDS), ("side_effect", SIDE_EFFECTS)):
        if getattr(declared, field) not in allowed:
            raise Misdeclared(f"{field} is one of {', '.join(allowed)}, not {getattr(declared, field)!r}.")
    if declared.interruptible and declared.policy == "non-interruptible":
        raise Misdeclared("interruptible: true needs a policy that says how: soft-stop, hard-stop or checkpointed.")
    if declared.limit is not None and declared.limit <= 0:
        raise Misdeclared("A time limit is positive.")
    sure = [one for one in (declared.ignored_below, declared.queued_below) if one is not None]
    if not all(0 <= one <= 1 for one in sure) or sure != sorted(sure):
        raise Misdeclared("Thresholds of confidence are between 0 and 1, and ignored_below is not above queued_below.")
    if declared.side_effect == "irreversible" and declared.effective != "non-interruptible":
        raise Misdeclared("What is irreversible cannot be interrupted: its policy is non-interruptible.")
    if declared.side_effect == "irreversible" and declared.limit is None:
        raise Misdeclared("An irreversible span needs a time limit: it cannot be stopped.")
    return declared


class Checkpoint(msgspec.Struct, frozen=True):
    """A point to roll back to, with the body's state there as JSON."""

    id: str
    state: dict[str, Any]


class Span(msgspec.Struct):
    """An open span. `start` is its initial state, for a rollback without a checkpoint.

    `stop` is the interrupt that ends it; `directed` is true once its body was directed. `ends_by` is when a span that
    must end at once is treated as ended. `pausing` is the interrupt for which it must pause, `talks_until` how long the
    pause waits for an answer. `finish_by` is when a span that was open at an order is ended by any policy, `finishing`
    that order.
    """

    id: str
    run: str
    parent: str | None
    declared: Declaration
    began: int
    start: dict[str, Any]
    state: State = "spawned"
    at_boundary: bool = False
    checkpoint: Checkpoint | None = None
    stop: Interrupt | None = None
    directed: bool = False
    ends_by: int | None = None
    pausing: Interrupt | None = None
    talks_until: int | None = None
    overdue: bool = False
    finishing: Interrupt | None = None
    finish_by: int | None = None

    @property
    def policy(self) -> Policy:
        """The policy in effect."""
        return self.declared.effective

    @property
    def limit_at(self) -> int | None:
        """The time at which its limit is over."""
        return None if self.declared.limit is None or self.overdue else self.began + self.declared.limit

    def move(self, to: State) -> State:
        """Change the state. Return the previous one. Raises `IllegalTransition`."""
        if to not in TRANSITIONS[self.state]:
            raise IllegalTransition(f"A span that is {self.state} cannot become {to} ({self.id}).")
        before, self.state = self.state, to
        return before


def on_wire(span: Span) -> dict[str, Any]:
    """Return a span as `reasoning/start` has it (docs/interruption.md §3)."""
    fields: dict[str, Any] = {
        "span_id": span.id,
        "execution_id": span.run,
        "interruptible": span.policy != "non-interruptible",
        "policy": span.policy,
        "kind": span.declared.kind,
    }
    if span.declared.side_effect != "none":
        fields["side_effect"] = span.declared.side_effect
    if span.declared.limit is not None:
        fields["limit_ms"] = span.declared.limit
    if not span.declared.foreground:
        fields["foreground"] = False
    return fields
