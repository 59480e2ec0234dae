"""The gateway's own envelopes: the welcome, presence and errors, whole, and who may see them (docs/protocol.md §1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Bounds

from .conftest import Stage, cast_settings


def own(effects: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(effect.data) for effect in effects if effect.own]


def test_a_welcome_says_who_you_are_and_who_is_here(stage: Any) -> None:
    stage.join("calculator")
    welcome, _ = own(stage.join("queuer"))
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


def test_presence_says_what_a_newcomer_may_do(stage: Any) -> None:
    stage.join("human")
    _, presence = own(stage.join("calculator"))
    assert presence["kind"] == "system/presence"
    assert presence["payload"] == {
        "event": "join",
        "participant": {"id": "calculator", "capabilities": [{"kind": "chat"}]},
    }


def test_a_welcome_lists_the_newest_hundred_sequences_and_counts_all(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(bounds=Bounds(open_sequences=70))
    for name in ("solver", "worker"):
        stage.join(name)
    for n in range(60):
        for name in ("solver", "worker"):
            stage.say(name, "reasoning/start", f"{name}-{n}")
    listed = own(stage.join("human"))[0]["payload"]["sequences"]
    assert listed["count"] == 120
    assert len(listed["open"]) == 100
    assert listed["open"][0]["id"] == "solver-10"
    assert listed["open"][-1]["id"] == "worker-59"


def test_every_envelope_of_the_gateway_has_an_id_of_its_own(stage: Any) -> None:
    ids = [envelope["id"] for name in ("human", "solver", "worker") for envelope in own(stage.join(name))]
    ids += [envelope["id"] for n in range(5) for envelope in own(stage.say("human", "acme/x", f"x{n}"))]
    stage.restart()
    ids += [envelope["id"] for envelope in own(stage.join("human"))]
    assert len(ids) == len(set(ids)) == 13


def test_a_refusal_is_for_the_connection_that_spoke(stage: Any) -> None:
    for label in ("solver", "solver#2", "human"):
        stage.join(label)
    (refusal,) = stage.say("solver#2", "mcp/request", "q1", {"method": "x"})
    assert refusal.connections == (stage.numbers["solver#2"],)
    assert (refusal.own, refusal.refusal, refusal.audience) == (True, True, ("solver",))
    error = json.loads(refusal.data)
    assert error["to"] == ["solver"]
    assert error["correlation_id"] == ["q1"]
    assert error["payload"] == {
        "error": "capability_violation",
        "message": "You lack a capability for this mcp/request.",
        "attempted_kind": "mcp/request",
        "your_capabilities": own(stage.join("solver#3"))[0]["payload"]["you"]["capabilities"],
    }


def test_a_notice_is_for_all_connections_of_one_participant(stage: Any) -> None:
    for label in ("human", "human#2", "solver"):
        stage.join(label)
    forwarded, notice = stage.say("human", "chat", "c1", {"text": "hi"}, to=["nobody"])
    assert not forwarded.own
    assert notice.connections == (stage.numbers["human"], stage.numbers["human#2"])
    assert (notice.own, notice.refusal, notice.audience) == (True, False, ("human",))


def test_broadcast_has_no_audience(stage: Any) -> None:
    for label in ("human", "solver"):
        stage.join(label)
    (presence,) = stage.leave("solver")
    assert presence.audience is None


def test_unconfigured_participant_is_gone_after_a_restart(stage: Any) -> None:
    for label in ("human", "solver"):
        stage.join(label)
    stage.say("solver", "reasoning/start", "r1")
    settings = stage.space.state.settings
    fewer = {name: participant for name, participant in settings.participants.items() if name != "solver"}
    stage.reconfigure(type(settings)(id="demo", participants=fewer))
    stage.restart()
    welcome, _ = own(stage.join("human"))
    assert welcome["payload"]["participants"] == []
    assert [sequence["id"] for sequence in welcome["payload"]["sequences"]["open"]] == ["r1"]
    (lost,) = own(stage.at(30_000).pass_deadlines())
    assert lost["payload"]["error"] == "sequence_lost"
    stage.verify()


def test_welcome_is_recorded_without_its_payload(stage: Any) -> None:
    effect, _ = stage.join("calculator")
    whole, head = json.loads(effect.data), json.loads(effect.kept)
    assert whole["payload"]["you"]["id"] == "calculator"
    assert head == {**whole, "payload": {}}


def test_routes_to_many_recipients_are_not_cached() -> None:
    """Names are the senders' to invent: what is remembered of them is little."""
    stage = Stage(cast_settings(routing="addressed"))
    stage.join("human")
    stage.say("human", "chat", "c1", {"text": "x"}, to=[f"nobody-{n}" for n in range(9)])
    assert not stage.space.members._routes
    stage.say("human", "chat", "c2", {"text": "x"}, to=[f"nobody-{n}" for n in range(8)])
    assert len(stage.space.members._routes) == 1
