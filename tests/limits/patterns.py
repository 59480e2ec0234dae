"""Cases of the limits on capability patterns: length, depth and search work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2

from mew_gateway.protocol.budget import EXPRESSION, MAX_VISITED, MAX_WORK
from mew_gateway.protocol.patterns import MAX_DEPTH, MAX_PATTERN
from mew_gateway.space.limits.cpu_quota import STEPS_PER_MS
from mew_gateway.space.settings import Participant

from ..kit.space_driver import CAST, SpaceDriver
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, refused


def given(at: dict[str, Any], past: dict[str, Any]) -> Pair:
    """Make the cases of a capability that compiles, and of one that a grant, an invitation and a revocation refuse."""

    def giving(capability: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [
            ("capability/grant", {"recipient": "watcher", "capabilities": [capability]}),
            ("space/invite", {"participant_id": "guest", "initial_capabilities": [capability]}),
            ("capability/revoke", {"recipient": "watcher", "capabilities": [capability]}),
        ]

    def at_bound(fixture: LimitFixture) -> None:
        driver = fixture.driver()
        for kind, payload in giving(at):
            accepted(driver, "admin", kind, kind, payload)

    def past_bound(fixture: LimitFixture) -> None:
        driver = fixture.driver()
        for kind, payload in giving(past):
            refused(driver, "invalid_capability", "admin", kind, kind, payload)

    return Pair(at_bound, past_bound)


def _nested(levels: int) -> dict[str, Any]:
    pattern: dict[str, Any] = {"a": "x"}
    for _ in range(levels - 1):
        pattern = {"a": pattern}
    return {"kind": "acme/x", "payload": pattern}


LONG = given({"kind": "acme/".ljust(MAX_PATTERN, "x")}, {"kind": "acme/".ljust(MAX_PATTERN + 1, "x")})
LONG_VALUE = given(
    {"kind": "acme/x", "payload": {"a": "x" * MAX_PATTERN}},
    {"kind": "acme/x", "payload": {"a": "x" * (MAX_PATTERN + 1)}},
)
LONG_PATH = given(
    {"kind": "acme/x", "payload": {"$.".ljust(MAX_PATTERN, "x"): "x"}},
    {"kind": "acme/x", "payload": {"$.".ljust(MAX_PATTERN + 1, "x"): "x"}},
)
DEEP = given(_nested(MAX_DEPTH), _nested(MAX_DEPTH + 1))


def searched(pattern: dict[str, Any], payload: Callable[[int], dict[str, Any]], *, bound: int = MAX_VISITED) -> Pair:
    """Make the cases of a search: it finds a match within the allowed nodes; `payload` makes one of a given size."""

    def seeker(fixture: LimitFixture) -> SpaceDriver:
        capabilities = ({"kind": "acme/x", "payload": pattern}, {"kind": "chat"})
        people = {**{name: Participant(name, tuple(CAST[name])) for name in CAST}}
        driver = fixture.driver(participants={**people, "watcher": Participant("watcher", capabilities)})
        driver.join("watcher")
        return driver

    def at(fixture: LimitFixture) -> None:
        accepted(seeker(fixture), "watcher", "acme/x", "a", payload(bound))

    def past(fixture: LimitFixture) -> None:
        refused(seeker(fixture), "capability_violation", "watcher", "acme/x", "a", payload(bound + 1))

    return Pair(at, past)


ANYWHERE = searched({"**": "needle"}, lambda nodes: {"a": ["hay"] * (nodes - 2) + ["needle"]})
NOWHERE = searched({"**": "!needle"}, lambda nodes: {"a": ["hay"] * (nodes - 1)})
KEYS = searched({"k*": "needle"}, lambda nodes: {f"k{n}": "needle" if n == nodes - 1 else "hay" for n in range(nodes)})
PATH = searched({"$.a[*]": "needle"}, lambda nodes: {"a": ["hay"] * (nodes - 3) + ["needle"]})

_INSTRUCTIONS = re2.compile("x{900}").programsize
_LONGEST = (MAX_WORK - EXPRESSION) // _INSTRUCTIONS
WORK = searched({"a": "/x{900}/"}, lambda characters: {"a": "x" * characters}, bound=_LONGEST)


def _owed() -> Pair:
    """Use the CPU quota of an envelope twice: the second time only after the first is paid off."""
    text = {"a": "x" * _LONGEST}
    owed = (EXPRESSION + _INSTRUCTIONS * _LONGEST) // STEPS_PER_MS  # ms

    def worker(fixture: LimitFixture) -> SpaceDriver:
        capabilities = ({"kind": "acme/x", "payload": {"a": "/x{900}/"}}, {"kind": "chat"})
        people = {**{name: Participant(name, tuple(CAST[name])) for name in CAST}}
        driver = fixture.driver(participants={**people, "watcher": Participant("watcher", capabilities)})
        driver.join("watcher")
        accepted(driver, "watcher", "acme/x", "a", text)
        return driver

    def at(fixture: LimitFixture) -> None:
        accepted(worker(fixture).at(owed), "watcher", "acme/x", "b", text)

    def past(fixture: LimitFixture) -> None:
        driver = worker(fixture).at(owed - 1)
        wait = refused(driver, "rate_limited", "watcher", "acme/x", "b", text)["retry_after_ms"]
        accepted(driver.at(owed - 1 + wait), "watcher", "acme/x", "c", text)

    return Pair(at, past)


OWED = _owed()
