"""Cases of the limits on bytes that a space keeps, of one envelope and of several."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from mew_gateway.protocol.envelope import MAX_KIND
from mew_gateway.protocol.patterns import compile_strings
from mew_gateway.space import proposals, streams
from mew_gateway.space.interrupts import acceptance
from mew_gateway.space.participants import grants
from mew_gateway.space.settings import Bounds

from ..kit.space_driver import SpaceDriver, codes
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, lives_on, refused, remembered, weighing


def _refused(driver: SpaceDriver, label: str, frame: bytes, code: str) -> None:
    before = remembered(driver.space)
    assert codes(driver.send(label, frame)) == [code]
    assert remembered(driver.space) == before
    lives_on(driver, label)


def _interrupt(size: int, kind: str, id: str) -> bytes:
    to, names = {"to": ["worker"]}, {"correlation_id": ["s"]}
    if kind == "reasoning/cancel":
        return weighing(size, "boss", kind, id, {}, pad="reason", context="s")
    return weighing(size, "boss", kind, id, {"reason": "user_request"}, pad="message", **to, **names)


def _interrupt_at(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    accepted(driver, "worker", "reasoning/start", "s")
    for kind in ("reasoning/interrupt", "reasoning/cancel"):
        assert codes(driver.send("boss", _interrupt(acceptance._LARGEST, kind, kind))) == []


def _interrupt_past(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    accepted(driver, "worker", "reasoning/start", "s")
    for kind in ("reasoning/interrupt", "reasoning/cancel"):
        _refused(driver, "boss", _interrupt(acceptance._LARGEST + 1, kind, kind), "invalid_interrupt")
        driver.space.state.sequences["s"].asked.clear()


INTERRUPT = Pair(_interrupt_at, _interrupt_past)


def _pending(fixture: LimitFixture) -> SpaceDriver:
    """Return a space in which the worker has not answered 600 bytes of interrupts, and may have 1,000."""
    driver = fixture.driver(bounds=Bounds(pending_bytes=1_000))
    accepted(driver, "worker", "reasoning/start", "s")
    assert codes(driver.send("boss", _interrupt(600, "reasoning/interrupt", "i1"))) == []
    return driver


def _pending_at(fixture: LimitFixture) -> None:
    for kind in ("reasoning/interrupt", "reasoning/cancel"):
        assert codes(_pending(fixture).send("boss", _interrupt(400, kind, "i2"))) == []


def _pending_past(fixture: LimitFixture) -> None:
    driver = _pending(fixture)
    for kind in ("reasoning/interrupt", "reasoning/cancel"):
        _refused(driver, "boss", _interrupt(401, kind, f"past {kind}"), "rate_limited")
    told = {"reason": "error", "class": "emergency"}
    accepted(driver, "safety", "reasoning/interrupt", "e1", told, to=["worker"], correlation_id=["s"])
    accepted(driver, "worker", "reasoning/interrupt-ack", "a1", {"status": "continuing"}, correlation_id=["i1"])
    assert codes(driver.send("boss", _interrupt(1_001, "reasoning/interrupt", "alone"))) == []


PENDING = Pair(_pending_at, _pending_past)


def _stream(size: int) -> bytes:
    return weighing(size, "worker", "stream/request", "r", {"direction": "upload"}, pad="description")


def _stream_at(fixture: LimitFixture) -> None:
    assert codes(fixture.driver().send("worker", _stream(streams._LARGEST))) == []


def _stream_past(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    _refused(driver, "worker", _stream(streams._LARGEST + 1), "invalid_payload")
    assert codes(driver.send("worker", _stream(1_000))) == []


STREAM = Pair(_stream_at, _stream_past)


def _described(size: int) -> dict[str, Any]:
    """Return a stream request's payload of this size."""
    asked = {"direction": "upload", "description": ""}
    return {**asked, "description": "x" * (size - len(msgspec.json.encode(asked)))}


def _streams(fixture: LimitFixture, owner: str, *, besides: int) -> SpaceDriver:
    driver, eighth = fixture.driver(), streams._LARGEST_TOGETHER // 8
    for number in range(7):
        accepted(driver, owner, "stream/request", f"r{number}", _described(eighth))
    accepted(driver, owner, "stream/request", "r7", _described(eighth - besides))
    return driver


