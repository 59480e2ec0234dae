"""Open requests: who may answer, and how many are remembered (docs/protocol.md §4, §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Bounds

REQUEST = {"method": "tools/list"}


def test_oldest_request_is_dropped_when_there_are_too_many(
    make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    stage = make_stage(bounds=Bounds(open_requests=2))
    for name in ("human", "calculator"):
        stage.join(name)
    for n in range(3):
        assert errors(stage.say("human", "mcp/request", f"q{n}", REQUEST, to=["calculator"])) == []
    assert len(stage.space.state.requests) == 2
    assert errors(stage.say("calculator", "mcp/response", "a0", {}, correlation_id=["q0"])) == ["request_not_found"]
    assert errors(stage.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == []
    assert errors(stage.say("calculator", "mcp/response", "a2", {}, correlation_id=["q2"])) == []
    assert not stage.space.state.requests
    stage.verify()


def test_answered_requests_free_their_place(make_stage: Callable[..., Any], errors: Callable[..., list[str]]) -> None:
    stage = make_stage(bounds=Bounds(open_requests=2))
    for name in ("human", "calculator"):
        stage.join(name)
    stage.say("human", "mcp/request", "waiting", REQUEST, to=["calculator"])
    for n in range(5):
        stage.say("human", "mcp/request", f"q{n}", REQUEST, to=["calculator"])
        stage.say("calculator", "mcp/response", f"a{n}", {}, correlation_id=[f"q{n}"])
    assert errors(stage.say("calculator", "mcp/response", "a", {}, correlation_id=["waiting"])) == []


def test_notification_is_not_remembered(stage: Any) -> None:
    stage.join("human")
    stage.say("human", "mcp/request", "n1", {"method": "notifications/initialized"}, to=["calculator"])
    assert not stage.space.state.requests


def test_a_request_to_everybody_needs_the_capability_to_answer(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "worker", "calculator"):
        stage.join(name)
    stage.say("human", "mcp/request", "q1", REQUEST)
    assert errors(stage.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == ["capability_violation"]
    assert errors(stage.say("worker", "mcp/response", "a2", {}, correlation_id=["q1"])) == []


def test_an_answered_id_is_free_again(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "calculator", "solver"):
        stage.join(name)
    stage.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
    assert errors(stage.say("solver", "chat", "q1", {"text": "x"})) == ["duplicate_id"]
    stage.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])
    assert errors(stage.say("solver", "chat", "q1", {"text": "x"})) == []


def test_proposer_sees_every_response(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed", observers=["human"])
    for name in ("human", "worker", "calculator", "solver"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", REQUEST, to=["calculator", "solver"])
    stage.say("human", "mcp/request", "q1", REQUEST, to=["solver", "calculator"], correlation_id=["p1"])
    (first,) = stage.say("calculator", "mcp/response", "a1", {}, to=["human"], correlation_id=["q1"])
    (second,) = stage.say("solver", "mcp/response", "a2", {}, to=["human"], correlation_id=["q1"])
    assert first.connections == (1, 3, 2)
    assert second.connections == (1, 4, 2)
    assert not stage.space.state.requests
    stage.verify()


def test_requester_is_notified_when_the_target_is_removed(
    make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    for order, after in (("space/kick", 0), ("participant/shutdown", 60_000)):
        stage = make_stage()
        for name in ("human", "admin", "calculator"):
            stage.join(name)
        stage.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
        said = stage.say("admin", order, "k1", {"participant_id": "calculator"}, to=["calculator"])
        if after:
            assert errors(said) == []
            said = stage.at(after - 1).pass_deadlines()
            assert errors(said) == []
            said = stage.at(after).pass_deadlines()
        assert errors(said) == ["request_target_left"], order
        assert not stage.space.state.requests
        stage.verify()


def test_shut_down_participant_answers_open_requests_before_it_leaves(
    make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    stage = make_stage()
    for name in ("human", "admin", "calculator"):
        stage.join(name)
    stage.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
    stage.say("admin", "participant/shutdown", "d1", {}, to=["calculator"])
    stage.at(9_000).pass_deadlines()
    assert errors(stage.say("calculator", "chat", "c1", {"text": "x"})) == ["shutting_down"]
    assert errors(stage.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == []
    assert "calculator" in stage.space.members.present()
    assert errors(stage.at(11_000).pass_deadlines()) == []
    assert "calculator" not in stage.space.members.present()
