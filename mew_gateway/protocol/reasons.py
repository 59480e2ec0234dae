"""Reasons and classes of interrupts, and the map between them (seed 004, seed 000 §4); reasons of rejections."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

Class: TypeAlias = Literal["queue", "clarification", "cancel", "override", "emergency"]

REASONS = ("timeout", "redirect", "error", "user_request", "resource_limit", "other")

# Suggested reasons of a rejection (§3.3.3); any other word is accepted.
REJECTIONS = (
    "disagree", "inappropriate", "unsafe", "busy", "incapable", "policy", "duplicate", "invalid", "timeout",
    "resource_limit", "no_longer_needed", "other",
)  # fmt: skip

# From the weakest to the strongest (docs/protocol.md §5). An agent never acts at a stronger class than the one matched.
CLASSES: tuple[Class, ...] = get_args(Class)
EMERGENCY = "emergency"
INTERRUPT = "reasoning/interrupt"

_CLASS_OF_REASON: dict[str, Class] = {
    "timeout": "cancel",
    "resource_limit": "cancel",
    "error": "cancel",
    "user_request": "cancel",
    "other": "cancel",  # seed 004: each of its reasons asks for a stop
    "redirect": "override",
}


def class_of(reason: object, explicit: object = None) -> Class:
    """Return the class at which an interrupt is matched and acted on: the explicit one, else that of its reason."""
    for one in CLASSES:
        if one == explicit:
            return one
    return _CLASS_OF_REASON.get(reason, "queue") if isinstance(reason, str) else "queue"


def with_class(payload: dict[str, Any] | None) -> dict[str, Any]:
    """Return an interrupt's payload as capabilities match it: without `class` it gets the one of its reason (§5)."""
    asked = payload or {}
    return {**asked, "class": asked.get("class") or class_of(asked.get("reason"))}
