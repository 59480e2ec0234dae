"""Words of the calendar that are misspelt or lack a blank, and words that are no slip of one."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from mew_agents.language.dates import dates
from mew_agents.language.day_ranges import day_ranges
from mew_agents.language.found import Language
from mew_agents.language.moments import moments
from mew_agents.language.times import times

NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("el vierens", "es", "2027-03-12"),
        ("para el sabdo", "es", "2027-03-13"),
        ("el 15 de abirl", "es", "2027-04-15"),
        ("el12", "es", "2027-03-12"),
        ("Thersday", "en", "2027-03-11"),
        ("on Wensday 17 Mrach", "en", "2027-03-17"),
        ("17th of Mrach", "en", "2027-03-17"),
        ("15 de marçoo", "pt", "2027-03-15"),
        ("no domigno", "pt", "2027-03-14"),
        ("3 de dezmebro", "pt", "2027-12-03"),
    ],
)
def test_a_slip_in_a_day_is_mended(text: str, language: Language, day: str) -> None:
    [found] = dates(text, language, now=NOW)
    assert found.value.isoformat() == day


@pytest.mark.parametrize(
    ("text", "language", "hour"),
    [
        ("a las 9 de la nohce", "es", "21:00"),
        ("a las 7 delatarde", "es", "19:00"),
        ("a 1 da trade", "pt", "13:00"),
        ("às 4h15 datarde", "pt", "16:15"),
        ("at 4 in the aftrnoon", "en", "16:00"),
    ],
)
def test_a_slip_in_a_part_of_the_day_is_mended(text: str, language: Language, hour: str) -> None:
    [found] = times(text, language)
    assert (f"{found.value:%H:%M}", found.alternatives) == (hour, ())


def test_a_range_is_read_with_a_slip_in_it() -> None:
    [found] = day_ranges("from Fridya to 15 Mrach", "en", now=NOW)
    assert [one.isoformat() for one in found.value] == ["2027-03-12", "2027-03-15"]
    assert found.evidence("from Fridya to 15 Mrach") == "from Fridya to 15 Mrach"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("el junto con Marco", "es"),
        ("quiero abrir una cuenta", "es"),
        ("la parte de arriba", "es"),
        ("com quanta gente", "pt"),
        ("it might match on sunny days", "en"),
        ("code A12", "en"),
        ("ref12", "en"),
    ],
)
def test_what_is_no_slip_stays_what_it_is(text: str, language: Language) -> None:
    assert (dates(text, language, now=NOW), times(text, language), moments(text, language, now=NOW)) == ([], [], [])


@pytest.mark.parametrize(
    ("text", "language", "moment"),
    [
        ("daqui a 5 dias 8 e quinze", "pt", "2027-03-15T08:15:00-03:00"),
        ("amanhã 9 e dez", "pt", "2027-03-11T09:10:00-03:00"),
        ("mañana 9 y diez", "es", "2027-03-11T09:10:00-03:00"),
    ],
)
def test_an_hour_in_figures_may_have_its_minutes_in_words(text: str, language: Language, moment: str) -> None:
    [found] = moments(text, language, now=NOW)
    assert moment in [one.isoformat() for one in (found.value, *found.alternatives)]
