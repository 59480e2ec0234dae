"""What an envelope makes the space do is in proportion to the envelope, or is paid for. Work is counted, not timed."""

from __future__ import annotations

import heapq
import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import msgspec
import pytest

from mew_gateway.protocol.payloads import Request
from mew_gateway.space import deadlines, proposals
from mew_gateway.space.machine import Space
from mew_gateway.space.request_digest import request_digest
from mew_gateway.space.settings import Participant

from ..kit.space_driver import SpaceDriver, cast_settings, codes

CHAT = [{"kind": "chat"}]


@pytest.fixture
def work(driver: SpaceDriver, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of functions that the driver's space called for each event since, newest last."""
    found: list[int] = []
    handle = Space.handle

    def counted(space: Space, event: Any, now: int, position: int) -> Any:
        if space is not driver.space:
            return handle(space, event, now, position)
        calls = 0

        def count(_: FrameType, what: str, __: Any) -> None:
            nonlocal calls
            calls += what in ("call", "c_call")

        sys.setprofile(count)
        try:
            return handle(space, event, now, position)
        finally:
            sys.setprofile(None)
            found.append(calls)

    monkeypatch.setattr(Space, "handle", counted)
    return found


def grant(driver: SpaceDriver, id: str, **more: Any) -> list[str]:
    driver.now += 1_000
    return codes(driver.say("admin", "capability/grant", id, {"recipient": "mute", "capabilities": CHAT, **more}))


def revoke(driver: SpaceDriver, id: str, **what: Any) -> list[str]:
    driver.now += 1_000
    return codes(driver.say("admin", "capability/revoke", id, {"recipient": "mute", **what}))


def test_a_grant_takes_no_more_work_the_more_is_held(driver: SpaceDriver, work: list[int]) -> None:
    driver.join("admin")
    driver.join("mute")
    needed = []
    for n in range(120):
        assert grant(driver, f"g{n}", expires_at="2099-01-01T00:00:00Z") == []
        needed.append(work[-1])
        assert revoke(driver, f"r{n}", grant_id=f"g{n}") == []
        needed[-1] += work[-1]
        assert grant(driver, f"h{n}") == []
    assert max(needed[60:]) <= 1.1 * max(needed[1:30])  # a little is what comes with being charged


def test_a_look_up_takes_no_more_work_the_more_other_kinds_are_held(driver: SpaceDriver, work: list[int]) -> None:
    driver.join("admin")
    driver.join("mute")
    needed = []
    for n in range(60):
        grant(driver, f"g{n}", capabilities=[{"kind": f"acme/{n}"}])
        driver.say("mute", f"other/{n}", f"o{n}")
        needed.append(work[-1])
    assert max(needed[30:]) <= max(needed[1:20]) + 5


def test_revoking_many_grants_does_not_sort_all_deadlines_for_each(
    driver: SpaceDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sorted_ones: list[int] = []

    class Heap:
        heappush, heappop = staticmethod(heapq.heappush), staticmethod(heapq.heappop)

        @staticmethod
        def heapify(heap: list[Any]) -> None:
            sorted_ones.append(len(heap))
            heapq.heapify(heap)

    driver.join("admin")
    for n in range(100):
        grant(driver, f"g{n}", expires_at="2099-01-01T00:00:00Z")
    monkeypatch.setattr(deadlines, "heapq", Heap)
    assert revoke(driver, "v", capabilities=CHAT) == []
    assert driver.space.state.grants == {}
    assert driver.space.state.deadlines == []
    assert sum(sorted_ones) <= 2 * 2 * 100  # its twin has done the same


def test_an_unset_deadline_is_never_the_next(driver: SpaceDriver) -> None:
    driver.join("admin")
    for n in range(10):
        grant(driver, f"g{n}", expires_at=f"2099-01-01T00:00:{n:02}Z")
    assert revoke(driver, "v0", grant_id="g0") == []
    first = driver.space.deadline
    assert first == min(grant.expires_at or 0 for grant in driver.space.state.grants.values())
    driver.now = first
    driver.pass_deadlines()
    assert "g1" not in driver.space.state.grants
    driver.verify()


def test_an_invitation_again_and_again_is_paid_for(driver: SpaceDriver) -> None:
    driver.join("admin")
    invited = {"participant_id": "guest", "initial_capabilities": [{"kind": f"acme/{n}"} for n in range(256)]}
    answers = [codes(driver.say("admin", "space/invite", f"i{n}", invited)) for n in range(60)]
    assert answers[0] == []
    assert answers[-1] == ["rate_limited"]


def test_an_invitation_with_the_defaults_is_paid_for() -> None:
    settings = cast_settings(invited_capabilities=tuple({"kind": f"acme/{n}"} for n in range(256)))
    driver = SpaceDriver(settings)
    driver.join("admin")
    answers = [codes(driver.say("admin", "space/invite", f"i{n}", {"participant_id": "guest"})) for n in range(60)]
    assert answers[0] == []
    assert answers[-1] == ["rate_limited"]


def propose(driver: SpaceDriver, who: str, id: str, params: Any, **more: Any) -> list[str]:
    driver.now += 5_000
    return codes(driver.say(who, "mcp/proposal", id, {"method": "x", "params": params}, **more))


def test_a_request_is_made_comparable_once(driver: SpaceDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many proposals it names."""
    made: list[bytes] = []

    def counted(payload: Request) -> bytes:
        made.append(request_digest(payload))
        return made[-1]

    driver.join("worker")
    ids = [f"p{n}" for n in range(20)]
    for id in ids:
        assert propose(driver, "worker", id, {"l": [{"a": 1}] * 100}) == []
    propose(driver, "worker", "other", {"l": 0})
    monkeypatch.setattr(proposals, "request_digest", counted)
    asked = {"method": "x", "params": {"l": [{"a": 1}] * 100}}
    assert codes(driver.say("worker", "mcp/request", "r1", asked, correlation_id=[*ids, "other"])) == [
        "proposal_mismatch"
    ]
    assert len(made) == 2  # one by its twin
    assert codes(driver.say("worker", "mcp/request", "r2", asked, correlation_id=ids)) == []
    assert list(driver.space.state.proposals) == ["other"]


def test_comparing_is_paid_for(driver: SpaceDriver) -> None:
    driver.join("worker")
    driver.join("human")
    large = {"l": [{"": 0}] * 7_000}
    assert propose(driver, "worker", "p1", large) == []
    assert propose(driver, "worker", "p2", {"l": 0}) == []
    asked = {"method": "x", "params": large}
    answers = [
        codes(driver.say("human", "mcp/request", f"r{n}", asked, correlation_id=["p1", "p2"])) for n in range(10)
    ]
    assert answers[0] == ["proposal_mismatch"]
    assert answers[-1] == ["rate_limited"]
    driver.now += 5_000
    assert codes(driver.say("human", "mcp/request", "r", asked, correlation_id=["p1"])) == []


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 0}, {"a": False}, False),
        ({"a": 0}, {"a": -0.0}, True),
        ({"a": 0}, {"a": None}, False),
        ({"a": 2**53 + 1}, {"a": float(2**53)}, False),
        ({"a": 2**63}, {"a": float(2**63)}, True),
        ({"a": 1e300}, {"a": 1e300}, True),
        ({"a": 0.1}, {"a": 0.1000000000000001}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": "1.0"}, {"a": "1"}, False),
        ({}, None, False),
    ],
)
def test_digests_are_equal_where_values_are(one: Any, other: Any, is_same: bool) -> None:
    assert (request_digest(Request("m", one)) == request_digest(Request("m", other))) == is_same
    assert request_digest(Request("m", one)) != request_digest(Request("n", one))


def test_proposals_are_kept_as_they_came(driver: SpaceDriver) -> None:
    """Decoded, four megabytes of small objects took eighty."""
    driver.join("worker")
    assert propose(driver, "worker", "p1", {"b": [1, {"": 0}], "a": None}) == []
    assert driver.space.state.proposals["p1"].params == b'{"b":[1,{"":0}],"a":null}'
    told = json.loads(driver.join("human")[0].data)["payload"]["proposals"]["open"]  # type: ignore[union-attr]
    assert told[0]["params"] == {"b": [1, {"": 0}], "a": None}


def test_guests_of_one_sponsor_share_what_they_propose(driver: SpaceDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a participant that may invite holds as much as it has guests."""
    monkeypatch.setattr(proposals, "_OPEN_BYTES", 4_000)
    driver.join("admin")
    may = [{"kind": "mcp/proposal"}, {"kind": "space/invite"}]
    for by, name in (("admin", "one"), ("one", "two")):
        driver.say(by, "space/invite", f"i {name}", {"participant_id": name, "initial_capabilities": may})
    half = {"text": "x" * 2_000}
    assert propose(driver, "one", "p1", half) == []
    assert propose(driver, "two", "p2", half) == ["too_many_proposals"]
    assert propose(driver, "admin", "p3", half) == [], "its guests take nothing of its own"
    driver.restart()
    assert propose(driver, "two", "p4", half) == ["too_many_proposals"]
    driver.join("admin")
    assert codes(driver.say("admin", "space/kick", "k1", {"participant_id": "one"})) == ["proposal_voided"]
    assert propose(driver, "two", "p5", half) == []
    driver.verify()


def test_a_guest_has_no_grants_of_a_participant_that_was_configured(driver: SpaceDriver) -> None:
    driver.join("admin")
    assert grant(driver, "g1") == []
    settings = driver.space.state.settings
    others = {name: one for name, one in settings.participants.items() if name != "mute"}
    driver.reconfigure(msgspec.structs.replace(settings, participants=others))
    driver.say("admin", "space/invite", "i1", {"participant_id": "mute", "initial_capabilities": []})
    assert driver.space.members.capabilities("mute").sources == []
    driver.verify()


def test_what_configured_participants_lose_is_paid_for() -> None:
    patterns = tuple({"kind": f"acme/{n}"} for n in range(100))
    settings = cast_settings()
    people = {**settings.participants, "rich": Participant("rich", patterns)}
    driver = SpaceDriver(msgspec.structs.replace(settings, participants=people))
    driver.join("admin")
    taking: Callable[[int], Any] = lambda n: {"recipient": "rich", "capabilities": [patterns[n]]}  # noqa: E731
    answers = [codes(driver.say("admin", "capability/revoke", f"v{n}", taking(n))) for n in range(30)]
    assert answers[0] == []
    assert answers[-1] == ["rate_limited"]
