"""The report of an interrupt: lines for people, one JSON object for programs, and the exit status."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from ..framework.failure import CONTINUING, IGNORED, REFUSED, TIMED_OUT
from ..printing.ids import short
from ..printing.moment import clock, duration
from ..printing.terminal import clean, one_line
from .progress import InterruptProgress

ACK_STYLES = {"stopping": "green", "completing_thought": "green", "continuing": "yellow", "ignored": "red"}
_BAD = "bold red"
_EXIT_STATUSES = {"stopping": 0, "completing_thought": 0, "continuing": CONTINUING, "ignored": IGNORED}

# The outcomes of an ack in words (docs/interruption.md §3); any other is shown as it is.
_OUTCOMES = {
    "stopped": "what was meant stops",
    "paused": "it pauses to talk, and then goes on by itself",
    "queued": "what was said waits in line, and follows this run",
    "halt_after_span": "nothing may interrupt what it is doing: it halts right after that",
    "rejected": "what was said is dropped",
}

# The reason codes of an ack in words.
_REASONS = {
    "non_interruptible": "nothing may interrupt what it is doing",
    "not_active": "what was meant is not at work, or no longer",
    "low_confidence": "it is not sure enough that this was meant",
    "queue_full": "too much waits in line already to keep what was said",
}


def refusal_line(progress: InterruptProgress) -> Text:
    """Say why the gateway refused it."""
    return Text(f"refused: {_sentence(progress.refusal or {})}", style="red")


def ack_line(progress: InterruptProgress) -> Text:
    """Say what was answered, or that no answer came."""
    if progress.ack is not None:
        status = clean(progress.ack.get("status"))
        after = (progress.record.get("ack") or {}).get("after_ms")
        took = "" if after is None else f" after {duration(after)}"
        return Text(f"■ {progress.target} answered{took}: {status}{_message(progress.ack)}", ACK_STYLES.get(status, ""))
    if progress.ack_timeout is not None:
        return Text(f"✗ {_sentence(progress.ack_timeout, f'{progress.target} did not answer in time.')}", _BAD)
    if progress.lost:
        return _lost(progress)
    return Text("✗ no answer yet. The interrupt stands: `mew interrupts` shows what becomes of it.", _BAD)


def ack_details(progress: InterruptProgress) -> list[str]:
    """Return in words what the ack says besides its status: the class it was taken as, the policy, the outcome, why,
    the deadline. Empty for a peer that sends none of these fields."""
    ack = progress.ack or {}
    outcome = _field(ack, "outcome")
    taken = [f"taken as {_field(ack, 'class')}"] if _field(ack, "class") else []
    policy = [f"policy {_field(ack, 'policy_applied')}"] if _field(ack, "policy_applied") else []
    text = [_OUTCOMES.get(outcome, f"outcome {outcome}")] if outcome else []
    span = [f"in span {short(_field(ack, 'span_id'))}"] if _field(ack, "span_id") else []
    due = [f"by {clock(_field(ack, 'stop_by'))} at the latest"] if _field(ack, "stop_by") else []
    code = _field(ack, "reason_code")
    why = [_REASONS.get(code, f"because {code.replace('_', ' ')}")] if code else []
    return [*taken, *policy, *why, *text, *span, *due]


def conclusion_details(progress: InterruptProgress) -> list[str]:
    """Return what an interrupted run's conclusion says besides: the policy, the rollback, whether its result is
    partial."""
    conclusion = progress.conclusion or {}
    back = _field(conclusion, "rolled_back_to")
    policy = _field(conclusion, "policy_applied")
    return [
        *([f"policy {policy}"] if policy else []),
        *([f"rolled back to {short(back)}"] if back else []),
        *(["its result is partial"] if conclusion.get("partial") is True else []),
    ]


def conclusion_line(progress: InterruptProgress) -> Text:
    """Report the promised conclusion, or that it did not come."""
    if progress.conclusion is not None:
        outcome = progress.conclusion.get("outcome")
        text = f" ({clean(outcome)})" if outcome else ""
        return Text(f"└ {progress.target} concluded{text}{_message(progress.conclusion)}", "green")
    if progress.lost:
        return _lost(progress)
    return Text(f"✗ {_sentence(progress.overrun or {}, f'{progress.target} has not concluded in time.')}", _BAD)


def halt_line(progress: InterruptProgress, until: str) -> Text:
    """Say that an emergency's target stays halted. `until` says who has to do what."""
    return Text(f"{progress.target} stays halted until {until}.", "yellow")


def to_json(progress: InterruptProgress) -> dict[str, Any]:
    """Return all of it: `result`, `exit_status`, and each payload that was received, else null."""
    ack = progress.ack
    if ack is not None:
        ack = {**ack, "after_ms": (progress.record.get("ack") or {}).get("after_ms")}
    return {
        "result": progress.result,
        "exit_status": exit_status(progress),
        "interrupt": progress.id,
        "target": progress.target,
        "halted": progress.halts,
        "sequence": progress.sequence,
        "ack": ack,
        "conclusion": progress.conclusion,
        "overrun": progress.overrun,
        "timed_out": progress.ack_timeout,
        "refusal": progress.refusal,
    }


def exit_status(progress: InterruptProgress) -> int:
    """Return the exit status: of the answer, or of a deadline that passed (of the ack, or a promised conclusion)."""
    if progress.refusal is not None:
        return REFUSED
    has_failed = progress.overrun is not None or progress.lost
    if progress.ack is None or (progress.promised and progress.conclusion is None and has_failed):
        return TIMED_OUT
    if progress.promised:
        return 0
    return _EXIT_STATUSES.get(progress.ack.get("status", ""), TIMED_OUT)


def _lost(progress: InterruptProgress) -> Text:
    return Text(f"✗ {progress.target} left and did not come back: its sequence is lost.", _BAD)


def _message(payload: dict[str, Any]) -> str:
    return f": {clean(payload['message'])}" if payload.get("message") else ""


def _field(payload: dict[str, Any], name: str) -> str:
    """Return a field on one line, empty if it is missing: an agent may fill it with anything."""
    value = payload.get(name)
    return "" if value is None else one_line(value)


def _sentence(error: dict[str, Any], otherwise: str = "") -> str:
    code, message = error.get("error"), error.get("message") or otherwise
    return clean(f"{code}: {message}" if code else message)
