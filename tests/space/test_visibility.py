"""Who may see what was said, and who is somebody else under the same name (docs/protocol.md §2, §8)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mew_gateway.space.visibility import viewer

LIST = {"method": "tools/list"}


def invite(stage: Any, label: str = "guest") -> None:
    """A guest who may do everything comes in, kicked before if it was here."""
    name = label.partition("#")[0]
    stage.now += 1
    if stage.space.members.knows(name):
        stage.say("admin", "space/kick", f"kick-{stage.now}", {"participant_id": name})
    invitation = {"participant_id": name, "initial_capabilities": [{"kind": "*"}]}
    stage.say("admin", "space/invite", f"invite-{stage.now}", invitation)
    stage.issue(name)
    stage.join(label)


def payload(effects: list[Any]) -> dict[str, Any]:
    return json.loads(effects[0].data)["payload"]  # type: ignore[no-any-return]


def test_a_refusal_tells_the_outcome_only_to_who_may_see_it(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed", observers=["watcher"])
    for name in ("worker", "human", "boss"):
        stage.join(name)
    stage.say("worker", "reasoning/start", "r1", to=["human"])
    stage.say("worker", "reasoning/conclusion", "e1", {"outcome": "secret"}, context="r1", to=["human"])
    refusal = payload(stage.say("boss", "reasoning/cancel", "c1", context="r1"))
    assert (refusal["error"], refusal["outcome"]) == ("sequence_closed", "concluded")
    assert "secret" not in json.dumps(refusal)
    assert payload(stage.say("worker", "reasoning/thought", "t1", context="r1"))["outcome"] == "secret"
    stage.at(1).reconfigure(make_stage(routing="visible").space.state.settings)  # what was addressed stays so
    assert payload(stage.say("boss", "reasoning/cancel", "c2", context="r1"))["outcome"] == "concluded"


def test_guest_sees_nothing_from_before_its_invitation(stage: Any) -> None:
    for name in ("admin", "worker"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", {"method": "secret", "params": {"a": "secret"}})
    stage.say("worker", "stream/request", "s1", {"direction": "upload", "description": "secret"})
    stage.say("worker", "reasoning/start", "r1", {"message": "secret"})
    stage.say("worker", "reasoning/conclusion", "e1", {"outcome": "secret"}, context="r1")
    invite(stage)
    welcome = stage.join("guest#2")[0].data
    assert b"stream-1" in welcome and b"secret" not in welcome
    refused = payload(stage.say("guest", "mcp/request", "q1", LIST, correlation_id=["p1"]))
    assert refused["error"] == "proposal_not_found"
    assert payload(stage.say("guest", "reasoning/cancel", "c1", context="r1"))["outcome"] == "concluded"


def test_guest_of_the_same_name_is_another_participant(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("admin", "worker", "calculator"):
        stage.join(name)
    invite(stage)
    stage.say("guest", "capability/grant", "g1", {"recipient": "calculator", "capabilities": [{"kind": "acme/*"}]})
    stage.say("worker", "mcp/request", "q1", LIST, to=["guest"])
    stage.say("worker", "mcp/request", "q2", LIST)
    stage.say("guest", "reasoning/start", "r1")
    stage.say("worker", "mcp/proposal", "p1", LIST, to=["guest"])
    stage.say("guest", "mcp/proposal", "p2", LIST, to=["calculator"])
    stage.say("admin", "mcp/request", "q3", LIST, to=["calculator"], correlation_id=["p2"])
    stage.say("worker", "stream/request", "s1", {"direction": "upload", "target": ["guest"]})
    invite(stage)
    for id in ("q1", "q2"):
        assert errors(stage.say("guest", "mcp/response", f"a{id}", {}, correlation_id=[id])) == ["request_not_found"]
    assert errors(stage.say("guest", "mcp/reject", "j1", correlation_id=["p1"])) == ["proposal_not_found"]
    assert not viewer(stage.space.state, "guest").was_here(stage.space.state.grants["g1"].ordinal)
    assert stage.space.recipients_of_frame("worker", "stream-1") == ()
    stage.say("admin", "capability/revoke", "v1", {"recipient": "guest", "capabilities": [{"kind": "*"}]})
    given = {"recipient": "guest", "capabilities": [{"kind": "capability/*"}]}
    stage.say("admin", "capability/grant", "g2", given)
    revoked = stage.say("guest", "capability/revoke", "v2", {"recipient": "calculator", "grant_id": "g1"})
    assert errors(revoked) == ["not_granter"]


def test_answer_to_a_former_guest_is_not_for_its_successor(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed", observers=["admin"])
    for name in ("admin", "calculator", "human"):
        stage.join(name)
    invite(stage)
    stage.say("guest", "mcp/proposal", "p1", LIST, to=["calculator"])
    stage.say("admin", "mcp/request", "q1", LIST, to=["calculator"], correlation_id=["p1"])
    invite(stage)
    (answer,) = stage.say("calculator", "mcp/response", "a1", {}, to=["admin"], correlation_id=["q1"])
    assert stage.numbers["guest"] not in answer.connections


def test_an_interrupt_ends_when_its_target_is_removed(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("admin", "boss"):
        stage.join(name)
    invite(stage)
    stage.say("guest", "reasoning/start", "r1")
    stage.say("boss", "reasoning/interrupt", "i1", {"reason": "error"}, to=["guest"], correlation_id=["r1"])
    stage.say("guest", "reasoning/conclusion", "e1", context="r1")
    assert "interrupt_target_left" in errors(stage.say("admin", "space/kick", "k1", {"participant_id": "guest"}))
    record = stage.space.state.settled["i1"]
    assert (record.status, record.deadline) == ("target_left", None)
    invite(stage)
    ack = stage.say("guest", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(ack) == ["unknown_interrupt"]
    assert stage.space.is_taken("guest")
    stage.say("admin", "space/kick", "k2", {"participant_id": "guest"})
    assert stage.space.is_taken("guest")  # no alias takes what is addressed to it
    stage.verify()


def test_ack_without_to_is_for_the_interrupter(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed", observers=["watcher"])
    for name in ("worker", "boss", "human", "watcher"):
        stage.join(name)
    stage.say("worker", "reasoning/start", "r1")
    stage.say("boss", "reasoning/interrupt", "i1", {"reason": "error"}, to=["worker"], correlation_id=["r1"])
    ack = stage.say("worker", "reasoning/interrupt-ack", "a1", {"status": "continuing"}, correlation_id=["i1"])[0]
    assert {stage.numbers[name] for name in ("worker", "boss", "watcher")} == set(ack.connections)
    assert set(ack.audience or ()) == {"worker", "boss", "watcher"}


def test_reason_of_an_addressed_transfer_reaches_its_recipients_only(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed")
    for name in ("worker", "admin", "human"):
        stage.join(name)
    stage.say("worker", "stream/request", "s1", {"direction": "upload"})
    given = {"stream_id": "stream-1", "new_owner": "admin", "reason": "secret"}
    forwarded, notice = stage.say("worker", "stream/transfer-ownership", "t1", given, to=["admin"])
    assert b"secret" in forwarded.data and stage.numbers["human"] not in forwarded.connections
    assert b"secret" not in notice.data and stage.numbers["human"] in notice.connections


def test_transferred_streams_count_for_their_asker(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "admin"):
        stage.join(name)
    for n in range(64):
        stage.say("worker", "stream/request", f"s{n}", {"direction": "upload"})
        given = {"stream_id": f"stream-{n + 1}", "new_owner": "admin"}
        assert errors(stage.say("worker", "stream/transfer-ownership", f"t{n}", given)) == []
    assert errors(stage.say("admin", "stream/request", "mine", {"direction": "upload"})) == []
    assert errors(stage.say("worker", "stream/request", "more", {"direction": "upload"})) == ["too_many_streams"]


def test_streams_of_an_earlier_guest_count_not_among_a_later_ones(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("admin", "worker"):
        stage.join(name)
    invite(stage)
    for n in range(64):
        stage.say("guest", "stream/request", f"s{n}", {"direction": "upload"})
        stage.say(
            "guest", "stream/transfer-ownership", f"t{n}", {"stream_id": f"stream-{n + 1}", "new_owner": "worker"}
        )
    assert errors(stage.say("guest", "stream/request", "more", {"direction": "upload"})) == ["too_many_streams"]
    invite(stage)
    for n in range(64):
        assert errors(stage.say("guest", "stream/request", f"own{n}", {"direction": "upload"})) == []
    assert errors(stage.say("guest", "stream/request", "again", {"direction": "upload"})) == ["too_many_streams"]
    stage.verify()


def test_pauses_of_others_do_not_replace_a_pause(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "admin", "worker"):
        stage.join(name)
    for n in range(70):
        stage.say("human", "participant/pause", f"p{n}", to=["worker"])
    assert errors(stage.say("admin", "participant/pause", "mine", to=["worker"])) == []
    assert [pause.id for pause in stage.space.state.paused["worker"]] == ["p69", "mine"]
    stage.say("human", "participant/resume", "u1", to=["worker"], correlation_id=["p69"])
    assert errors(stage.say("worker", "chat", "c1", {"text": "free?"})) == ["paused"]
