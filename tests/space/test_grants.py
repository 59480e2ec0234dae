"""Grants and revocations: what a transcript cannot show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.space.machine import Space
from mew_gateway.space.participants.grants import MAX_EXPRESSIONS, MAX_GIVEN
from mew_gateway.space.settings import Participant

EXPRESSIONS = [rf"/\pL{{20}}{n}/" for n in range(MAX_EXPRESSIONS + 1)]
PATHS = {f"$..a{n}": 1 for n in range(MAX_EXPRESSIONS + 1)}

ERRORS = Callable[[list[Any]], list[str]]


def grant(driver: Any, id: str, recipient: str, *capabilities: dict[str, Any], by: str = "admin", **more: Any) -> Any:
    return driver.say(by, "capability/grant", id, {"recipient": recipient, "capabilities": list(capabilities), **more})


def revoke(driver: Any, id: str, recipient: str, *capabilities: dict[str, Any], by: str = "admin") -> Any:
    return driver.say(by, "capability/revoke", id, {"recipient": recipient, "capabilities": list(capabilities)})


def sources(driver: Any, name: str) -> list[dict[str, Any]]:
    """What the participant holds, in the space and in one restored from its snapshot."""
    restored = Space.restored(driver.space.snapshot()).members.capabilities(name).sources
    assert driver.space.members.capabilities(name).sources == restored
    return restored


def test_restored_space_keeps_grants_and_revocations(driver: Any) -> None:
    driver.join("admin")
    grant(driver, "g1", "queuer", {"kind": "mcp/request"})
    revoke(driver, "v1", "human", {"kind": ["chat", "mcp/*", "participant/*"]})
    driver.restart()
    assert sources(driver, "queuer")[-1] == {"kind": "mcp/request"}
    assert [source["kind"] for source in sources(driver, "human")] == ["reasoning/interrupt"]


def test_revocation_survives_a_configuration_change(driver: Any) -> None:
    driver.join("admin")
    revoke(driver, "v1", "human", {"kind": "mcp/*"})
    settings = driver.space.state.settings
    narrower = Participant("human", ({"kind": "mcp/request"}, {"kind": "chat"}))
    driver.reconfigure(msgspec.structs.replace(settings, participants={**settings.participants, "human": narrower}))
    assert sources(driver, "human") == [{"kind": "chat"}]


def test_given_capabilities_are_bounded_in_bytes(driver: Any, errors: ERRORS) -> None:
    """Every welcome tells what everybody holds."""
    long = {"kind": "acme/x", "payload": {f"key{n}": "x" * 900 for n in range(12)}}
    driver.join("admin")
    assert errors(grant(driver, "g1", "solver", long, long)) == []
    assert errors(grant(driver, "g2", "solver", long)) == ["too_many_grants"]
    assert errors(grant(driver, "g3", "mute", long)) == []
    invited = {"participant_id": "newcomer", "initial_capabilities": [long, long, long]}
    assert len(msgspec.json.encode([long, long])) < MAX_GIVEN < len(msgspec.json.encode([long, long, long]))
    assert errors(driver.say("admin", "space/invite", "i1", invited)) == ["too_many_grants"]


def test_the_deadline_of_a_revoked_grant_is_forgotten(driver: Any) -> None:
    """It may be years away: the deadlines of grants that come and go must not pile up."""
    driver.join("admin")
    for n in range(5):
        grant(driver, f"g{n}", "solver", {"kind": "mcp/request"}, expires_at="2099-01-01T00:00:00Z")
    before = list(driver.space.state.deadlines)
    for n in range(1, 4):
        driver.say("admin", "capability/revoke", f"v{n}", {"recipient": "solver", "grant_id": f"g{n}"})
    revoke(driver, "v4", "solver", {"kind": "mcp/request"})
    assert len(before) == 5
    assert driver.space.state.deadlines == []
    assert driver.space.state.grants == {}


def test_grant_to_an_unconfigured_participant_just_expires(driver: Any) -> None:
    driver.join("admin")
    grant(driver, "g1", "mute", {"kind": "mcp/request"}, expires_at="2027-01-15T08:00:10Z")
    settings = driver.space.state.settings
    others = {name: one for name, one in settings.participants.items() if name != "mute"}
    driver.reconfigure(msgspec.structs.replace(settings, participants=others))
    assert driver.at(10_000).pass_deadlines() == []
    assert driver.space.state.grants == {}


def test_nearly_equal_values_are_distinct(driver: Any) -> None:
    """In Python 1 == True: each must be taken by its own pattern only."""
    driver.join("admin")
    one, true = ({"kind": "acme/x", "payload": {"n": value}} for value in (1, True))
    grant(driver, "g1", "solver", one, true)
    revoke(driver, "v1", "solver", true)
    left = driver.space.state.grants["g1"].capabilities
    assert [type(source["payload"]["n"]) for source in left] == [int]


def test_a_grant_outlives_what_its_granter_holds(driver: Any, errors: ERRORS) -> None:
    driver.join("admin")
    driver.join("worker")
    grant(driver, "g1", "solver", {"kind": "mcp/request"}, by="worker")
    revoke(driver, "v1", "worker", {"kind": "*"})
    driver.say("admin", "space/kick", "k1", {"participant_id": "worker"})
    assert {"kind": "mcp/request"} in sources(driver, "solver")
    assert errors(revoke(driver, "v2", "solver", {"kind": "mcp/request"})) == []
    assert {"kind": "mcp/request"} not in sources(driver, "solver")


def test_a_refusal_changes_nothing(driver: Any, errors: ERRORS) -> None:
    """Also where the second of two capabilities is at fault."""
    driver.join("worker")
    before = driver.space.state
    held = [msgspec.msgpack.encode(part) for part in (before.grants, before.revoked, before.deadlines)]
    grant(driver, "g1", "solver", {"kind": "chat"}, {"kind": "*"}, by="worker")
    grant(driver, "g2", "solver", {"kind": "chat"}, {"kind": "!"}, by="worker")
    grant(driver, "g3", "solver", {"kind": "chat"}, by="worker", expires_at="1970-01-01T00:00:00Z")
    refused = revoke(driver, "v1", "boss", {"kind": "chat"}, {"kind": "!"}, by="worker")
    after = driver.space.state
    assert errors(refused) == ["invalid_capability"]
    assert held == [msgspec.msgpack.encode(part) for part in (after.grants, after.revoked, after.deadlines)]


def test_a_revocation_takes_nothing_that_it_does_not_cover(driver: Any, errors: ERRORS) -> None:
    """`mcp/request` is within `mcp/*`, which stays: a pattern takes whole capabilities."""
    driver.join("admin")
    assert errors(revoke(driver, "v1", "human", {"kind": "mcp/request"})) == ["grant_not_found"]
    assert compile_capability({"kind": "mcp/*"}).source in sources(driver, "human")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("capability/grant", {"recipient": "solver", "capabilities": [{"kind": EXPRESSIONS}]}),
        ("capability/grant", {"recipient": "solver", "capabilities": [{"kind": "x", "payload": {"a": EXPRESSIONS}}]}),
        ("capability/grant", {"recipient": "solver", "capabilities": [{"kind": "x", "payload": PATHS}]}),
        ("capability/revoke", {"recipient": "solver", "capabilities": [{"kind": EXPRESSIONS}]}),
        ("space/invite", {"participant_id": "guest", "initial_capabilities": [{"kind": EXPRESSIONS}]}),
    ],
)
def test_expensive_patterns_are_refused_before_compiling(
    driver: Any, errors: Callable[..., list[str]], kind: str, payload: dict[str, Any]
) -> None:
    driver.join("admin")
    assert errors(driver.say("admin", kind, "g1", payload)) == ["invalid_capability"]


def test_expressions_are_counted_together(driver: Any, errors: Callable[..., list[str]]) -> None:
    driver.join("admin")
    for n in range(MAX_EXPRESSIONS):
        given = {"recipient": "solver", "capabilities": [{"kind": f"!/x{n}/"}]}
        assert errors(driver.say("admin", "capability/grant", f"g{n}", given)) == []
    given = {"recipient": "solver", "capabilities": [{"kind": "/one more/"}]}
    assert errors(driver.say("admin", "capability/grant", "more", given)) == ["invalid_capability"]
