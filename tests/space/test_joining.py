"""The gateway's own envelopes: the welcome, presence and errors, whole, and who may see them (docs/protocol.md §1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Bounds, Participant, SpaceSettings

from ..kit.space_driver import SpaceDriver, cast_settings, codes


def own(effects: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(effect.data) for effect in effects if effect.own]


def test_a_welcome_says_who_you_are_and_who_is_here(driver: Any) -> None:
    driver.join("calculator")
    welcome, _ = own(driver.join("queuer"))
    assert welcome == {
        "protocol": "mew/v0.4",
        "id": "gw-e-3",
        "ts": "2027-01-15T08:00:00.000Z",
        "from": "system:gateway",
        "kind": "system/welcome",
        "to": ["queuer"],
        "payload": {
            "you": {
                "id": "queuer",
                "capabilities": [{"kind": "reasoning/interrupt", "payload": {"class": "queue"}}],
            },
            "participants": [{"id": "calculator", "capabilities": [{"kind": "chat"}]}],
            "active_streams": [],
            "space": {"id": "demo", "description": ""},
            "sequences": {"open": [], "count": 0},
            "proposals": {"open": [], "count": 0},
            "halted": [],
            "guests": {"away": [], "count": 0},
        },
    }


def test_presence_says_what_a_newcomer_may_do(driver: Any) -> None:
    driver.join("human")
    _, presence = own(driver.join("calculator"))
    assert presence["kind"] == "system/presence"
    assert presence["payload"] == {
        "event": "join",
        "participant": {"id": "calculator", "capabilities": [{"kind": "chat"}]},
    }


def test_a_welcome_lists_the_newest_hundred_sequences_and_counts_all(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(bounds=Bounds(open_sequences=70))
    for name in ("solver", "worker"):
        driver.join(name)
    for n in range(60):
        for name in ("solver", "worker"):
            driver.say(name, "reasoning/start", f"{name}-{n}")
    listed = own(driver.join("human"))[0]["payload"]["sequences"]
    assert listed["count"] == 120
    assert len(listed["open"]) == 100
    assert listed["open"][0]["id"] == "solver-10"
    assert listed["open"][-1]["id"] == "worker-59"


def test_every_envelope_of_the_gateway_has_an_id_of_its_own(driver: Any) -> None:
    ids = [envelope["id"] for name in ("human", "solver", "worker") for envelope in own(driver.join(name))]
    ids += [envelope["id"] for n in range(5) for envelope in own(driver.say("human", "acme/x", f"x{n}"))]
    driver.restart()
    ids += [envelope["id"] for envelope in own(driver.join("human"))]
    assert len(ids) == len(set(ids)) == 13


def test_a_refusal_is_for_the_connection_that_spoke(driver: Any) -> None:
    for label in ("solver", "solver#2", "human"):
        driver.join(label)
    (refusal,) = driver.say("solver#2", "mcp/request", "q1", {"method": "x"})
    assert refusal.connections == (driver.numbers["solver#2"],)
    assert (refusal.own, refusal.refusal, refusal.audience) == (True, True, ("solver",))
    error = json.loads(refusal.data)
    assert error["to"] == ["solver"]
    assert error["correlation_id"] == ["q1"]
    assert error["payload"] == {
        "error": "capability_violation",
        "message": "You lack a capability for this mcp/request.",
        "attempted_kind": "mcp/request",
        "your_capabilities": own(driver.join("solver#3"))[0]["payload"]["you"]["capabilities"],
    }


def test_a_notice_is_for_all_connections_of_one_participant(driver: Any) -> None:
    for label in ("human", "human#2", "solver"):
        driver.join(label)
    forwarded, notice = driver.say("human", "chat", "c1", {"text": "hi"}, to=["nobody"])
    assert not forwarded.own
    assert notice.connections == (driver.numbers["human"], driver.numbers["human#2"])
    assert (notice.own, notice.refusal, notice.audience) == (True, False, ("human",))


def test_broadcast_has_no_audience(driver: Any) -> None:
    for label in ("human", "solver"):
        driver.join(label)
    (presence,) = driver.leave("solver")
    assert presence.audience is None


def test_unconfigured_participant_is_gone_after_a_restart(driver: Any) -> None:
    for label in ("human", "solver"):
        driver.join(label)
    driver.say("solver", "reasoning/start", "r1")
    settings = driver.space.state.settings
    fewer = {name: participant for name, participant in settings.participants.items() if name != "solver"}
    driver.reconfigure(type(settings)(id="demo", participants=fewer))
    driver.restart()
    welcome, _ = own(driver.join("human"))
    assert welcome["payload"]["participants"] == []
    assert [sequence["id"] for sequence in welcome["payload"]["sequences"]["open"]] == ["r1"]
    (lost,) = own(driver.at(30_000).pass_deadlines())
    assert lost["payload"]["error"] == "sequence_lost"
    driver.verify()


def test_welcome_is_recorded_without_its_payload(driver: Any) -> None:
    effect, _ = driver.join("calculator")
    whole, head = json.loads(effect.data), json.loads(effect.kept)
    assert whole["payload"]["you"]["id"] == "calculator"
    assert head == {**whole, "payload": {}}


def test_routes_to_many_recipients_are_not_cached() -> None:
    """Names are the senders' to invent: what is remembered of them is little."""
    driver = SpaceDriver(cast_settings(routing="addressed"))
    driver.join("human")
    driver.say("human", "chat", "c1", {"text": "x"}, to=[f"nobody-{n}" for n in range(9)])
    assert not driver.space.members._routes
    driver.say("human", "chat", "c2", {"text": "x"}, to=[f"nobody-{n}" for n in range(8)])
    assert len(driver.space.members._routes) == 1


