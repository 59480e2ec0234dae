"""What people write in chats, in the three languages: each family with a handful of messages."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import load, shipped
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
UNSHIPPED = Path(__file__).parents[2] / "understanding" / "definitions"
OTHERS = [load(UNSHIPPED / f"{name}.yaml") for name in ("table_booking", "courier_pickup")]
DEFINITIONS = {one.type_id: one for one in (*shipped(), *OTHERS)}


def read(
    name: str, text: str, language: Language, *, asked: str | None = "", held: dict[str, object] | None = None
) -> dict[str, object]:
    definition = DEFINITIONS[name]
    within = None if asked is None else name
    understanding = Understanding(language=language, now=NOW, within=within, asked=asked, values=held or {})
    proposal = Rules().propose(text, [definition], understanding)
    if proposal is None:
        return {}
    certain, _ = remainder(definition, text, understanding, proposal.slots, wish=proposal.wish)
    return {one.path: one.value for one in certain}


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("courier_pickup", "me vendría genial que alguien pasara a por un paquete", "es"),
        ("courier_pickup", "kiero embiar un pakete", "es"),
        ("courier_pickup", "queria que viessem buscar um embrulho", "pt"),
        ("courier_pickup", "have a box that needs fetching", "en"),
        ("refund_request", "necesito el reintegro de una compra", "es"),
        ("refund_request", "gostaria de reaver o dinheiro", "pt"),
        ("appointment_booking", "ando buscando una consulta", "es"),
        ("table_booking", "arranja-me aí uma mesinha, se faz favor", "pt"),
        ("table_booking", "gotta get a table sorted", "en"),
    ],
)
def test_it_is_asked_for_in_other_words(name: str, text: str, language: Language) -> None:
    understanding = Understanding(language=language, now=NOW)
    proposal = Rules().propose(text, [DEFINITIONS[name]], understanding)
    assert proposal is not None


@pytest.mark.parametrize(
    ("text", "language", "people"),
    [
        ("a table for 2. No wait, 3, my sister is coming", "en", 3),
        ("need a table for 2 on 1 April. No, 3 of us", "en", 3),
        ("4 of us, need a table", "en", 4),
        ("mesa para 5, perdón, 6", "es", 6),
        ("mesa para 5 pessoas, não, 7", "pt", 7),
    ],
)
def test_a_bare_figure_corrects_the_one_before(text: str, language: Language, people: int) -> None:
    assert read("table_booking", text, language, asked=None)["people"] == people


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("poné Domingo Sáenz", "es", "Domingo Sáenz"),
        ("anotala a Domingo Sáenz", "es", "Domingo Sáenz"),
        ("ponla como Correa", "es", "Correa"),
        ("sunday adeyemi", "en", "sunday adeyemi"),
        ("put it down as Gallagher", "en", "Gallagher"),
        ("Ah, perdão! Pode colocar Sampaio.", "pt", "Sampaio"),
        ("Ah, sim, me desculpe: Sampaio.", "pt", "Sampaio"),
    ],
)
def test_a_name_that_was_asked_for(text: str, language: Language, name: str) -> None:
    held: dict[str, object] = {"people": 2, "day": "2027-03-12", "time": "21:00", "terrace": True}
    assert read("table_booking", text, language, asked="name", held=held) == {"name": name}


@pytest.mark.parametrize(
    ("text", "language", "address"),
    [
        ("pick up a parcel from unit 2, 30 dock street, glasgow its 10 kilos", "en", "unit 2, 30 dock street, glasgow"),
        ("retiren un paquete en Ruta 8 km 45, Pilar", "es", "Ruta 8 km 45, Pilar"),
        ("buscar uma encomenda à Travessa do Carmo 8, Porto", "pt", "Travessa do Carmo 8, Porto"),
        ("need a pickup: 14 Mill Lane, Leeds, Friday morning", "en", "14 Mill Lane, Leeds"),
    ],
)
def test_an_address_is_taken_whole(text: str, language: Language, address: str) -> None:
    assert read("courier_pickup", text, language, asked=None)["address"] == address


@pytest.mark.parametrize(
    ("text", "language", "asked"),
    [
        ("64,90 dólares, gracias crack", "es", "amount"),
        ("y la plata cuánto tarda en llegar", "es", "amount"),
        ("é possível reaver só uma parte?", "pt", "amount"),
        ("there were 3 pieces in it, 20 dollars", "en", "amount"),
    ],
)
def test_a_word_in_passing_is_no_reason(text: str, language: Language, asked: str) -> None:
    assert "reason" not in read("refund_request", text, language, asked=asked, held={"order": "A-1001"})


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I ordered 4 things and 1 is the wrong one", "en"),
        ("pedí 4 cosas y 1 vino cambiada por otra", "es"),
    ],
)
def test_a_count_of_things_changes_no_amount(text: str, language: Language) -> None:
    held: dict[str, object] = {"order": "A-1001", "amount": {"amount": "25.00", "currency": "USD"}}
    assert "amount" not in read("refund_request", text, language, asked="reason", held=held)


@pytest.mark.parametrize(
    ("text", "language"),
    [("want 75 back on A-1012", "en"), ("quero 75 de volta do A-1012", "pt"), ("quiero 75 de vuelta del A-1012", "es")],
)
def test_a_figure_before_back_is_the_amount(text: str, language: Language) -> None:
    assert read("refund_request", text, language, asked=None)["amount"] == {"amount": "75.00", "currency": "USD"}
