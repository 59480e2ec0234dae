"""Whether an answer is looked at a second time, for more than the slot that was asked for."""

from __future__ import annotations

import pytest

from mew_agents.flows.commands import Affirm, SetSlot
from mew_agents.flows.standing import may_hold_more
from mew_agents.language.found import Language


def told(text: str, evidence: str) -> SetSlot:
    start = text.index(evidence)
    return SetSlot(path="slot", value=evidence, start=start, end=start + len(evidence), evidence=evidence)


@pytest.mark.parametrize(
    ("language", "text", "evidence"),
    [
        ("es", "25 años", "25"),
        ("es", "son 25 años", "25"),
        ("pt", "25 anos", "25"),
        ("en", "I am 25 years old", "25"),
        ("es", "a Ana", "Ana"),
    ],
)
def test_words_that_go_with_a_value_hold_no_more(language: Language, text: str, evidence: str) -> None:
    assert not may_hold_more([told(text, evidence)], text, language)


@pytest.mark.parametrize(
    ("language", "text", "evidence"),
    [
        ("es", "25 años y vivo en Rosario", "25"),
        ("pt", "25 anos e moro em Recife", "25"),
        ("en", "25, and my city is Leeds", "25"),
    ],
)
def test_what_else_is_said_is_looked_at(language: Language, text: str, evidence: str) -> None:
    assert may_hold_more([told(text, evidence)], text, language)


def test_nothing_understood_is_looked_at_again_and_a_plain_yes_is_not() -> None:
    assert may_hold_more([], "Rosario", "es")
    assert not may_hold_more([Affirm()], "sí, claro", "es")
