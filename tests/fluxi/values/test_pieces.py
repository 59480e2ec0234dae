"""A datetime that comes in pieces: a day now, an hour later, and no doubt lost between them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding

Told = Callable[..., Understanding]
FRIDAY = {"date": "2026-11-27"}
AT_17 = "2026-11-27T17:00:00-03:00"


def read(definition: Definition, text: str, understanding: Understanding) -> list[Candidate]:
    slot = definition.slot("start")
    found = values.candidates(slot, text, understanding)
    for one in found:
        checked = values.checked(slot, values.settle(slot, one, understanding), text, understanding)
        assert checked is not None
        assert checked.checked, text
    return [values.settle(slot, one, understanding) for one in found]


@pytest.mark.parametrize(
    ("held", "text", "value"),
    [
        (None, "el viernes", FRIDAY),
        (None, "a las 18", {"time": "18:00"}),
        (None, "a las 5", {"time": "17:00"}),  # 05:00 is refused
        (None, "a las 9", {"time": "09:00"}),  # so is 21:00
        (FRIDAY, "a las 17", AT_17),
        (FRIDAY, "17", AT_17),
        (FRIDAY, "cinco de la tarde", AT_17),
        (FRIDAY, "el lunes", {"date": "2026-11-30"}),
        ({"time": "17:00"}, "el viernes", AT_17),
        ({"time": "17:00"}, "27", AT_17),
        ({"time": "17:00"}, "mejor a las 18", {"time": "18:00"}),
        (AT_17, "sí, pero a las 18", "2026-11-27T18:00:00-03:00"),
        (AT_17, "mejor el lunes", "2026-11-30T17:00:00-03:00"),
        (AT_17, "el lunes a las 9:30", "2026-11-30T09:30:00-03:00"),
        ("2026-11-27T20:00:00+00:00", "mejor el lunes", "2026-11-30T17:00:00-03:00"),
        ("nonsense", "a las 17", {"time": "17:00"}),
    ],
)
def test_a_piece_meets_what_is_held(everything: Definition, told: Told, held: Any, text: str, value: Any) -> None:
    understanding = told(asked="start", values={} if held is None else {"start": held})
    (found,) = read(everything, text, understanding)
    assert (found.value, found.doubts, found.alternatives) == (value, (), ())


def test_what_is_missing(everything: Definition) -> None:
    slot = everything.slot("start")
    assert [values.missing(slot, value) for value in (FRIDAY, {"time": "17:00"}, AT_17)] == ["time", "date", None]
    assert [values.is_complete(slot, value) for value in (FRIDAY, AT_17)] == [False, True]
    assert values.missing(everything.slot("name"), "x") is None


def test_the_readings_of_a_piece_count_again_when_it_is_completed(everything: Definition, told: Told) -> None:
    friday = datetime(2026, 11, 27, 7, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
    slot = everything.slot("start")
    (day,) = read(everything, "el viernes", told(asked="start", now=friday))
    assert day.value == {"date": "2026-12-04", "others": ["2026-11-27"]}
    assert (day.alternatives, day.doubts) == ((), ())
    assert values.refusal(slot, day.value, told(now=friday)) is None
    (moment,) = read(everything, "a las 17", told(asked="start", now=friday, values={"start": day.value}))
    assert moment.value == "2026-12-04T17:00:00-03:00"
    assert (moment.alternatives, moment.doubts) == (("2026-11-27T17:00:00-03:00",), ("ambiguous",))


@pytest.mark.parametrize(
    ("zone", "day", "clock", "value", "doubt"),
    [
        ("Europe/Madrid", "2027-03-28", "02:30", "2027-03-28T03:00:00+02:00", "gap"),
        ("America/Santiago", "2027-09-05", "00:30", "2027-09-05T01:00:00-03:00", "gap"),
        ("Europe/Madrid", "2026-10-25", "02:30", "2026-10-25T02:30:00+02:00", "fold"),
        ("America/Sao_Paulo", "2027-03-28", "02:30", "2027-03-28T02:30:00-03:00", None),
    ],
)
def test_a_clock_change_is_a_doubt(
    everything: Definition, told: Told, zone: str, day: str, clock: str, value: str, doubt: str | None
) -> None:
    understanding = told(now=datetime(2026, 10, 1, tzinfo=ZoneInfo(zone)), values={"start": {"date": day}})
    piece = Candidate(path="start", value={"time": clock}, start=0, end=1, evidence="x")
    completed = values.completed(everything.slot("start"), piece, understanding)
    assert (completed.value, completed.doubts) == (value, () if doubt is None else (doubt,))


def test_a_day_and_an_hour_apart_in_one_message_are_one_moment(everything: Definition, told: Told) -> None:
    text = "el viernes me gustaría ir con la Dra. Pérez a las 17"
    (found,) = read(everything, text, told())
    assert found.value == AT_17
    assert found.evidence == "el viernes me gustaría ir con la Dra. Pérez a las 17"


def test_another_hour_beside_a_moment_is_of_the_same_day(everything: Definition, told: Told) -> None:
    found = values.candidates(everything.slot("start"), "el viernes a las 17 o a las 18", told())
    assert sorted(one.value for one in found) == [AT_17, "2026-11-27T18:00:00-03:00"]


def test_other_types_do_not_come_in_pieces(everything: Definition, told: Told) -> None:
    candidate = Candidate(path="day", value="2026-11-27", start=0, end=1, evidence="x")
    assert values.completed(everything.slot("day"), candidate, told(values={"day": "2026-11-30"})) == candidate
