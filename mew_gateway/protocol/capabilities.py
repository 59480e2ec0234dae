"""Capabilities: patterns over what a participant may send (MEW v0.4 §4.1, docs/protocol.md §3).

A capability is compiled once and matched fail-closed: what does not compile is refused, and what cannot be decided
within the budget does not match. Matching has two stages. The kind decides which capabilities concern an envelope
(cached by kind); then payload and recipients are matched with those.

An emergency is matched by `allow_emergency`: only a literal kind gives the right to send one.

Where to go next: `patterns` (matching), `containment` (may one be granted for another?), `explain` (why not?).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from . import budget as bounds
from .budget import Budget, BudgetExceeded, Cost
from .envelope import MAX_KIND
from .patterns import Matcher, compile_strings, compile_value, count_patterns, invalid, is_literal

_FIELDS = ("kind", "payload", "to")
_Place: TypeAlias = tuple[int, int]  # of a capability in the order of all: its group's, and its own in the group
_SCAN = 50  # steps of asking one capability about a kind, besides those of its expressions
_CACHED_KINDS = 512  # more than a space remembers as charged (`space.limits.cpu_quota`)


class Capability:
    """One compiled pattern over an envelope's kind, payload and recipients.

    `source` is its JSON; `costs` are those of the expressions among its kinds.
    """

    __slots__ = (
        "_kind",
        "_matched_kinds",
        "_payload",
        "_to",
        "costs",
        "is_scanned",
        "kinds",
        "literal_kind",
        "max_lookup_steps",
        "size",
        "source",
    )

    def __init__(
        self,
        source: dict[str, Any],
        *,
        kind: Matcher,
        payload: Matcher | None,
        to: Matcher | None,
        kinds: frozenset[str],
        literal_kind: str | None,
        is_scanned: bool,
        costs: tuple[Cost, ...],
    ) -> None:
        self.source = source
        self.size = count_patterns(source)  # the number of patterns that it consists of
        self.costs = costs
        self.kinds = kinds  # the literal ones
        self.literal_kind = literal_kind
        self.is_scanned = is_scanned  # it may match other kinds than those that it names
        # The greatest number of steps that `matches_kind` takes on any kind.
        self.max_lookup_steps = sum((cost.of_length(MAX_KIND) for cost in costs), _SCAN) if is_scanned else 0
        self._matched_kinds: dict[str, bool] = {}
        self._kind = kind
        self._payload = payload
        self._to = to

    @property
    def is_plain(self) -> bool:
        """True if the kind alone decides."""
        return self._payload is None and self._to is None

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
        return sum((cost.of(kind) for cost in self.costs), _SCAN) if self.is_scanned else 0

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
    kinds = kind if isinstance(kind, list) else (kind,)
    matches, costs = compile_strings(kind, f"{path}.kind", kind=True)
    return Capability(
        source,
        kind=matches,
        payload=None if payload is None else compile_value(payload, f"{path}.payload"),
        to=compile_strings(source["to"], f"{path}.to")[0] if "to" in source else None,
        kinds=frozenset(one for one in kinds if is_literal(one)),
        literal_kind=kind if isinstance(kind, str) else None,
        is_scanned=not all(map(is_literal, kinds)),
        costs=costs,
    )


class Capabilities:
    """The capabilities of a participant. An envelope passes if one of them matches.

    They come in groups: what is configured, and each grant. A group is put and dropped by its name, and the work of
    that is in proportion to the group, not to all that is held. `number` counts them all.
    """

    __slots__ = (
        "_by_kind",
        "_groups",
        "_named",
        "_places",
        "_plain",
        "_scanned",
        "_serial",
        "max_lookup_steps",
        "number",
    )

    def __init__(self, capabilities: Iterable[Capability] = ()) -> None:
        self._groups: dict[str, tuple[Capability, ...]] = {}
        self._places: dict[str, int] = {}  # of each group in the order of all
        self._serial = 0
        self._named: dict[str, dict[_Place, Capability]] = {}  # by literal kind: those that name it
        self._plain: dict[str, int] = {}  # by literal kind: how many of these have no further conditions
        self._scanned: dict[_Place, Capability] = {}  # those that may match other kinds than they name
        self._by_kind: dict[str, bool | tuple[Capability, ...]] = {}
        self.max_lookup_steps = 0  # on any kind
        self.number = 0
        self.put("", capabilities)

    def put(self, group: str, capabilities: Iterable[Capability]) -> None:
        """Replace a group. It keeps its place in the order of all; a new one is the last."""
        if group in self._groups:
            self._remove(group)
        else:
            self._places[group] = self._serial
            self._serial += 1
        self._groups[group] = added = tuple(capabilities)
        self.number += len(added)
        for index, one in enumerate(added):
            place = self._places[group], index
            for kind in one.kinds:
                self._named.setdefault(kind, {})[place] = one
                self._by_kind.pop(kind, None)
                if one.is_plain:
                    self._plain[kind] = self._plain.get(kind, 0) + 1
            if one.is_scanned:
                self._scanned[place] = one
                self._by_kind.clear()
            self.max_lookup_steps += one.max_lookup_steps

    def drop(self, group: str) -> None:
        """Remove a group."""
        if group in self._groups:
            self._remove(group)
            del self._groups[group], self._places[group]

    def group(self, name: str) -> tuple[Capability, ...]:
        """Return the capabilities of a group."""
        return self._groups.get(name, ())

    def _remove(self, group: str) -> None:
        self.number -= len(self._groups[group])
        for index, one in enumerate(self._groups[group]):
            place = self._places[group], index
            for kind in one.kinds:
                named = self._named[kind]
                del named[place]
                if not named:
                    del self._named[kind]
                self._by_kind.pop(kind, None)
                if one.is_plain:
                    self._plain[kind] -= 1
                    if not self._plain[kind]:
                        del self._plain[kind]
            if one.is_scanned:
                del self._scanned[place]
                self._by_kind.clear()
            self.max_lookup_steps -= one.max_lookup_steps

    def __iter__(self) -> Iterator[Capability]:
        return chain.from_iterable(self._groups.values())

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The patterns as they were written."""
        return [capability.source for capability in self]

    def lookup_steps(self, kind: str) -> int:
        """Return the greatest number of steps to find the capabilities that concern a kind. The result is cached then.

        It is 0 if a capability without further conditions names the kind.
        """
        return 0 if kind in self._plain else sum(one.lookup_steps(kind) for one in self._scanned.values())

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
        named = sorted(self._named.get(kind, {}).items(), key=_place)
        literal = (capability for _, capability in named if capability.literal_kind == kind)
        return _any_admits(literal, payload, to, budget or Budget())

    def _look_up(self, kind: str) -> bool | tuple[Capability, ...]:
        found: bool | tuple[Capability, ...] = True
        if kind not in self._plain:
            covering = self._named.get(kind, {}) | {
                place: capability for place, capability in self._scanned.items() if capability.matches_kind(kind)
            }
            ordered = tuple(capability for _, capability in sorted(covering.items(), key=_place))
            found = any(capability.is_plain for capability in ordered) or ordered or False
        if len(self._by_kind) >= _CACHED_KINDS:  # senders may invent any number of kinds
            self._by_kind.clear()
        self._by_kind[kind] = found
        return found


def _place(item: tuple[_Place, Capability]) -> _Place:
    return item[0]
