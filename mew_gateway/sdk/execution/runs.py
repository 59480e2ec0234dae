"""Runs: reasoning sequences seen from inside, and the transitions they may make (docs/interruption.md §1)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.errors import MewError

from .effects import FollowUp, Send
from .events import Began, BoundaryReached, Ended, Ending
from .interrupt import Interrupt
from .policy import Policy, Rule, Status

State: TypeAlias = Literal["running", "interrupted", "lost"]


class NotRunning(MewError):
    """A body spoke for a run that has not begun, has ended, or began twice: its author's mistake."""


class Run(msgspec.Struct):
    """A run that has not ended.

    `interrupted` is the way to an end: `stop` is the interrupt that governs, `thoughts_left` how many more
    thoughts its ack allows. A `lost` run has no sequence any more and sends nothing.
    """

    id: str
    span: str
    policy: Policy
    start: Send
    state: State = "running"
    accepted: bool = False
    at_boundary: bool = False
    thoughts: int = 0
    last_thought: str | None = None
    stop: Interrupt | None = None
    thoughts_left: int | None = None
    instead: list[FollowUp] = []
    after: list[FollowUp] = []

    def status(self, rule: Rule) -> Status:
        """The ack's status: at a boundary, or when the last thought is said, nothing is left to complete."""
        return rule.at_boundary if self.at_boundary or self.thoughts_left == 0 else rule.status

    def interrupt(self, interrupt: Interrupt, status: Status) -> bool:
        """Put the run on its way to an end. The first interrupt governs; False if one already does."""
        if status == "stopping":
            self.thoughts_left = 0
        if self.state != "running":
            return False
        self.state, self.stop = "interrupted", interrupt
        if self.thoughts_left is None:
            self.thoughts_left = 1
        return True

    def lose(self) -> bool:
        """The gateway has no such sequence any more; False if that was known."""
        if self.state == "lost":
            return False
        self.state = "lost"
        return True

    def think(self, event: BoundaryReached, now: int) -> Send | None:
        """The thought's envelope, or None where none may follow any more."""
        self.at_boundary = True
        if self.state == "lost" or self.thoughts_left == 0:
            return None
        if self.thoughts_left is not None:
            self.thoughts_left -= 1
        self.thoughts += 1
        self.last_thought = event.id
        payload = {**event.payload, "message": event.message, "span_id": self.span, "n": self.thoughts}
        return Send(now, event.id, "reasoning/thought", payload, context=self.id)

    def follow_ups(self) -> tuple[FollowUp, ...]:
        """What comes next: replacements first, then what was queued, each first in first out."""
        return (*self.instead, *self.after)


def begin(event: Began, now: int) -> Run:
    """The run that a body opens, with the envelope that says so (the root span travels in it)."""
    span = {
        "span_id": event.span,
        "interruptible": event.policy != "non-interruptible",
        "policy": event.policy,
        "kind": event.span_kind,
    }
    payload = {**event.payload, **_said(event.message), "span": span}
    start = Send(now, event.run, "reasoning/start", payload, correlation_id=event.correlation_id)
    return Run(event.run, event.span, event.policy, start)


_OUTCOMES: dict[Ending, str] = {
    "returned": "completed",
    "interrupted": "interrupted",
    "failed": "failed",
    "cancelled": "cancelled",
}


def conclusion(run: Run, event: Ended, now: int) -> Send:
    """The run's one conclusion. `partial`, unless the body says otherwise: it did not get to its end."""
    payload: dict[str, Any] = {"partial": event.how != "returned", **event.payload, **_said(event.message)}
    payload["outcome"] = event.outcome or _OUTCOMES[event.how]
    payload["interrupted"] = run.stop is not None
    if run.stop is not None:
        payload["interrupt_id"] = run.stop.id
        payload["policy_applied"] = run.policy
    return Send(
        now,
        event.id,
        "reasoning/conclusion",
        payload,
        correlation_id=run.start.correlation_id,
        context=run.id,
    )


def abandonment(run: str, id: str, now: int) -> Send:
    """The conclusion of a sequence that an earlier life of this agent left open."""
    payload = {"outcome": "abandoned", "interrupted": False, "partial": True}
    return Send(now, id, "reasoning/conclusion", payload, context=run)


def _said(message: str | None) -> dict[str, Any]:
    return {} if message is None else {"message": message}
