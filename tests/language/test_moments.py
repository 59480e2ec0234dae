"""Moments: the labelled phrases, clock changes, and what holds of all four extractors for any text."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.local_time import local
from mew_agents.language.moments import moments
from mew_agents.language.phrases import grammar_of, phrases
from tests.language.moment_corpus import EXTRACTORS, NOW, Kind, Row, every

KINDS: tuple[Kind, ...] = ("date", "time", "moment", "duration")
ZONES = (
    "America/Santiago",
    "America/Sao_Paulo",
    "Europe/Madrid",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
)
WALLS = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2035, 1, 1))
LANGUAGE = st.sampled_from(LANGUAGES)


def soup(language: Language) -> st.SearchStrategy[tuple[Language, str]]:
    """Texts of the grammar's own words, numerals and signs, in any order."""
    numerals = [
        "5",
        "17",
        "3rd",
        "17:30",
        "20.30",
        "3/12",
        "3/12/2026",
        "2026-12-03",
        "17h30",
        "$",
        "R$ 20",
        "2026",
        "1,5",
    ]
    words = [*grammar_of(language).letters, *numerals, ",", ".", "-", "(", "\n", "Zoe", "qwerty", "…", "👍"]
    texts = st.lists(st.sampled_from(words), max_size=14).map(" ".join)
    return st.tuples(st.just(language), texts)


ENDLESS = [  # each repeated to 10,000 characters
    *(
        "de ",
        "9",
        "9 ",
        "1.",
        "1-",
        "1:",
        "3/12/",
        "mañana ",
        "el ",
        "a las 5 ",
        "viernes 3 ",
        "half past ",
        "dia 1 de ",
    ),
    *("-", "@", "a@b ", "a", "ñ", "\u0301", "ﷺ", "\n", "\ud800", "p. ", "2 horas y ", "no ", "treinta y "),
    "el viernes a las 5 de la tarde o ",
]
SOUPS = LANGUAGE.flatmap(soup)


@every("moment")
def test_a_labelled_phrase(row: Row) -> None:
    assert row.found() == row.expected


@every("date", "time", "moment", "duration")
def test_unrelated_words_around_change_nothing(row: Row) -> None:
    before, after = "Xkcd qwerty: ", ". Zzz qux wxyz"
    found = EXTRACTORS[row.kind](before + row.text + after, row.language, row.now)
    plain = EXTRACTORS[row.kind](row.text, row.language, row.now)
    if row.alone:
        assert (len(plain), found) == (1, [])
        return
    assert [(one.value, one.alternatives, one.doubts, one.start - len(before)) for one in found] == [
        (one.value, one.alternatives, one.doubts, one.start) for one in plain
    ]


@every("date", "time", "moment", "duration")
def test_the_evidence_alone_gives_the_same_value(row: Row) -> None:
    for found in EXTRACTORS[row.kind](row.text, row.language, row.now):
        alone = EXTRACTORS[row.kind](found.evidence(row.text), row.language, row.now)
        assert [one.value for one in alone] == [found.value]


def check_evidence(found: Found[Any], text: str, language: Language) -> None:
    """What is claimed is there, is whole words, and is of the vocabulary."""
    evidence = found.evidence(text)
    assert evidence
    assert not evidence[0].isspace() and not evidence[-1].isspace()
    assert not (found.start and text[found.start - 1].isalpha() and evidence[0].isalpha())
    assert not (found.end < len(text) and text[found.end].isalpha() and evidence[-1].isalpha())
    signs = phrases(evidence, language).signs
    assert any(sign.text in grammar_of(language).letters or sign.text[0].isdigit() for sign in signs)


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SOUPS)
def test_nothing_is_claimed_that_was_not_read(case: tuple[Language, str]) -> None:
    language, text = case
    for kind in KINDS:
        end = 0
        for found in EXTRACTORS[kind](text, language, NOW):
            assert found.start >= end
            end = found.end
            check_evidence(found, text, language)
            assert 0 < found.confidence <= 1
            assert (found.confidence == 1) == (not found.doubts)
            assert found.value not in found.alternatives or "fold" in found.doubts


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(SOUPS)
def test_what_is_outside_the_evidence_gives_no_other_value(case: tuple[Language, str]) -> None:
    """The words around may be needed to understand a phrase ("sat" in "sat 14"), but not to give it another value."""
    language, text = case
    for kind in KINDS:
        for found in EXTRACTORS[kind](text, language, NOW):
            alone = EXTRACTORS[kind](found.evidence(text), language, NOW)
            assert [one.value for one in alone if (one.start, one.end) == (0, found.end - found.start)] in (
                [],
                [found.value],
            )


