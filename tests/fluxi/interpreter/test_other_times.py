"""Days and hours of other things are no values: when somebody works, how long ago it began, what a note tells."""

from __future__ import annotations

import pytest

from mew_agents.language.found import Language

from .test_peoples_words import read
from .test_remainder import read as read_all

VISIT: dict[str, object] = {"doctor": "ana-perez", "start": "2027-03-12T10:30:00-03:00", "patient": "marta"}
TABLE: dict[str, object] = {"people": 6, "day": "2027-03-12", "time": "21:00", "terrace": True}


@pytest.mark.parametrize(
    ("text", "language", "start"),
    [
        (
            "I'm working that Friday, could we move it to Saturday the 27th, same time?",
            "en",
            "2027-03-27T10:30:00-03:00",
        ),
        ("ese viernes trabajo hasta las 5, mejor a las 18", "es", "2027-03-12T18:00:00-03:00"),
        ("el viernes salgo a las 5, así que a las 6", "es", "2027-03-12T18:00:00-03:00"),
        ("tengo guardia el lunes, pásalo al martes 16", "es", "2027-03-16T10:30:00-03:00"),
        ("saio às 17h, então às 18h30", "pt", "2027-03-12T18:30:00-03:00"),
        ("nessa sexta eu viajo, passa para segunda dia 15", "pt", "2027-03-15T10:30:00-03:00"),
    ],
)
def test_when_somebody_is_busy_is_not_when_they_come(text: str, language: Language, start: str) -> None:
    assert read("appointment_booking", text, language, held=VISIT) == {"start": start}


def test_an_hour_until_which_somebody_is_busy_is_not_the_one_that_is_asked_for() -> None:
    held: dict[str, object] = {"doctor": "emily-clark", "start": {"date": "2027-03-18"}}
    found = read("appointment_booking", "I'm on till one so quarter past one is ideal", "en", asked="start", held=held)
    assert found == {"start": "2027-03-18T13:15:00-03:00"}
    assert read("table_booking", "quarter to two, my daughter's got ballet at half three", "en", asked="time") == {
        "time": "13:45"
    }


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        (
            "need to see Dr João Souza about a rash, not itchy, started 2 weeks ago",
            "en",
            "a rash, not itchy, started 2 weeks ago",
        ),
        ("quiero un turno con Souza porque hace 3 días me duele la rodilla", "es", "hace 3 días me duele la rodilla"),
        ("consulta com Souza, dor no joelho há 2 semanas", "pt", "dor no joelho há 2 semanas"),
    ],
)
def test_how_long_ago_something_began_is_no_day(text: str, language: Language, reason: str) -> None:
    found = read("appointment_booking", text, language, asked=None)
    assert found == {"doctor": "joao-souza", "reason": reason}


@pytest.mark.parametrize(
    ("text", "language", "notes"),
    [
        ("pode pôr uma nota: um de nós chega às 21h30", "pt", "um de nós chega às 21h30"),
        ("add a note please: my dad uses a stick, we are 2 cars", "en", "my dad uses a stick, we are 2 cars"),
        ("ponme en observaciones: el domingo cumplí 50", "es", "el domingo cumplí 50"),
    ],
)
def test_behind_a_label_and_a_colon_nothing_else_is_read(text: str, language: Language, notes: str) -> None:
    assert read_all("table_booking", text, TABLE, language=language)[0] == {"notes": notes}


@pytest.mark.parametrize(
    ("text", "day", "window"),
    [
        ("quiero mandar un paquete, de mañana trabajo, mejor de tarde", None, "afternoon"),
        ("quiero mandar un paquete mañana de tarde", "2027-03-11", "afternoon"),
        ("quiero mandar un paquete, para mañana de mañana", "2027-03-11", "morning"),
    ],
)
def test_in_the_morning_is_not_tomorrow(text: str, day: str | None, window: str) -> None:
    found = read("courier_pickup", text, "es", asked=None)
    assert (found.get("day"), found["window"]) == (day, window)
