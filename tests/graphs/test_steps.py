"""What is shown of a node's work."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from mew_agents.graphs.speech import LONGEST, worded
from mew_agents.graphs.steps import step_of


def shown(**result: Any) -> str:
    step = step_of((), {"name": "node", "error": None, "interrupts": [], "result": result})
    assert step is not None
    return step.words


def test_a_node_is_named_with_the_graphs_that_it_is_in() -> None:
    step = step_of(("outer:1f1e", "inner:2a"), {"name": "node", "error": None, "interrupts": [], "result": {"a": 1}})
    assert step is not None
    assert (step.node, step.changed, step.words) == ("outer/inner/node", ("a",), "outer/inner/node: a=1")


def test_a_node_that_begins_or_fails_is_no_step() -> None:
    assert step_of((), {"name": "node", "input": {}, "triggers": ()}) is None
    assert step_of((), {"name": "node", "error": "ValueError('no')", "interrupts": [], "result": {}}) is None


def test_a_node_that_asks_shows_what() -> None:
    asked = [{"id": "1", "value": {"question": "¿Edad?"}}]
    step = step_of((), {"name": "node", "error": None, "interrupts": asked, "result": {}})
    assert step is not None
    assert step.words == "node: ? '¿Edad?'"


def test_values_are_short() -> None:
    assert len(shown(text="a" * 10_000)) < 100
    assert len(shown(many=["a" * 10_000] * 10_000)) < 300
    assert shown(messages=[AIMessage("hello there")]) == "node: messages=[ai: 'hello there']"
    assert shown(**{f"key{n}": n for n in range(100)}).count("=") == 12


def test_secrets_are_not_shown_however_deep() -> None:
    words = shown(
        password="s3cret", api_key="s3cret", user={"name": "Ana", "accessToken": "s3cret"}, all=[{"PIN": "s3cret"}]
    )
    assert "s3cret" not in words
    assert "Ana" in words


def test_an_object_of_the_graphs_own_is_only_named() -> None:
    class Account:
        def __repr__(self) -> str:
            return "Account(password='s3cret')"

    assert shown(account=Account()) == "node: account=Account"


def test_what_an_interrupt_asks() -> None:
    assert worded("¿Edad?") == "¿Edad?"
    assert worded({"question": "¿Edad?", "kind": "int"}) == "¿Edad?"
    assert worded({"text": "¿Edad?"}) == "¿Edad?"
    assert worded({"action": "pay", "amount": 5}) == '{"action": "pay", "amount": 5}'
    assert worded(" ") == '" "'
    assert worded(None) == ""
    assert len(worded("a" * 100_000)) == LONGEST
