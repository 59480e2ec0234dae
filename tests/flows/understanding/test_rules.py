"""Rules in both passes; and whatever is typed, nothing raises, nothing is made up, and nobody is taken to say yes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.flows.commands import Affirm, CorrectSlot, Deny, SetSlot, StartFlow
from mew_agents.flows.understanding.base import Standing, Understood
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi import values
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.language.answers import answer
from mew_agents.language.found import LANGUAGES, Language

from .standings import BY_NAME, FLOWS, NOW, short, standing
from .test_corpus import CORPUS

CONFIRMING = standing("es", "transfer", confirm=True, held={"amount": "50 USD", "payee": "Ana"})
PAYEE = standing("es", "transfer", asked="payee", held={"amount": "50 USD"})
AGE = standing("es", "onboarding", asked="age", held={"name": "Ana"})


def second(text: str, where: Standing) -> str:
    return short(Rules().slots(text, where), where)


@pytest.mark.parametrize(
    ("text", "where", "filled"),
    [
        ("quiero transferir 50 a Ana", standing("es", "transfer"), "set amount=50.00 USD; set payee=Ana"),
        (
            "transferir 50 dólares a Ana Pérez, concepto: alquiler",
            standing("es", "transfer"),
            "set amount=50.00 USD; set payee=Ana Pérez; set concept=alquiler",
        ),
        ("I want to transfer 50 to Ana", standing("en", "transfer"), "set amount=50.00 USD; set payee=Ana"),
        ("quero transferir 50 para Ana", standing("pt", "transfer"), "set amount=50.00 USD; set payee=Ana"),
        ("transferir", standing("es", "transfer"), "nothing"),
        ("me robaron la tarjeta de débito", standing("es", "block_card"), "set card=debit; set reason=stolen"),
        ("tengo 30 años y vivo en Rosario", AGE, "set age=30; set city=Rosario"),
        ("30, mi correo es ana@example.org", AGE, "set age=30; set email=ana@example.org"),
        ("a Ana, por concepto de alquiler", PAYEE, "set payee=Ana; set concept=alquiler"),
        ("no, 80 a Luis", CONFIRMING, "correct amount=80.00 USD; correct payee=Luis"),
        ("cancelar", PAYEE, "nothing"),
        ("¿cuál es mi saldo?", PAYEE, "nothing"),
        ("quiero hablar con una persona", PAYEE, "nothing"),
        ("mi saldo", standing("es", "balance"), "nothing"),
        ("cualquier cosa", standing("es"), "nothing"),
    ],
)
def test_pass_two_finds_everything_that_is_said_of_the_flow(text: str, where: Standing, filled: str) -> None:
    assert second(text, where) == filled


def test_a_flow_at_hand_begins_once_more_only_when_nothing_is_asked() -> None:
    text = "quiero transferir 20 a Luis"
    running = standing("es", "transfer", held={"amount": "50 USD", "payee": "Ana"})
    assert Rules().commands(text, running) == (StartFlow(flow="transfer"),)
    assert short(Rules().commands(text, PAYEE), PAYEE) == "correct amount=20.00 USD; set payee=Luis"


def test_a_guess_which_slot_is_corrected_is_not_checked() -> None:
    (said,) = Rules().commands("no, Luis", CONFIRMING)
    assert isinstance(said, CorrectSlot)
    assert (said.path, said.value, said.evidence, said.checked) == ("payee", "Luis", "Luis", False)
    (named,) = Rules().commands("no, a Luis", CONFIRMING)
    assert isinstance(named, CorrectSlot)
    assert named.checked


def test_a_correction_that_may_be_an_answer_is_not_checked() -> None:
    both = standing("es", "onboarding", asked="age", held={"name": "Ana"})
    other = replace(both, at_hand=BY_NAME["travel"], asked="nights", values={"people": 2})
    (said,) = Rules().commands("no, mejor 3", other)
    assert isinstance(said, SetSlot)
    assert (said.path, said.value, said.checked) == ("nights", 3, False)
    (sure,) = Rules().commands("3", other)
    assert isinstance(sure, SetSlot)
    assert sure.checked


def test_which_of_several_figures_is_meant_is_asked() -> None:
    held: dict[str, Any] = {"people": 2, "nights": 3}
    confirming = replace(standing("es"), at_hand=BY_NAME["travel"], question="execution", values=held)
    assert short(Rules().commands("no, mejor 4", confirming), confirming) == "which people|nights"
    assert Rules().slots("no, mejor 4", confirming) == ()
    assert short(Rules().commands("no, personas: 4", confirming), confirming) == "correct people=4"
    alone = replace(confirming, values={"nights": 3})
    assert short(Rules().commands("no, mejor 4", alone), alone) == "correct nights=4"


def test_a_value_that_is_asked_back_is_answered_with_yes_no_or_another() -> None:
    back = replace(standing("es", "transfer", asked="amount", held={"amount": "50 USD"}), question="execution")
    assert Rules().commands("sí", back) == (Affirm(),)
    assert Rules().commands("no", back) == (Deny(),)
    assert short(Rules().commands("no, 80", back), back) == "correct amount=80.00 USD"


def test_yes_is_the_value_of_a_slot_that_is_true_or_false() -> None:
    asked = standing("es", "onboarding", asked="newsletter")
    assert short(Rules().commands("sí", asked), asked) == "set newsletter=true"
    assert Rules().commands("sí", replace(asked, question="execution", asked=None)) == (Affirm(),)


async def test_what_is_understood_is_what_rules_say_at_once() -> None:
    rules, text = Rules(), "25 años"
    assert await rules.understand(text, AGE) == Understood(commands=rules.commands(text, AGE), decided_by=rules.name)
    assert await rules.extract(text, AGE) == Understood(commands=rules.slots(text, AGE), decided_by=rules.name)
    assert rules.deterministic


PLACES = st.sampled_from([one.standing for one in CORPUS])
TEXTS = [one.text for one in CORPUS]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Phrases cut, joined and misspelt."""
    random = Random(draw(st.integers(0, 2**32)))
    words = " ".join(random.sample(TEXTS, random.randint(1, 3))).split()
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(words))
        words[at : at + 1] = random.choice(([], [words[at][::-1]], [words[at], ","], [draw(st.text(max_size=4))]))
        if not words:
            break
    return " ".join(words)


