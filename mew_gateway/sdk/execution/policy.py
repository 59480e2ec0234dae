"""What an interrupt does to a run: the table of class against policy (docs/interruption.md §3), as data."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Policy: TypeAlias = Literal["soft-stop", "non-interruptible"]
Status: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]
Outcome: TypeAlias = Literal["stopped", "queued", "rejected"]
When: TypeAlias = Literal["instead", "after"]


class Rule(NamedTuple):
    """One cell. `status` is the ack's while a thought is under way, `at_boundary` its when none is.

    `stops`: the run ends at its next boundary. `follows`: what becomes of the interrupt's input, if any.
    """

    status: Status
    at_boundary: Status
    outcome: Outcome
    stops: bool = False
    follows: When | None = None
    reason_code: str | None = None


_STOP = Rule("completing_thought", "stopping", "stopped", stops=True)
_QUEUE = Rule("continuing", "continuing", "queued", follows="after")
_REFUSE = Rule("ignored", "ignored", "rejected", reason_code="non_interruptible")

# Clarification is answered as the weaker queue until a run can pause. An emergency ends the run as a cancel
# does: it has no row of its own before halting exists, and stopping is the one thing it surely asks for.
TABLE: dict[tuple[str, Policy], Rule] = {
    ("cancel", "soft-stop"): _STOP,
    ("override", "soft-stop"): _STOP._replace(follows="instead"),
    ("clarification", "soft-stop"): _QUEUE,
    ("queue", "soft-stop"): _QUEUE,
    ("emergency", "soft-stop"): _STOP,
    ("cancel", "non-interruptible"): _REFUSE,
    ("override", "non-interruptible"): _REFUSE,
    ("clarification", "non-interruptible"): _QUEUE,
    ("queue", "non-interruptible"): _QUEUE,
    ("emergency", "non-interruptible"): _REFUSE,
}

# The answer when there is nothing left to stop.
NOT_ACTIVE = Rule("ignored", "ignored", "rejected", reason_code="not_active")
