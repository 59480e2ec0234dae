"""Open requests: who may answer, and how many are remembered (docs/protocol.md §4, §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Bounds

REQUEST = {"method": "tools/list"}


def test_the_oldest_goes_when_there_are_too_many(
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


def test_answered_ones_make_room(make_stage: Callable[..., Any], errors: Callable[..., list[str]]) -> None:
    stage = make_stage(bounds=Bounds(open_requests=2))
    for name in ("human", "calculator"):
        stage.join(name)
    stage.say("human", "mcp/request", "waiting", REQUEST, to=["calculator"])
    for n in range(5):
        stage.say("human", "mcp/request", f"q{n}", REQUEST, to=["calculator"])
        stage.say("calculator", "mcp/response", f"a{n}", {}, correlation_id=[f"q{n}"])
    assert errors(stage.say("calculator", "mcp/response", "a", {}, correlation_id=["waiting"])) == []


def test_a_notification_waits_for_nobody(stage: Any) -> None:
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


def test_who_proposed_sees_every_answer(make_stage: Callable[..., Any]) -> None:
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


def test_who_waits_for_somebody_who_is_removed_or_shut_down_is_told(
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


def test_who_is_shut_down_answers_what_it_owes_and_is_gone_then(
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
