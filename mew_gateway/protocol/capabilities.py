"""Capabilities: who may send what (MEW v0.4 §4.1, docs/protocol.md §3). What does not compile is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .patterns import (
    MAX_VISITED,
    Budget,
    Matcher,
    Spent,
    compile_strings,
    compile_value,
    invalid,
    price,
    size,
)

INTERRUPT = "reasoning/interrupt"
EMERGENCY = "emergency"

_FIELDS = ("kind", "payload", "to")
_CACHED_KINDS = 256


class Capability:
    """One compiled pattern over an envelope's kind, payload and recipients. `source` is its JSON."""

    __slots__ = ("_kind", "_payload", "_to", "literal_kind", "price", "source")

    def __init__(
        self,
        source: dict[str, Any],
        *,
        kind: Matcher,
        payload: Matcher | None,
        to: Matcher | None,
        literal_kind: str | None,
        price: tuple[int, int],
    ) -> None:
        self.source = source
        self.price = price  # steps that asking about a kind takes: at all, and for each of its characters
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
        try:
            return self._kind(kind, Budget())
        except Spent:  # in doubt it does not
            return False

    def admits(self, payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
        """Whether the payload and every recipient match; a `to` pattern never matches a broadcast.

        `budget` is the envelope's: the same for all that are asked about it.
        """
        return _passes((self,), payload, to, budget)


def _passes(capabilities: Iterable[Capability], payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
    """Whether one of them admits the payload and the recipients: in one loop, as every call costs what a match does."""
    for capability in capabilities:
        recipients, matches = capability._to, capability._payload
        budget.left = MAX_VISITED  # another capability is asked about the same envelope
        try:
            if recipients is not None and not (to and all(recipients(name, budget) for name in to)):
                continue
            if matches is None or matches(payload, budget):
                return True
        except Spent:  # in doubt it does not
            continue
    return False


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
        price=price(kind, kind=True),
    )


class Capabilities:
    """A participant's capabilities. An envelope passes if one of them matches."""

    __slots__ = ("_all", "_by_kind", "_work", "_work_each")

    def __init__(self, capabilities: Iterable[Capability]) -> None:
        self._all = tuple(capabilities)
        self._work = sum(capability.price[0] for capability in self._all)
        self._work_each = sum(capability.price[1] for capability in self._all)
        self._by_kind: dict[str, bool | tuple[Capability, ...]] = {}

    def __iter__(self) -> Iterator[Capability]:
        return iter(self._all)

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The patterns as they were written."""
        return [capability.source for capability in self._all]

    def work_on(self, kind: str) -> int:
        """How many steps it takes at most to find which of them are about a kind. It is found once, and then known."""
        return self._work + self._work_each * len(kind)

    def allow(self, kind: str, payload: dict[str, Any] | None, to: Sequence[str], budget: Budget | None = None) -> bool:
        """Whether an envelope of this kind, payload and recipients may be sent; `budget`: one of its own."""
        candidates = self._by_kind.get(kind)
        if candidates is None:
            candidates = self._look_up(kind)
        if candidates is True or candidates is False:
            return candidates
        return _passes(candidates, payload or {}, to, budget or Budget())

    def allow_emergency(
        self, kind: str, payload: dict[str, Any], to: Sequence[str], budget: Budget | None = None
    ) -> bool:
        """As `allow`, but only by capabilities whose kind is literally this one: no wildcard covers it."""
        literal = (capability for capability in self._all if capability.literal_kind == kind)
        return _passes(literal, payload, to, budget or Budget())

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
