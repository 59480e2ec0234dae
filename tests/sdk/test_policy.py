"""The table of class against policy: whole, and true to the wire's words."""

from __future__ import annotations

from typing import get_args, get_type_hints

from mew_gateway.protocol.payloads import InterruptAck
from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution.policy import NOT_ACTIVE, TABLE, Policy, Status


def test_every_class_has_a_rule_for_every_policy():
    assert set(TABLE) == {(class_, policy) for class_ in CLASSES for policy in get_args(Policy)}


def test_the_statuses_are_those_of_the_wire():
    wire = get_type_hints(InterruptAck)["status"]
    assert set(get_args(Status)) == set(get_args(wire))
    for rule in (*TABLE.values(), NOT_ACTIVE):
        assert {rule.status, rule.at_boundary} <= set(get_args(Status))


def test_a_stop_is_promised_exactly_where_one_happens():
    for rule in (*TABLE.values(), NOT_ACTIVE):
        assert rule.stops == (rule.status in ("completing_thought", "stopping")) == (rule.outcome == "stopped")
        assert (rule.reason_code is not None) == (rule.outcome == "rejected")


def test_what_is_not_interruptible_is_never_stopped():
    assert not any(rule.stops for (_, policy), rule in TABLE.items() if policy == "non-interruptible")
