"""Capabilities: who may send what (MEW v0.4 §4.1, docs/protocol.md §3). What does not compile is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import budget as bounds
from .budget import Budget, Price, Spent
from .envelope import MAX_KIND
from .patterns import Matcher, compile_strings, compile_value, invalid, is_literal, size

_FIELDS = ("kind", "payload", "to")
_CACHED_KINDS = 512  # more than a space takes for paid (`space.work`)


class Capability:
    """One compiled pattern over an envelope's kind, payload and recipients. `source` is its JSON, `prices` what asking
    the expressions among its kinds takes."""

    __slots__ = ("_covered", "_kind", "_payload", "_to", "kinds", "literal_kind", "prices", "source")

    def __init__(
        self,
        source: dict[str, Any],
        *,
        kind: Matcher,
        payload: Matcher | None,
        to: Matcher | None,
        kinds: frozenset[str],
        literal_kind: str | None,
        prices: tuple[Price, ...],
    ) -> None:
        self.source = source
        self.prices = prices
        self.kinds = kinds  # those that it names as they are
        self.literal_kind = literal_kind
        self._covered: dict[str, bool] = {}
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
        """Whether the kind pattern matches. It is found once, where it takes work."""
        found = self._covered.get(kind)
        if found is None:
            try:
                found = self._kind(kind, Budget())
            except Spent:  # in doubt it does not
                found = False
            if self.prices:
                if len(self._covered) >= _CACHED_KINDS:  # kinds are the senders' to invent
                    self._covered.clear()
                self._covered[kind] = found
        return found

    def work_on(self, kind: str) -> int:
        """How many steps it takes at most to find whether it covers a kind."""
        return sum(price.on(kind) for price in self.prices)

    def admits(self, payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
        """Whether the payload and every recipient match; a `to` pattern never matches a broadcast.

        `budget` is the envelope's: the same for all that are asked about it.
        """
        return _passes((self,), payload, to, budget)


def _passes(capabilities: Iterable[Capability], payload: dict[str, Any], to: Sequence[str], budget: Budget) -> bool:
    """Whether one of them admits the payload and the recipients: in one loop, as every call costs what a match does."""
    nodes = bounds.MAX_VISITED
    for capability in capabilities:
        recipients, matches = capability._to, capability._payload
        budget.left = nodes  # another capability is asked about the same envelope
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
    matches, prices = compile_strings(kind, f"{path}.kind", kind=True)
    return Capability(
        source,
        kind=matches,
        payload=None if payload is None else compile_value(payload, f"{path}.payload"),
        to=compile_strings(source["to"], f"{path}.to")[0] if "to" in source else None,
        kinds=frozenset(one for one in (kind if isinstance(kind, list) else (kind,)) if is_literal(one)),
        literal_kind=kind if isinstance(kind, str) else None,
        prices=prices,
    )


class Capabilities:
    """A participant's capabilities. An envelope passes if one of them matches."""

    __slots__ = ("_all", "_by_kind", "_plain", "_priced", "most_work")

    def __init__(self, capabilities: Iterable[Capability]) -> None:
        self._all = tuple(capabilities)
        self._plain = frozenset(kind for one in self._all if one.is_plain for kind in one.kinds)
        self._priced = tuple(one for one in self._all if one.prices)
        self.most_work = sum(price.at(MAX_KIND) for one in self._priced for price in one.prices)  # on any kind
        self._by_kind: dict[str, bool | tuple[Capability, ...]] = {}

    def __iter__(self) -> Iterator[Capability]:
        return iter(self._all)

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The patterns as they were written."""
        return [capability.source for capability in self._all]

    def work_on(self, kind: str) -> int:
        """How many steps it takes at most to find which of them are about a kind. It is found once, and then known;
        and none at all where one of them names it, and wants nothing else."""
        return 0 if kind in self._plain else sum(one.work_on(kind) for one in self._priced)

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
        found: bool | tuple[Capability, ...] = True
        if kind not in self._plain:
            covering = tuple(capability for capability in self._all if capability.covers(kind))
            found = any(capability.is_plain for capability in covering) or covering or False
        if len(self._by_kind) >= _CACHED_KINDS:  # kinds are the senders' to invent
            self._by_kind.clear()
        self._by_kind[kind] = found
        return found
