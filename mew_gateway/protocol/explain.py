"""Explain a decision about an envelope: the capability that allows it, or the one that comes closest and its fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec

from .budget import Budget, BudgetExceeded
from .capabilities import Capability, compile_capability
from .envelope import Envelope
from .patterns import compile_string, compile_value, is_search
from .reasons import EMERGENCY, INTERRUPT, with_class


class Fault(msgspec.Struct, frozen=True):
    """The place where a capability refuses an envelope: `path` in the pattern, the expected and the found value.

    `found` is None also if nothing is there; `why` says it in a sentence.
    """

    path: str
    expected: Any
    found: Any
    why: str


class Explanation(msgspec.Struct, frozen=True):
    """The decision about an envelope. `capability` is the one that allows it, or that comes closest.

    `index` is its place in the list. Both are None without capabilities; `fault` is None if the envelope passes.
    """

    allowed: bool
    index: int | None = None
    capability: dict[str, Any] | None = None
    fault: Fault | None = None


class _Decision(NamedTuple):
    """The values that capabilities decide on."""

    kind: str
    payload: dict[str, Any]
    to: Sequence[str]
    emergency: bool
    budget: Budget


def explain(capabilities: Iterable[dict[str, Any]], envelope: Envelope) -> Explanation:
    """Return the capability that allows the envelope, or the one that comes closest and where it refuses.

    What everyone may do without a capability (docs/protocol.md §3) is not considered. Raises `Rejected`
    `invalid_capability`.
    """
    decision = _decision(envelope)
    compiled = [compile_capability(source, f"capabilities[{i}]") for i, source in enumerate(capabilities)]
    closest: tuple[tuple[int, int], int, Fault] | None = None
    for index, capability in enumerate(compiled):
        failure = _closest_fault(capability, decision)
        if failure is None:
            return Explanation(True, index, capability.source)
        closeness, fault = failure
        if closest is None or closeness > closest[0]:
            closest = closeness, index, fault
    if closest is None:
        return Explanation(False)
    _, index, fault = closest
    return Explanation(False, index, compiled[index].source, fault)


def _decision(envelope: Envelope) -> _Decision:
    payload, to = envelope.payload or {}, envelope.to or ()
    if envelope.kind != INTERRUPT:
        return _Decision(envelope.kind, payload, to, False, Budget())
    payload = with_class(payload)
    return _Decision(envelope.kind, payload, to, payload["class"] == EMERGENCY, Budget())


def _closest_fault(capability: Capability, decision: _Decision) -> tuple[tuple[int, int], Fault] | None:
    """Return how close the capability comes (the part that refuses, and how far it agrees) and its fault; None if it
    passes.
    """
    source = capability.source
    if not capability.matches_kind(decision.kind):
        return (0, _common_prefix(source["kind"], decision.kind)), _kind_fault(source["kind"], decision.kind)
    if decision.emergency and capability.literal_kind != decision.kind:
        why = f"only a capability whose kind is literally `{decision.kind}` lets an emergency through"
        return (1, 0), Fault("kind", source["kind"], decision.kind, why)
    if capability.admits(decision.payload, decision.to, decision.budget):
        return None
    fault = _recipient_fault(source["to"], decision.to) if "to" in source else None
    if fault is not None:
        return (2, 0), fault
    pattern = source["payload"]
    return (3, _count_matching(pattern, decision.payload)), _value_fault(pattern, decision.payload, "payload")


def _common_prefix(pattern: Any, kind: str) -> int:
    """Return the number of characters that a kind shares with the start of the pattern."""
    options = pattern if isinstance(pattern, list) else [pattern]
    return max(len(list(takewhile(lambda at: at[0] == at[1], zip(option, kind, strict=False)))) for option in options)


def _kind_fault(pattern: Any, kind: str) -> Fault:
    return Fault("kind", pattern, kind, f"the kind {kind} does not match {_shown(pattern)}")


def _recipient_fault(pattern: Any, to: Sequence[str]) -> Fault | None:
    if not to:
        return Fault("to", pattern, None, f"a broadcast matches no `to`: address it to {_shown(pattern)}")
    options = [compile_string(option, "to") for option in (pattern if isinstance(pattern, list) else [pattern])]
    other = next((name for name in to if not any(matches(name) for matches in options)), None)
    if other is None:
        return None
    return Fault("to", pattern, list(to), f"the recipient {other} does not match {_shown(pattern)}")


def _value_fault(pattern: Any, value: Any, path: str) -> Fault:
    """Return the fault of the innermost part of a payload pattern that a value fails."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        for key, wanted in pattern.items():
            if not _matches({key: wanted}, value):
                return _member_fault(key, wanted, value, f"{path}.{key}")
        return Fault(path, pattern, value, f"{path}: its searches visit too many values together")
    return Fault(path, pattern, value, f"{path}: {_shown(value)} does not match {_shown(pattern)}")


def _member_fault(key: str, wanted: Any, value: dict[str, Any], path: str) -> Fault:
    if is_search(key):
        return Fault(path, wanted, value, f"{path}: nothing that it looks for matches {_shown(wanted)}")
    if key not in value:
        return Fault(path, wanted, None, f"{path}: it is missing, and must match {_shown(wanted)}")
    return _value_fault(wanted, value[key], path)


def _count_matching(pattern: Any, value: Any) -> int:
    """Return the number of members of an object pattern that the value matches, at all levels."""
    if not (isinstance(pattern, dict) and isinstance(value, dict)):
        return 0
    return sum(
        1 if _matches({key: wanted}, value) else _count_matching(wanted, value.get(key))
        for key, wanted in pattern.items()
    )


def _matches(pattern: dict[str, Any], value: Any) -> bool:
    try:
        return compile_value(pattern, "payload")(value, Budget())
    except BudgetExceeded:
        return False


def _shown(value: Any) -> str:
    """Return a pattern or a value on one line, shortened to 200 characters."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 200 else f"{text[:200]}…"