def _streams_at(fixture: LimitFixture) -> None:
    accepted(_streams(fixture, "worker", besides=100), "worker", "stream/request", "r8", _described(100))


def _streams_past(fixture: LimitFixture) -> None:
    driver = _streams(fixture, "worker", besides=100)
    details = refused(driver, "too_many_streams", "worker", "stream/request", "r8", _described(101))
    assert details["limit_bytes"] == streams._LARGEST_TOGETHER
    accepted(driver, "admin", "stream/request", "r9", _described(101))
    given = {"stream_id": "stream-9", "new_owner": "worker"}
    accepted(driver, "admin", "stream/transfer-ownership", "t1", given)  # it counts among its asker's


STREAMS = Pair(_streams_at, _streams_past)


def _listed(driver: SpaceDriver) -> list[Any]:
    """Return the streams in the welcome of somebody who comes and goes."""
    joined: Any = driver.join("calculator")[0]
    driver.leave("calculator")
    listed: list[Any] = json.loads(joined.data)["payload"]["active_streams"]
    return listed


def _streams_listed(fixture: LimitFixture, *, less: int) -> list[Any]:
    """Return what a welcome lists of two streams, in bytes that are as many as they take, or less."""
    driver = fixture.driver()
    for number in range(2):
        accepted(driver, "worker", "stream/request", f"r{number}", _described(1_000))
    whole = _listed(driver)
    size = sum(len(msgspec.json.encode(one)) for one in whole)
    fixture.patches.setattr(streams, "_LISTED_BYTES", size - less)
    listed = _listed(driver)
    assert listed == whole[-len(listed) :]
    lives_on(driver, "worker")
    return listed


def _streams_listed_at(fixture: LimitFixture) -> None:
    assert [one["stream_id"] for one in _streams_listed(fixture, less=0)] == ["stream-1", "stream-2"]


def _streams_listed_past(fixture: LimitFixture) -> None:
    assert [one["stream_id"] for one in _streams_listed(fixture, less=1)] == ["stream-2"]


STREAMS_LISTED = Pair(_streams_listed_at, _streams_listed_past)


def _proposal(size: int, id: str, by: str = "worker") -> bytes:
    return weighing(size, by, "mcp/proposal", id, {"params": {}}, pad="method")


def _proposals_at(fixture: LimitFixture) -> None:
    driver, quarter = fixture.driver(), proposals._OPEN_BYTES // 4
    for number in range(4):
        assert codes(driver.send("worker", _proposal(quarter, f"p{number}"))) == []


def _proposals_past(fixture: LimitFixture) -> None:
    driver, quarter = fixture.driver(), proposals._OPEN_BYTES // 4
    for number in range(3):
        assert codes(driver.send("worker", _proposal(quarter, f"p{number}"))) == []
    _refused(driver, "worker", _proposal(quarter + 1, "p3"), "too_many_proposals")
    assert codes(driver.send("worker", _proposal(quarter, "p3"))) == []


PROPOSALS = Pair(_proposals_at, _proposals_past)


def _guests_propose(fixture: LimitFixture) -> SpaceDriver:
    """Return a space in which two guests of `admin` have three quarters of what its guests may have open."""
    driver, quarter = fixture.driver(), proposals._OPEN_BYTES // 4
    for name in ("one", "two"):
        invited = {"participant_id": name, "initial_capabilities": [{"kind": "chat"}, {"kind": "mcp/proposal"}]}
        accepted(driver, "admin", "space/invite", f"i {name}", invited)
        driver.join(name)
    for number, name in enumerate(("one", "two", "one")):
        assert codes(driver.send(name, _proposal(quarter, f"p{number}", name))) == []
    return driver


