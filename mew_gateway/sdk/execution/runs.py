"""Runs: reasoning sequences seen from inside, and the envelopes that begin and end them (docs/interruption.md §1)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec

from mew_gateway.errors import MewError

from .effects import FollowUp, Send
from .events import Began, BoundaryReached, Ended, Ending
from .interrupt import Interrupt
from .policy import Policy, Rule, When
from .spans import Span, on_wire

_MOST_FOLLOW_UPS = 64  # of one run


class NotRunning(MewError):
    """A body used a run or span that has not begun, has ended, or began twice: an error of its author."""


class Stopping(NotRunning):
    """A span is ending because of `interrupt`, so nothing can begin within it."""

    def __init__(self, span: Span, interrupt: Interrupt) -> None:
        super().__init__(f"The span {span.id!r} is on its way to its end: nothing begins within it.")
        self.interrupt = interrupt


class Halted(MewError):
    """Nothing may begin: an emergency is in force until a resume by the safety role."""


class Run(msgspec.Struct):
    """An open run. `spans` are its open spans, the root first.

    `stop` is the interrupt that ends it, `policy_applied` how. `thoughts_left` is how many more thoughts the acks
    allow. `halted_by` is the emergency that lets a span finish first. A `lost` run has no sequence any more and sends
    nothing. `restored` is the state after a rollback, `rolled_back_to` the checkpoint (or the span, for its start).
    `user` is the participant that asked for it, with a guest's `invitation`. A `silent` run has no sequence either;
    `within` is the silent run in which this one began, `inner` the number of open runs within this one: its root is
    directed to end after them.
    """

    id: str
    root: str
    conclusion: str
    start: Send
    user: str | None = None
    invitation: str | None = None
    spans: dict[str, Span] = {}
    lost: bool = False
    accepted: bool = False
    thoughts: int = 0
    last_thought: str | None = None
    stop: Interrupt | None = None
    policy_applied: Policy | None = None
    thoughts_left: int | None = None
    halted_by: str | None = None
    rolled_back_to: str | None = None
    restored: dict[str, Any] | None = None
    silent: bool = False
    within: str | None = None
    inner: int = 0
    instead: list[FollowUp] = []
    after: list[FollowUp] = []

    def family(self, span: Span) -> list[Span]:
        """Return a span and all spans within it."""
        ids = {span.id}
        for one in self.spans.values():  # parents stand before their children
            if one.parent in ids:
                ids.add(one.id)
        return [one for one in self.spans.values() if one.id in ids]

    def has_children(self, span: Span) -> bool:
        """Return true if a span has open spans within it."""
        return any(one.parent == span.id for one in self.spans.values())

    def leaves(self, spans: list[Span]) -> Iterator[Span]:
        """Return those of the spans that have no open spans within them."""
        return (one for one in spans if not self.has_children(one))

    def keep(self, when: When, interrupt: Interrupt) -> bool:
        """Keep an interrupt's input for after the run. Return false if the queue is full."""
        if len(self.instead) + len(self.after) >= _MOST_FOLLOW_UPS:
            return False
        queue = self.instead if when == "instead" else self.after
        queue.append(FollowUp(when, interrupt.input, interrupt))
        return True

    def put_back(self, interrupt: Interrupt, to: str, state: dict[str, Any]) -> None:
        """Record a rollback for this interrupt: of the run if it ends by it, else for what follows."""
        if interrupt == self.stop:
            self.rolled_back_to, self.restored = to, state
        else:
            self.instead = [
                msgspec.structs.replace(one, state=state) if one.interrupt == interrupt else one for one in self.instead
            ]

    def follow_ups(self) -> tuple[FollowUp, ...]:
        """Return the inputs to handle next: replacements first, then queued ones, each in order of arrival."""
        # Each gets a state of its own: it is for its body to change.
        states = [self.restored if one.state is None else one.state for one in self.instead]
        first = [
            msgspec.structs.replace(one, state=deepcopy(state)) for one, state in zip(self.instead, states, strict=True)
        ]
        return (*first, *self.after)


