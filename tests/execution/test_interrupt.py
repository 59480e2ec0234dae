"""Reading an interrupt off the wire: which run, how strongly, and what for instead."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.execution.interrupt import interrupt_in


def envelope(kind: str, payload: Any = None, **fields: Any) -> Envelope:
    return Envelope(
        protocol="mew/v0.4", id="i1", ts="", sender="human", kind=kind, to=["solver"], payload=payload, **fields
    )


@pytest.mark.parametrize(
    ("payload", "class_"),
    [
        ({"reason": "user_request"}, "cancel"),
        ({"reason": "timeout"}, "cancel"),
        ({"reason": "redirect"}, "override"),
        ({"reason": "other", "message": "m"}, "cancel"),
        ({"reason": "user_request", "class": "queue"}, "queue"),
        ({"reason": "redirect", "class": "clarification"}, "clarification"),
        ({}, "queue"),
    ],
)
def test_the_class_is_the_one_the_gateway_matched(payload, class_):
    interrupt = interrupt_in(envelope("reasoning/interrupt", payload, correlation_id=["r"]))
    assert interrupt is not None
    assert (interrupt.class_, interrupt.run, interrupt.id, interrupt.sender) == (class_, "r", "i1", "human")


def test_the_message_is_the_input_where_there_is_none():
    of = [
        interrupt_in(envelope("reasoning/interrupt", payload, correlation_id=["r"]))
        for payload in ({"message": "do that"}, {"message": "why", "input": {"do": "this"}}, {})
    ]
    assert [one.input for one in of if one] == ["do that", {"do": "this"}, None]


def test_somebody_elses_cancel_is_an_interrupt_of_class_cancel():
    interrupt = interrupt_in(envelope("reasoning/cancel", {"reason": "superseded"}, context="r/below"))
    assert interrupt is not None
    assert (interrupt.class_, interrupt.run, interrupt.reason) == ("cancel", "r", "superseded")


@pytest.mark.parametrize(
    "other",
    [
        envelope("chat", {"text": "stop"}),
        envelope("reasoning/interrupt", {"reason": "timeout"}),
        envelope("reasoning/cancel", {}),
    ],
)
def test_what_names_no_sequence_is_none(other):
    assert interrupt_in(other) is None


@pytest.mark.parametrize(
    ("said", "kept"),
    [(0.5, 0.5), (0, 0.0), (1, 1.0), (7, 1.0), (-0.1, 0.0), (10**400, 1.0), (True, 1.0), ("0.1", 1.0), (None, 1.0)],
)
def test_confidence_is_a_number_from_0_to_1_and_what_is_none_was_not_inferred(said, kept):
    interrupt = interrupt_in(envelope("reasoning/interrupt", {"confidence": said}, correlation_id=["r"]))
    assert interrupt is not None
    assert interrupt.confidence == kept


def test_what_makes_no_sense_is_left_out():
    payload = {"scope": "galaxy", "span_id": 7, "on_reject": "shout", "message": ["no"], "class": "panic"}
    interrupt = interrupt_in(envelope("reasoning/interrupt", payload, correlation_id=["r"]))
    assert interrupt is not None
    assert (interrupt.scope, interrupt.span_id, interrupt.on_reject) == (None, None, "ignore")
    assert (interrupt.message, interrupt.class_) == (None, "queue")
