"""What a message takes back, leaves open, or wishes for besides: nothing of it is dropped in silence."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.flows.definitions import shipped
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi import values
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.language.found import Language

from .standings import NOW, short

FLOWS = {flow.name: flow for flow in shipped()}
CARD: dict[str, Any] = {"card": "debit", "reason": "stolen"}
SENT: dict[str, Any] = {"payee": "lucia", "amount": "15 USD"}
SIGNED: dict[str, Any] = {"name": "Milagros Paz", "age": 30}


def standing(
    language: Language, at: str | None = None, asked: str | None = None, *, changing: bool = False, **held: Any
) -> Standing:
    """A place in the shipped flows; without `asked` a yes is asked for."""
    flow = None if at is None else FLOWS[at]
    known = Understanding(language=language, now=NOW)
    kept = (
        {} if flow is None else {path: values.normal(flow.slots[path].slot, one, known) for path, one in held.items()}
    )
    question: Any = None if flow is None else "slot" if asked or changing else "execution"
    return Standing(
        language=language, now=NOW, flows=[*FLOWS.values()], at_hand=flow, values=kept, asked=asked, question=question,
        changing=changing,
    )  # fmt: skip


def said(text: str, where: Standing) -> str:
    return short(Rules().commands(text, where), where)


@pytest.mark.parametrize(
    ("language", "text", "at", "held", "commands"),
    [
        ("es", "a Lucía no, a Ana", "transfer", SENT, "correct payee=ana"),
        ("en", "Wait, not Lucía, Ana", "transfer", SENT, "correct payee=ana"),
        ("es", "la de crédito en vez de la de débito, que me he liado", "block_card", CARD, "correct card=credit"),
        ("pt", "não é o de débito, é o de crédito", "block_card", CARD, "correct card=credit"),
        ("en", "Tess instead of Milagros Paz please", "onboarding", SIGNED, "correct name=Tess"),
        ("es", "dije 30 y son 32", "onboarding", SIGNED, "correct age=32"),
        ("es", "a Lucía no", "transfer", SENT, "reopen payee"),
        ("es", "quiero cambiar el monto", "transfer", SENT, "reopen amount"),
        ("pt", "o valor está errado", "transfer", SENT, "reopen amount"),
        ("en", "I want to change the payee", "transfer", SENT, "reopen payee"),
        ("es", "sí, 15", "transfer", SENT, "clarify"),
    ],
)
def test_what_is_taken_back_is_not_meant(
    language: Language, text: str, at: str, held: dict[str, Any], commands: str
) -> None:
    assert said(text, standing(language, at, **held)) == commands


def test_what_is_taken_back_elsewhere_is_no_answer_in_words() -> None:
    where = standing("es", "onboarding", "city", **SIGNED)
    assert said("ah, por cierto, puse Milagros Paz pero es Fermín Acosta", where) == "correct name=Fermín Acosta"
    where = standing("pt", "block_card", "reason", card="credit")
    assert said("não perdi não, foi roubado", where) == "set reason=stolen"


def test_a_name_alone_says_what_is_to_be_different() -> None:
    where = standing("es", "transfer", changing=True, **SENT)
    assert said("el monto", where) == "reopen amount"
    assert said("80", where) == "correct amount=80.00 USD"
    assert said("el monto", standing("es", "transfer", **SENT)) == "nothing"


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("en", "Can you send thirty dollars to Bruno?", "start transfer"),
        ("en", "to Ana, fifty", "start transfer"),
        ("en", "how do you send someone money on this?", "start transfer"),
        ("es", "Pasale plata a Bruno. U$S 7,50", "start transfer"),
        ("es", "che mandale 15 a Bruno y 20 a Lucía", "start transfer; left out transfer"),
        (
            "es",
            "Quisiera crear una cuenta; me llamo Ana Crespo. Hecho eso, me gustaría enviar 35 dólares a Bruno.",
            "start onboarding; left out transfer",
        ),
        ("en", "I do not want to transfer money", "nothing"),
        ("en", "please do not send Bruno 50 dollars", "nothing"),
        ("en", "I love my card", "nothing"),
    ],
)
def test_a_wish_in_other_words_begins_a_flow(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language)) == commands


def test_of_two_wishes_the_second_gives_no_value_to_the_first() -> None:
    where = standing("es", "transfer")
    begun = Standing(language="es", now=NOW, flows=where.flows, at_hand=where.at_hand)
    found = Rules().slots("che mandale 15 a Bruno y 20 a Lucía", begun)
    assert short(found, begun) == "set payee=bruno; set amount=15.00 USD"
