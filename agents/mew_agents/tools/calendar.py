"""A calendar as a participant: appointments with doctors, booked once however often they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from mew_gateway.sdk import Envelope, Misconfigured, ToolError, ToolResult, tool
from mew_gateway.sdk import Options as AnyOptions
from mew_gateway.sdk.client import wall_clock
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS

from ..phrasebook import Spoken
from . import calendar_words
from .answer import Answer
from .calendar_book import CalendarBook, Doctor
from .call import Call
from .desk import Desk
from .effect import Id, Key
from .moment import day_in, moment_at, moment_in
from .office_hours import WEEKDAYS, OfficeHours, Weekday

_DOCTORS = (
    Doctor("ana-perez", "Dra. Ana Pérez", {"en": "cardiology", "es": "cardiología", "pt": "cardiologia"}),
    Doctor("juan-perez", "Dr. Juan Pérez", {"en": "paediatrics", "es": "pediatría", "pt": "pediatria"}),
    Doctor("joao-souza", "Dr. João Souza", {"en": "dermatology", "es": "dermatología", "pt": "dermatologia"}),
    Doctor("emily-clark", "Dra. Emily Clark", {"en": "general practice", "es": "clínica", "pt": "clínica geral"}),
)

Clock = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Named = Annotated[str, Meta(min_length=1, max_length=100, description="a doctor's id or name, see doctors")]
Start = Annotated[str, Meta(max_length=40, description="ISO 8601 with an offset: 2026-11-27T17:00-03:00")]
Day = Annotated[str, Meta(max_length=10, description="a day: 2026-11-27")]
Moment = Annotated[str, Meta(max_length=40, description="ISO 8601 with an offset")]
Minutes = Annotated[int, Meta(ge=5, le=480)]
Patient = Annotated[str, Meta(min_length=1, max_length=120)]
Reason = Annotated[str, Meta(max_length=500)]


class CalendarOptions(Spoken, frozen=True):
    """`opens` and `closes` are local times of `timezone`, on each of `days`."""

    timezone: str = "UTC"
    opens: Clock = "08:00"
    closes: Clock = "20:00"
    days: tuple[Weekday, ...] = WEEKDAYS[:6]
    doctors: Annotated[tuple[Doctor, ...], Meta(min_length=1, max_length=1_000)] = _DOCTORS


class Calendar(Desk[CalendarBook]):
    """Books appointments. Its effects are `book_appointment` and `cancel_appointment`; `booking_status` tells of both.

    Raises `Misconfigured` for options that cannot be.
    """

    Options = CalendarOptions
    options: CalendarOptions
    FILE = CalendarBook.NAME

    def __init__(self, options: AnyOptions | None = None, *, clock: Callable[[], int] = wall_clock) -> None:
        super().__init__(options, clock=clock)
        told = self.options
        self._hours = OfficeHours(timezone=told.timezone, opens=told.opens, closes=told.closes, days=told.days)
        if len({doctor.id for doctor in told.doctors}) < len(told.doctors):
            raise Misconfigured("Two doctors have the same id.")

    def open(self, path: Path | None) -> CalendarBook:
        return CalendarBook(path, doctors=self.options.doctors, hours=self._hours)

    def say(self, answer: Answer) -> str:
        if answer.get("cancelled"):
            answer = {**answer, "code": "booked_and_cancelled"}
        return self.sentence(answer, calendar_words.PHRASES, calendar_words.shown(answer, self.options.language))

    @tool
    def doctors(self) -> ToolResult:
        """Lists the doctors: their ids, names and specialities."""
        return self.informed(self.book.doctors(self.options.language))

    @tool
    def free_times(self, doctor: Named, date: Day, duration_minutes: Minutes = 30) -> ToolResult:
        """Says when a doctor is free on a day."""
        day = day_in(date, "date")
        return self.looked_up(lambda: self.book.free(doctor=doctor, day=day, minutes=duration_minutes, now=self.now()))

    @tool
    def list_appointments(
        self, doctor: Named | None = None, since: Moment | None = None, until: Moment | None = None
    ) -> ToolResult:
        """Lists the appointments that stand, from now on unless told otherwise."""
        first = moment_at(self.now()) if since is None else moment_in(since, "since")
        last = None if until is None else moment_in(until, "until")
        return self.looked_up(lambda: self.book.appointments(doctor=doctor, since=first, until=last))

    @tool
    def book_appointment(
        self,
        request: Envelope,
        doctor: Named,
        start: Start,
        patient: Patient,
        duration_minutes: Minutes = 30,
        reason: Reason | None = None,
    ) -> ToolResult:
        """Books an appointment with a doctor. Honours _meta["mew/effect"]; ask booking_status what became of it."""
        begins, call = moment_in(start, "start"), Call.of(request)
        answer = self.book.book(
            call,
            doctor=doctor,
            start=begins,
            minutes=duration_minutes,
            patient=patient,
            reason=reason,
            now=self.now(),
        )
        return self.told(answer)

    @tool
    def cancel_appointment(
        self, request: Envelope, appointment_id: Id | None = None, key: Key | None = None
    ) -> ToolResult:
        """Cancels an appointment: the one of this id, or the one that was booked under this key."""
        if (appointment_id is None) is (key is None):
            raise ToolError(INVALID_PARAMS, "Name the appointment by appointment_id or by key.")
        call = Call.of(request)
        return self.told(self.book.cancel(call, appointment_id=appointment_id, key=key, now=self.now()))

    @tool
    def booking_status(self, request: Envelope, key: Key) -> ToolResult:
        """Says whether a booking or a cancellation was done under a key; with a fence, it stays so."""
        return self.informed(self.book.status(key, Call.of(request).effect))
