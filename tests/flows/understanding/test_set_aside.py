"""What a message says beside a value and that is none: why it was wrong, that it has changed, who it was not."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.language.found import Language

from .test_whole_messages import SIGNED, TOLD, said, standing

LIVING: dict[str, Any] = {**SIGNED, "city": "Leeds"}


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("en", "one letter is missing from the email, it should be nora@example.com", "correct email=nora@example.com"),
        ("es", "Se me cruzaron las cifras, es P-15280", "correct order=P-15280"),
        ("pt", "Troquei os dois últimos números, é P-15280", "correct order=P-15280"),
    ],
)
def test_why_a_value_was_wrong_is_not_what_happened(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "support_ticket", **TOLD)) == commands


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "uy, elegí mal, no es facturación, es entrega"),
        ("pt", "ai, marquei errado, não é cobrança, é entrega"),
        ("en", "sorry, it's not billing, it's delivery"),
    ],
)
def test_an_option_is_set_right_where_words_were_asked_for(language: Language, text: str) -> None:
    where = standing(language, "support_ticket", "details", category="billing", order="P-30244")
    assert said(text, where) == "correct category=delivery"


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("en", "Could you change the city? I've moved to Stirling.", "correct city=Stirling"),
        ("pt", "é que a cidade mudou, mês passado vim para Ouro Preto", "correct city=Ouro Preto"),
        ("es", "cambió la ciudad, el mes pasado me fui a Villa María", "correct city=Villa María"),
    ],
)
def test_a_city_that_has_changed_is_the_one_that_is_named(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "onboarding", **LIVING)) == commands


def test_words_that_only_say_that_something_changed_or_was_wrong_are_no_name() -> None:
    where = standing("pt", "onboarding", "city", **SIGNED)
    assert said("opa, o mail foi errado. é nara.paz@example.com", where) == "correct email=nara.paz@example.com"
    assert "mudou" not in said("a cidade que mudou", standing("pt", "onboarding", **LIVING))


def test_who_goes_on_with_a_sentence_about_themselves_has_given_the_name_before_it() -> None:
    where = standing("en", "onboarding", "name")
    assert said("Rosa Field, I've just moved to Boston", where) == "set name=Rosa Field"


def test_another_language_does_not_read_what_is_denied_in_ones_own() -> None:
    where = standing("es", "block_card", "reason", card="debit")
    assert "lost" not in said("nadie me la robó ni la perdí, es que el chip falla", where)