def begin(event: Began, now: int) -> Run:
    """Return a new run, with the envelope that opens it (its root span is in the envelope)."""
    root = Span(event.span, event.run, None, event.declared, now, event.state)
    payload = {**event.payload, **_said(event.message), "span": on_wire(root)}
    if event.caused_by is not None:
        payload["caused_by"] = event.caused_by
    start = Send(now, event.run, "reasoning/start", payload, correlation_id=event.correlation_id)
    return Run(
        event.run,
        event.span,
        event.conclusion,
        start,
        event.user,
        event.invitation,
        {event.span: root},
        silent=event.silent,
        within=event.within,
    )


def thought(run: Run, event: BoundaryReached, now: int) -> Send | None:
    """Return the envelope of a thought; None if no thought may follow."""
    if event.message is None or run.lost or run.thoughts_left == 0:
        return None
    if run.thoughts_left is not None:
        run.thoughts_left -= 1
    run.thoughts += 1
    run.last_thought = event.id
    payload = {**event.payload, "message": event.message, "span_id": event.span, "n": run.thoughts}
    span = run.spans[event.span]
    if span.checkpoint is not None:
        payload["checkpoint_id"] = span.checkpoint.id
    return Send(now, event.id, "reasoning/thought", payload, context=run.id)


_OUTCOMES: dict[Ending, str] = {
    "returned": "completed",
    "interrupted": "interrupted",
    "failed": "failed",
    "cancelled": "cancelled",
}


# What a conclusion says of the run is the core's to say, also where it has nothing to say.
_OURS = ("outcome", "interrupted", "interrupt_id", "policy_applied", "rolled_back_to", "timeline")


def conclusion(run: Run, event: Ended, now: int) -> Send:
    """Return the one conclusion of a run. It is `partial` unless the body says otherwise or came to its end."""
    added = {key: value for key, value in event.payload.items() if key not in _OURS}
    payload: dict[str, Any] = {"partial": event.how != "returned", **added, **_said(event.message)}
    payload["outcome"] = _outcome(run, event)
    payload["interrupted"] = run.stop is not None
    by = run.halted_by if run.stop is None else run.stop.id
    if by is not None:
        payload |= {"interrupt_id": by, "policy_applied": run.policy_applied}
    if run.rolled_back_to is not None:
        payload["rolled_back_to"] = run.rolled_back_to
    if event.error is not None:
        payload["error"] = msgspec.to_builtins(event.error)
    if event.timeline is not None:
        payload["timeline"] = event.timeline
    return Send(
        now,
        run.conclusion,
        "reasoning/conclusion",
        payload,
        correlation_id=run.start.correlation_id,
        context=run.id,
    )


def _outcome(run: Run, event: Ended) -> str:
    """Return the body's own outcome, or the default; a run that was stopped has no own outcome."""
    own = None if run.stop is not None else event.outcome
    return own or _OUTCOMES[event.how]


def abandonment(run: str, id: str, now: int) -> Send:
    """Return the conclusion of a sequence that an earlier process of this agent left open."""
    payload = {"outcome": "abandoned", "interrupted": False, "partial": True}
    return Send(now, id, "reasoning/conclusion", payload, context=run)


def status_of(rule: Rule, run: Run, spans: list[Span]) -> str:
    """Return the ack's status: if no span is within a thought, there is nothing to complete.

    A span that waits for a span within it is not at a boundary, because the inner one may take its time to end.
    """
    softly = [one for one in spans if one.policy == "soft-stop"]
    done = run.thoughts_left == 0 or all(one.at_boundary for one in softly)
    return rule.at_boundary if done else rule.status


def _said(message: str | None) -> dict[str, Any]:
    return {} if message is None else {"message": message}
