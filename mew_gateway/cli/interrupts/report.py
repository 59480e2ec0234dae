"""What became of an interrupt: as a line for a person, and as one object for a program."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from ..printing.ids import short
from ..printing.moment import clock, duration
from ..printing.terminal import clean, one_line
from .progress import Course

ACK_STYLES = {"stopping": "green", "completing_thought": "green", "continuing": "yellow", "ignored": "red"}
_BAD = "bold red"

# What the outcome of an ack stands for (docs/interruption.md §3); any other is shown as it is.
_OUTCOMES = {
    "stopped": "what was meant stops",
    "paused": "it pauses to talk, and then goes on by itself",
    "queued": "what was said waits in line, and follows this run",
    "halt_after_span": "nothing may interrupt what it is doing: it halts right behind that",
    "rejected": "what was said is dropped",
}

# And why, by its reason code.
_REASONS = {
    "non_interruptible": "nothing may interrupt what it is doing",
    "not_active": "what was meant is not at work, or no longer",
    "low_confidence": "it is not sure enough that this was meant",
    "queue_full": "too much waits in line already to keep what was said",
}


def refusal(course: Course) -> Text:
    """Why the gateway did not take it."""
    return Text(f"refused: {_sentence(course.refusal or {})}", style="red")


def answer(course: Course) -> Text:
    """The ack, or that there is none."""
    if course.ack is not None:
        status = clean(course.ack.get("status"))
        after = (course.record.get("ack") or {}).get("after_ms")
        took = "" if after is None else f" after {duration(after)}"
        return Text(f"■ {course.target} answered{took}: {status}{_message(course.ack)}", ACK_STYLES.get(status, ""))
    if course.missed is not None:
        return Text(f"✗ {_sentence(course.missed, f'{course.target} did not answer in time.')}", _BAD)
    if course.lost:
        return _lost(course)
    return Text("✗ no answer yet. The interrupt stands: `mew interrupts` tells what becomes of it.", _BAD)


def decision(course: Course) -> list[str]:
    """What the ack says besides its status, in words: the class it was taken as, the policy, the outcome, why, and by
    when. Nothing of a peer that knows no such fields."""
    ack = course.ack or {}
    outcome = _field(ack, "outcome")
    taken = [f"taken as {_field(ack, 'class')}"] if _field(ack, "class") else []
    policy = [f"policy {_field(ack, 'policy_applied')}"] if _field(ack, "policy_applied") else []
    told = [_OUTCOMES.get(outcome, f"outcome {outcome}")] if outcome else []
    span = [f"in span {short(_field(ack, 'span_id'))}"] if _field(ack, "span_id") else []
    due = [f"by {clock(_field(ack, 'stop_by'))} at the latest"] if _field(ack, "stop_by") else []
    code = _field(ack, "reason_code")
    why = [_REASONS.get(code, f"because {code.replace('_', ' ')}")] if code else []
    return [*taken, *policy, *why, *told, *span, *due]


def aftermath(course: Course) -> list[str]:
    """What the conclusion of an interrupted run says besides: where it went back to, and what its result is worth."""
    conclusion = course.conclusion or {}
    back = _field(conclusion, "rolled_back_to")
    policy = _field(conclusion, "policy_applied")
    return [
        *([f"policy {policy}"] if policy else []),
        *([f"rolled back to {short(back)}"] if back else []),
        *(["its result is partial"] if conclusion.get("partial") is True else []),
    ]


def ending(course: Course) -> Text:
    """The conclusion that was promised, or that it did not come."""
    if course.conclusion is not None:
        outcome = course.conclusion.get("outcome")
        told = f" ({clean(outcome)})" if outcome else ""
        return Text(f"└ {course.target} concluded{told}{_message(course.conclusion)}", "green")
    if course.lost:
        return _lost(course)
    return Text(f"✗ {_sentence(course.overrun or {}, f'{course.target} has not concluded in time.')}", _BAD)


def halt(course: Course, until: str) -> Text:
    """That an emergency's target stays halted, and how that ends: `until` says who has to say what."""
    return Text(f"{course.target} stays halted until {until}.", "yellow")


def as_object(course: Course) -> dict[str, Any]:
    """The whole of it: `result` and `exit_status`, and the payload of whatever was heard, else null."""
    ack = course.ack
    if ack is not None:
        ack = {**ack, "after_ms": (course.record.get("ack") or {}).get("after_ms")}
    return {
        "result": course.result,
        "exit_status": course.status,
        "interrupt": course.id,
        "target": course.target,
        "halted": course.halts,
        "sequence": course.sequence,
        "ack": ack,
        "conclusion": course.conclusion,
        "overrun": course.overrun,
        "timed_out": course.missed,
        "refusal": course.refusal,
    }


def _lost(course: Course) -> Text:
    return Text(f"✗ {course.target} left and did not come back: its sequence is lost.", _BAD)


def _message(payload: dict[str, Any]) -> str:
    return f": {clean(payload['message'])}" if payload.get("message") else ""


def _field(payload: dict[str, Any], name: str) -> str:
    """A field that an agent may fill with anything, on one line; empty where there is nothing."""
    value = payload.get(name)
    return "" if value is None else one_line(value)


def _sentence(error: dict[str, Any], otherwise: str = "") -> str:
    code, message = error.get("error"), error.get("message") or otherwise
    return clean(f"{code}: {message}" if code else message)
