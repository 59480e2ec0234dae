"""Families of messages that nobody has tuned the rules to word for word."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.flows.commands import CancelFlow, Clarify
from mew_agents.flows.understanding.rules import Rules
from mew_agents.language.found import Language

from . import test_whole_messages as whole
from .standings import short, standing

SIGNED = {"name": "Jo Paz", "age": 31, "email": "jo@example.org", "city": "Leeds"}
REGISTERED = {"name": "Jo Paz", "age": 31}


@pytest.mark.parametrize(
    ("language", "text", "flow", "asked", "held"),
    [
        ("es", "ah no, ya le pagué en efectivo", "transfer", "amount", {"payee": "ana"}),
        ("es", "la encontré! no la bloquees", "block_card", "reason", {"card": "debit"}),
        ("pt", "lembrei que já tenho conta, desculpa", "onboarding", "email", REGISTERED),
        ("pt", "achei! estava na bolsa", "block_card", "reason", {"card": "debit"}),
        ("en", "nah I'm not giving out my email, bin it", "onboarding", "email", REGISTERED),
        ("en", "too much hassle, maybe another time", "onboarding", "city", REGISTERED),
    ],
)
def test_a_reason_drops_the_flow(language: Language, text: str, flow: str, asked: str, held: dict[str, Any]) -> None:
    assert Rules().commands(text, standing(language, flow, asked=asked, held=held)) == (CancelFlow(),)


@pytest.mark.parametrize(
    ("language", "text"),
    [("es", "prefiero no dar mi edad"), ("pt", "isso é muito pessoal"), ("en", "that's a bit personal")],
)
def test_a_refusal_alone_is_told_what_it_is_for(language: Language, text: str) -> None:
    assert Rules().commands(text, standing(language, "onboarding", asked="age", held={"name": "Jo Paz"})) == (
        Clarify(path="age"),
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "y esto tarda mucho en llegar"),
        ("pt", "isso cobra alguma taxa"),
        ("en", "I was wondering whether she gets it straight away"),
    ],
)
def test_a_question_to_a_confirmation_is_none_of_it(language: Language, text: str) -> None:
    where = standing(language, "transfer", confirm=True, held={"payee": "ana"})
    assert short(Rules().commands(text, where), where) == "clarify"


@pytest.mark.parametrize(
    ("language", "text", "city"),
    [
        ("en", "I'm in Newport at the minute", "Newport"),
        ("en", "well, Bury St Edmunds, near Cambridge", "Bury St Edmunds"),
        ("es", "uf, en Bahía Blanca, lejos", "Bahía Blanca"),
        ("es", "soy de Nueve de Julio, provincia de Buenos Aires", "Nueve de Julio"),
        ("pt", "ah, em Três Corações mesmo", "Três Corações"),
    ],
)
def test_a_place_is_told_from_what_is_said_of_it(language: Language, text: str, city: str) -> None:
    where = standing(language, "onboarding", asked="city", held=REGISTERED)
    assert short(Rules().commands(text, where), where) == f"set city={city}"


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "ah no hang on pet, I've gone and put the wrong name in! it's Kayla, not Jo Paz", "Kayla"),
        ("en", "the name should read Jo Pazz", "Jo Pazz"),
        ("es", "q diga María Fernanda Ríos en lugar de Jo Paz xfa", "María Fernanda Ríos"),
        ("pt", "coloca Marina Lopes em vez de Jo Paz pf", "Marina Lopes"),
    ],
)
def test_another_name_is_said(language: Language, text: str, name: str) -> None:
    where = standing(language, "onboarding", confirm=True, held=SIGNED)
    assert f"name={name}" in short(Rules().commands(text, where), where)


@pytest.mark.parametrize(
    ("language", "text", "concept"),
    [
        ("es", "¿Le podría agregar el concepto? Sería regalo de Inés, si me hace favor.", "regalo de Inés"),
        ("pt", "pode colocar a descrição aluguel de março?", "aluguel de março"),
        ("en", "can you add a reference? it should say rent march", "rent march"),
    ],
)
def test_a_note_is_asked_for_in_a_question(language: Language, text: str, concept: str) -> None:
    where = whole.standing(language, "transfer", payee="ana", amount="90 USD")
    assert whole.said(text, where) == f"set concept={concept}"


def test_somebody_who_is_not_on_the_list_is_refused_by_name() -> None:
    where = whole.standing("es", "transfer", "payee")
    assert whole.said("a mi hermano Ricardo", where) == "set payee=Ricardo"
