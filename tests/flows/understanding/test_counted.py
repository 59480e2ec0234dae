"""A figure that counts what a slot counts is that slot's, whatever other figures an order has, as a house number."""

from __future__ import annotations

import pytest

from mew_agents.flows.commands import StartFlow
from mew_agents.flows.definitions import parse
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.rules import Rules
from mew_agents.language.found import Language

from ..acceptance.dialogue_player import FILES
from .standings import NOW, short

(FOOD,) = parse((FILES / "pet_food.yaml").read_bytes())
OPENINGS: list[tuple[Language, str, str]] = [
    ("es", "quiero alimento adulto, 4 bolsas a Mitre 55 el jueves", "adult 4 (Mitre 55) 2026-11-26"),
    ("es", "quiero alimento adulto, 1 bolsa a Mitre 7", "adult 1 (Mitre 7)"),
    ("pt", "quero ração filhote, 4 sacos para a Rua das Flores 12", "puppy 4 (Rua das Flores 12)"),
    ("pt", "quero ração filhote, entreguem na Rua Augusta 9, 3 sacos", "puppy 3 (Rua Augusta 9)"),
    ("en", "order food, adult, 4 bags to 12 Main Street on thursday", "adult 4 (12 Main Street) 2026-11-26"),
    ("en", "order food, adult, 4 bags to Main Street 9", "adult 4 (Main Street 9)"),
    (
        "es",
        "alimento adulto, 2 bolsas, entreguen en Rivadavia 2040 depto 3 el viernes",
        "adult 2 (Rivadavia 2040 depto 3) 2026-11-27",
    ),
    (
        "pt",
        "ração adulto, 2 sacos, entreguem na Rua Augusta 204 apto 3 na sexta",
        "adult 2 (Rua Augusta 204 apto 3) 2026-11-27",
    ),
    (
        "en",
        "adult food, 2 bags, deliver to 12 Main Street apt 3 on friday",
        "adult 2 (12 Main Street apt 3) 2026-11-27",
    ),
]


@pytest.mark.parametrize(("language", "text", "expected"), OPENINGS)
def test_an_opening_in_several_parts_is_one_order(language: Language, text: str, expected: str) -> None:
    where = Standing(language=language, now=NOW, flows=[FOOD])
    assert Rules().commands(text, where) == (StartFlow(flow="food"),)
    begun = Standing(language=language, now=NOW, flows=[FOOD], at_hand=FOOD)
    found = {one.path: one.value for one in Rules().slots(text, begun)}
    told = [
        str(found["food"]),
        str(found["bags"]),
        f"({found['address']})",
        *([found["day"]] if "day" in found else []),
    ]
    assert " ".join(told) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "quiero 2 bolsas de alimento adulto y 3 bolsas de gato"),
        ("pt", "quero ração: 2 sacos de adulto e 3 sacos de gato"),
        ("en", "need food: 2 bags of adult and 3 bags of cat"),
    ],
)
def test_two_orders_are_two(language: Language, text: str) -> None:
    where = Standing(language=language, now=NOW, flows=[FOOD])
    assert short(Rules().commands(text, where), where) == "start food; then food (food=cat, bags=3)"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "4 bolsas a Mitre 55"),
        ("pt", "4 sacos para a Rua Augusta 9"),
        ("en", "4 bags to Main Street 9"),
    ],
)
def test_an_answer_has_the_figure_that_is_counted(language: Language, text: str) -> None:
    where = Standing(
        language=language, now=NOW, flows=[FOOD], at_hand=FOOD, values={"food": "adult"}, asked="bags", question="slot"
    )
    assert short(Rules().commands(text, where), where) == "set bags=4"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "quiero alimento gato, 3 bolsas, propina: 5, en Rivadavia 2040 depto 3"),
        ("pt", "quero ração gato, 3 sacos, gorjeta: 5, na Rua Augusta 204"),
        ("en", "need food, cat, 3 bags, tip: 5, to 12 Main Street"),
    ],
)
def test_a_value_that_is_called_by_its_name_stands_behind_that(language: Language, text: str) -> None:
    begun = Standing(language=language, now=NOW, flows=[FOOD], at_hand=FOOD)
    found = {one.path: one.value for one in Rules().slots(text, begun)}
    assert (found["bags"], found["tip"]["amount"]) == (3, "5.00")
