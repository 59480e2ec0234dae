"""Answers: the whole message, and where its rest begins."""

from __future__ import annotations

import pytest

from mew_agents.language.answers import Answer, answer, only_polite, wants_to_cancel, yes_or_no
from mew_agents.language.found import LANGUAGES, Language


def test_the_rest_stands_in_the_original_where_start_says() -> None:
    text = "  ¡Sí! 👍🏽 Pero a las 18.  "
    assert answer(text, "es") == Answer("none", "Pero a las 18.", 10, leading="yes")
    assert text[10:].startswith("Pero")


@pytest.mark.parametrize("text", ["", "   ", "...", "\n", "🙏"])
def test_a_message_that_says_nothing_is_none(text: str) -> None:
    assert answer(text, "es") == Answer("none", "", len(text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["no", "NO.", "não", "nope", "👎"])
def test_no_is_no_in_every_language(text: str, language: Language) -> None:
    assert answer(text, language).kind == "no"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["ok", "OK!", "yes", "sí", "si", "sim", "👍", "👍🏿", "✅"])
def test_yes_is_yes_in_every_language(text: str, language: Language) -> None:
    assert answer(text, language).kind == "yes"


def test_a_word_has_the_meaning_of_the_language_that_is_spoken() -> None:
    assert [answer("puede ser", "es").kind, answer("pode ser", "pt").kind] == ["unclear", "yes"]
    assert [answer("y", "en").kind, answer("y", "es").kind] == ["yes", "none"]
    assert [answer("é", "pt").kind, answer("é", "es").kind] == ["yes", "none"]


def test_a_phrase_does_not_reach_over_a_comma() -> None:
    assert answer("no es correcto", "es").kind == "no"
    assert answer("no, es correcto", "es").kind == "unclear"


@pytest.mark.parametrize("text", ["sí 😡", "sí 18", "sí2", "sí $", "sí/no", "sí quizás el lunes", "+1"])
def test_whatever_is_left_over_is_no_yes(text: str) -> None:
    assert answer(text, "es").kind != "yes"


def test_a_bool_has_the_words_that_say_it_for_evidence() -> None:
    text = "Gracias, sí sí, por favor"
    (found,) = yes_or_no(text, "es")
    assert (found.value, found.evidence(text)) == (True, "sí sí")


def test_cancelling_is_understood_in_the_other_languages_too() -> None:
    assert wants_to_cancel("cancel it", "es")
    assert wants_to_cancel("deixa pra lá", "en")
    assert not wants_to_cancel("no sé, cancelar", "es")


@pytest.mark.parametrize(
    ("text", "language", "cancels"),
    [
        ("cancelá el turno, por favor", "es", True),
        ("quiero cancelar mi cita", "es", True),
        ("no, anular la solicitud", "es", True),
        ("no quiero nada, gracias", "es", True),
        ("ya no quiero nada", "es", True),
        ("no cancelar el turno", "es", False),
        ("no quiero cancelar el turno", "es", False),
        ("no quiero nada el lunes", "es", False),
        ("cancelar el turno y sacar otro", "es", False),
        ("desmarcar a consulta", "pt", True),
        ("cancela o meu pedido", "pt", True),
        ("não quero nada", "pt", True),
        ("não cancelar a consulta", "pt", False),
        ("Cancel the appointment.", "en", True),
        ("please cancel my refund", "en", True),
        ("actually, never mind", "en", True),
        ("undo it", "en", True),
        ("I don't want it anymore", "en", True),
        ("don't cancel the order", "en", False),
        ("no, cancel my booking", "en", True),
        ("do not cancel my booking", "en", False),
    ],
)
def test_what_is_cancelled_may_be_named(text: str, language: Language, cancels: bool) -> None:
    assert wants_to_cancel(text, language) is cancels


@pytest.mark.parametrize(
    ("text", "language", "polite"),
    [
        ("hola", "es", True),
        ("¡Muchas gracias!", "es", True),
        ("gracias, sí", "es", False),
        ("gracias por el turno", "es", False),
        ("bom dia, obrigado", "pt", True),
        ("good morning", "en", True),
        ("thanks 🙏", "en", True),
        ("ok", "en", False),
        ("...", "en", False),
        ("", "es", False),
    ],
)
def test_what_is_nothing_but_politeness(text: str, language: Language, polite: bool) -> None:
    assert only_polite(text, language) is polite


@pytest.mark.parametrize("text", ["n", "n.", "n/", "n, mejor el martes"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_letter_is_a_no_where_no_word_follows(text: str, language: Language) -> None:
    assert [found.value for found in yes_or_no(text, language)] == [False]
