"""The table of class against policy: whole, true to the wire's words, and never harder than a policy allows."""

from __future__ import annotations

from itertools import permutations
from typing import get_args, get_type_hints

from mew_gateway.protocol.payloads import InterruptAck
from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution import policy
from mew_gateway.sdk.execution.policy import POLICIES, TABLE, Outcome, Policy, Rule, Status, strictest

EVERY_RULE = [*TABLE.values(), *(one for one in vars(policy).values() if isinstance(one, Rule))]


def test_every_class_has_a_rule_for_every_policy():
    assert set(TABLE) == {(class_, policy) for class_ in CLASSES for policy in get_args(Policy)}
    assert get_args(Policy) == POLICIES


def test_the_statuses_are_those_of_the_wire():
    assert set(get_args(Status)) == set(get_args(get_type_hints(InterruptAck)["status"]))
    assert {rule.status for rule in EVERY_RULE} | {rule.at_boundary for rule in EVERY_RULE} <= set(get_args(Status))
    assert {rule.outcome for rule in EVERY_RULE} == set(get_args(Outcome))


def test_a_rule_says_what_it_does():
    directives = {"stopped": "end", "paused": "pause", "halt_after_span": "finish", "queued": None, "rejected": None}
    for rule in EVERY_RULE:
        assert rule.directive == directives[rule.outcome]
        assert (rule.status == rule.at_boundary == "ignored") == (rule.outcome == "rejected")
        assert rule.outcome == "stopped" or rule.status not in ("stopping", "completing_thought")
        assert rule.follows in {"queued": ("after",), "stopped": (None, "instead")}.get(rule.outcome, (None,))


def test_what_is_rejected_says_why():
    for rule in EVERY_RULE:
        assert rule.outcome != "rejected" or rule.reason_code is not None


def test_what_nobody_may_interrupt_is_neither_ended_nor_paused():
    assert {TABLE[class_, "non-interruptible"].directive for class_ in CLASSES} == {None, "finish"}


def test_only_a_soft_stop_completes_its_thought_and_an_emergency_lets_it_not():
    completing = {cell for cell, rule in TABLE.items() if rule.status == "completing_thought"}
    assert completing == {("cancel", "soft-stop"), ("override", "soft-stop")}


def test_the_strictest_of_several_governs_in_any_order():
    expected: list[Policy] = ["non-interruptible", "soft-stop", "checkpointed", "hard-stop"]
    for several in permutations(POLICIES):
        for n in range(1, len(several) + 1):
            assert strictest(several[:n]) == min(several[:n], key=expected.index)
