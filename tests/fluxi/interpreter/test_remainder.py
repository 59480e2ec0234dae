"""What a message says beyond the values that were read is guessed, asked about or cleared."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import Definition, load, shipped
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.remainder import Remainder, remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
UNSHIPPED = Path(__file__).parents[2] / "understanding" / "definitions"
DEFINITIONS = {one.type_id: one for one in (*shipped(), load(UNSHIPPED / "table_booking.yaml"))}
TABLE: dict[str, object] = {"people": 6, "day": "2027-03-12", "time": "21:00", "terrace": True}
VISIT: dict[str, object] = {"doctor": "ana-perez", "start": "2027-03-12T10:30:00-03:00", "patient": "marta"}
REFUND: dict[str, object] = {"order": "A-1001", "amount": {"amount": "25.00", "currency": "USD"}, "reason": "late"}


def read(
    name: str, text: str, held: dict[str, object], *, language: Language = "es", asked: str = ""
) -> tuple[dict[str, object], Remainder]:
    definition: Definition = DEFINITIONS[name]
    understanding = Understanding(language=language, now=NOW, within=name, asked=asked, values=held)
    proposal = Rules().propose(text, [definition], understanding)
    certain, left = remainder(definition, text, understanding, proposal.slots if proposal else ())
    return {one.path: one.value for one in certain}, left


@pytest.mark.parametrize(
    ("text", "language", "people"),
    [
        ("para 3 personas", "es", 3),
        ("actually make it 7 people", "en", 7),
        ("somos 5", "es", 5),
        ("De pessoas são 9", "pt", 9),
        ("dos adultos y dos niños, cuatro en total", "es", 4),
    ],
)
def test_a_number_beside_its_label_is_certain(text: str, language: Language, people: int) -> None:
    certain, left = read("table_booking", text, TABLE, language=language)
    assert (certain, bool(left)) == ({"people": people}, False)


def test_a_bare_number_that_several_slots_take_is_asked_about() -> None:
    certain, left = read("table_booking", "2", TABLE)
    assert (certain, [(one.words, one.paths) for one in left.unclear]) == ({}, [("2", ("people", "day", "time"))])


def test_a_bare_number_that_one_slot_takes_is_guessed() -> None:
    certain, left = read("refund_request", "quise decir 61,50", REFUND)
    assert certain == {}
    assert [(one.path, one.value["amount"], one.alternatives) for one in left.guesses] == [
        ("amount", "61.50", (REFUND["amount"],))
    ]


def test_a_number_that_counts_something_else_is_no_value() -> None:
    assert not read("refund_request", "las 2 tazas que traía", REFUND)[1]


@pytest.mark.parametrize("text", ["mejor a la tarde", "better in the afternoon"])
def test_a_part_of_the_day_clears_an_hour_outside_of_it(text: str) -> None:
    language: Language = "en" if "better" in text else "es"
    assert read("appointment_booking", text, VISIT, language=language)[1].cleared == {"start": {"date": "2027-03-12"}}
    assert read("table_booking", text, TABLE, language=language)[1].cleared == {"time": None}
    assert not read("appointment_booking", text, {**VISIT, "start": "2027-03-12T16:00:00-03:00"}, language=language)[1]


def test_a_new_day_with_a_part_of_the_day_drops_the_old_hour() -> None:
    certain, _ = read("appointment_booking", "no, mejor el lunes a la tarde", VISIT)
    assert certain == {"start": {"date": "2027-03-15"}}


def test_what_is_taken_back_is_cleared_or_replaced() -> None:
    assert read("refund_request", "tarde no llegó", REFUND)[1].cleared == {"reason": None}
    assert read("refund_request", "dañado en lugar de tarde", REFUND)[0] == {"reason": "damaged"}


def test_a_name_that_is_introduced_is_guessed() -> None:
    guesses = read("appointment_booking", "es para mi hija Sofía Gómez", VISIT)[1].guesses
    assert [(one.path, one.value) for one in guesses] == [("patient", "Sofía Gómez")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("por un lunar que creció, por favor", "un lunar que creció"),
        ("es xq no duermo bien", "no duermo bien"),
        ("avisale: dolor de rodilla", "dolor de rodilla"),
    ],
)
def test_words_that_give_a_reason_are_guessed(text: str, words: str) -> None:
    guesses = read("appointment_booking", text, VISIT)[1].guesses
    assert [(one.path, one.value) for one in guesses] == [("reason", words)]