def borne_out(text: str, where: Standing, language: Language) -> bool:
    """Each value is checked against the text again, in the language of the conversation or another."""
    assert where.at_hand is not None
    for one in Rules().slots(text, where):
        slot = where.at_hand.slots[one.path].slot
        known = Understanding(
            language=language, now=NOW, within=where.at_hand.name, asked=one.path, values=where.values
        )
        candidate = Candidate(path=one.path, value=one.value, start=one.start, end=one.end, evidence=one.evidence)
        found = values.checked(slot, candidate, text, known)
        if found is None or (one.checked and not found.checked):
            return False
    return True


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | damaged(), PLACES, st.sampled_from(LANGUAGES))
def test_whatever_is_typed(text: str, place: Standing, language: Language) -> None:
    where = replace(place, language=language)
    rules = Rules()
    first, more = rules.commands(text, where), rules.slots(text, where)
    assert (rules.commands(text, where), rules.slots(text, where)) == (first, more)
    valued = [one for one in (*first, *more) if isinstance(one, SetSlot | CorrectSlot)]
    assert all(text[one.start : one.end] == one.evidence and one.evidence.strip() for one in valued)
    if any(isinstance(one, Affirm) for one in first):
        assert len(first) == 1
        assert answer(text, language).kind == "yes"
    if any(isinstance(one, StartFlow) for one in first) and where.question is not None and where.at_hand is not None:
        assert where.at_hand.name not in [one.flow for one in first if isinstance(one, StartFlow)]


@pytest.mark.parametrize("phrase", [one for one in CORPUS if one.standing.at_hand is not None][::3])
def test_every_value_is_borne_out_by_its_evidence(phrase: Any) -> None:
    assert borne_out(phrase.text, phrase.standing, phrase.language)


def test_one_slot_gets_one_value() -> None:
    for phrase in CORPUS:
        paths = [one.path for one in Rules().slots(phrase.text, phrase.standing)]
        order = [] if phrase.standing.at_hand is None else [*phrase.standing.at_hand.slots]
        assert all(order.index(one) < order.index(other) for one, other in pairwise(paths))


NAME = standing("es", "onboarding", asked="name")


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("quiero transferir plata a alguien que no está en la lista", NAME, "start transfer"),
        ("necesito hacer una transferencia, es urgente", NAME, "start transfer"),
        (
            "transferencia de ayer con mi saldo",
            replace(NAME, asked="city"),
            "set city=transferencia de ayer con mi saldo",
        ),
    ],
)
def test_a_wish_for_a_flow_is_no_answer_in_words(text: str, where: Standing, said: str) -> None:
    assert short(Rules().commands(text, where), where) == said


def test_what_names_another_slot_is_no_answer_in_words() -> None:
    asked = standing("es", "order", asked="note", held={"dish": "pizza"})
    assert short(Rules().commands("cambiá el plato a milanesa", asked), asked) == "nothing"
    assert short(Rules().commands("cambiá el plato a sopa", asked), asked) == "correct dish=soup"
    assert short(Rules().commands("sin cebolla", asked), asked) == "set note=sin cebolla"


def test_what_a_tool_answers_is_not_heard() -> None:
    begun = standing("es", "order")
    assert second("quiero pedir comida: 2 pizzas, número 17", begun) == "set dish=pizza"
    confirming = standing("es", "order", confirm=True, held={"dish": "pizza", "number": 17})
    assert Rules().commands("no, 18", confirming) == (Deny(),)


def test_flows_that_may_not_be_asked_for_are_not_begun() -> None:
    few = replace(standing("es"), flows=[flow for flow in FLOWS if flow.name != "transfer"])
    assert Rules().commands("quiero transferir 50 a Ana", few) == ()
    assert Rules().commands("quiero transferir 50 a Ana", replace(few, flows=())) == ()
