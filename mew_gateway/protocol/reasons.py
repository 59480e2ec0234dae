"""Why and how strongly an interrupt asks: reasons (seed 004), classes (seed 000 §4), and the map between them; why a
proposal is rejected."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

Class: TypeAlias = Literal["queue", "clarification", "cancel", "override", "emergency"]

REASONS = ("timeout", "redirect", "error", "user_request", "resource_limit", "other")

# Why somebody rejects a proposal (§3.3.3): suggestions; any other word is taken.
REJECTIONS = (
    "disagree", "inappropriate", "unsafe", "busy", "incapable", "policy", "duplicate", "invalid", "timeout",
    "resource_limit", "no_longer_needed", "other",
)  # fmt: skip

# From the weakest to the strongest (docs/protocol.md §5): an agent never acts at a stronger class than was matched.
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
    """The class an interrupt is matched and acted on at: the explicit one, else what its reason maps to."""
    for one in CLASSES:
        if one == explicit:
            return one
    return _CLASS_OF_REASON.get(reason, "queue") if isinstance(reason, str) else "queue"


def with_class(payload: dict[str, Any] | None) -> dict[str, Any]:
    """An interrupt's payload as capabilities match it: without `class` it has the one its reason maps to (§5)."""
    asked = payload or {}
    return {**asked, "class": asked.get("class") or class_of(asked.get("reason"))}
