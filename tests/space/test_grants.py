"""Grants and revocations: what a transcript cannot show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.space.grants import MAX_EXPRESSIONS, MAX_GIVEN
from mew_gateway.space.machine import Space
from mew_gateway.space.settings import Participant

EXPRESSIONS = [rf"/\pL{{20}}{n}/" for n in range(MAX_EXPRESSIONS + 1)]
PATHS = {f"$..a{n}": 1 for n in range(MAX_EXPRESSIONS + 1)}

ERRORS = Callable[[list[Any]], list[str]]


def grant(stage: Any, id: str, recipient: str, *capabilities: dict[str, Any], by: str = "admin", **more: Any) -> Any:
    return stage.say(by, "capability/grant", id, {"recipient": recipient, "capabilities": list(capabilities), **more})


def revoke(stage: Any, id: str, recipient: str, *capabilities: dict[str, Any], by: str = "admin") -> Any:
    return stage.say(by, "capability/revoke", id, {"recipient": recipient, "capabilities": list(capabilities)})


def sources(stage: Any, name: str) -> list[dict[str, Any]]:
    """What the participant holds, in the space and in one restored from its snapshot."""
    restored = Space.restored(stage.space.snapshot()).members.capabilities(name).sources
    assert stage.space.members.capabilities(name).sources == restored
    return restored


def test_restored_space_keeps_grants_and_revocations(stage: Any) -> None:
    stage.join("admin")
    grant(stage, "g1", "queuer", {"kind": "mcp/request"})
    revoke(stage, "v1", "human", {"kind": ["chat", "mcp/*", "participant/*"]})
    stage.restart()
    assert sources(stage, "queuer")[-1] == {"kind": "mcp/request"}
    assert [source["kind"] for source in sources(stage, "human")] == ["reasoning/interrupt"]


def test_revocation_survives_a_configuration_change(stage: Any) -> None:
    stage.join("admin")
    revoke(stage, "v1", "human", {"kind": "mcp/*"})
    settings = stage.space.state.settings
    narrower = Participant("human", ({"kind": "mcp/request"}, {"kind": "chat"}))
    stage.reconfigure(msgspec.structs.replace(settings, participants={**settings.participants, "human": narrower}))
    assert sources(stage, "human") == [{"kind": "chat"}]


def test_given_capabilities_are_bounded_in_bytes(stage: Any, errors: ERRORS) -> None:
    """Every welcome tells what everybody holds."""
    long = {"kind": "acme/x", "payload": {f"key{n}": "x" * 900 for n in range(12)}}
    stage.join("admin")
    assert errors(grant(stage, "g1", "solver", long, long)) == []
    assert errors(grant(stage, "g2", "solver", long)) == ["too_many_grants"]
    assert errors(grant(stage, "g3", "mute", long)) == []
    invited = {"participant_id": "newcomer", "initial_capabilities": [long, long, long]}
    assert len(msgspec.json.encode([long, long])) < MAX_GIVEN < len(msgspec.json.encode([long, long, long]))
    assert errors(stage.say("admin", "space/invite", "i1", invited)) == ["too_many_grants"]


def test_the_deadline_of_a_revoked_grant_is_forgotten(stage: Any) -> None:
    """It may be years away: the deadlines of grants that come and go must not pile up."""
    stage.join("admin")
    for n in range(5):
        grant(stage, f"g{n}", "solver", {"kind": "mcp/request"}, expires_at="2099-01-01T00:00:00Z")
    before = list(stage.space.state.deadlines)
    for n in range(1, 4):
        stage.say("admin", "capability/revoke", f"v{n}", {"recipient": "solver", "grant_id": f"g{n}"})
    revoke(stage, "v4", "solver", {"kind": "mcp/request"})
    assert len(before) == 5
    assert stage.space.state.deadlines == []
    assert stage.space.state.grants == {}


def test_grant_to_an_unconfigured_participant_just_expires(stage: Any) -> None:
    stage.join("admin")
    grant(stage, "g1", "mute", {"kind": "mcp/request"}, expires_at="2027-01-15T08:00:10Z")
    settings = stage.space.state.settings
    others = {name: one for name, one in settings.participants.items() if name != "mute"}
    stage.reconfigure(msgspec.structs.replace(settings, participants=others))
    assert stage.at(10_000).pass_deadlines() == []
    assert stage.space.state.grants == {}


def test_nearly_equal_values_are_distinct(stage: Any) -> None:
    """In Python 1 == True: each must be taken by its own pattern only."""
    stage.join("admin")
    one, true = ({"kind": "acme/x", "payload": {"n": value}} for value in (1, True))
    grant(stage, "g1", "solver", one, true)
    revoke(stage, "v1", "solver", true)
    left = stage.space.state.grants["g1"].capabilities
    assert [type(source["payload"]["n"]) for source in left] == [int]


def test_a_grant_outlives_what_its_granter_holds(stage: Any, errors: ERRORS) -> None:
    stage.join("admin")
    stage.join("worker")
    grant(stage, "g1", "solver", {"kind": "mcp/request"}, by="worker")
    revoke(stage, "v1", "worker", {"kind": "*"})
    stage.say("admin", "space/kick", "k1", {"participant_id": "worker"})
    assert {"kind": "mcp/request"} in sources(stage, "solver")
    assert errors(revoke(stage, "v2", "solver", {"kind": "mcp/request"})) == []
    assert {"kind": "mcp/request"} not in sources(stage, "solver")


def test_a_refusal_changes_nothing(stage: Any, errors: ERRORS) -> None:
    """Also where the second of two capabilities is at fault."""
    stage.join("worker")
    before = stage.space.state
    held = [msgspec.msgpack.encode(part) for part in (before.grants, before.revoked, before.deadlines)]
    grant(stage, "g1", "solver", {"kind": "chat"}, {"kind": "*"}, by="worker")
    grant(stage, "g2", "solver", {"kind": "chat"}, {"kind": "!"}, by="worker")
    grant(stage, "g3", "solver", {"kind": "chat"}, by="worker", expires_at="1970-01-01T00:00:00Z")
    refused = revoke(stage, "v1", "boss", {"kind": "chat"}, {"kind": "!"}, by="worker")
    after = stage.space.state
    assert errors(refused) == ["invalid_capability"]
    assert held == [msgspec.msgpack.encode(part) for part in (after.grants, after.revoked, after.deadlines)]


def test_a_revocation_takes_nothing_that_it_does_not_cover(stage: Any, errors: ERRORS) -> None:
    """`mcp/request` is within `mcp/*`, which stays: a pattern takes whole capabilities."""
    stage.join("admin")
    assert errors(revoke(stage, "v1", "human", {"kind": "mcp/request"})) == ["grant_not_found"]
    assert compile_capability({"kind": "mcp/*"}).source in sources(stage, "human")


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
    stage: Any, errors: Callable[..., list[str]], kind: str, payload: dict[str, Any]
) -> None:
    stage.join("admin")
    assert errors(stage.say("admin", kind, "g1", payload)) == ["invalid_capability"]


def test_expressions_are_counted_together(stage: Any, errors: Callable[..., list[str]]) -> None:
    stage.join("admin")
    for n in range(MAX_EXPRESSIONS):
        given = {"recipient": "solver", "capabilities": [{"kind": f"!/x{n}/"}]}
        assert errors(stage.say("admin", "capability/grant", f"g{n}", given)) == []
    given = {"recipient": "solver", "capabilities": [{"kind": "/one more/"}]}
    assert errors(stage.say("admin", "capability/grant", "more", given)) == ["invalid_capability"]
