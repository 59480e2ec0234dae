"""Who may see what was said, and who is somebody else under the same name (docs/protocol.md §2, §8)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mew_gateway.gateway.broker.spaces.history_view import View
from mew_gateway.gateway.broker.spaces.output_records import outputs_of
from mew_gateway.journal.base import Entry, Record
from mew_gateway.space.proposals import reason_for
from mew_gateway.space.visibility import viewer

LIST = {"method": "tools/list"}


def invite(driver: Any, label: str = "guest") -> None:
    """A guest who may do everything comes in, kicked before if it was here."""
    name = label.partition("#")[0]
    driver.now += 1
    if driver.space.members.knows(name):
        driver.say("admin", "space/kick", f"kick-{driver.now}", {"participant_id": name})
    invitation = {"participant_id": name, "initial_capabilities": [{"kind": "*"}]}
    driver.say("admin", "space/invite", f"invite-{driver.now}", invitation)
    driver.issue(name)
    driver.join(label)


def payload(effects: list[Any]) -> dict[str, Any]:
    return json.loads(effects[0].data)["payload"]  # type: ignore[no-any-return]


def test_a_refusal_tells_the_outcome_only_to_who_may_see_it(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["watcher"])
    for name in ("worker", "human", "boss"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1", to=["human"])
    driver.say("worker", "reasoning/conclusion", "e1", {"outcome": "secret"}, context="r1", to=["human"])
    refusal = payload(driver.say("boss", "reasoning/cancel", "c1", context="r1"))
    assert (refusal["error"], refusal["outcome"]) == ("sequence_closed", "concluded")
    assert "secret" not in json.dumps(refusal)
    assert payload(driver.say("worker", "reasoning/thought", "t1", context="r1"))["outcome"] == "secret"
    driver.at(1).reconfigure(make_driver(routing="visible").space.state.settings)  # what was addressed stays so
    assert payload(driver.say("boss", "reasoning/cancel", "c2", context="r1"))["outcome"] == "concluded"


def test_guest_sees_nothing_from_before_its_invitation(driver: Any) -> None:
    for name in ("admin", "worker"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", {"method": "secret", "params": {"a": "secret"}})
    driver.say("worker", "stream/request", "s1", {"direction": "upload", "description": "secret"})
    driver.say("worker", "reasoning/start", "r1", {"message": "secret"})
    driver.say("worker", "reasoning/conclusion", "e1", {"outcome": "secret"}, context="r1")
    invite(driver)
    welcome = driver.join("guest#2")[0].data
    assert b"stream-1" in welcome and b"secret" not in welcome
    refused = payload(driver.say("guest", "mcp/request", "q1", LIST, correlation_id=["p1"]))
    assert refused["error"] == "proposal_not_found"
    assert payload(driver.say("guest", "reasoning/cancel", "c1", context="r1"))["outcome"] == "concluded"


def test_guest_of_the_same_name_is_another_participant(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("admin", "worker", "calculator"):
        driver.join(name)
    invite(driver)
    driver.say("guest", "capability/grant", "g1", {"recipient": "calculator", "capabilities": [{"kind": "acme/*"}]})
    driver.say("worker", "mcp/request", "q1", LIST, to=["guest"])
    driver.say("worker", "mcp/request", "q2", LIST)
    driver.say("guest", "reasoning/start", "r1")
    driver.say("worker", "mcp/proposal", "p1", LIST, to=["guest"])
    driver.say("guest", "mcp/proposal", "p2", LIST, to=["calculator"])
    driver.say("admin", "mcp/request", "q3", LIST, to=["calculator"], correlation_id=["p2"])
    driver.say("worker", "stream/request", "s1", {"direction": "upload", "target": ["guest"]})
    invite(driver)
    for id in ("q1", "q2"):
        assert errors(driver.say("guest", "mcp/response", f"a{id}", {}, correlation_id=[id])) == ["request_not_found"]
    assert errors(driver.say("guest", "mcp/reject", "j1", correlation_id=["p1"])) == ["proposal_not_found"]
    assert not viewer(driver.space.state, "guest").was_here(driver.space.state.grants["g1"].ordinal)
    assert driver.space.recipients_of_frame("worker", "stream-1") == ()
    driver.say("admin", "capability/revoke", "v1", {"recipient": "guest", "capabilities": [{"kind": "*"}]})
    given = {"recipient": "guest", "capabilities": [{"kind": "capability/*"}]}
    driver.say("admin", "capability/grant", "g2", given)
    revoked = driver.say("guest", "capability/revoke", "v2", {"recipient": "calculator", "grant_id": "g1"})
    assert errors(revoked) == ["not_granter"]


def test_answer_to_a_former_guest_is_not_for_its_successor(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["admin"])
    for name in ("admin", "calculator", "human"):
        driver.join(name)
    invite(driver)
    driver.say("guest", "mcp/proposal", "p1", LIST, to=["calculator"])
    driver.say("admin", "mcp/request", "q1", LIST, to=["calculator"], correlation_id=["p1"])
    invite(driver)
    (answer,) = driver.say("calculator", "mcp/response", "a1", {}, to=["admin"], correlation_id=["q1"])
    assert driver.numbers["guest"] not in answer.connections


def test_an_interrupt_ends_when_its_target_is_removed(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("admin", "boss"):
        driver.join(name)
    invite(driver)
    driver.say("guest", "reasoning/start", "r1")
    driver.say("boss", "reasoning/interrupt", "i1", {"reason": "error"}, to=["guest"], correlation_id=["r1"])
    driver.say("guest", "reasoning/conclusion", "e1", context="r1")
    assert "interrupt_target_left" in errors(driver.say("admin", "space/kick", "k1", {"participant_id": "guest"}))
    record = driver.space.state.settled["i1"]
    assert (record.status, record.deadline) == ("target_left", None)
    invite(driver)
    ack = driver.say("guest", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(ack) == ["unknown_interrupt"]
    assert driver.space.is_taken("guest")
    driver.say("admin", "space/kick", "k2", {"participant_id": "guest"})
    assert driver.space.is_taken("guest")  # no alias takes what is addressed to it
    driver.verify()


def test_ack_without_to_is_for_the_interrupter(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["watcher"])
    for name in ("worker", "boss", "human", "watcher"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1")
    driver.say("boss", "reasoning/interrupt", "i1", {"reason": "error"}, to=["worker"], correlation_id=["r1"])
    ack = driver.say("worker", "reasoning/interrupt-ack", "a1", {"status": "continuing"}, correlation_id=["i1"])[0]
    assert {driver.numbers[name] for name in ("worker", "boss", "watcher")} == set(ack.connections)
    assert set(ack.audience or ()) == {"worker", "boss", "watcher"}


def test_reason_of_an_addressed_transfer_reaches_its_recipients_only(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed")
    for name in ("worker", "admin", "human"):
        driver.join(name)
    driver.say("worker", "stream/request", "s1", {"direction": "upload"})
    given = {"stream_id": "stream-1", "new_owner": "admin", "reason": "secret"}
    forwarded, notice = driver.say("worker", "stream/transfer-ownership", "t1", given, to=["admin"])
    assert b"secret" in forwarded.data and driver.numbers["human"] not in forwarded.connections
    assert b"secret" not in notice.data and driver.numbers["human"] in notice.connections


def test_transferred_streams_count_for_their_asker(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "admin"):
        driver.join(name)
    for n in range(64):
        driver.say("worker", "stream/request", f"s{n}", {"direction": "upload"})
        given = {"stream_id": f"stream-{n + 1}", "new_owner": "admin"}
        assert errors(driver.say("worker", "stream/transfer-ownership", f"t{n}", given)) == []
    assert errors(driver.say("admin", "stream/request", "mine", {"direction": "upload"})) == []
    assert errors(driver.say("worker", "stream/request", "more", {"direction": "upload"})) == ["too_many_streams"]


def test_streams_of_an_earlier_guest_count_not_among_a_later_ones(
    driver: Any, errors: Callable[..., list[str]]
) -> None:
    for name in ("admin", "worker"):
        driver.join(name)
    invite(driver)
    for n in range(64):
        driver.say("guest", "stream/request", f"s{n}", {"direction": "upload"})
        driver.say(
            "guest", "stream/transfer-ownership", f"t{n}", {"stream_id": f"stream-{n + 1}", "new_owner": "worker"}
        )
    assert errors(driver.say("guest", "stream/request", "more", {"direction": "upload"})) == ["too_many_streams"]
    invite(driver)
    for n in range(64):
        assert errors(driver.say("guest", "stream/request", f"own{n}", {"direction": "upload"})) == []
    assert errors(driver.say("guest", "stream/request", "again", {"direction": "upload"})) == ["too_many_streams"]
    driver.verify()


def test_pauses_of_others_do_not_replace_a_pause(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "admin", "worker"):
        driver.join(name)
    for n in range(70):
        driver.say("human", "participant/pause", f"p{n}", to=["worker"])
    assert errors(driver.say("admin", "participant/pause", "mine", to=["worker"])) == []
    assert [pause.id for pause in driver.space.state.paused["worker"]] == ["p69", "mine"]
    driver.say("human", "participant/resume", "u1", to=["worker"], correlation_id=["p69"])
    assert errors(driver.say("worker", "chat", "c1", {"text": "free?"})) == ["paused"]


def test_order_in_one_millisecond_is_that_of_the_journal(make_driver: Callable[..., Any]) -> None:
    """A guest reads nothing that was said before its invitation, nor what an earlier guest of its name was told."""
    driver = make_driver(routing="addressed")
    driver.join("admin")
    invitation = {"participant_id": "guest", "initial_capabilities": [{"kind": "*"}]}
    driver.say("admin", "chat", "c1", {"text": "before"})
    driver.say("admin", "space/invite", "v1", invitation)
    driver.say("admin", "chat", "c2", {"text": "to the first"}, to=["guest"])
    driver.say("admin", "space/kick", "k1", {"participant_id": "guest"})
    driver.say("admin", "space/invite", "v2", invitation)
    driver.say("admin", "chat", "c3", {"text": "to the second"}, to=["guest"])
    assert _read(driver, "guest") == ["v2", "c3"]


def test_words_of_the_millisecond_of_a_new_routing_stay_addressed(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed")
    for name in ("human", "worker", "boss"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1", {"message": "secret"}, to=["human"])
    driver.say("worker", "mcp/proposal", "p1", LIST)
    driver.say("human", "mcp/reject", "j1", {"reason": "secret"}, correlation_id=["p1"], to=["worker"])
    driver.reconfigure(make_driver(routing="visible").space.state.settings)
    driver.say("worker", "reasoning/start", "r2", to=["human"])
    assert [id for id in _read(driver, "boss") if id in ("r1", "p1", "j1", "r2")] == ["p1", "r2"]
    state = driver.space.state
    assert reason_for(state.decided["p1"], viewer(state, "boss")) is None
    assert reason_for(state.decided["p1"], viewer(state, "worker")) == "secret"


def _read(driver: Any, name: str) -> list[str]:
    """Return the ids of the participants' envelopes that a participant reads in the record."""
    view, read = View(driver.space.state, name), []
    for position, (event, now, effects) in enumerate(driver._history, 1):
        entry = Entry(position, "demo", now, event)
        read += [seen.id for seen in view.of(Record(entry, tuple(outputs_of(entry, effects))))]
    return [id for id in read if not id.startswith("gw-")]
