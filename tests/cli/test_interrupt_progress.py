"""The progress of an interrupt, received live or caught up with."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.cli.interrupts.progress import InterruptProgress
from mew_gateway.cli.interrupts.report import exit_status
from mew_gateway.protocol.envelope import Envelope


def progress() -> InterruptProgress:
    return InterruptProgress(id="stop", me="human", target="solver", sequence="run")


def envelope(kind: str, payload: dict[str, Any], *, id: str = "e", sender: str = "solver", **fields: Any) -> Envelope:
    return Envelope(protocol="mew/v0.4", id=id, ts="", sender=sender, kind=kind, payload=payload, **fields)


def ack(status: str, **fields: Any) -> Envelope:
    return envelope("reasoning/interrupt-ack", {"status": status}, **{"correlation_id": ["stop"], **fields})


def error(code: str, **details: Any) -> Envelope:
    correlation = details.pop("correlation_id", ["stop"])
    return envelope("system/error", {"error": code, **details}, sender="system:gateway", correlation_id=correlation)


def record(*steps: str, ack: str | None = None) -> dict[str, Any]:
    told = (
        None if ack is None else {"status": ack, "message": None, "outcome": None, "after_ms": 12, "at": "", "id": "a"}
    )
    return {"id": "stop", "status": steps[-1], "ack": told, "steps": [{"status": step, "at": ""} for step in steps]}


@pytest.mark.parametrize(
    ("heard", "result", "status"),
    [
        ([], "unanswered", 5),
        ([ack("stopping")], "acked", 0),
        ([ack("completing_thought")], "acked", 0),
        ([ack("continuing")], "acked", 3),
        ([ack("ignored")], "acked", 4),
        ([error("interrupt_ack_timeout")], "timed_out", 5),
        ([error("interrupt_ack_timeout"), ack("ignored")], "acked", 4),
        ([error("sequence_closed")], "refused", 6),
        ([error("sequence_lost", sequence_id="run", correlation_id=["run"])], "lost", 5),
    ],
)
def test_received_envelopes_determine_the_exit_status(heard: list[Envelope], result: str, status: int) -> None:
    one = progress()
    for item in heard:
        one.take(item)
    assert (one.result, exit_status(one), one.answered) == (result, status, bool(heard))


@pytest.mark.parametrize(
    "stranger",
    [
        ack("stopping", sender="other"),
        ack("stopping", correlation_id=["another"]),
        error("interrupt_ack_timeout", correlation_id=["another"]),
        error("sequence_lost", sequence_id="another", correlation_id=["another"]),
        error("participant_not_found"),
        envelope("reasoning/conclusion", {}, context="run/step"),
        envelope("reasoning/conclusion", {}, context="run", sender="other"),
        envelope("reasoning/thought", {}, context="run"),
    ],
)
def test_envelopes_about_something_else_change_nothing(stranger: Envelope) -> None:
    one = progress()
    one.take(stranger)
    assert not one.answered and not one.ended


def test_another_senders_envelope_of_its_id_is_no_acceptance() -> None:
    one = progress()
    one.take(envelope("chat", {"text": "x"}, id="stop", sender="other"))
    assert not one.accepted
    one.take(error("duplicate_id", yours=False))
    assert (one.accepted, one.result) == (False, "refused")
    again = progress()
    again.take(error("duplicate_id", yours=True))
    assert again.accepted and not again.answered


def test_a_conclusion_ends_a_promise_and_so_does_an_overrun() -> None:
    for last, status in ((envelope("reasoning/conclusion", {}, context="run"), 0), (error("interrupt_overrun"), 5)):
        one = progress()
        one.take(envelope("reasoning/interrupt", {}, id="stop", sender="human"))
        one.take(ack("stopping"))
        assert one.accepted and one.promised and not one.ended
        one.take(last)
        assert one.ended and exit_status(one) == status


@pytest.mark.parametrize(
    ("steps", "answer", "state", "result", "over"),
    [
        (("pending",), None, "open", "unanswered", False),
        (("pending", "acked"), "stopping", "stopping", "acked", False),
        (("pending", "acked", "honoured"), "stopping", "concluded", "acked", True),
        (("pending", "acked", "overrun"), "stopping", "stopping", "acked", True),
        (("pending", "timed_out"), None, "open", "timed_out", False),
        (("pending", "timed_out", "late"), "ignored", "open", "acked", False),
        (("pending", "target_left"), None, "lost", "lost", True),
    ],
)
def test_catch_up_applies_the_gateways_record(
    steps: tuple[str, ...], answer: str | None, state: str, result: str, over: bool
) -> None:
    one = progress()
    one.catch_up(record(*steps, ack=answer), {"id": "run", "state": state, "outcome": "interrupted"})
    assert one.accepted and (one.result, one.ended) == (result, over)


def test_catch_up_overwrites_nothing_received() -> None:
    one = progress()
    one.take(envelope("reasoning/interrupt-ack", {"status": "stopping", "why": "tired"}, correlation_id=["stop"]))
    one.take(envelope("reasoning/conclusion", {"message": "the answer"}, context="run"))
    one.catch_up(record("pending", "acked", "honoured", ack="stopping"), {"state": "concluded", "outcome": None})
    assert one.ack == {"status": "stopping", "why": "tired"} and one.conclusion == {"message": "the answer"}


def test_an_ack_to_another_participant_is_ignored() -> None:
    one = progress()
    one.take(ack("stopping", to=["mallory"]))
    assert one.ack is None
    one.take(ack("ignored", to=["human"]))
    assert exit_status(one) == 4
