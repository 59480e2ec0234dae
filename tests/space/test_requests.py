"""Open requests: who may answer, and how many are remembered (docs/protocol.md §4, §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Bounds

REQUEST = {"method": "tools/list"}


def test_oldest_request_is_dropped_when_there_are_too_many(
    make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    driver = make_driver(bounds=Bounds(open_requests=2))
    for name in ("human", "calculator"):
        driver.join(name)
    for n in range(3):
        assert errors(driver.say("human", "mcp/request", f"q{n}", REQUEST, to=["calculator"])) == []
    assert len(driver.space.state.requests) == 2
    assert errors(driver.say("calculator", "mcp/response", "a0", {}, correlation_id=["q0"])) == ["request_not_found"]
    assert errors(driver.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == []
    assert errors(driver.say("calculator", "mcp/response", "a2", {}, correlation_id=["q2"])) == []
    assert not driver.space.state.requests
    driver.verify()


def test_answered_requests_free_their_place(make_driver: Callable[..., Any], errors: Callable[..., list[str]]) -> None:
    driver = make_driver(bounds=Bounds(open_requests=2))
    for name in ("human", "calculator"):
        driver.join(name)
    driver.say("human", "mcp/request", "waiting", REQUEST, to=["calculator"])
    for n in range(5):
        driver.say("human", "mcp/request", f"q{n}", REQUEST, to=["calculator"])
        driver.say("calculator", "mcp/response", f"a{n}", {}, correlation_id=[f"q{n}"])
    assert errors(driver.say("calculator", "mcp/response", "a", {}, correlation_id=["waiting"])) == []


def test_notification_is_not_remembered(driver: Any) -> None:
    driver.join("human")
    driver.say("human", "mcp/request", "n1", {"method": "notifications/initialized"}, to=["calculator"])
    assert not driver.space.state.requests


def test_a_request_to_everybody_needs_the_capability_to_answer(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "worker", "calculator"):
        driver.join(name)
    driver.say("human", "mcp/request", "q1", REQUEST)
    assert errors(driver.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == ["capability_violation"]
    assert errors(driver.say("worker", "mcp/response", "a2", {}, correlation_id=["q1"])) == []


def test_an_answered_id_is_free_again(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "calculator", "solver"):
        driver.join(name)
    driver.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
    assert errors(driver.say("solver", "chat", "q1", {"text": "x"})) == ["duplicate_id"]
    driver.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])
    assert errors(driver.say("solver", "chat", "q1", {"text": "x"})) == []


def test_proposer_sees_every_response(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["human"])
    for name in ("human", "worker", "calculator", "solver"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", REQUEST, to=["calculator", "solver"])
    driver.say("human", "mcp/request", "q1", REQUEST, to=["solver", "calculator"], correlation_id=["p1"])
    (first,) = driver.say("calculator", "mcp/response", "a1", {}, to=["human"], correlation_id=["q1"])
    (second,) = driver.say("solver", "mcp/response", "a2", {}, to=["human"], correlation_id=["q1"])
    assert first.connections == (1, 3, 2)
    assert second.connections == (1, 4, 2)
    assert not driver.space.state.requests
    driver.verify()


def test_requester_is_notified_when_the_target_is_removed(
    make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    for order, after in (("space/kick", 0), ("participant/shutdown", 60_000)):
        driver = make_driver()
        for name in ("human", "admin", "calculator"):
            driver.join(name)
        driver.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
        said = driver.say("admin", order, "k1", {"participant_id": "calculator"}, to=["calculator"])
        if after:
            assert errors(said) == []
            said = driver.at(after - 1).pass_deadlines()
            assert errors(said) == []
            said = driver.at(after).pass_deadlines()
        assert errors(said) == ["request_target_left"], order
        assert not driver.space.state.requests
        driver.verify()


def test_shut_down_participant_answers_open_requests_before_it_leaves(
    make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    driver = make_driver()
    for name in ("human", "admin", "calculator"):
        driver.join(name)
    driver.say("human", "mcp/request", "q1", REQUEST, to=["calculator"])
    driver.say("admin", "participant/shutdown", "d1", {}, to=["calculator"])
    driver.at(9_000).pass_deadlines()
    assert errors(driver.say("calculator", "chat", "c1", {"text": "x"})) == ["shutting_down"]
    assert errors(driver.say("calculator", "mcp/response", "a1", {}, correlation_id=["q1"])) == []
    assert "calculator" in driver.space.members.present()
    assert errors(driver.at(11_000).pass_deadlines()) == []
    assert "calculator" not in driver.space.members.present()
