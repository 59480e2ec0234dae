"""Records of what was said: thousands are kept, so each keeps little (docs/protocol.md §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mew_gateway.space.settings import Interrupts, Step
from mew_gateway.space.state import REMEMBERED

LONG = "x" * 10_000
SHORT = "x" * (REMEMBERED - 1) + "…"


def test_records_keep_the_beginning_of_what_was_said(driver: Any) -> None:
    for label in ("human", "worker"):
        driver.join(label)
    driver.say("worker", "reasoning/start", "r1", {"message": LONG})
    driver.say(
        "human", "reasoning/interrupt", "i1", {"reason": "other", "message": LONG}, to=["worker"], correlation_id=["r1"]
    )
    answer = {"status": "stopping", "message": LONG, "outcome": LONG}
    driver.say("worker", "reasoning/interrupt-ack", "a1", answer, correlation_id=["i1"])
    driver.say("worker", "reasoning/conclusion", "c1", {"outcome": LONG}, context="r1")
    closed, settled = driver.space.state.closed["r1"], driver.space.state.settled["i1"]
    assert (closed.message, closed.said) == (SHORT, SHORT)
    assert (settled.message, settled.ack.message, settled.ack.outcome) == (SHORT, SHORT, SHORT)
    assert len(driver.space.snapshot()["state"]) < 50_000


def test_a_grant_keeps_the_beginning_of_its_reason(driver: Any) -> None:
    driver.join("admin")
    given = {"recipient": "worker", "capabilities": [{"kind": "chat"}], "reason": LONG}
    driver.say("admin", "capability/grant", "g1", given)
    assert driver.space.state.grants["g1"].reason == SHORT


def test_overdue_interrupt_keeps_its_record_without_the_envelope(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(interrupts=Interrupts(escalation=(Step("kick", 86_400_000),)))
    for label in ("human", "worker"):
        driver.join(label)
    driver.say("worker", "reasoning/start", "r1")
    asked = {"reason": "other", "message": LONG}
    driver.say("human", "reasoning/interrupt", "i1", asked, to=["worker"], correlation_id=["r1"])
    driver.at(30_000).pass_deadlines()
    assert driver.space.state.interrupts["i1"].data is None


def test_large_interrupt_is_refused(driver: Any, errors: Callable[..., Any]) -> None:
    for label in ("human", "boss", "worker"):
        driver.join(label)
    driver.say("worker", "reasoning/start", "r1")
    asked = {"reason": "other", "message": "x" * 16_384}
    about = {"to": ["worker"], "correlation_id": ["r1"]}
    assert errors(driver.say("human", "reasoning/interrupt", "i1", asked, **about)) == ["invalid_interrupt"]
    cancel = {"reason": "x" * 16_384}
    assert errors(driver.say("boss", "reasoning/cancel", "x1", cancel, context="r1")) == ["invalid_interrupt"]
    assert driver.space.state.interrupts == {}
