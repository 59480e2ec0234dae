"""Whole messages as people write them, in both passes: what is begun, filled, dropped and left for later."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mew_agents.flows.commands import StartFlow
from mew_agents.flows.definitions import parse, shipped
from mew_agents.flows.understanding import asides, wishes
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi import values
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.language.found import Language

from .standings import NOW, short

TICKETS = Path(__file__).parents[2] / "understanding" / "definitions" / "support_ticket.yaml"
FLOWS = {flow.name: flow for flow in (*shipped(), *parse(TICKETS.read_bytes()))}
SIGNED: dict[str, Any] = {"name": "Nara Paz", "age": 30, "email": "nara@example.com"}
TOLD: dict[str, Any] = {
    "category": "billing",
    "order": "P-30244",
    "details": "the same purchase was charged twice",
    "channel": "email",
    "email": "nara@example.com",
}


def standing(language: Language, at: str | None = None, asked: str | None = None, **held: Any) -> Standing:
    """A place in the flows; without `asked` a yes is asked for. Tickets stand alone: their triggers are everyday."""
    flow = None if at is None else FLOWS[at]
    known = Understanding(language=language, now=NOW)
    given = {} if flow is None else held
    kept = {path: values.normal(flow.slots[path].slot, one, known) for path, one in given.items() if flow is not None}
    return Standing(
        language=language,
        now=NOW,
        flows=[FLOWS["support_ticket"]] if at == "support_ticket" else [*shipped()],
        at_hand=flow,
        values=kept,
        asked=asked,
        question=None if flow is None else "slot" if asked else "execution",
    )


def said(text: str, where: Standing) -> str:
    return short(Rules().commands(text, where), where)


def begun(text: str, language: Language, name: str) -> str:
    """What a message fills of the flow that it begins."""
    flows = [FLOWS[name]] if name == "support_ticket" else [*shipped()]
    where = Standing(language=language, now=NOW, flows=flows)
    first = Rules().commands(text, where)
    assert first[:1] == (StartFlow(flow=name),), short(first, where)
    where = replace(where, at_hand=FLOWS[name])
    return short(Rules().slots(text, where), where)


@pytest.mark.parametrize(
    ("language", "text", "filled"),
    [
        ("es", "hacerme una cuenta. Joaquín, 41 años, joa@example.com", "name=Joaquín; age=41; email=joa@example.com"),
        ("es", "Buenas! Alta de cuenta: Rocío Benítez, 29", "name=Rocío Benítez; age=29"),
        ("pt", "quero criar conta\nBruna Lima\n35 anos", "name=Bruna Lima; age=35"),
        ("pt", "Cadastro para mim: é o Rui Vaz, tenho 50", "name=Rui Vaz; age=50"),
        ("en", "Could you set up an account? Priya Nair, 29", "name=Priya Nair; age=29"),
        ("en", "I'd like to register. Name: Lee Wong. Age: 27.", "name=Lee Wong; age=27"),
        ("en", "Sign me up please. Zoe O'Neil, Boston, 44", "name=Zoe O'Neil; age=44; city=Boston"),
        ("en", "i wanna make an account, im lee wong, 51", "name=lee wong; age=51"),
    ],
)
def test_a_name_stands_alone_in_the_message_that_begins_a_flow(language: Language, text: str, filled: str) -> None:
    assert begun(text, language, "onboarding").replace("set ", "") == filled


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Hola Sofía, quiero una cuenta"),
        ("es", "Hola, Sofía, quiero una cuenta"),
        ("es", "Vecinos, quiero abrir una cuenta. Gracias"),
        ("pt", "Quero me cadastrar, por favor. Obrigada"),
        ("en", "HELLO, I WANT AN ACCOUNT, NOW"),
    ],
)
def test_who_is_greeted_and_words_in_capitals_are_no_name(language: Language, text: str) -> None:
    assert begun(text, language, "onboarding") == "nothing"


@pytest.mark.parametrize(
    ("language", "text", "asked", "at", "commands"),
    [
        ("es", "sonn 35dolares nomas", "amount", "transfer", "set amount=35.00 USD"),
        ("pt", "50dólares", "amount", "transfer", "set amount=50.00 USD"),
        ("en", "its 75dollars", "amount", "transfer", "set amount=75.00 USD"),
        ("en", "im 63yearsold pal", "age", "onboarding", "set age=63"),
        ("es", "33añitos", "age", "onboarding", "set age=33"),
        ("en", "35k", "amount", "transfer", "set amount=35000.00 USD"),
        ("en", "code A113bcde", "amount", "transfer", "nothing"),
        ("es", "es juan.perez example.com", "email", "onboarding", "set email=juan.perez@example.com"),
        ("es", "no tengo, miren example.com", "email", "onboarding", "nothing"),
    ],
)
def test_a_blank_or_a_sign_is_missing(language: Language, text: str, asked: str, at: str, commands: str) -> None:
    assert said(text, standing(language, at, asked)) == commands


def test_words_that_ran_together_begin_a_flow_and_lead_to_a_value() -> None:
    assert begun("quieroo abrir unacuenta, vivoen Bahía Blanca", "es", "onboarding") == "set city=Bahía Blanca"


@pytest.mark.parametrize(
    ("language", "text", "filled"),
    [
        ("es", "quiero una cuenta, tengo 40, qué digo, 41", "age=41"),
        ("pt", "quero me cadastrar, tenho 74, ai que 74 o quê, tenho 63", "age=63"),
        ("en", "I want to register, I'm 50, oh no, 51", "age=51"),
        ("en", "sign me up, I'm 50 or 51", "age=50 ?"),
    ],
)
def test_of_two_values_the_later_one_stands_or_both_are_asked_about(language: Language, text: str, filled: str) -> None:
    assert begun(text, language, "onboarding") == f"set {filled}"


@pytest.mark.parametrize(
    ("language", "text", "filled"),
    [
        ("es", "un problema con el envío del P-63060... ay no, ese es otro, es el P-64781", "delivery; order=P-64781"),
        ("es", "tengo un problema de facturación con el pedido P-28767", "billing; order=P-28767"),
        ("pt", "quero reclamar, não é entrega nem cobrança, é outro assunto", "other"),
        ("pt", "tenho um problema com a fatura, escrevam para rui@a.com", "billing; channel=email; email=rui@a.com"),
    ],
)  # fmt: skip
def test_an_option_is_what_is_meant_of_several_words(language: Language, text: str, filled: str) -> None:
    assert begun(text, language, "support_ticket").replace("set ", "") == f"category={filled}"


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "mejor escríbanme a nara@example.com", "set channel=email; set email=nara@example.com"),
        ("pt", "podem escrever para nara@example.com", "set channel=email; set email=nara@example.com"),
        ("en", "rather ring +447911123456", "set channel=phone; set phone=+447911123456"),
        ("en", "text +447911123456 or write to nara@example.com", "nothing"),
    ],
)
def test_an_address_says_which_way_to_answer(language: Language, text: str, commands: str) -> None:
    where = standing(language, "support_ticket", "channel", category="access", details="x y z")
    assert said(text, where) == commands


@pytest.mark.parametrize(
    ("language", "text", "at", "asked", "commands"),
    [
        ("es", "q va, al final no qiero cuenta ni aora ni nunca", "onboarding", None, "cancel"),
        ("es", "mirá, ya no quiero la cuenta, gracias igual", "onboarding", "age", "cancel"),
        ("pt", "era só pra espreitar, não quero conta nenhuma", "onboarding", "name", "cancel"),
        ("pt", "já não preciso da transferência, ele já recebeu", "transfer", "amount", "cancel"),
        ("en", "scrap the account for now, I've lost my debit card", "onboarding", "email", "cancel; start block_card"),
        ("en", "it just came, so I have nothing to complain about", "support_ticket", "order", "cancel"),
        ("es", "no me bloquee nada, la encontré", "block_card", None, "cancel"),
        ("pt", "não transfira nada ainda", "transfer", None, "cancel"),
        ("en", "please don't send anything", "transfer", None, "cancel"),
        ("es", "no cambies nada", "transfer", None, "deny"),
        ("es", "no quiero transferir a Bruno", "transfer", None, "deny"),
        ("en", "I don't want to transfer 50 but 80", "transfer", None, "deny"),
        ("es", "no quiero que me roben la cuenta", "onboarding", "age", "nothing"),
    ],
)
def test_a_flow_that_is_not_wanted_is_dropped(
    language: Language, text: str, at: str, asked: str | None, commands: str
) -> None:
    held = {"payee": "bruno", "amount": "50 USD"} if at == "transfer" and asked is None else {}
    assert said(text, standing(language, at, asked, **held)) == commands


def test_the_flow_that_begins_instead_gets_its_values() -> None:
    text = "Deje la transferencia, ya no la haga. Me han robado la tarjeta de crédito."
    where = standing("es", "transfer", "amount", payee="ana")
    assert said(text, where) == "cancel; start block_card"
    where = replace(where, at_hand=FLOWS["block_card"], values={}, asked=None, question=None)
    assert short(Rules().slots(text, where), where) == "set card=credit; set reason=stolen"


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "no, lo conté mal: me llegó otra factura distinta", "correct details=me llegó otra factura distinta"),
        ("pt", "enganei-me no que disse: a fatura tem outro nome", "correct details=a fatura tem outro nome"),
        ("en", "Actually, they billed somebody else for it", "correct details=they billed somebody else for it ?"),
        ("en", "no, by phone", "correct channel=phone"),
        ("es", "no, mejor lo dejamos para mañana por favor", "cancel"),
        ("en", "Actually I want to talk to my husband first", "nothing"),
    ],
)
def test_what_happened_is_told_anew(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "support_ticket", **TOLD)) == commands


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "el nombre está mal, es Nora Paz. Córdoba", "correct name=Nora Paz; set city=Córdoba"),
        ("pt", "O nome está errado, é Nora Luz. Lisboa.", "correct name=Nora Luz; set city=Lisboa"),
        ("en", "Name's wrong, it's Imogen Shaw. Leeds.", "correct name=Imogen Shaw; set city=Leeds"),
        ("pt", "preciso corrigir o nome: é Simão Vaz, não Nara Paz.", "correct name=Simão Vaz"),
    ],
)
def test_a_correction_and_an_answer_in_one_message(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "onboarding", "city", **SIGNED)) == commands


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "¿y si después me mudo? gracias"),
        ("pt", "dá pra mudar isso depois? Obrigado"),
        ("en", "can I close it later? thanks"),
    ],
)
def test_thanks_behind_a_question_leave_it_one(language: Language, text: str) -> None:
    assert said(text, standing(language, "onboarding", **SIGNED, city="Salta")) == "clarify"


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "tengo dos reclamos: entrega del P-11111 y factura del P-22222", "category=billing, order=P-22222"),
        ("pt", "tenho dois problemas: cobrança no P-11111 e acesso à conta", "category=access"),
        ("en", "two issues: cannot log in, and the invoice of P-33333", "category=billing, order=P-33333"),
    ],
)  # fmt: skip
def test_two_things_of_a_kind_are_two_wishes(language: Language, text: str, commands: str) -> None:
    where = Standing(language=language, now=NOW, flows=[FLOWS["support_ticket"]])
    assert said(text, where) == f"start support_ticket; then support_ticket ({commands})"


def test_values_alone_are_no_second_wish() -> None:
    where = standing("es")
    assert said("registrarme, ana gómez, 20", where) == "start onboarding"
    assert said("transferir 10 a Ana, no, 15 a Ana", where) == "start transfer"
    assert begun("transferir 10 a Ana, no, 15 a Ana", "es", "transfer") == "set payee=ana; set amount=15.00 USD"


def test_a_word_with_two_slips_from_its_beginning_on_asks_for_nothing() -> None:
    text = "Bom dia, desculpe escrever a esta hora. Pretendo transferir um valor para a Lucía."
    assert begun(text, "pt", "transfer") == "set payee=lucia"


@pytest.mark.parametrize(
    ("language", "text"),
    [("es", "esperá"), ("es", "un momento, por favor"), ("pt", "espera aí"), ("pt", "deixa eu ver"), ("en", "hold on")],
)
def test_whoever_asks_for_time_says_nothing_else(language: Language, text: str) -> None:
    assert said(text, standing(language, "transfer", "amount", payee="ana")) == "wait"
    assert said(text, standing(language, "onboarding", "name")) == "wait"


def test_a_wait_before_a_value_is_a_correction() -> None:
    held = {"payee": "ana", "amount": "50 USD"}
    assert said("wait, make it 80", standing("en", "transfer", **held)) == "correct amount=80.00 USD"
    assert said("esperá, mejor 80", standing("es", "transfer", **held)) == "correct amount=80.00 USD"
    assert said("espera aí, 80", standing("pt", "transfer", **held)) == "correct amount=80.00 USD"


@pytest.mark.parametrize(("language", "text"), [("es", "no, gracias"), ("pt", "não"), ("en", "nope")])
def test_a_no_is_an_answer_in_words_where_a_text_was_asked_for(language: Language, text: str) -> None:
    where = standing(language, "support_ticket", "details", category="access")
    assert said(text, where) == f"set details={text}"
    assert said(text, standing(language, "onboarding", "name")) == "deny"


PICKUP = next(iter(parse((Path(__file__).parents[1] / "acceptance" / "files" / "pickup.yaml").read_bytes())))


def collected(language: Language, text: str, *before: str, asked: str | None = None, **held: Any) -> str:
    """What a message comes to in the pickup, after others that the person has said."""
    history = [("person", one) for one in (*before, text)]
    where = Standing(language=language, now=NOW, flows=[PICKUP], at_hand=PICKUP, values=held, asked=asked,
                     question="slot" if asked else "execution", history=history)  # fmt: skip
    return short(Rules().commands(text, where), where)


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("en", "no, saturday morning", "correct day=2026-11-28; reopen hour"),
        ("es", "mejor el sábado por la mañana", "correct day=2026-11-28; reopen hour"),
        ("pt", "não, sábado de manhã", "correct day=2026-11-28; reopen hour"),
        ("en", "no, in the morning, and 3 parcels", "reopen hour; correct parcels=3"),
        ("es", "no, pará, a la mañana", "reopen hour"),
        ("en", "no, saturday at 10 in the morning", "correct day=2026-11-28; correct hour=10:00"),
        ("en", "no, saturday afternoon", "correct day=2026-11-28"),
        ("es", "buenos días, mejor 3 paquetes", "correct parcels=3"),
    ],
)
def test_a_part_of_the_day_takes_back_an_hour_outside_of_it(language: Language, text: str, commands: str) -> None:
    held: dict[str, Any] = {"day": "2026-11-27", "hour": "17:00", "parcels": 2, "remark": "ring twice"}
    assert collected(language, text, **held) == commands


@pytest.mark.parametrize(
    ("language", "before", "text", "hour"),
    [
        ("en", "home pickup thursday morning", "9", "09:00"),
        ("en", "home pickup thursday morning", "4", "04:00"),
        ("en", "home pickup thursday morning", "4 pm", "16:00"),
        ("es", "retiro a domicilio el jueves a la tarde", "a las 4", "16:00"),
        ("es", "buenos días, retiro a domicilio el jueves", "4", "16:00"),
        ("pt", "coleta em casa quinta à noite", "às 8", "20:00"),
    ],
)
def test_a_part_of_the_day_is_remembered(language: Language, before: str, text: str, hour: str) -> None:
    assert collected(language, text, before, asked="hour", day="2026-11-26") == f"set hour={hour}"


@pytest.mark.parametrize("text", ["hola, bueno, ", "ver mi saldo y transferir 50 a Ana, "])
def test_second_wishes_are_looked_for_in_few_places(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def counted(part: str, where: Standing) -> tuple[str, ...]:
        looked.append(part)
        return meant(part, where)

    meant = wishes._meant
    monkeypatch.setattr(wishes, "_meant", counted)
    for long in (text * (590 // len(text)), text * 100):
        looked.clear()
        wishes.wishes(long, standing("es"))
        assert 0 < len(looked) <= 30


@pytest.mark.parametrize(
    ("language", "text", "commands"),
    [
        ("es", "a Ana, 20 dólares", "set payee=ana; correct amount=20.00 USD ?"),
        ("pt", "para a Ana, 20 dólares", "set payee=ana; correct amount=20.00 USD ?"),
        ("en", "to Ana, 20 dollars", "set payee=ana; correct amount=20.00 USD ?"),
        ("en", "to Ana, 50 dollars", "set payee=ana"),
    ],
)
def test_another_value_beside_an_answer_is_asked_about(language: Language, text: str, commands: str) -> None:
    assert said(text, standing(language, "transfer", "payee", amount="50 USD")) == commands


def test_what_drops_a_flow_is_looked_for_in_few_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def counted(text: str, language: Language, at_hand: Any) -> None:
        looked.append(text)

    monkeypatch.setattr(asides, "dropped", counted)
    asides.dropped_first("Ana, " * 800, "es", FLOWS["transfer"].definition)
    assert 0 < len(looked) <= 20
