"""What is set right beside an answer, what is no name, and the words for a note."""

from __future__ import annotations

from typing import Any

import pytest

from mew_agents.flows.understanding.implausible import before_its_name
from mew_agents.language.found import Language

from .test_whole_messages import begun, said, standing

SIGNING: dict[str, Any] = {"name": "Rocío", "age": 55, "email": "r@example.org"}
TICKET: dict[str, Any] = {"category": "billing", "order": "P-37361"}
TOLD = TICKET | {"details": "it was charged twice", "channel": "email", "email": "nara@example.com"}


@pytest.mark.parametrize(
    ("language", "text", "filled"),
    [
        ("es", "Ay, la edad, disculpá. Son 70", "correct age=70"),
        ("pt", "ai, a idade, desculpa. São 70", "correct age=70"),
        ("en", "oh, my age, sorry. It's 41", "correct age=41"),
        ("en", "By the way, I said that I was 55. It is 21.", "correct age=21 ?"),
    ],
)
def test_correction_of_a_figure_is_no_city(language: Language, text: str, filled: str) -> None:
    assert said(text, standing(language, "onboarding", "city", **SIGNING)) == filled


@pytest.mark.parametrize(
    ("language", "text", "age"),
    [
        ("es", "Mi correo: j_7@example.net. Por otra parte, indiqué mal la edad, debe constar 67.", 67),
        ("es", "ana guion bajo paz arroba example punto com. La edad la puse mal, son 41", 41),
        ("en", "bob underscore k at example dot com. Sorry, my age should be 33", 33),
    ],
)
def test_held_value_is_set_right_beside_the_answer(language: Language, text: str, age: int) -> None:
    where = standing(language, "onboarding", "email", name="Rocío", age=55)
    assert said(text, where).startswith(f"correct age={age}; set email=")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "El pedido que dije antes, P-37361, está mal, por cierto. Es P-19940."),
        ("pt", "ops, perdão! o pedido certo é o P-19940"),
        ("en", "I gave you the wrong order, it's P-19940"),
    ],
)
def test_correction_is_not_what_happened(language: Language, text: str) -> None:
    told = said(text, standing(language, "support_ticket", "details", **TICKET))
    assert told.startswith("correct order=P-19940")
    assert "details" not in told


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "el correo tiene que cambiar, poné ines_p@example.net"),
        ("pt", "o e-mail tem q mudar, põe ines_p@example.net"),
        ("en", "the email needs to change, put ines_p@example.net"),
    ],
)
def test_words_that_name_a_change_are_no_description(language: Language, text: str) -> None:
    assert said(text, standing(language, "support_ticket", **TOLD)) == "correct email=ines_p@example.net"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Qué pinta el número de pedido en esto? Para qué lo usáis?"),
        ("pt", "Mas o que tem a ver o número do pedido? pra que usam?"),
        ("en", "what has the order number got to do with it? why do you need it?"),
    ],
)
def test_slot_that_is_asked_about_is_no_option(language: Language, text: str) -> None:
    assert said(text, standing(language, "support_ticket", "order", category="billing")) == "clarify"


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("es", "Gonzalo Etcheverry me llamo, y te doy el apellido porque hay unos cuantos", "Gonzalo Etcheverry"),
        ("es", "Lucía Paz es mi nombre", "Lucía Paz"),
        ("pt", "Rui Vaz me chamo", "Rui Vaz"),
        ("en", "lee wong is the name", "lee wong"),
    ],
)
def test_name_ends_where_it_says_that_it_is_one(language: Language, text: str, name: str) -> None:
    assert said(text, standing(language, "onboarding", "name")) == f"set name={name}"


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("es", "quiero una cuenta. Candela es mi nombre y he cumplido quince", "Candela"),
        ("es", "hola, Fermín Acosta por acá, quiero hacerme una cuenta", "Fermín Acosta"),
        ("pt", "faz uma conta pra mim, Maria das Dores é o nome", "Maria das Dores"),
        ("en", "need an account, Lee Wong is the name", "Lee Wong"),
    ],
)
def test_opening_with_a_name_before_the_words_for_it(language: Language, text: str, name: str) -> None:
    assert begun(text, language, "onboarding").startswith(f"set name={name}")


def test_name_in_a_sentence_is_asked_back() -> None:
    where = standing("en", "onboarding", **SIGNING, city="Funes")
    assert said("can it say Tess there instead of Rocío, cheers", where) == "correct name=Tess ?"


def test_before_its_name_needs_a_name() -> None:
    assert before_its_name("es mi nombre", 0, 12, "es") is None


