"""The calendar's rules, without any wire."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.tools.calendar_book import CalendarBook, Doctor
from mew_agents.tools.call import Call, digest_of
from mew_agents.tools.moment import moment_at
from mew_agents.tools.office_hours import WEEKDAYS, OfficeHours

NOW = 1_800_000_000_000  # Friday, 15 January 2027, 08:00 UTC
DOCTORS = (Doctor("ana", "Dra. Ana Pérez", {"es": "cardiología"}), Doctor("juan", "Dr. Juan Pérez"))


def new_book() -> CalendarBook:
    hours = OfficeHours(timezone="UTC", opens="08:00", closes="18:00", days=WEEKDAYS[:5])
    return CalendarBook(doctors=DOCTORS, hours=hours)


@pytest.fixture
def book() -> Iterator[CalendarBook]:
    with new_book() as opened:
        yield opened


def ask(book: CalendarBook, call: Call, start: str, *, doctor: str = "ana", minutes: int = 30) -> dict[str, Any]:
    begins = datetime.fromisoformat(f"{start}+00:00")
    return book.book(call, doctor=doctor, start=begins, minutes=minutes, patient="Lucía", reason=None, now=NOW)


def test_an_appointment_is_booked_and_found(book: CalendarBook, call: Any, effect: Any) -> None:
    booked = ask(book, call(effect()), "2027-01-15T17:00")
    assert booked == {
        "status": "applied",
        "code": "booked",
        "appointment_id": 1,
        "doctor": "ana",
        "doctor_name": "Dra. Ana Pérez",
        "start": "2027-01-15T17:00+00:00",
        "end": "2027-01-15T17:30+00:00",
        "timezone": "UTC",
        "patient": "Lucía",
    }
    (found,) = book.appointments(doctor=None, since=moment_at(NOW), until=None)["appointments"]
    assert found.items() <= booked.items()
    assert book.status("k") == {**booked, "key": "k", "cancelled": False}


@pytest.mark.parametrize(
    ("start", "minutes", "doctor", "code"),
    [
        ("2027-01-15T16:45", 30, "ana", "taken"),
        ("2027-01-15T17:15", 10, "ana", "taken"),
        ("2027-01-15T16:00", 120, "ana", "taken"),
        ("2027-01-15T16:30", 30, "ana", "booked"),  # what only touches does not overlap
        ("2027-01-15T17:30", 30, "ana", "booked"),
        ("2027-01-15T17:00", 30, "Dr. Juan Pérez", "booked"),
        ("2027-01-15T17:00", 30, "dra. ana pérez", "taken"),
        ("2027-01-15T17:00", 30, "Pérez", "unknown_doctor"),
        ("2027-01-15T08:00", 30, "ana", "past"),  # now
        ("2027-01-15T08:01", 30, "ana", "booked"),
        ("2027-01-15T17:45", 30, "juan", "closed"),
        ("2027-01-16T10:00", 30, "ana", "closed"),
        ("2029-01-15T10:00", 30, "ana", "too_far"),
    ],
)
def test_what_cannot_be_is_declined(
    book: CalendarBook, call: Any, start: str, minutes: int, doctor: str, code: str
) -> None:
    ask(book, call(), "2027-01-15T17:00")
    answer = ask(book, call(), start, minutes=minutes, doctor=doctor)
    assert answer["code"] == code
    assert answer["status"] == ("applied" if code == "booked" else "not_applied")


def test_a_refusal_says_when_there_is_time(book: CalendarBook, call: Any) -> None:
    ask(book, call(), "2027-01-15T17:00")
    assert ask(book, call(), "2027-01-15T17:00", minutes=60)["free"] == [
        {"from": "2027-01-15T08:01+00:00", "to": "2027-01-15T17:00+00:00"}
    ]


@pytest.mark.parametrize("by", ["id", "key"])
def test_a_cancelled_one_frees_its_time_once(book: CalendarBook, call: Any, effect: Any, by: str) -> None:
    ask(book, call(effect()), "2027-01-15T17:00")
    named: dict[str, Any] = {"appointment_id": 1, "key": None} if by == "id" else {"appointment_id": None, "key": "k"}
    assert book.cancel(call(effect("undo"), what="c"), **named, now=NOW)["code"] == "cancelled"
    assert book.cancel(call(effect("again"), what="c"), **named, now=NOW)["code"] == "cancelled_before"
    assert book.status("k")["cancelled"] is True
    assert ask(book, call(), "2027-01-15T17:00")["code"] == "booked"


def test_what_is_not_there_or_over_is_not_cancelled(book: CalendarBook, call: Any) -> None:
    assert book.cancel(call(), appointment_id=9, key=None, now=NOW)["code"] == "unknown_appointment"
    assert book.cancel(call(), appointment_id=None, key="k", now=NOW)["code"] == "unknown_appointment"
    ask(book, call(), "2027-01-15T09:00")
    assert book.cancel(call(), appointment_id=1, key=None, now=NOW + 3_600_000)["code"] == "begun"


def test_a_doctor_who_left_still_has_a_name_of_sorts(call: Any, tmp_path: Any) -> None:
    hours = OfficeHours(timezone="UTC", opens="08:00", closes="18:00", days=WEEKDAYS)
    with CalendarBook(tmp_path / "c.db", doctors=DOCTORS, hours=hours) as book:
        ask(book, call(), "2027-01-15T17:00")
    with CalendarBook(tmp_path / "c.db", doctors=DOCTORS[1:], hours=hours) as book:
        (left,) = book.appointments(doctor=None, since=moment_at(0), until=None)["appointments"]
        assert left["doctor_name"] == "ana"


def test_a_list_is_bounded_and_says_so(book: CalendarBook, call: Any) -> None:
    for nth in range(101):
        hour, step = divmod(nth, 12)
        ask(book, call(), f"2027-01-18T{8 + hour:02}:{5 * step:02}", minutes=5)
    found = book.appointments(doctor=None, since=moment_at(NOW), until=None)
    assert (len(found["appointments"]), found["more"]) == (100, True)
    one_less = book.appointments(doctor="ana", since=datetime.fromisoformat("2027-01-18T08:05+00:00"), until=None)
    assert (len(one_less["appointments"]), one_less["more"]) == (100, False)


Times = st.tuples(st.sampled_from(["ana", "juan"]), st.integers(0, 23), st.sampled_from([20, 30, 45, 60]))


@settings(max_examples=40, deadline=None)
@given(st.lists(Times, max_size=12))
def test_no_two_overlap_and_what_is_free_can_be_booked(times: list[tuple[str, int, int]]) -> None:
    monday = datetime.fromisoformat("2027-01-18T06:00+00:00")
    with new_book() as book:
        for nth, (doctor, half_hours, minutes) in enumerate(times):
            start = monday + timedelta(minutes=30 * half_hours)
            call = Call("human", f"r{nth}", digest_of("book", {}))
            book.book(call, doctor=doctor, start=start, minutes=minutes, patient="p", reason=None, now=NOW)
        for doctor in ("ana", "juan"):
            found = book.appointments(doctor=doctor, since=moment_at(NOW), until=None)["appointments"]
            spans = [(one["start"], one["end"]) for one in found]
            assert all(before[1] <= after[0] for before, after in pairwise(spans))
            for nth, gap in enumerate(book.free(doctor=doctor, day=date(2027, 1, 18), minutes=30, now=NOW)["free"]):
                call = Call("human", f"{doctor}{nth}", digest_of("book", {}))
                start = datetime.fromisoformat(gap["from"])
                fits = book.book(call, doctor=doctor, start=start, minutes=30, patient="p", reason=None, now=NOW)
                assert fits["code"] == "booked"
