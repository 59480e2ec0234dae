"""What became of an interrupt: as a line for a person, and as one object for a program."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from .course import Course
from .hints import command_name
from .ids import typable
from .moment import duration
from .terminal import clean

ACK_STYLES = {"stopping": "green", "completing_thought": "green", "continuing": "yellow", "ignored": "red"}
_BAD = "bold red"


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


def ending(course: Course) -> Text:
    """The conclusion that was promised, or that it did not come."""
    if course.conclusion is not None:
        outcome = course.conclusion.get("outcome")
        told = f" ({clean(outcome)})" if outcome else ""
        return Text(f"└ {course.target} concluded{told}{_message(course.conclusion)}", "green")
    if course.lost:
        return _lost(course)
    return Text(f"✗ {_sentence(course.overrun or {}, f'{course.target} has not concluded in time.')}", _BAD)


def halt(course: Course) -> Text:
    """That an emergency's target stays halted, and how that ends."""
    how = f"{command_name()} resume {course.target} {typable(course.id)}"
    return Text(f"{course.target} stays halted until somebody who may send emergencies says `{how}`.", "yellow")


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


def _sentence(error: dict[str, Any], otherwise: str = "") -> str:
    code, message = error.get("error"), error.get("message") or otherwise
    return clean(f"{code}: {message}" if code else message)
