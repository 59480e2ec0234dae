"""What no slot can take is said back; ranges, ages, the past and bare figures fill nothing in silence."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import load
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.remainder import Remainder, remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.values import refusal
from mew_agents.language.found import Language

HERE = Path(__file__).parent
NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
DEFINITIONS = {name: load(HERE / f"{name}.yaml") for name in ("hotel_stay", "repair_visit", "vaccination")}
VISIT: dict[str, object] = {"model": "AB-1234", "technician": "nora-paz", "visit": "2027-03-12T10:00:00-03:00"}
STAY: dict[str, object] = {"arrival": "2027-04-10", "departure": "2027-04-13", "guests": 2, "room": "double"}


def read(
    name: str, text: str, language: Language, *, asked: str | None = "", held: dict[str, object] | None = None
) -> tuple[dict[str, Candidate], Remainder]:
    definition = DEFINITIONS[name]
    within = None if asked is None else name
    understanding = Understanding(language=language, now=NOW, within=within, asked=asked, values=held or {})
    proposal = Rules().propose(text, [definition], understanding)
    slots, wish = ((), None) if proposal is None else (proposal.slots, proposal.wish)
    certain, left = remainder(definition, text, understanding, slots, wish=wish)
    return {one.path: one for one in certain}, left


def plain(found: dict[str, Candidate]) -> dict[str, Any]:
    return {path: one.value for path, one in found.items()}


@pytest.mark.parametrize(
    ("text", "language", "words", "path"),
    [
        ("el 31 de abril a las 10", "es", "el 31 de abril", "visit"),
        ("no dia 31 de fevereiro", "pt", "no dia 31 de fevereiro", "visit"),
        ("February 30th at 5pm", "en", "February 30th", "visit"),
        ("el viernes a las 27", "es", "a las 27", "visit"),
        ("mejor con Marcos Ruiz", "es", "Marcos Ruiz", "technician"),
        ("com o técnico Pedro Sá na sexta", "pt", "Pedro Sá", "technician"),
        ("with Mr. Watson instead", "en", "Watson", "technician"),
        ("el código es XX12345", "es", "XX12345", "model"),
        ("o código é 1234", "pt", "1234", "model"),
        ("the code is AB-12345", "en", "AB-12345", "model"),
        ("que sea el viernes, de una hora", "es", "una hora", None),
        ("na sexta, por duas horas", "pt", "duas horas", None),
        ("on friday for an hour", "en", "an hour", None),
    ],
)
def test_what_no_slot_can_take_is_said_back(text: str, language: Language, words: str, path: str | None) -> None:
    _, left = read("repair_visit", text, language, held=VISIT)
    assert [(one.words, one.path) for one in left.unusable] == [(words, path)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("con Nora Paz", "es"),
        ("Buen día, gracias", "es"),
        ("el viernes a las 10", "es"),
        ("em duas horas", "pt"),
        ("the code is AB-1234", "en"),
        ("it broke down on Friday, June 4", "en"),
    ],
)
def test_what_is_used_or_means_nothing_is_not_said_back(text: str, language: Language) -> None:
    assert read("repair_visit", text, language, held=VISIT)[1].unusable == []


def test_words_that_were_asked_for_are_not_looked_through() -> None:
    certain, left = read(
        "repair_visit", "falla desde el 31 de abril, lo vio el Dr. Gil", "es", asked="fault", held=VISIT
    )
    assert (plain(certain)["fault"], left.unusable) == ("falla desde el 31 de abril, lo vio el Dr. Gil", [])


@pytest.mark.parametrize("text", ["AB1234", "ab 1234", "AB/1234", "code AB 1234"])
def test_a_code_that_lacks_its_signs_is_asked_back(text: str) -> None:
    [guess] = read("repair_visit", text, "en", asked="model")[1].guesses
    assert (guess.path, guess.value, guess.guessed) == ("model", "AB-1234", True)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("quiero una habitación del 10 al 13 de abril", "es"),
        ("quero um quarto de 10 a 13 de abril", "pt"),
        ("book a room from April 10 to 13", "en"),
    ],
)
def test_a_range_fills_two_days_and_no_number(text: str, language: Language) -> None:
    certain, left = read("hotel_stay", text, language, asked=None)
    assert (plain(certain), bool(left)) == ({"arrival": "2027-04-10", "departure": "2027-04-13"}, False)


def test_a_range_for_one_day_is_asked_about() -> None:
    certain, left = read("repair_visit", "del 15 al 17", "es", held={"model": "AB-1234"})
    assert (plain(certain), [one.path for one in left.choices]) == ({}, ["visit"])


@pytest.mark.parametrize(
    ("text", "language", "guests"),
    [
        ("quiero una habitación para mi hijo de 4 años y yo", "es", 2),
        ("quero um quarto para meu filho de 4 anos e eu", "pt", None),
        ("book a room for two adults and my 4 year old", "en", None),
        ("just me", "en", 1),
        ("solo yo", "es", 1),
        ("só eu", "pt", 1),
    ],
)
def test_an_age_counts_nobody_and_one_alone_is_one(text: str, language: Language, guests: int | None) -> None:
    asked = "guests" if len(text) < 10 else None
    found = plain(read("hotel_stay", text, language, asked=asked)[0]).get("guests")
    assert found == guests if guests else found != 4


def test_a_past_slot_takes_the_last_such_day_and_another_asks() -> None:
    assert plain(read("vaccination", "it was on Saturday", "en", asked="last")[0])["last"] == "2027-03-06"
    day = read("vaccination", "it was on Saturday", "en", asked="day", held={"last": "2027-03-01"})[0]["day"]
    assert (day.value, day.alternatives, day.guessed) == ("2027-03-13", ("2027-03-06",), True)


@pytest.mark.parametrize(
    ("text", "language", "start"),
    [
        ("mejor el lunes a la tarde", "es", "2027-03-15"),
        ("melhor segunda à tarde", "pt", "2027-03-15"),
        ("actually monday in the afternoon", "en", "2027-03-15"),
    ],
)
def test_a_new_day_with_a_part_of_the_day_is_no_free_text(text: str, language: Language, start: str) -> None:
    certain, _ = read("repair_visit", text, language, asked="fault", held=VISIT)
    visit = plain(certain)["visit"]
    assert (visit["date"], visit["part"], visit["said"] in text) == (start, ["12:00", "20:00"], True)


def test_a_part_of_the_day_in_free_text_takes_no_hour_back() -> None:
    certain, left = read("repair_visit", "it rattles in the evening", "en", asked="fault", held=VISIT)
    assert (plain(certain), left.cleared) == ({"fault": "it rattles in the evening"}, {})


@pytest.mark.parametrize(
    ("text", "language"),
    [("perdón, el código es CD-1111", "es"), ("o código é CD-1111", "pt"), ("the code is CD-1111", "en")],
)
def test_a_code_with_its_name_is_no_free_text(text: str, language: Language) -> None:
    assert plain(read("repair_visit", text, language, asked="fault", held=VISIT)[0]) == {"model": "CD-1111"}


def test_another_code_within_free_text_is_asked_about() -> None:
    certain, _ = read("repair_visit", "the code is CD-1111 and it makes noise", "en", asked="fault", held=VISIT)
    assert certain["fault"].value == "the code is CD-1111 and it makes noise"
    assert (certain["model"].value, certain["model"].guessed) == ("CD-1111", True)


@pytest.mark.parametrize(("text", "language"), [("no", "es"), ("não, obrigado", "pt"), ("no thanks", "en")])
def test_a_no_to_a_required_text_is_the_answer(text: str, language: Language) -> None:
    held = STAY | {"name": "Ann Lee"}
    assert "wishes" in read("hotel_stay", text, language, asked="wishes", held=held)[0]


@pytest.mark.parametrize(("asked", "text"), [("name", "3"), ("name", "3 cousins"), ("wishes", "3")])
def test_a_figure_for_a_question_for_words_is_asked_back(asked: str, text: str) -> None:
    assert read("hotel_stay", text, "en", asked=asked, held=STAY)[0][asked].guessed


def test_people_who_are_counted_are_no_name() -> None:
    assert plain(read("hotel_stay", "somos 3", "es", asked="name", held=STAY)[0]) == {"guests": 3}


def test_a_name_with_a_figure_in_it_is_a_name() -> None:
    assert not read("hotel_stay", "5 Main Street", "en", asked="name", held=STAY)[0]["name"].guessed


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("two visits: AB-1234 with Nora Paz on Friday at 10am, and CD-5678 with Ivo Lemos on Monday at 9am", "en"),
        (
            "un técnico, Nora Paz, para AB-1234 el viernes a las 10, y otro, Ivo Lemos, para CD-5678 el lunes a las 9",
            "es",
        ),
    ],
)
def test_a_second_wish_keeps_all_of_its_own_words(text: str, language: Language) -> None:
    definition = DEFINITIONS["repair_visit"]
    proposal = Rules().propose(text, [definition], Understanding(language=language, now=NOW))
    assert proposal is not None and proposal.second is not None
    assert {one.path: one.value for one in proposal.second.slots} == {
        "model": "CD-5678",
        "technician": "ivo-lemos",
        "visit": "2027-03-15T09:00:00-03:00",
    }


def test_a_day_to_come_is_told_from_one_that_is_over() -> None:
    said = "it broke down on Saturday, code AB-1234, with Nora Paz, next Monday at 10"
    visit = read("repair_visit", said, "en", asked=None)[0]["visit"]
    assert (visit.value, visit.guessed) == ("2027-03-15T10:00:00-03:00", False)
    found = plain(read("vaccination", "the last was on Saturday, I can come on Friday", "en")[0])
    assert found == {"last": "2027-03-06", "day": "2027-03-12"}


def test_a_past_slot_refuses_what_is_still_to_come() -> None:
    slot = DEFINITIONS["vaccination"].slot("last")
    refused = [refusal(slot, day, Understanding(language="en", now=NOW)) for day in ("2027-03-11", "2027-03-10")]
    assert [None if one is None else one.code for one in refused] == ["future", None]
