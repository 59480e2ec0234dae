"""Deadlines pass in the order of time, only when their event is handed in, and only while they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from mew_gateway.space import deadlines, machine
from mew_gateway.space.settings import SpaceSettings
from mew_gateway.space.state import DeadlineKind, State

START = 1_800_000_000_000


@pytest.fixture
def state() -> State:
    return State(settings=SpaceSettings(id="s", participants={}), version=1, epoch="e")


def test_the_earliest_is_due_first(state: State) -> None:
    for at, id in ((30, "c"), (10, "a"), (20, "b")):
        deadlines.schedule(state, at, "ack", id)
    assert deadlines.earliest(state) == 10
    assert [deadlines.due(state, 25), deadlines.due(state, 25)] == [(10, "ack", "a"), (20, "ack", "b")]
    assert deadlines.due(state, 25) is None
    assert deadlines.earliest(state) == 30


def test_equal_deadlines_are_due_in_scheduling_order(state: State) -> None:
    for id in ("z", "a", "m"):
        deadlines.schedule(state, 5, "owner", id)
    due = [deadlines.due(state, 5) for _ in range(3)]
    assert [deadline.id for deadline in due if deadline] == ["z", "a", "m"]
    assert deadlines.earliest(state) is None


def test_none_is_due_before_its_time(state: State) -> None:
    assert deadlines.due(state, 10**15) is None
    deadlines.schedule(state, 100, "conclusion", "i")
    assert deadlines.due(state, 99) is None
    assert deadlines.due(state, 100) == (100, "conclusion", "i")


def interrupted(driver: Any) -> None:
    """`solver` thinks from 1 s on and is interrupted at 2 s."""
    for name in ("human", "solver"):
        driver.at(0).join(name)
    driver.at(1_000).say("solver", "reasoning/start", "r1")
    driver.at(2_000).say(
        "human", "reasoning/interrupt", "i1", {"reason": "timeout"}, to=["solver"], correlation_id=["r1"]
    )


def test_space_returns_its_next_deadline(driver: Any) -> None:
    assert driver.space.deadline is None
    interrupted(driver)
    assert driver.space.deadline == START + 32_000


def test_only_a_deadline_event_ends_a_deadline(driver: Any, errors: Callable[..., list[str]]) -> None:
    interrupted(driver)
    assert errors(driver.at(1_000_000).say("human", "chat", "c1", {"text": "long after"})) == []
    assert (
        errors(driver.say("solver", "reasoning/interrupt-ack", "a1", {"status": "ignored"}, correlation_id=["i1"]))
        == []
    )
    assert driver.space.state.settled["i1"].status == "acked"


def test_all_that_are_due_pass_in_order(driver: Any, errors: Callable[..., list[str]]) -> None:
    interrupted(driver)
    driver.at(3_000).leave("solver")
    assert errors(driver.at(100_000).pass_deadlines()) == ["interrupt_ack_timeout", "sequence_lost"]
    assert driver.space.deadline is None


def test_each_passes_once(driver: Any, errors: Callable[..., list[str]]) -> None:
    interrupted(driver)
    assert errors(driver.at(32_000).pass_deadlines()) == ["interrupt_ack_timeout"]
    assert driver.pass_deadlines() == []
    driver.restart()
    assert driver.pass_deadlines() == []


def test_outdated_deadline_has_no_effect(driver: Any) -> None:
    interrupted(driver)
    driver.say("solver", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    driver.say("solver", "reasoning/conclusion", "e1", {}, context="r1")
    record = driver.space.state.settled["i1"]
    assert driver.at(1_000_000).pass_deadlines() == []
    assert driver.space.state.settled["i1"] == record
    assert driver.space.deadline is None


def test_every_deadline_has_its_handler() -> None:
    assert {*get_args(DeadlineKind)} == {*machine._PASSED}
