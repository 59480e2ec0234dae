"""Lengths of time: the labelled phrases, and every count of every unit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mew_agents.language.durations import durations
from mew_agents.language.found import LANGUAGES, Language
from tests.language.moment_corpus import Row, every

UNITS: dict[Language, tuple[str, str, str, str]] = {
    "es": ("minutos", "horas", "días", "semanas"),
    "pt": ("minutos", "horas", "dias", "semanas"),
    "en": ("minutes", "hours", "days", "weeks"),
}
LENGTHS = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))


@every("duration")
def test_a_labelled_phrase(row: Row) -> None:
    assert row.found() == row.expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_count_of_a_unit_is_that_often_its_length(language: Language) -> None:
    for unit, length in zip(UNITS[language], LENGTHS, strict=True):
        for count in (0, 2, 10, 59, 120, 1000):
            text = f"{count} {unit}"
            [found] = durations(text, language)
            assert (found.value, found.evidence(text), found.confidence) == (count * length, text, 1)


@pytest.mark.parametrize(
    ("language", "words", "minutes"),
    [
        ("es", "cincuenta y nueve", 59),
        ("pt", "cinquenta e nove", 59),
        ("en", "fifty-nine", 59),
        ("pt", "cento e vinte", 120),
    ],
)
def test_a_count_in_words_is_that_number(language: Language, words: str, minutes: int) -> None:
    [found] = durations(f"{words} {UNITS[language][0]}", language)
    assert found.value == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("language", "text", "minutes"),
    [
        ("es", "2 h 30", 150),
        ("es", "2.5 horas", 150),
        ("es", "1 hora, 20 minutos", 80),
        ("es", "hora y media", 90),
        ("pt", "uma hora e um quarto", 75),
        ("pt", "2h30min", 150),
        ("en", "an hour and twenty minutes", 80),
        ("en", "a week and a half", 15_120),
        ("en", "one and a half weeks", 15_120),
    ],
)
def test_parts_are_added(language: Language, text: str, minutes: int) -> None:
    [found] = durations(text, language)
    assert (found.value, found.evidence(text)) == (timedelta(minutes=minutes), text)