def _guests_proposals_at(fixture: LimitFixture) -> None:
    driver = _guests_propose(fixture)
    assert codes(driver.send("two", _proposal(proposals._OPEN_BYTES // 4, "p3", "two"))) == []
    assert codes(driver.send("admin", _proposal(1_000, "p4", "admin"))) == []


def _guests_proposals_past(fixture: LimitFixture) -> None:
    driver = _guests_propose(fixture)
    _refused(driver, "two", _proposal(proposals._OPEN_BYTES // 4 + 1, "p3", "two"), "too_many_proposals")
    assert codes(driver.send("two", _proposal(proposals._OPEN_BYTES // 4, "p3", "two"))) == []


GUESTS_PROPOSALS = Pair(_guests_proposals_at, _guests_proposals_past)


def _given(size: int) -> list[dict[str, Any]]:
    """Return capabilities of this size in JSON."""
    some: list[dict[str, Any]] = [
        {"kind": [f"acme/{number:04}" + "x" * 900 for number in range(30)]},
        {"kind": "acme/", "payload": {"a": ""}},
    ]
    missing = size - len(msgspec.json.encode(some))
    pattern = ["y" * 900] * (missing // 903)
    some[1]["payload"] = {"a": [*pattern, ""]}
    left = size - len(msgspec.json.encode(some))
    some[1]["payload"] = {"a": [*pattern, "z" * left]}
    assert len(msgspec.json.encode(some)) == size
    return some


def _giving(kind: str, sources: list[dict[str, Any]]) -> dict[str, Any]:
    if kind == "space/invite":
        return {"participant_id": "guest", "initial_capabilities": sources}
    return {"recipient": "watcher", "capabilities": sources}


def _given_at(fixture: LimitFixture) -> None:
    for kind in ("capability/grant", "space/invite"):
        accepted(fixture.driver(), "admin", kind, "g", _giving(kind, _given(grants.MAX_GIVEN)))


def _given_past(fixture: LimitFixture) -> None:
    for kind in ("capability/grant", "space/invite", "capability/revoke"):
        refused(fixture.driver(), "too_many_grants", "admin", kind, "g", _giving(kind, _given(grants.MAX_GIVEN + 1)))
    driver = fixture.driver()  # in pieces it is no more, and somebody else has room of his own
    half = {"kind": ["acme/" + "x" * 900] * 19}
    size = len(msgspec.json.encode([half, half]))
    assert size > grants.MAX_GIVEN
    accepted(driver, "admin", "capability/grant", "g1", {"recipient": "watcher", "capabilities": [half]})
    refused(
        driver, "too_many_grants", "admin", "capability/grant", "g2", {"recipient": "watcher", "capabilities": [half]}
    )
    accepted(driver, "admin", "capability/grant", "g3", {"recipient": "mute", "capabilities": [half]})


GIVEN = Pair(_given_at, _given_past)

_TOGETHER = 2_000  # bytes that the participants of a space are given together


def _one(size: int) -> list[dict[str, Any]]:
    """Return a capability that counts as this many bytes: its JSON and a comma."""
    empty = {"kind": "acme/"}
    return [{"kind": "acme/" + "x" * (size - 1 - len(msgspec.json.encode(empty)))}]


def _half_given(fixture: LimitFixture) -> SpaceDriver:
    """Return a space in which `admin` may give 100 bytes more: half of all is then given, and as much is left."""
    driver = fixture.driver(bounds=Bounds(given_bytes=_TOGETHER), invited_capabilities=tuple(_one(101)))
    for number, size in enumerate((500, _TOGETHER // 2 - 600)):
        invited = {"participant_id": f"guest{number}", "initial_capabilities": _one(size)}
        accepted(driver, "admin", "space/invite", f"v{number}", invited)
    return driver


def _given_together_at(fixture: LimitFixture) -> None:
    for kind in ("capability/grant", "space/invite"):
        driver = _half_given(fixture)
        accepted(driver, "admin", kind, "g", _giving(kind, _one(100)))
        driver.verify()


def _given_together_past(fixture: LimitFixture) -> None:
    driver = _half_given(fixture)
    for kind in ("capability/grant", "space/invite"):
        told = refused(driver, "too_many_grants", "admin", kind, f"past {kind}", _giving(kind, _one(101)))
        assert told["limit_bytes"] == _TOGETHER
    refused(driver, "too_many_grants", "admin", "space/invite", "defaults", {"participant_id": "guest"})
    driver.restart()  # what is full stays full
    for name in ("admin", "worker", "solver"):
        driver.join(name)
    refused(driver, "too_many_grants", "admin", "capability/grant", "g1", _giving("capability/grant", _one(101)))
    accepted(driver, "worker", "capability/grant", "g2", _giving("capability/grant", _one(550)))  # others have room
    refused(driver, "too_many_grants", "worker", "capability/grant", "g3", _giving("capability/grant", _one(100)))
    accepted(driver, "admin", "space/kick", "k1", {"participant_id": "guest0"})
    accepted(driver, "admin", "space/invite", "v3", _giving("space/invite", _one(101)))
    driver.verify()


GIVEN_TOGETHER = Pair(_given_together_at, _given_together_past)


def _expressions(many: int) -> list[dict[str, Any]]:
    kinds = [f"/acme{number}/" for number in range(many - 1)]
    return [{"kind": kinds, "payload": {"$.a": "x"}}]


def _expressions_at(fixture: LimitFixture) -> None:
    given = {"recipient": "watcher", "capabilities": _expressions(grants.MAX_EXPRESSIONS)}
    accepted(fixture.driver(), "admin", "capability/grant", "g", given)


def _expressions_past(fixture: LimitFixture) -> None:
    given = {"recipient": "watcher", "capabilities": _expressions(grants.MAX_EXPRESSIONS + 1)}
    refused(fixture.driver(), "invalid_capability", "admin", "capability/grant", "g", given)


EXPRESSIONS = Pair(_expressions_at, _expressions_past)


def _globs(many: int) -> list[dict[str, Any]]:
    return [{"kind": [f"acme/{number}/*" for number in range(many - 1)], "payload": {"*": "x"}}]


def _globs_at(fixture: LimitFixture) -> None:
    given = {"recipient": "watcher", "capabilities": _globs(grants.MAX_GLOBS)}
    accepted(fixture.driver(), "admin", "capability/grant", "g", given)


def _globs_past(fixture: LimitFixture) -> None:
    given = {"recipient": "watcher", "capabilities": _globs(grants.MAX_GLOBS + 1)}
    refused(fixture.driver(), "invalid_capability", "admin", "capability/grant", "g", given)


GLOBS = Pair(_globs_at, _globs_past)


def _costly(more: int) -> list[dict[str, Any]]:
    """Two capabilities that take as much work to be asked about a kind as may be, or more by some steps a character."""

    def taken(number: int) -> int:
        (cost,) = compile_strings(f"/{'x{700}' * 3}x{{{number}}}/", "")[1]
        return cost.of_length(MAX_KIND) + other.of_length(MAX_KIND)

    (other,) = compile_strings("/x{400}/", "")[1]
    most = max(number for number in range(1, 1_000) if taken(number) <= grants.MAX_KIND_WORK)
    return [{"kind": f"/{'x{700}' * 3}x{{{most + more}}}/"}, {"kind": ["acme/x", "/x{400}/"]}]


def _kinds_at(fixture: LimitFixture) -> None:
    first, second = _costly(0)
    driver = fixture.driver()
    accepted(driver, "admin", "capability/grant", "g1", {"recipient": "watcher", "capabilities": [first]})
    accepted(driver.at(5_000), "admin", "capability/grant", "g2", {"recipient": "watcher", "capabilities": [second]})


def _kinds_past(fixture: LimitFixture) -> None:
    first, second = _costly(1)
    driver = fixture.driver()
    accepted(driver, "admin", "capability/grant", "g1", {"recipient": "watcher", "capabilities": [first]})
    given = {"recipient": "watcher", "capabilities": [second]}
    told = refused(driver.at(5_000), "too_many_grants", "admin", "capability/grant", "g2", given)
    assert told["limit"] == grants.MAX_KIND_WORK


KINDS = Pair(_kinds_at, _kinds_past)


MOST = 256  # capabilities of one grant


def _capabilities_at(fixture: LimitFixture) -> None:
    many = [{"kind": f"acme/{number}"} for number in range(MOST)]
    accepted(fixture.driver(), "admin", "capability/grant", "g", {"recipient": "watcher", "capabilities": many})


def _capabilities_past(fixture: LimitFixture) -> None:
    many = [{"kind": f"acme/{number}"} for number in range(MOST + 1)]
    refused(
        fixture.driver(),
        "invalid_payload",
        "admin",
        "capability/grant",
        "g",
        {"recipient": "watcher", "capabilities": many},
    )


CAPABILITIES = Pair(_capabilities_at, _capabilities_past)
