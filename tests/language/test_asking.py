"""Questions, with a question mark or without one."""

from __future__ import annotations

import pytest

from mew_agents.language.asking import asks, asks_how, may_ask
from mew_agents.language.found import Language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "es obligatorio poner el correo"),
        ("es", "Quisiera saber si le llega en el acto"),
        ("es", "y decime una cosa me cobran alguna comisión por esto"),
        ("es", "¿y a quiénes les puedo mandar? Gracias, eh"),
        ("pt", "dá pra mandar pra alguém fora da lista"),
        ("pt", "Gostaria de saber se cai na hora"),
        ("en", "does it matter if its a village"),
        ("en", "not sure which, is there a difference"),
        ("en", "any idea when i'd hear back"),
    ],
)
def test_a_question_needs_no_mark(language: Language, text: str) -> None:
    assert asks(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "soy de Nueve de Julio"),
        ("es", "me llamo Candela, tengo 19"),
        ("pt", "moro em Três Corações"),
        ("en", "How funny, the parcel has just arrived"),
        ("en", "May O'Connor"),
    ],
)
def test_a_statement_is_none(language: Language, text: str) -> None:
    assert not asks(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [("es", "llega hoy mismo"), ("es", "y en contestar cuánto tardan"), ("pt", "depois consigo desbloquear"),
     ("pt", "isso cobra alguma taxa"), ("en", "she gets it today or not")],
)  # fmt: skip
def test_what_begins_as_one_may_be_one(language: Language, text: str) -> None:
    assert may_ask(text, language)
    assert not asks(text, language)


def test_how_to_answer_is_asked() -> None:
    assert asks_how("can someone ring me instead", "en")
    assert asks_how("cuánto tengo que escribir", "es")
    assert not asks_how("they charged me twice and I do not know why", "en")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Quisiera saber si puedo mandar una foto"),
        ("pt", "Queria saber se posso anexar a fatura"),
        ("en", "I was wondering if I could send a picture"),
    ],
)
def test_what_somebody_would_like_to_know_is_a_question(language: Language, text: str) -> None:
    assert asks_how(text, language)
