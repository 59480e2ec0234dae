"""Policy table: what an interrupt of each class does to a span of each policy (docs/interruption.md §3), as data.

A row of `TABLE` is a cell of the documented table. The class says what the sender wants, the policy what the span
allows: `soft-stop` ends at the next boundary, `hard-stop` at the next await, `checkpointed` rolls back first, and
`non-interruptible` refuses all but the halt after it that an emergency brings. `policy_page` prints it in words.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from mew_gateway.protocol.reasons import Class

Policy: TypeAlias = Literal["soft-stop", "hard-stop", "checkpointed", "non-interruptible"]
Status: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]
Outcome: TypeAlias = Literal["stopped", "paused", "queued", "halt_after_span", "rejected"]
When: TypeAlias = Literal["instead", "after"]
Directive: TypeAlias = Literal["end", "pause", "finish"]

POLICIES: tuple[Policy, ...] = ("soft-stop", "hard-stop", "checkpointed", "non-interruptible")


class Rule(NamedTuple):
    """One cell. `status` is the ack's status during a thought, `at_boundary` its status between thoughts.

    `directive`: the span must `end` or `pause`, in its policy's way, or `finish` as planned and halt the run
    afterwards; None: it goes on. `follows`: when the interrupt's input is handled, if there is one.
    """

    status: Status
    at_boundary: Status
    outcome: Outcome
    directive: Directive | None = None
    follows: When | None = None
    reason_code: str | None = None


_SOFT = Rule("completing_thought", "stopping", "stopped", "end")
_END = Rule("stopping", "stopping", "stopped", "end")
_PAUSE = Rule("continuing", "continuing", "paused", "pause")
_QUEUE = Rule("continuing", "continuing", "queued", follows="after")
_REFUSE = Rule("ignored", "ignored", "rejected", reason_code="non_interruptible")

TABLE: dict[tuple[Class, Policy], Rule] = {
    ("cancel", "soft-stop"): _SOFT,
    ("cancel", "hard-stop"): _END,
    ("cancel", "checkpointed"): _END,
    ("cancel", "non-interruptible"): _REFUSE,
    ("override", "soft-stop"): _SOFT._replace(follows="instead"),
    ("override", "hard-stop"): _END._replace(follows="instead"),
    ("override", "checkpointed"): _END._replace(follows="instead"),
    ("override", "non-interruptible"): _REFUSE,
    ("clarification", "soft-stop"): _PAUSE,
    ("clarification", "hard-stop"): _PAUSE,
    ("clarification", "checkpointed"): _PAUSE,
    ("clarification", "non-interruptible"): _QUEUE,
    ("queue", "soft-stop"): _QUEUE,
    ("queue", "hard-stop"): _QUEUE,
    ("queue", "checkpointed"): _QUEUE,
    ("queue", "non-interruptible"): _QUEUE,
    ("emergency", "soft-stop"): _END,
    ("emergency", "hard-stop"): _END,
    ("emergency", "checkpointed"): _END,
    ("emergency", "non-interruptible"): Rule("continuing", "continuing", "halt_after_span", "finish"),
}

# Instead of the table's cell: the input of an override that its target refuses is kept, if its sender wants that.
QUEUED_AFTER_ALL = _QUEUE._replace(reason_code="non_interruptible")
# A span that ends or has paused cannot pause (again): what was to be clarified is said after it.
CANNOT_PAUSE = _QUEUE
# One span of a run ends, and the run goes on (`scope: span`).
SPAN_ONLY = Rule("continuing", "continuing", "stopped", "end")
# The answers when nothing is done.
NOT_ACTIVE = Rule("ignored", "ignored", "rejected", reason_code="not_active")
LOW_CONFIDENCE = Rule("ignored", "ignored", "rejected", reason_code="low_confidence")
QUEUE_FULL = Rule("ignored", "ignored", "rejected", reason_code="queue_full")

# The most restrictive first: the policy that governs where an interrupt means several spans.
_STRICTNESS: tuple[Policy, ...] = ("non-interruptible", "soft-stop", "checkpointed", "hard-stop")


def strictest(policies: tuple[Policy, ...]) -> Policy:
    """Return the policy that governs several spans: the most restrictive one."""
    return min(policies, key=_STRICTNESS.index)
