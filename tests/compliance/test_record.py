"""Record: the gateway's timeline read as runs and interrupts."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.compliance.record import Record, policy_of

AT = "2026-01-01T00:00:00.{:03d}Z"


def record_of(*events: dict[str, Any], payloads: dict[str, dict[str, Any]] | None = None) -> Record:
    timed = [{"at": AT.format(10 * index), "position": index, **event} for index, event in enumerate(events)]
    return Record(timed, payloads or {}, agent="agent")


def own(kind: str, id: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "id": id, "from": "agent", **fields}


START = own("reasoning/start", "run")
STOP = {
    "kind": "reasoning/interrupt",
    "id": "i1",
    "from": "supervisor",
    "to": ["agent"],
    "correlation_id": ["run"],
    "class": "cancel",
}
ACK = own("reasoning/interrupt-ack", "a1", to=["supervisor"], correlation_id=["i1"], status="stopping")
END = own("reasoning/conclusion", "c1", context="run", interrupt_id="i1")


def test_an_interrupt_has_its_ack_its_run_and_its_latency() -> None:
    record = record_of(
        START, STOP, ACK, END, payloads={"run": {"span": {"interruptible": True, "policy": "hard-stop"}}}
    )
    (interrupt,), (run,) = record.interrupts, record.runs
    assert (interrupt.class_, interrupt.status, interrupt.latency) == ("cancel", "stopping", 10)
    assert run.policy == "hard-stop"
    assert run.end is not None and run.end.id == "c1"
    assert run.promise == interrupt


def test_a_duplicate_counts_once_and_a_refused_envelope_counts() -> None:
    again, another = {**END, "refused": "duplicate_id"}, {**END, "id": "c2", "refused": "sequence_closed"}
    (run,) = record_of(START, STOP, ACK, END, again, another).runs
    assert [one.id for one in run.ends] == ["c1", "c2"]


def test_an_ack_after_the_end_promises_nothing() -> None:
    (run,) = record_of(START, STOP, END, ACK).runs
    assert run.promise is None
    assert run.answered == ()


def test_not_active_ack_just_before_the_end_is_late() -> None:
    gone = {**ACK, "status": "ignored", "reason_code": "not_active"}
    (over,) = record_of(START, STOP, gone, END).runs
    assert over.answered == ()
    (open,) = record_of(START, STOP, gone, own("reasoning/thought", "t1", context="run"), END).runs
    assert [one.id for one in open.answered] == ["i1"]


@pytest.mark.parametrize(
    ("declared", "claimed", "governing"),
    [
        ("soft-stop", "non-interruptible", "non-interruptible"),
        ("checkpointed", "soft-stop", "soft-stop"),
        ("soft-stop", "hard-stop", "soft-stop"),
        ("soft-stop", "whatever I like", "soft-stop"),
        ("soft-stop", None, "soft-stop"),
        ("non-interruptible", "hard-stop", "non-interruptible"),
    ],
)
def test_an_ack_may_claim_a_stricter_policy_than_the_root(declared: str, claimed: str | None, governing: str) -> None:
    span = {"interruptible": declared != "non-interruptible", "policy": declared}
    ack = ACK if claimed is None else {**ACK, "policy_applied": claimed}
    (run,) = record_of(START, STOP, ack, payloads={"run": {"span": span}}).runs
    (one,) = run.answered
    assert one.ack is not None
    assert run.governed_by(one.ack) == governing


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ({"outcome": "halt_after_span", "stop_by": "2026-01-01T00:00:12Z"}, 12_000),
        ({"outcome": "halt_after_span", "stop_by": "2026-01-01T01:00:00Z"}, 60_020),
        ({"outcome": "halt_after_span", "stop_by": "soon"}, 60_020),
        ({"outcome": "halt_after_span"}, 60_020),
        ({"outcome": "queued", "stop_by": "2026-01-01T00:00:12Z"}, None),
    ],
)
def test_stop_by_is_at_most_a_minute_after_the_ack(said: Any, at: int | None) -> None:
    (one,) = record_of(START, STOP, {**ACK, "status": "continuing", **said}).interrupts
    began = one.entry.at - 10
    assert one.stop_by == (None if at is None else began + at)


def test_a_conclusion_in_a_sub_context_does_not_end_the_run() -> None:
    below = own("reasoning/conclusion", "c0", context="run/step")
    (run,) = record_of(START, below).runs
    assert [one.id for one in run.entries] == ["c0"]
    assert run.ends == ()


def test_an_entry_prints_as_one_line() -> None:
    record = record_of(STOP, {**END, "refused": "sequence_closed", "message": "x" * 200})
    assert str(record.entries[0]).endswith("supervisor  reasoning/interrupt  i1  class=cancel")
    assert str(record.entries[1]).endswith("agent  reasoning/conclusion  c1  in run  refused: sequence_closed")


@pytest.mark.parametrize(
    ("span", "policy"),
    [
        (None, "non-interruptible"),
        ({}, "non-interruptible"),
        ({"policy": "soft-stop"}, "non-interruptible"),
        ({"policy": "soft-stop", "interruptible": False}, "non-interruptible"),
        ({"policy": "soft-stop", "interruptible": True}, "soft-stop"),
        ({"policy": "checkpointed", "interruptible": True}, "checkpointed"),
        ({"interruptible": True}, None),
        ({"policy": "non-interruptible", "interruptible": True}, None),
        ({"policy": "whenever", "interruptible": True}, None),
        ({"policy": "whenever"}, None),
    ],
)
def test_a_run_is_non_interruptible_unless_its_span_says_otherwise(span: Any, policy: str | None) -> None:
    assert policy_of({} if span is None else {"span": span}) == policy