def stuffed(driver: Any, inviter: str, *, most: int = 40) -> int:
    """Have a participant invite guests with as much as one may have, who join, until it may not; return how many."""
    blob = [{"kind": "chat", "payload": {"text": "z" * 980}} for _ in range(32)]
    for number in range(most):
        guest = f"{inviter}-{number}"
        payload = {"participant_id": guest, "initial_capabilities": blob}
        driver.now += 1_000  # each is paid for
        if codes(driver.say(inviter, "space/invite", guest, payload)):
            return number
        driver.join(guest)
    return most


def test_a_welcome_stays_small_whoever_invites() -> None:
    """Else everybody who joins is closed with 4008: the welcome fills the outbox."""
    inviting = ({"kind": "chat"}, {"kind": "space/invite"}, {"kind": "capability/grant"})
    participants = {name: Participant(name, inviting) for name in ("ana", "bob", "boss")}
    driver: Any = SpaceDriver(SpaceSettings(id="demo", participants=participants))
    for name in ("ana", "bob"):
        driver.join(name)
    can = [{"kind": "chat"}, {"kind": "space/invite"}]
    driver.say("ana", "space/invite", "v1", {"participant_id": "helper", "initial_capabilities": can})
    driver.join("helper")
    assert stuffed(driver, "ana") == 16, "half of a MiB"
    assert stuffed(driver, "helper") == 0, "what a guest gives is given by who invited it"
    assert stuffed(driver, "bob") == 8, "half of what is left"
    welcome = driver.join("boss")[0]
    assert len(welcome.data) < Bounds().given_bytes
    given = {"recipient": "boss", "capabilities": [{"kind": "chat"}]}
    _, again, presence = driver.say("bob", "capability/grant", "g1", given)
    assert len(again.data) < Bounds().given_bytes
    assert len(presence.data) < 1_000


def test_a_change_of_capabilities_is_one_welcome_and_one_update(driver: Any) -> None:
    """However many are here, and however much they hold."""
    for label in ("admin", "human", "boss", "safety", "solver", "solver#2"):
        driver.join(label)
    assert stuffed(driver, "admin", most=5) == 5
    _, welcome, update = driver.say(
        "admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": "mcp/request"}]}
    )
    assert welcome.connections == (driver.numbers["solver"], driver.numbers["solver#2"])
    assert len(welcome.data) > 5 * 32_000
    assert len(update.connections) == 4 + 5
    assert len(update.data) < 1_000
    (leave,) = driver.leave("human")
    assert len(leave.data) < 1_000
    _, joined = driver.join("human")
    assert len(joined.data) < 1_000
