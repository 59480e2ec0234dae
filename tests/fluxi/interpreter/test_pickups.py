"""What is read of messages about the pickup of a parcel: measures, parts of the day, addresses, words to pass on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import load
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
PICKUP = load(Path(__file__).parents[2] / "understanding" / "definitions" / "courier_pickup.yaml")


def read(
    text: str, language: Language, *, asked: str | None = None, held: dict[str, object] | None = None
) -> dict[str, Candidate]:
    """What a message fills: of a new Work, or of one that holds values and asked for a slot."""
    within = None if asked is None else PICKUP.type_id
    understanding = Understanding(language=language, now=NOW, within=within, asked=asked, values=held or {})
    proposal = Rules().propose(text, [PICKUP], understanding)
    if proposal is None and asked is None:
        return {}
    slots, wish = ((), None) if proposal is None else (proposal.slots, proposal.wish)
    certain, left = remainder(PICKUP, text, understanding, slots, wish=wish)
    return {one.path: one for one in (*left.guesses, *certain)}


def values(found: dict[str, Candidate]) -> dict[str, object]:
    return {path: one.value for path, one in found.items()}


@pytest.mark.parametrize(
    ("text", "language", "day", "window"),
    [
        ("retiren un paquete el jueves por la tarde", "es", "2027-03-11", "afternoon"),
        ("retiren un paquete, por la mañana, el viernes 19", "es", "2027-03-19", "morning"),
        ("podem coletar um pacote na sexta-feira à noite?", "pt", "2027-03-12", "evening"),
        ("collect a parcel Monday morning", "en", "2027-03-15", "morning"),
        ("collect a parcel on the 22nd of March in the afternoon", "en", "2027-03-22", "afternoon"),
    ],
)
def test_a_part_of_the_day_that_is_a_window_leaves_no_doubt_about_the_day(
    text: str, language: Language, day: str, window: str
) -> None:
    found = read(text, language)
    assert (found["day"].value, found["day"].doubts, found["window"].value) == (day, (), window)


@pytest.mark.parametrize(
    ("text", "language", "weight"),
    [
        ("recojan un paquete de 12kg", "es", "12"),
        ("recojan un paquete de 14 kilos y medio", "es", "14.5"),
        ("coletem um pacote de dois quilos e meio", "pt", "2.5"),
        ("collect a parcel, it is 3 kilos and a half", "en", "3.5"),
        ("mandar un paquete de 4,5kilos", "es", "4.5"),
        ("coletar um pacote de 8quilos", "pt", "8"),
        ("send a parcel, 7kgs", "en", "7"),
    ],
)
def test_a_unit_may_be_stuck_to_its_number(text: str, language: Language, weight: str) -> None:
    assert read(text, language)["weight"].value == weight


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("pode ser sextafeira", "pt", "2027-03-12"),
        ("march22 is fine", "en", "2027-03-22"),
        ("22march", "en", "2027-03-22"),
    ],
)
def test_a_day_may_be_written_as_one_word(text: str, language: Language, day: str) -> None:
    assert read(text, language, asked="day")["day"].value == day


@pytest.mark.parametrize(
    ("text", "language", "first", "second"),
    [
        (
            "Two pickups: 5 kg on Thursday and another of 9 kg on Monday",
            "en",
            {"weight": "5", "day": "2027-03-11"},
            {"weight": "9", "day": "2027-03-15"},
        ),
        (
            "recojan un paquete de 3 kg el jueves, y el lunes tengo otro más, de 8 kilos",
            "es",
            {"weight": "3", "day": "2027-03-11"},
            {"weight": "8", "day": "2027-03-15"},
        ),
        (
            "coletar um pacote de 2 kg na sexta, e outro de 6 kg no sábado",
            "pt",
            {"weight": "2", "day": "2027-03-12"},
            {"weight": "6", "day": "2027-03-13"},
        ),
        (
            "collect a parcel of 5 kg on Thursday, no, better on Monday",
            "en",
            {"weight": "5", "day": "2027-03-15"},
            None,
        ),
        ("collect a parcel of 5 kg on Thursday or Friday", "en", {"weight": "5", "day": "2027-03-11"}, None),
    ],
)
def test_a_second_wish_of_one_kind_keeps_its_values(
    text: str, language: Language, first: dict[str, object], second: dict[str, object] | None
) -> None:
    proposal = Rules().propose(text, [PICKUP], Understanding(language=language, now=NOW))
    assert proposal is not None
    assert {one.path: one.value for one in proposal.slots} == first
    assert (proposal.second and {one.path: one.value for one in proposal.second.slots}) == second


def test_words_nearly_those_of_another_language_are_no_values() -> None:
    assert read("minha agenda está cheia", "pt", asked="window") == {}
    assert read("es otro modelo", "es", asked="window") == {}


def test_a_percentage_is_no_amount() -> None:
    assert "value" not in read("tengo 7 % de batería, retiren un paquete", "es")


@pytest.mark.parametrize(
    ("text", "language", "address"),
    [
        ("Calle Mayor 12, 3.º izq., Madrid", "es", "Calle Mayor 12, 3.º izq., Madrid"),
        ("C/ Sol 4, 2.ª dcha., Sevilla", "es", "C/ Sol 4, 2.ª dcha., Sevilla"),
        ("Rua Augusta 120, 4.º dto., Lisboa", "pt", "Rua Augusta 120, 4.º dto., Lisboa"),
    ],
)
def test_an_ordinal_of_a_floor_does_not_end_an_address(text: str, language: Language, address: str) -> None:
    assert read(text, language, asked="address")["address"].value == address


@pytest.mark.parametrize(
    ("text", "language", "address"),
    [
        ("pasen a buscar un paquete por Belgrano 2210, 4° A, Rosario el jueves", "es", "Belgrano 2210, 4° A, Rosario"),
        ("recojan un paquete de 3 kg en calle Luna 8, Madrid", "es", "calle Luna 8, Madrid"),
        ("buscar um pacote na Rua 25 de Março 310, São Paulo, na sexta", "pt", "Rua 25 de Março 310, São Paulo"),
        ("collect a parcel from 12 Baker Street, London on Friday morning", "en", "12 Baker Street, London"),
        ("send a parcel on Saturday April 3, 12 kg", "en", None),
        ("enviar un paquete el lunes 15, Marta", "es", None),
    ],
)
def test_an_address_is_known_by_its_form(text: str, language: Language, address: str | None) -> None:
    found = read(text, language)
    assert values(found).get("address") == address
    assert address is None or found["address"].doubts == ()


@pytest.mark.parametrize(
    ("text", "language", "address", "doubts"),
    [
        ("Mitre 340, Rosario", "es", "Mitre 340, Rosario", ()),
        ("Mitre 340, Rosario, portón verde al fondo", "es", "Mitre 340, Rosario, portón verde al fondo", ()),
        ("ay, perdón! la dirección es 25 de Mayo 18, Salta, y pesa 4 kilos", "es", "25 de Mayo 18, Salta", ()),
        ("Rua do Ouro 5, Braga. Venham logo que tenho pressa", "pt", "Rua do Ouro 5, Braga", ("partial",)),
        ("it's 7 Hill Road, York, thanks", "en", "7 Hill Road, York", ()),
        ("la casa de mi abuela", "es", "la casa de mi abuela", ()),
    ],
)
def test_an_address_that_was_asked_for_is_told_from_what_else_is_said(
    text: str, language: Language, address: str, doubts: tuple[str, ...]
) -> None:
    found = read(text, language, asked="address")["address"]
    assert (found.value, found.doubts) == (address, doubts)


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("decile al mensajero que llame antes de subir", "es", "llame antes de subir"),
        ("dile al portero que abra la reja", "es", "abra la reja"),
        ("pede pro entregador deixar na portaria, por trás", "pt", "deixar na portaria, por trás"),
        ("tell the courier to ring twice", "en", "ring twice"),
        ("please ask your driver not to park on the lawn", "en", "not to park on the lawn"),
    ],
)
def test_words_for_somebody_are_passed_on(text: str, language: Language, words: str) -> None:
    found = read(text, language, asked="")["instructions"]
    assert (found.value, not found.guessed) == (words, True)


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("not in the morning, I work until 2", "en", {}),
        ("not the morning, the evening", "en", {"window": "evening"}),
        ("de manhã não estou, só depois das 14", "pt", {}),
        ("à tarde não consigo, à noite", "pt", {"window": "evening"}),
        ("de tarde no estoy, a la noche sí", "es", {"window": "evening"}),
    ],
)
def test_a_part_of_the_day_that_does_not_suit_is_not_taken(
    text: str, language: Language, wanted: dict[str, object]
) -> None:
    held: dict[str, object] = {"address": "12 Mill Lane, Leeds", "weight": "3", "day": "2027-03-12"}
    assert values(read(text, language, asked="window", held=held)) == wanted
