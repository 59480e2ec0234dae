"""The end of a run whose span may finish after an emergency."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.compliance.conclusion_checks import judge_cancel, judge_conclusions
from mew_gateway.compliance.promise_checks import judge_silence
from mew_gateway.compliance.record import Record

START = {"kind": "reasoning/start", "id": "run", "from": "agent"}
ALARM = {
    "kind": "reasoning/interrupt",
    "id": "alarm",
    "from": "guardian",
    "to": ["agent"],
    "correlation_id": ["run"],
    "class": "emergency",
}
ACK = {
    "kind": "reasoning/interrupt-ack",
    "id": "ack",
    "from": "agent",
    "to": ["guardian"],
    "correlation_id": ["alarm"],
    "status": "continuing",
    "outcome": "halt_after_span",
    "stop_by": "2026-01-01T00:00:12Z",
}
END = {"kind": "reasoning/conclusion", "id": "end", "from": "agent", "context": "run", "interrupt_id": "alarm"}
LEAVE = {"kind": "system/presence", "event": "leave", "participant": "agent"}
CANCEL = {"kind": "reasoning/cancel", "id": "cancel", "from": "supervisor", "context": "run"}
SPARED = {
    **ACK,
    "correlation_id": ["cancel"],
    "status": "ignored",
    "outcome": "rejected",
    "policy_applied": "non-interruptible",
}


def record_of(*timed: tuple[int, dict[str, Any]], policy: str = "non-interruptible") -> Record:
    """Return the record of events, each at a second."""
    events = [{"at": f"2026-01-01T00:00:{second:02d}Z", **event} for second, event in timed]
    span = {"interruptible": policy != "non-interruptible", "policy": policy}
    return Record(events, {"run": {"span": span}}, agent="agent")


def sentences(record: Record) -> list[str]:
    outcomes = [judge(record) for judge in (judge_silence, judge_conclusions)]
    return [found.sentence for outcome in outcomes if outcome is not None for found in outcome.findings]


@pytest.mark.parametrize("named", [{}, {"interrupt_id": None}])
def test_a_run_that_finishes_by_stop_by_may_name_the_emergency(named: dict[str, Any]) -> None:
    record = record_of((0, START), (1, ALARM), (1, ACK), (12, {**END, **named}), (14, LEAVE))
    assert sentences(record) == []
    outcome = judge_silence(record)
    assert outcome is not None and outcome.findings == ()


def test_a_run_that_goes_on_past_stop_by_is_late() -> None:
    (sentence,) = sentences(record_of((0, START), (1, ALARM), (1, ACK), (13, END)))
    assert sentence == "halt_after_span was answered, and the conclusion came when stop_by had passed"


def test_a_run_that_is_not_concluded_by_stop_by_is_never_concluded() -> None:
    open = (0, START), (1, ALARM), (1, ACK)
    assert sentences(record_of(*open, (11, LEAVE))) == []  # stop_by has not passed
    (sentence,) = sentences(record_of(*open, (14, LEAVE)))
    assert sentence == "halt_after_span was answered, and the run was not concluded by its stop_by"


def test_a_run_that_continues_and_does_not_halt_names_no_interrupt() -> None:
    (sentence,) = sentences(record_of((0, START), (1, ALARM), (1, {**ACK, "outcome": "queued"}), (2, END)))
    assert sentence == "the emergency was answered with continuing, and ended the run all the same"


def test_a_cancel_ignored_for_an_inner_span_is_not_judged() -> None:
    assert judge_cancel(record_of((0, START), (1, CANCEL), (1, SPARED), (9, LEAVE), policy="soft-stop")) is None
    unspared = judge_cancel(record_of((0, START), (1, CANCEL), (9, LEAVE), policy="soft-stop"))
    assert unspared is not None and len(unspared.findings) == 1
    again = {**CANCEL, "id": "again"}
    both = judge_cancel(record_of((0, START), (1, CANCEL), (1, SPARED), (2, again), (3, END), policy="soft-stop"))
    assert both is not None and both.figures == (1_000,)
