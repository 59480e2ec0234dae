"""Capabilities: who may send what (MEW v0.4 §4.1, docs/protocol.md §3). What does not compile is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .patterns import Budget, Matcher, StringMatcher, compile_strings, compile_value, fits, invalid, size

INTERRUPT = "reasoning/interrupt"
EMERGENCY = "emergency"

_FIELDS = ("kind", "payload", "to")
_CACHED_KINDS = 256


class Capability:
    """One compiled pattern over an envelope's kind, payload and recipients. `source` is its JSON."""

    __slots__ = ("_kind", "_payload", "_to", "literal_kind", "source")

    def __init__(
        self,
        source: dict[str, Any],
        *,
        kind: StringMatcher,
        payload: Matcher | None,
        to: StringMatcher | None,
        literal_kind: str | None,
    ) -> None:
        self.source = source
        self.literal_kind = literal_kind
        self._kind = kind
        self._payload = payload
        self._to = to

    @property
    def is_plain(self) -> bool:
        """Whether the kind alone decides."""
        return self._payload is None and self._to is None

    @property
    def size(self) -> int:
        """How many patterns it is made of."""
        return size(self.source)

    def covers(self, kind: str) -> bool:
        """Whether the kind pattern matches."""
        return self._kind(kind)

    def admits(self, payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
        """Whether the payload and every recipient match; a `to` pattern never matches a broadcast.

        `budget` is the envelope's: the same for all that are asked about it.
        """
        if self._to is not None and not (to and all(self._to(name) for name in to)):
            return False
        return self._payload is None or fits(self._payload, payload, budget)


def compile_capability(source: Any, path: str = "capability") -> Capability:
    """Compile `{"kind": pattern, "payload"?: pattern, "to"?: pattern}`.

    Raises `Rejected` `invalid_capability`; the sentence and the detail `path` name the pattern at fault.
    """
    if not isinstance(source, dict):
        raise invalid(path, "expected an object with `kind`")
    unknown = [key for key in source if key not in _FIELDS]
    if unknown:
        raise invalid(f"{path}.{unknown[0]}", "a capability has only `kind`, `payload` and `to`")
    if "kind" not in source:
        raise invalid(path, "`kind` is missing")
    payload = source.get("payload")
    if "payload" in source and not isinstance(payload, dict):
        raise invalid(f"{path}.payload", "expected an object")
    kind = source["kind"]
    return Capability(
        source,
        kind=compile_strings(kind, f"{path}.kind", kind=True),
        payload=None if payload is None else compile_value(payload, f"{path}.payload"),
        to=compile_strings(source["to"], f"{path}.to") if "to" in source else None,
        literal_kind=kind if isinstance(kind, str) else None,
    )


class Capabilities:
    """A participant's capabilities. An envelope passes if one of them matches."""

    __slots__ = ("_all", "_by_kind")

    def __init__(self, capabilities: Iterable[Capability]) -> None:
        self._all = tuple(capabilities)
        self._by_kind: dict[str, bool | tuple[Capability, ...]] = {}

    def __iter__(self) -> Iterator[Capability]:
        return iter(self._all)

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The patterns as they were written."""
        return [capability.source for capability in self._all]

    def allow(self, kind: str, payload: dict[str, Any] | None, to: Sequence[str]) -> bool:
        """Whether an envelope of this kind, payload and recipients may be sent."""
        candidates = self._by_kind.get(kind)
        if candidates is None:
            candidates = self._look_up(kind)
        if candidates is True or candidates is False:
            return candidates
        budget, payload = Budget(), payload or {}
        for capability in candidates:  # a generator costs as much as what it asks
            if capability.admits(payload, to, budget):
                return True
        return False

    def allow_emergency(self, kind: str, payload: dict[str, Any], to: Sequence[str]) -> bool:
        """As `allow`, but only by capabilities whose kind is literally this one: no wildcard covers it."""
        literal = (capability for capability in self._all if capability.literal_kind == kind)
        budget = Budget()
        return any(capability.admits(payload, to, budget) for capability in literal)

    def _look_up(self, kind: str) -> bool | tuple[Capability, ...]:
        covering = tuple(capability for capability in self._all if capability.covers(kind))
        found: bool | tuple[Capability, ...]
        if any(capability.is_plain for capability in covering):
            found = True
        else:
            found = covering or False
        if len(self._by_kind) >= _CACHED_KINDS:  # kinds are the senders' to invent
            self._by_kind.clear()
        self._by_kind[kind] = found
        return found
