"""Capabilities: patterns over what a participant may send (MEW v0.4 §4.1, docs/protocol.md §3).

A capability is compiled once and matched fail-closed: what does not compile is refused, and what cannot be decided
within the budget does not match. Matching has two stages. The kind decides which capabilities concern an envelope
(cached by kind); then payload and recipients are matched with those.

An emergency is matched by `allow_emergency`: only a literal kind gives the right to send one.

Where to go next: `patterns` (matching), `containment` (may one be granted for another?), `explain` (why not?).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import budget as bounds
from .budget import Budget, BudgetExceeded, Cost
from .envelope import MAX_KIND
from .patterns import Matcher, compile_strings, compile_value, count_patterns, invalid, is_literal

_FIELDS = ("kind", "payload", "to")
_CACHED_KINDS = 512  # more than a space remembers as charged (`space.limits.cpu_quota`)


class Capability:
    """One compiled pattern over an envelope's kind, payload and recipients.

    `source` is its JSON; `costs` are those of the expressions among its kinds.
    """

    __slots__ = ("_kind", "_matched_kinds", "_payload", "_to", "costs", "kinds", "literal_kind", "source")

    def __init__(
        self,
        source: dict[str, Any],
        *,
        kind: Matcher,
        payload: Matcher | None,
        to: Matcher | None,
        kinds: frozenset[str],
        literal_kind: str | None,
        costs: tuple[Cost, ...],
    ) -> None:
        self.source = source
        self.costs = costs
        self.kinds = kinds  # the literal ones
        self.literal_kind = literal_kind
        self._matched_kinds: dict[str, bool] = {}
        self._kind = kind
        self._payload = payload
        self._to = to

    @property
    def is_plain(self) -> bool:
        """True if the kind alone decides."""
        return self._payload is None and self._to is None

    @property
    def size(self) -> int:
        """The number of patterns that it consists of."""
        return count_patterns(self.source)

    def matches_kind(self, kind: str) -> bool:
        """Return true if the kind pattern matches. The result is cached if it takes work."""
        found = self._matched_kinds.get(kind)
        if found is None:
            try:
                found = self._kind(kind, Budget())
            except BudgetExceeded:  # in doubt there is no match
                found = False
            if self.costs:
                if len(self._matched_kinds) >= _CACHED_KINDS:  # senders may invent any number of kinds
                    self._matched_kinds.clear()
                self._matched_kinds[kind] = found
        return found

    def lookup_steps(self, kind: str) -> int:
        """Return the greatest number of steps that `matches_kind` takes."""
        return sum(cost.of(kind) for cost in self.costs)

    def admits(self, payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
        """Return true if the payload and every recipient match. A `to` pattern never matches a broadcast.

        `budget` is the envelope's: all capabilities that are matched with it share it.
        """
        return _any_admits((self,), payload, to, budget)


def _any_admits(capabilities: Iterable[Capability], payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
    """Return true if one of them admits the payload and the recipients.

    One loop: a call would cost as much as a match.
    """
    nodes = bounds.MAX_VISITED
    for capability in capabilities:
        recipients, matches = capability._to, capability._payload
        budget.left = nodes  # each capability has its own nodes
        try:
            if recipients is not None and not (to and all(recipients(name, budget) for name in to)):
                continue
            if matches is None or matches(payload, budget):
                return True
        except BudgetExceeded:  # in doubt there is no match
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
    matches, costs = compile_strings(kind, f"{path}.kind", kind=True)
    return Capability(
        source,
        kind=matches,
        payload=None if payload is None else compile_value(payload, f"{path}.payload"),
        to=compile_strings(source["to"], f"{path}.to")[0] if "to" in source else None,
        kinds=frozenset(one for one in (kind if isinstance(kind, list) else (kind,)) if is_literal(one)),
        literal_kind=kind if isinstance(kind, str) else None,
        costs=costs,
    )


class Capabilities:
    """The capabilities of a participant. An envelope passes if one of them matches."""

    __slots__ = ("_all", "_by_kind", "_costed", "_plain", "max_lookup_steps")

    def __init__(self, capabilities: Iterable[Capability]) -> None:
        self._all = tuple(capabilities)
        self._plain = frozenset(kind for one in self._all if one.is_plain for kind in one.kinds)
        self._costed = tuple(one for one in self._all if one.costs)
        self.max_lookup_steps = sum(
            cost.of_length(MAX_KIND) for one in self._costed for cost in one.costs
        )  # on any kind
        self._by_kind: dict[str, bool | tuple[Capability, ...]] = {}

    def __iter__(self) -> Iterator[Capability]:
        return iter(self._all)

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The patterns as they were written."""
        return [capability.source for capability in self._all]

    def lookup_steps(self, kind: str) -> int:
        """Return the greatest number of steps to find the capabilities that concern a kind. The result is cached then.

        It is 0 if a capability without further conditions names the kind.
        """
        return 0 if kind in self._plain else sum(one.lookup_steps(kind) for one in self._costed)

    def allow(self, kind: str, payload: dict[str, Any] | None, to: Sequence[str], budget: Budget | None = None) -> bool:
        """Return true if an envelope of this kind, payload and recipients may be sent. None: a fresh `budget`."""
        candidates = self._by_kind.get(kind)
        if candidates is None:
            candidates = self._look_up(kind)
        if candidates is True or candidates is False:
            return candidates
        return _any_admits(candidates, payload or {}, to, budget or Budget())

    def allow_emergency(
        self, kind: str, payload: dict[str, Any], to: Sequence[str], budget: Budget | None = None
    ) -> bool:
        """Return the same as `allow` for an emergency: only capabilities whose kind is literally this one count."""
        literal = (capability for capability in self._all if capability.literal_kind == kind)
        return _any_admits(literal, payload, to, budget or Budget())

    def _look_up(self, kind: str) -> bool | tuple[Capability, ...]:
        found: bool | tuple[Capability, ...] = True
        if kind not in self._plain:
            covering = tuple(capability for capability in self._all if capability.matches_kind(kind))
            found = any(capability.is_plain for capability in covering) or covering or False
        if len(self._by_kind) >= _CACHED_KINDS:  # senders may invent any number of kinds
            self._by_kind.clear()
        self._by_kind[kind] = found
        return found
