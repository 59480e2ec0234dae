"""Times of day: the labelled phrases, and every hour and minute."""

from __future__ import annotations

from datetime import time

import pytest

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.times import times
from tests.language.moment_corpus import Row, every

AT: dict[Language, str] = {"es": "a las {}", "pt": "às {}", "en": "at {}"}
PARTS: dict[Language, dict[str, range]] = {
    "es": {"a las {} de la tarde": range(12, 24), "a las {} de la madrugada": range(1, 7), "{} pm": range(12, 24)},
    "pt": {"às {} da tarde": range(12, 24), "às {} da madrugada": range(1, 7), "{}pm": range(12, 24)},
    "en": {"{} in the afternoon": range(12, 24), "{} in the morning": range(1, 12), "{} p.m.": range(12, 24)},
}


@every("time")
def test_a_labelled_phrase(row: Row) -> None:
    assert row.found() == row.expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_minute_with_two_digits_is_read_as_written(language: Language) -> None:
    for minute in range(24 * 60):
        told = time(*divmod(minute, 60))
        [found] = times(f"{told:%H:%M}", language)
        literal = told.hour != 12 and (told.hour < 10 or told.hour > 12)
        assert told in (found.value, *found.alternatives)
        assert (found.doubts == ()) == literal


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_hour_has_the_readings_of_a_clock_face(language: Language) -> None:
    for hour in range(25):
        [found] = times(AT[language].format(hour), language)
        readings = {reading.hour for reading in (found.value, *found.alternatives)}
        assert readings == ({hour, (hour + 12) % 24} if 0 < hour <= 12 else {hour % 24})
        assert bool(found.alternatives) == ("ambiguous" in found.doubts) == (found.confidence < 0.75)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_hour_in_words_is_the_same_as_in_digits(language: Language) -> None:
    for word, hour in CALENDAR_WORDS[language].classes["HOURWORD"].items():
        if word in ("uma", "una"):  # "a la una", "à uma": labelled
            continue
        in_words, in_digits = times(AT[language].format(word), language), times(AT[language].format(hour), language)
        assert [found.value for found in in_words] == [found.value for found in in_digits]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_of_the_day_leaves_one_reading(language: Language) -> None:
    for phrase, hours in PARTS[language].items():
        for hour in hours:
            text = phrase.format((hour - 1) % 12 + 1)
            [found] = times(text, language)
            assert (found.value, found.doubts, found.evidence(text)) == (time(hour), (), text)


@pytest.mark.parametrize(
    ("language", "text", "hour", "minute"),
    [
        ("es", "a las cinco y diez de la tarde", 17, 10),
        ("es", "a las seis menos veinticinco de la tarde", 17, 35),
        ("es", "a las cinco y treinta y cinco de la tarde", 17, 35),
        ("pt", "às cinco e quarenta e cinco da tarde", 17, 45),
        ("pt", "às seis menos um quarto da tarde", 17, 45),
        ("pt", "às cinco e um quarto da tarde", 17, 15),
        ("en", "five forty-five pm", 17, 45),
        ("en", "five oh five pm", 17, 5),
        ("en", "at twenty-five to six pm", 17, 35),
        ("es", "a las doce menos cuarto de la noche", 23, 45),
        ("es", "a las 12 y media de la noche", 0, 30),
        ("pt", "meio-dia e um quarto", 12, 15),
    ],
)
def test_minutes_in_words_count_from_the_hour(language: Language, text: str, hour: int, minute: int) -> None:
    [found] = times(text, language)
    assert (found.value, found.doubts) == (time(hour, minute), ())


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "17:60"),
        ("es", "a las 5 y 75"),
        ("es", "24:30"),
        ("es", "15 de la mañana"),
        ("en", "17 am"),
        ("en", "0 pm"),
        ("pt", "às 9 da madrugada"),
        ("es", "16:9"),
        ("es", "A113"),
        ("es", "v17.30"),
        ("es", "1:30:20:10"),
        ("en", "17.30%"),
        ("es", "a las 5 personas"),
        ("es", "la 12"),
    ],
)
def test_what_no_clock_shows_is_not_found(language: Language, text: str) -> None:
    assert times(text, language) == []
