"""What the file may say one day and this version does not do: refused, because a promise must be kept or not made.

The next version deletes rows from this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .document import Node
from .problems import Fault
from .quantities import milliseconds

_SUFFIX = "is not supported yet by this version."


class Promise(NamedTuple):
    """A key (with `*` for any), the values of it that this version keeps, and what any other would ask for."""

    path: str
    keeps: Callable[[Any], bool]
    what: str
    suggestion: str


def _only(kept: Any) -> Callable[[Any], bool]:
    return lambda value: _same(value, kept)


def _not_by(scheme: str) -> Callable[[Any], bool]:
    return lambda value: not (isinstance(value, str) and value.startswith(scheme))


def _notify(step: Any) -> bool:
    """Whether a step notifies, waited for or not; one that is malformed is refused as that."""
    names = list(step) if isinstance(step, dict) else [step]
    return not any(name in names for name in ("pause", "revoke", "kick"))


_INTERRUPTS = "spaces.*.interrupts."
_PARTICIPANTS = "spaces.*.participants.*."

NOT_YET = (
    Promise("gateway.listen", _not_by("unix:"), "Listening on a Unix socket", "such as 127.0.0.1:8080"),
    Promise("gateway.journal.url", _not_by("nats:"), "A journal in NATS", "`sqlite:PATH` or `memory:`"),
    Promise("spaces.*.account", _only(None), "An account", "leave it out"),
    Promise("spaces.*.proposal_expiry", _only("24h"), "An expiry of proposals other than 24h", "leave it out"),
    Promise("spaces.*.watchdog.*", _only(None), "A watchdog", "leave it out"),
    Promise(_INTERRUPTS + "escalation.*", _notify, "A step other than `notify`", "`[notify]`"),
    Promise(_INTERRUPTS + "emergency_ack_deadline", _only("2s"), "A setting of emergencies", "leave it out"),
    Promise(_INTERRUPTS + "emergency", _only("3/60s"), "A setting of emergencies", "leave it out"),
    Promise(
        _INTERRUPTS + "emergency_escalation",
        _only(["notify", "pause", {"kick": {"after": "5s"}}]),
        "A setting of emergencies",
        "leave it out",
    ),
    Promise(_PARTICIPANTS + "watchdog.*", _only(None), "A watchdog", "leave it out"),
    Promise(_PARTICIPANTS + "output_log", _only(None), "An output log", "leave it out"),
)


def faults(root: Node) -> Iterator[Fault]:
    """A fault for every promise in the document that this version would not keep."""
    for promise in NOT_YET:
        for node in root.find(*promise.path.split(".")):
            if not promise.keeps(node.value):
                yield Fault(node.path, f"{promise.what} {_SUFFIX}", promise.suggestion)


def single_space(root: Node) -> Fault | None:
    """The fault of an upstream file: one space at the top level."""
    keys = root.value if isinstance(root.value, dict) else {}
    if "spaces" in keys or not ("space" in keys or "participants" in keys):
        return None
    key = "space" if "space" in keys else "participants"
    message = f"A file of a single space (top-level `space:` and `participants:`) {_SUFFIX}"
    return Fault((key,), message, "write `spaces: {NAME: {participants: …}}`", at_key=True)


def _same(value: Any, other: Any) -> bool:
    """Whether two values mean the same, however a duration is written (`24h`, `1d`)."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_same(value[key], other[key]) for key in other)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    return bool(type(value) is type(other) and _normal(value) == _normal(other))


def _normal(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    count, slash, duration = value.rpartition("/")
    try:
        return count, slash, milliseconds(duration)
    except ValueError:
        return value
