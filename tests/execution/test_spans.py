"""Spans: their states, and what a declaration may say."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from mew_gateway.sdk.execution.policy import POLICIES
from mew_gateway.sdk.execution.spans import (
    KINDS,
    SIDE_EFFECTS,
    TERMINAL,
    TRANSITIONS,
    Declaration,
    IllegalTransition,
    Kind,
    Misdeclared,
    SideEffect,
    Span,
    State,
    on_wire,
    validated,
)

STATES: tuple[State, ...] = get_args(State)


def a_span(**fields: Any) -> Span:
    return Span("s", "r", None, Declaration(**fields), 1_000, {})


def test_every_state_has_its_transitions_and_a_terminal_one_has_none():
    assert set(TRANSITIONS) == set(STATES)
    assert {state for state, to in TRANSITIONS.items() if not to} == set(TERMINAL)
    assert all(set(to) <= set(STATES) for to in TRANSITIONS.values())


def test_whatever_has_begun_can_end_in_any_way():
    for state in ("running", "paused", "interrupted"):
        assert set(TERMINAL) <= set(TRANSITIONS[state])


def test_what_was_interrupted_only_ends():
    assert set(TRANSITIONS["interrupted"]) == set(TERMINAL)


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("to", STATES)
def test_an_illegal_transition_raises_and_changes_nothing(before, to):
    span = a_span()
    span.state = before
    if to in TRANSITIONS[before]:
        assert span.move(to) == before
        assert span.state == to
    else:
        with pytest.raises(IllegalTransition, match=f"{before} cannot become {to}"):
            span.move(to)
        assert span.state == before


def test_nothing_is_interruptible_by_default():
    assert Declaration().policy == Declaration().effective == "non-interruptible"
    assert on_wire(a_span()) == {
        "span_id": "s",
        "execution_id": "r",
        "interruptible": False,
        "policy": "non-interruptible",
        "kind": "think",
    }


def test_interruptible_false_wins_over_any_policy():
    for policy in POLICIES:
        assert Declaration(policy, interruptible=False).effective == "non-interruptible"
        assert Declaration(policy).effective == policy
    assert on_wire(a_span(policy="soft-stop", interruptible=False))["policy"] == "non-interruptible"


def test_the_wire_is_told_what_differs_from_the_usual():
    declared = {"policy": "non-interruptible", "kind": "act", "side_effect": "irreversible", "limit": 500}
    assert on_wire(a_span(**declared, foreground=False)) == {
        "span_id": "s",
        "execution_id": "r",
        "interruptible": False,
        "policy": "non-interruptible",
        "kind": "act",
        "side_effect": "irreversible",
        "limit_ms": 500,
        "foreground": False,
    }


def test_the_words_are_those_of_the_types():
    assert get_args(Kind) == KINDS
    assert get_args(SideEffect) == SIDE_EFFECTS


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"policy": "gently"}, "policy is one of"),
        ({"kind": "dream"}, "kind is one of"),
        ({"side_effect": "some"}, "side_effect is one of"),
        ({"interruptible": True}, "needs a policy that says how"),
        ({"limit": 0}, "positive"),
        ({"limit": -5}, "positive"),
        ({"policy": "soft-stop", "side_effect": "irreversible", "limit": 5}, "cannot be interrupted"),
        ({"side_effect": "irreversible"}, "needs a time limit"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_told_before_it_begins(fields, why):
    with pytest.raises(Misdeclared, match=why):
        validated(Declaration(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"policy": "soft-stop", "interruptible": True},
        {"policy": "soft-stop", "interruptible": False, "side_effect": "irreversible", "limit": 5},
        {"side_effect": "irreversible", "limit": 5},
        {"policy": "hard-stop", "side_effect": "reversible"},
    ],
)
def test_a_declaration_that_makes_sense_is_taken(fields):
    assert validated(Declaration(**fields)) == Declaration(**fields)


def test_a_limit_counts_from_the_beginning_and_once():
    span = a_span(policy="soft-stop", limit=500)
    assert span.limit_at == 1_500
    span.overdue = True
    assert span.limit_at is None
