"""Dates: the labelled phrases, and what no list of phrases can show."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product

import pytest

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.dates import dates
from mew_agents.language.found import LANGUAGES, Language
from tests.language.moment_corpus import NOW, Row, every, rows

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "pt": ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
WEEK = [NOW + timedelta(days=days) for days in range(7)]


@every("date")
def test_a_labelled_phrase(row: Row) -> None:
    assert row.found() == row.expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_weekday_is_the_next_one_and_today_only_by_the_side(language: Language) -> None:
    for now, (weekday, name) in product(WEEK, enumerate(WEEKDAYS[language])):
        [found] = dates(name, language, now=now)
        assert found.value.weekday() == weekday
        assert timedelta(0) < found.value - now.date() <= timedelta(days=7)
        assert found.alternatives == ((now.date(),) if now.weekday() == weekday else ())
        assert ("ambiguous" in found.doubts) == (now.weekday() == weekday)


@pytest.mark.parametrize("language", ["es", "pt"])
def test_the_weekday_that_comes_is_the_next_one(language: Language) -> None:
    phrase = {"es": "{} que viene", "pt": "{} que vem"}
    for now, (weekday, name) in product(WEEK, enumerate(WEEKDAYS[language])):
        [found] = dates(phrase[language].format(name), language, now=now)
        assert (found.value.weekday(), found.doubts) == (weekday, ())
        assert timedelta(0) < found.value - now.date() <= timedelta(days=7)


def test_next_friday_is_ambiguous_in_english_only_while_one_of_this_week_is_to_come() -> None:
    for now, (weekday, name) in product(WEEK, enumerate(WEEKDAYS["en"])):
        [found] = dates(f"next {name}", "en", now=now)
        assert ("ambiguous" in found.doubts) == (weekday > now.weekday())


@pytest.mark.parametrize(("language", "names"), [("es", "de"), ("pt", "de"), ("en", "of")])
def test_every_day_of_the_year_by_its_name_is_the_next_such_day(language: Language, names: str) -> None:
    months = {number: word for word, number in CALENDAR_WORDS[language].classes["MONTH"].items()}
    for offset in range(366):
        day = NOW.date() + timedelta(days=offset)
        if (day.month, day.day) == (NOW.month, NOW.day) and offset:
            continue
        [found] = dates(f"{day.day} {names} {months[day.month]}", language, now=NOW)
        assert (found.value, found.doubts) == (day, ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_iso_dates_are_read_in_every_language(language: Language) -> None:
    assert [found.value for found in dates("2027-01-31", language, now=NOW)] == [date(2027, 1, 31)]


def test_the_day_is_that_of_the_speakers_zone() -> None:
    late = datetime.fromisoformat("2026-03-10T23:30-03:00")
    assert dates("mañana", "es", now=late)[0].value == date(2026, 3, 11)


def test_a_weekday_settles_the_order_of_day_and_month() -> None:
    [found] = dates("Thursday 3/12", "en", now=NOW)
    assert (found.value, found.alternatives) == (date(2026, 3, 12), ())


@pytest.mark.parametrize(
    "text", ["en 999 años", "en 9999 semanas", "hace 9999 años", "3 de mayo de 9999", "el 0", "el 32"]
)
def test_days_out_of_reach_are_not_found(text: str) -> None:
    assert dates(text, "es", now=NOW) == []


def test_confidence_is_one_only_without_a_doubt() -> None:
    for row in rows("date"):
        for found in dates(row.text, row.language, now=row.now):
            assert (found.confidence == 1) == (not found.doubts)
            assert ("ambiguous" in found.doubts) == bool(found.alternatives)


@pytest.mark.parametrize(
    ("text", "language", "days"),
    [
        ("Em vez da sexta, segunda. Obrigada.", "pt", [date(2027, 3, 12), date(2027, 3, 15)]),
        ("o dia 6, e sexta tem mais um", "pt", [date(2027, 4, 6), date(2027, 3, 12)]),
        ("a segunda tem mais peso", "pt", []),
        ("Friday 19 at 5pm", "en", [date(2027, 3, 19)]),
        ("Friday 5pm", "en", [date(2027, 3, 12)]),
    ],
)
def test_a_weekday_is_known_by_what_stands_around_it(text: str, language: Language, days: list[date]) -> None:
    now = datetime(2027, 3, 10, 9, 20, tzinfo=UTC)
    assert [one.value for one in dates(text, language, now=now)] == days