@settings(max_examples=300, deadline=None)
@given(LANGUAGE, st.text(max_size=300))
def test_any_text_is_taken(language: Language, text: str) -> None:
    for kind in KINDS:
        for found in EXTRACTORS[kind](text, language, NOW):
            check_evidence(found, text, language)


@pytest.mark.parametrize("text", ENDLESS)
def test_ten_thousand_characters_take_little_time(text: str) -> None:
    for language in LANGUAGES:
        started = time.process_time()
        for kind in KINDS:
            EXTRACTORS[kind]((text * 10_000)[:10_000], language, NOW)
        assert time.process_time() - started < 2  # 40 ms where this was written: what grows squarely takes minutes


@pytest.mark.parametrize("language", LANGUAGES)
def test_ten_thousand_words_of_the_vocabulary_take_little_time(language: Language) -> None:
    text = " ".join(
        word for name in sorted(CALENDAR_WORDS[language].classes) for word in CALENDAR_WORDS[language].classes[name]
    )
    started = time.process_time()
    moments((text * 20)[:10_000], language, now=NOW)
    assert time.process_time() - started < 2


@given(WALLS, st.sampled_from(ZONES))
def test_a_clocks_reading_is_the_moment_at_which_clocks_show_it(wall: datetime, zone: str) -> None:
    """PEP 495: through UTC and back a local time comes out the same exactly when clocks show it."""
    found = local(wall, ZoneInfo(zone))
    back = found.value.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    assert back == found.value.replace(tzinfo=None)
    assert (back == wall) == (found.doubt != "gap")


@pytest.mark.parametrize(
    ("zone", "day", "skipped", "after"),
    [
        ("America/Santiago", "6 de septiembre de 2026", "00:00", "2026-09-06T01:00-03:00"),
        ("America/Santiago", "6 de septiembre de 2026", "00:59", "2026-09-06T01:00-03:00"),
        ("Europe/Madrid", "29 de marzo de 2026", "02:00", "2026-03-29T03:00+02:00"),
        ("America/New_York", "8 de marzo de 2026", "02:59", "2026-03-08T03:00-04:00"),
        ("Australia/Lord_Howe", "4 de octubre de 2026", "02:15", "2026-10-04T02:30+11:00"),
        ("Pacific/Apia", "30 de diciembre de 2011", "17:00", "2011-12-31T00:00+14:00"),
    ],
)
def test_a_skipped_time_is_the_first_moment_after_the_gap(zone: str, day: str, skipped: str, after: str) -> None:
    now = datetime(2011, 1, 1, tzinfo=ZoneInfo(zone))
    [found] = moments(f"el {day} a las {skipped}", "es", now=now)
    assert found.value == datetime.fromisoformat(after)
    assert "gap" in found.doubts


def test_a_repeated_time_is_the_first_of_the_two_and_the_second_an_alternative() -> None:
    now = datetime(2026, 3, 10, tzinfo=ZoneInfo("Europe/Madrid"))
    [found] = moments("25 de octubre a las 02:30", "es", now=now)
    assert (found.doubts, found.value.utcoffset()) == (("fold",), timedelta(hours=2))
    assert [other.utcoffset() for other in found.alternatives] == [timedelta(hours=1)]


def test_zones_without_clock_changes_have_no_doubts() -> None:
    now = datetime(2026, 3, 10, tzinfo=ZoneInfo("America/Sao_Paulo"))
    for month in ("outubro", "novembro", "fevereiro"):
        for day in range(1, 29):
            [found] = moments(f"{day} de {month} às 00:30", "pt", now=now)
            assert found.doubts == ()


def test_so_long_from_now_is_counted_in_real_time() -> None:
    night = datetime(2026, 3, 28, 23, 30, 45, 123, tzinfo=ZoneInfo("Europe/Madrid"))
    [found] = moments("en cuatro horas", "es", now=night)
    assert found.value.isoformat() == "2026-03-29T04:30:00+02:00"


def test_a_naive_now_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        moments("hoy a las 5", "es", now=datetime(2026, 3, 10))


def test_two_moments_are_found_in_order() -> None:
    text = "el viernes a las 17 o el sábado a las 10:30 de la mañana"
    found = moments(text, "es", now=NOW)
    assert [one.evidence(text) for one in found] == ["viernes a las 17", "sábado a las 10:30 de la mañana"]
    assert [one.doubts for one in found] == [(), ()]
