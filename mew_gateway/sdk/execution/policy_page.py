"""The policy table in words, for docs/interruption.md §3."""

from __future__ import annotations

from mew_gateway.protocol.reasons import Class

from .ending import GRACE
from .policy import POLICIES, QUEUED_AFTER_ALL, TABLE, Policy, Rule

# As a reader looks for them: what stops first.
_ROWS: tuple[Class, ...] = ("cancel", "override", "clarification", "queue", "emergency")

_GRACE = f"{GRACE / 1000:g} s of grace"
_ENDS: dict[Policy, str] = {
    "soft-stop": "ends at its next boundary",
    "hard-stop": f"ends at its next await, {_GRACE}",
    "checkpointed": f"goes back to its last checkpoint (none yet: to its start) and ends, {_GRACE}",
}
_PAUSES: dict[Policy, str] = {
    "soft-stop": "pauses at its next boundary, talks, goes on",
    "hard-stop": "pauses at its next await, talks, goes on",
    "checkpointed": "pauses at its next boundary, after a checkpoint, talks, goes on",
}
_INSTEAD: dict[Policy, str] = {"checkpointed": ", which begins with the checkpoint's state"}


def markdown() -> str:
    """Return the table in Markdown: a row for each class, a column for each policy."""
    rows = [["class", *POLICIES], ["---"] * (1 + len(POLICIES))]
    rows += [[f"`{class_}`", *(_cell(class_, policy) for policy in POLICIES)] for class_ in _ROWS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(class_: Class, policy: Policy) -> str:
    rule = TABLE[class_, policy]
    cell = f"{_done(rule, policy)}: {_answer(rule)}"
    if class_ == "override" and rule.directive is None:
        return f"{cell}; with `on_reject: queue` the input follows its run: {_answer(QUEUED_AFTER_ALL)}"
    return cell


def _done(rule: Rule, policy: Policy) -> str:
    """Return what the span does."""
    if rule.directive == "finish":
        return "is left alone and finishes; its run halts after it"
    if rule.directive == "pause":
        return _PAUSES[policy]
    if rule.directive is None:
        return "goes on" if rule.follows is None else "goes on; the input follows its run"
    hurry = ", without another thought" if policy == "soft-stop" and rule.status == "stopping" else ""
    after = "" if rule.follows is None else f"; then a new run with the input{_INSTEAD.get(policy, '')}"
    return f"{_ENDS[policy]}{hurry}{after}"


def _answer(rule: Rule) -> str:
    """Return the ack: its status during a thought and at a boundary, and its outcome."""
    status = f"`{rule.status}`"
    if rule.at_boundary != rule.status:
        status += f" (`{rule.at_boundary}` at a boundary)"
    why = "" if rule.reason_code is None else f" (`{rule.reason_code}`)"
    until = ", `stop_by`" if rule.directive == "finish" else ""
    return f"{status}, `{rule.outcome}`{until}{why}"
