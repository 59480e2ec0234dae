"""Days from one to another, days that there are not, days that are over, and ages."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from mew_agents.language.ages import ages
from mew_agents.language.dates import dates
from mew_agents.language.day_ranges import day_ranges
from mew_agents.language.found import Language
from mew_agents.language.impossible_days import impossible_days, impossible_hours
from mew_agents.language.moments import moments
from mew_agents.language.tenses import is_past

# A Wednesday.
NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))


@pytest.mark.parametrize(
    ("text", "language", "first", "last"),
    [
        ("una habitación del 10 al 13 de abril", "es", "2027-04-10", "2027-04-13"),
        ("del 28 de marzo al 3 de abril", "es", "2027-03-28", "2027-04-03"),
        ("desde el 12 hasta el 15", "es", "2027-03-12", "2027-03-15"),
        ("entre el 12 y el 15", "es", "2027-03-12", "2027-03-15"),
        ("del lunes al viernes", "es", "2027-03-15", "2027-03-19"),
        ("del viernes 12 al domingo 14", "es", "2027-03-12", "2027-03-14"),
        ("de 12 a 15 de abril", "pt", "2027-04-12", "2027-04-15"),
        ("do dia 12 ao dia 15", "pt", "2027-03-12", "2027-03-15"),
        ("de sexta a domingo", "pt", "2027-03-12", "2027-03-14"),
        ("de sexta-feira até domingo", "pt", "2027-03-12", "2027-03-14"),
        ("from the 12th to the 15th", "en", "2027-03-12", "2027-03-15"),
        ("March 20-23", "en", "2027-03-20", "2027-03-23"),
        ("12–15 April", "en", "2027-04-12", "2027-04-15"),
        ("between the 3rd and the 5th of May", "en", "2027-05-03", "2027-05-05"),
        ("from Friday to Sunday", "en", "2027-03-12", "2027-03-14"),
        ("from December 30 to January 2", "en", "2027-12-30", "2028-01-02"),
    ],
)
def test_a_range_is_two_days(text: str, language: Language, first: str, last: str) -> None:
    [found] = day_ranges(text, language, now=NOW)
    assert found.value == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("de 10 a 13 horas", "es"),
        ("el viernes y el domingo", "es"),
        ("entre 2 y 5 personas", "es"),
        ("de 12 a 15 pessoas", "pt"),
        ("das 10 às 13", "pt"),
        ("from 10 to 13", "en"),
        ("on Friday and on Sunday", "en"),
        ("the 12th and the 15th", "en"),
    ],
)
def test_hours_counts_and_two_days_are_no_range(text: str, language: Language) -> None:
    assert day_ranges(text, language, now=NOW) == []


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("el 31 de febrero a las 10", "es", "el 31 de febrero"),
        ("el 32", "es", "el 32"),
        ("31 de abril", "pt", "31 de abril"),
        ("dia 32", "pt", "dia 32"),
        ("on February 30th", "en", "February 30th"),
        ("the 32nd", "en", "the 32nd"),
    ],
)
def test_a_day_that_there_is_not_is_found_in_its_words(text: str, language: Language, words: str) -> None:
    assert [one.value for one in impossible_days(text, language, now=NOW)] == [words]


def test_a_ratio_is_no_day_unless_one_was_asked_for() -> None:
    assert impossible_days("60/40", "es", now=NOW) == []
    assert [one.value for one in impossible_days("31/02", "es", now=NOW, asked=True)] == ["31/02"]


def test_an_hour_that_no_clock_shows_is_found() -> None:
    assert [one.value for one in impossible_hours("el viernes a las 27", "es")] == ["a las 27"]
    assert impossible_hours("el viernes a las 17", "es") == []


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("el sábado", "es", "2027-03-06"),
        ("el miércoles", "es", "2027-03-03"),
        ("el 15", "es", "2027-02-15"),
        ("el 3 de abril", "es", "2026-04-03"),
        ("el viernes 5", "es", "2027-03-05"),
        ("el 29 de febrero", "es", "2024-02-29"),
        ("no sábado", "pt", "2027-03-06"),
        ("ontem", "pt", "2027-03-09"),
        ("on Monday", "en", "2027-03-08"),
        ("March 12", "en", "2026-03-12"),
        ("March 12, 2025", "en", "2025-03-12"),
    ],
)
def test_a_past_day_is_the_last_one_without_a_doubt(text: str, language: Language, day: str) -> None:
    [found] = dates(text, language, now=NOW, past=True)
    assert (found.value.isoformat(), found.doubts) == (day, ())


def test_a_past_moment_lies_before_now() -> None:
    [found] = moments("el sábado a las 5 de la tarde", "es", now=NOW, past=True)
    assert (found.value.isoformat(), found.doubts) == ("2027-03-06T17:00:00-03:00", ())


@pytest.mark.parametrize(
    ("before", "language", "past"),
    [
        ("fue ", "es", True),
        ("el accidente ocurrió ", "es", True),
        ("quiero ir ", "es", False),
        ("Fue un placer. Nos vemos ", "es", False),
        ("aconteceu ", "pt", True),
        ("quero ir ", "pt", False),
        ("it was on ", "en", True),
        ("I bought it on ", "en", True),
        ("I thought it was on ", "en", False),
        ("book it for ", "en", False),
    ],
)
def test_a_verb_of_the_past_makes_a_day_past(before: str, language: Language, past: bool) -> None:
    assert is_past(f"{before}X", len(before), language) is past


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mi hijo de 4 años y yo", ["de 4 años"]),
        ("for my 4 year old and me", ["4 year old"]),
        ("two adults and a 4-year-old", ["4-year-old"]),
        ("minha filha tem 8 meses", ["tem 8 meses"]),
        ("hace 4 años", []),
        ("somos 4", []),
    ],
)
def test_an_age_is_found_with_what_makes_it_one(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in ages(text)] == words


def test_a_range_in_respelt_words_stands_where_they_do() -> None:
    (found,) = day_ranges("monto 1", "en", now=NOW)  # read as "mon to 1"
    assert (found.start, found.end) == (0, len("monto 1"))
