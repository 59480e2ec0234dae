"""What a message takes back, leaves open, or wishes for besides: nothing of it is dropped in silence."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.flows.commands import Clarify
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
        ("es", "che mandale 15 a Bruno y 20 a Lucía", "start transfer; then transfer (payee=lucia, amount=20.00 USD)"),
        (
            "es",
            "Quisiera crear una cuenta; me llamo Ana Crespo. Hecho eso, me gustaría enviar 35 dólares a Bruno.",
            "start onboarding; then transfer (payee=bruno, amount=35.00 USD)",
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


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "ya fue, dejalo", "cancel"),
        ("en", "leave it, I'm seeing her today anyway", "cancel"),
        ("es", "deje la transferencia. Me robaron la tarjeta de crédito", "cancel; start block_card"),
        ("es", "¿para qué quieren el monto?", "clarify"),
        ("pt", "e cai quando isso lá?", "clarify"),
        ("es", "No mandes nada. La llamo yo", "cancel"),
    ],
)
def test_beside_a_yes_much_else_may_be_said(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "transfer", **SENT)) == commands


def test_a_question_explains_the_slot_that_it_names() -> None:
    (about,) = Rules().commands("¿para qué quieren el monto?", standing("es", "transfer", "payee"))
    assert about == Clarify(path="amount")
    (unknown,) = Rules().commands("e cai quando isso lá?", standing("pt", "transfer", **SENT))
    assert unknown == Clarify(known=False)


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "320,75 y en el concepto poneme cuota 3 de 12", "set amount=320.75 USD; set concept=cuota 3 de 12"),
        ("en", "90 dollars, and put council tax as the reference", "set amount=90.00 USD; set concept=council tax"),
    ],
)
def test_words_for_a_named_slot_give_no_figure_to_another(language: Language, text: str, commands: str) -> None:
    where = standing(language, "transfer", "amount", payee="ana")
    assert said(text, where) == commands


def test_what_is_said_of_a_name_is_no_part_of_it_and_is_asked_back() -> None:
    where = standing("pt", "onboarding", "city", **SIGNED)
    assert said("Sete Lagoas fui pra lá por causa da família", where) == "set city=Sete Lagoas ?"
    assert said("Desculpe, a cidade é a que vem no cartão?", where) == "clarify"


def test_another_option_that_nothing_says_is_a_correction_is_asked_back() -> None:
    where = standing("en", "block_card", "reason", card="credit")
    assert said("It's my debit card.", where) == "correct card=debit ?"
    assert said("Oh, so sorry. It's my debit card.", where) == "correct card=debit"
