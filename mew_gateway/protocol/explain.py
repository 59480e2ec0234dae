"""Why an envelope passes or does not: the capability that lets it through, or the one that came closest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec

from .budget import Budget, Spent
from .capabilities import Capability, compile_capability
from .envelope import Envelope
from .patterns import compile_string, compile_value, is_search
from .reasons import EMERGENCY, INTERRUPT, with_class


class Fault(msgspec.Struct, frozen=True):
    """Where a capability refuses an envelope: `path` in the pattern, what it wants there, what stands there.

    `found` is None too where nothing stands there; `why` says it all in a sentence.
    """

    path: str
    expected: Any
    found: Any
    why: str


class Explanation(msgspec.Struct, frozen=True):
    """Whether capabilities let an envelope through. `capability` is the one that does, or that came closest.

    `index` is its place among them. Both are None if there are no capabilities; `fault` is None if it passes.
    """

    allowed: bool
    index: int | None = None
    capability: dict[str, Any] | None = None
    fault: Fault | None = None


class _Asked(NamedTuple):
    """What capabilities decide on."""

    kind: str
    payload: dict[str, Any]
    to: Sequence[str]
    emergency: bool
    budget: Budget


def explain(capabilities: Iterable[dict[str, Any]], envelope: Envelope) -> Explanation:
    """Which capability lets the envelope through, or which came closest and where it refuses.

    What everyone may do without a capability (docs/protocol.md §3) is not looked at. Raises `Rejected`
    `invalid_capability`.
    """
    asked = _asked(envelope)
    compiled = [compile_capability(source, f"capabilities[{i}]") for i, source in enumerate(capabilities)]
    closest: tuple[tuple[int, int], int, Fault] | None = None
    for index, capability in enumerate(compiled):
        failure = _failure(capability, asked)
        if failure is None:
            return Explanation(True, index, capability.source)
        closeness, fault = failure
        if closest is None or closeness > closest[0]:
            closest = closeness, index, fault
    if closest is None:
        return Explanation(False)
    _, index, fault = closest
    return Explanation(False, index, compiled[index].source, fault)


def _asked(envelope: Envelope) -> _Asked:
    payload, to = envelope.payload or {}, envelope.to or ()
    if envelope.kind != INTERRUPT:
        return _Asked(envelope.kind, payload, to, False, Budget())
    payload = with_class(payload)
    return _Asked(envelope.kind, payload, to, payload["class"] == EMERGENCY, Budget())


def _failure(capability: Capability, asked: _Asked) -> tuple[tuple[int, int], Fault] | None:
    """How close the capability comes (which part of it refuses, how far that agrees) and where it refuses."""
    source = capability.source
    if not capability.covers(asked.kind):
        return (0, _shared(source["kind"], asked.kind)), _kind_fault(source["kind"], asked.kind)
    if asked.emergency and capability.literal_kind != asked.kind:
        why = f"only a capability whose kind is literally `{asked.kind}` lets an emergency through"
        return (1, 0), Fault("kind", source["kind"], asked.kind, why)
    if capability.admits(asked.payload, asked.to, asked.budget):
        return None
    fault = _recipient_fault(source["to"], asked.to) if "to" in source else None
    if fault is not None:
        return (2, 0), fault
    pattern = source["payload"]
    return (3, _agreeing(pattern, asked.payload)), _value_fault(pattern, asked.payload, "payload")


def _shared(pattern: Any, kind: str) -> int:
    """How many characters a kind shares with the start of the pattern."""
    options = pattern if isinstance(pattern, list) else [pattern]
    return max(len(list(takewhile(lambda at: at[0] == at[1], zip(option, kind, strict=False)))) for option in options)


def _kind_fault(pattern: Any, kind: str) -> Fault:
    return Fault("kind", pattern, kind, f"the kind {kind} does not match {_shown(pattern)}")


def _recipient_fault(pattern: Any, to: Sequence[str]) -> Fault | None:
    if not to:
        return Fault("to", pattern, None, f"a broadcast matches no `to`: address it to {_shown(pattern)}")
    options = [compile_string(option, "to") for option in (pattern if isinstance(pattern, list) else [pattern])]
    stranger = next((name for name in to if not any(matches(name) for matches in options)), None)
    if stranger is None:
        return None
    return Fault("to", pattern, list(to), f"the recipient {stranger} does not match {_shown(pattern)}")


def _value_fault(pattern: Any, value: Any, path: str) -> Fault:
    """The innermost part of a payload pattern that a value fails."""
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


def _agreeing(pattern: Any, value: Any) -> int:
    """How many members of an object pattern the value matches, at all levels."""
    if not (isinstance(pattern, dict) and isinstance(value, dict)):
        return 0
    return sum(
        1 if _matches({key: wanted}, value) else _agreeing(wanted, value.get(key)) for key, wanted in pattern.items()
    )


def _matches(pattern: dict[str, Any], value: Any) -> bool:
    try:
        return compile_value(pattern, "payload")(value, Budget())
    except Spent:
        return False


def _shown(value: Any) -> str:
    """A pattern or a value on one line, not too long."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 200 else f"{text[:200]}…"