@pytest.mark.parametrize(
    ("language", "text", "filled"),
    [
        (
            "es",
            "Concepto 2 entradas para el 20 de marzo, 50 dólares",
            "50.00 USD; set concept=2 entradas para el 20 de marzo",
        ),
        ("pt", "Valor, cinco dólares. Identifica como parcela 3 de 12.", "5.00 USD; set concept=parcela 3 de 12"),
        ("en", "reference 3 of 12, amount 50 dollars", "50.00 USD; set concept=3 of 12"),
        (
            "en",
            "call it 120, and stick instalment 3 of 12 down as the reference",
            "120.00 USD; set concept=instalment 3 of 12",
        ),
        ("es", "concepto alquiler de marzo 50 dólares", "50.00 USD; set concept=alquiler de marzo"),
    ],
)
def test_figures_of_a_note_are_no_amount(language: Language, text: str, filled: str) -> None:
    assert said(text, standing(language, "transfer", "amount", payee="ana")) == f"set amount={filled}"


@pytest.mark.parametrize(
    ("language", "text", "note"),
    [
        ("es", 'pásale 175$ a bruno xfa, en el concepto pon "no es urgente"', "no es urgente"),
        ("es", "manda 175$ a bruno y pon de concepto no es urgente", "no es urgente"),
        (
            "pt",
            "Transferir 175 dólares a Bruno. Na descrição, favor fazer constar: não é empréstimo",
            "não é empréstimo",
        ),
        ("en", 'send 175 dollars to Bruno and the reference ought to read "council tax".', "council tax"),
        ("es", "ponme expensas en el concepto y pásale 175 a Bruno", "expensas"),
        ("es", "transferir a Bruno, concepto expensas y mandale 175", "expensas"),
        ("en", "transfer 175 dollars to Bruno, ref 2 tickets", "2 tickets"),
    ],
)
def test_note_of_a_wish(language: Language, text: str, note: str) -> None:
    told = begun(text, language, "transfer")
    assert told == f"set payee=bruno; set amount=175.00 USD; set concept={note}"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Robármela no me la ha robado nadie; sencillamente la he perdido."),
        ("pt", "ninguém roubou, eu perdi"),
        ("en", "nobody stole it, I just lost it"),
    ],
)
def test_what_nobody_did_is_not_meant(language: Language, text: str) -> None:
    assert said(text, standing(language, "block_card", "reason", card="debit")) == "set reason=lost"


@pytest.mark.parametrize(
    ("language", "at", "asked", "held", "text", "commands"),
    [
        (
            "es",
            "transfer",
            "amount",
            {"payee": "ana"},
            "Perdone, dejemos lo de Ana: no quiero transferir nada",
            "cancel",
        ),
        (
            "en",
            "onboarding",
            "email",
            {"name": "Lee", "age": 40},
            "Actually never mind the account, I've lost my debit card! Can you block it?",
            "cancel; start block_card",
        ),
        ("es", "onboarding", None, SIGNING | {"city": "Funes"}, "no kiero la cuenta, borra to", "cancel"),
        ("pt", "onboarding", "name", {}, "era só curiosidade minha, não vou abrir conta", "cancel"),
        (
            "es",
            "transfer",
            None,
            {"payee": "ana", "amount": "50"},
            "no quiero transferir a Ana, a Bruno",
            "correct payee=bruno",
        ),
        (
            "en",
            "transfer",
            "amount",
            {"payee": "ana"},
            "Might I know first how much there is in my account?",
            "start balance",
        ),
        ("pt", "transfer", "amount", {"payee": "ana"}, "antes me diz quanto é que eu tenho na conta?", "start balance"),
    ],
)
def test_flow_that_is_dropped_or_left_for_another(
    language: Language, at: str, asked: str | None, held: dict[str, Any], text: str, commands: str
) -> None:
    assert said(text, standing(language, at, asked, **held)) == commands


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "Veja bem, o Bruno deve receber de minha conta 300 dólares; providencie, por favor."),
        ("en", "300 dollars has to go to Bruno from my account. Thanks."),
        ("en", "Hello, would you please move three hundred dollars across to Bruno for me?"),
    ],
)
def test_all_that_a_flow_asks_begins_it(language: Language, text: str) -> None:
    assert begun(text, language, "transfer") == "set payee=bruno; set amount=300.00 USD"


def test_name_ends_with_its_sentence() -> None:
    where = standing("es", "onboarding", "name")
    assert said("con todo gusto: María de los Ángeles Ruiz. Creo que así está bien.", where) == (
        "set name=María de los Ángeles Ruiz"
    )
    assert said("Bury St. Edmunds, that's where", standing("en", "onboarding", "city", **SIGNING)) == (
        "set city=Bury St. Edmunds"
    )


def test_other_thing_that_leads_on_is_no_option() -> None:
    where = standing("pt", "support_ticket", "category")
    assert said("outra coisa, minha conta não loga", where) == "set category=access"
    assert said("outra coisa", where) == "set category=other"


def test_second_wish_behind_a_note() -> None:
    where = standing("es")
    told = said("transferir 20 a Ana, nota: cena, y 30 a Bruno", where)
    assert told == "start transfer; then transfer (payee=bruno, amount=30.00 USD)"
