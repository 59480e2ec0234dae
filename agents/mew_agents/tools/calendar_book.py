"""The appointments of an office's doctors, none of which overlap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from .answer import Answer, Declined, applied
from .book import Book
from .call import Call
from .effect import Effect
from .moment import milliseconds, moment_at
from .office_hours import OfficeHours

HORIZON = timedelta(days=2 * 365)  # nobody books beyond it: a later year was misheard
_MOST = 100  # appointments in a list

_FIELDS = "select id, doctor, start, finish, patient, reason, cancelled_at from appointments"
_STANDING = f"{_FIELDS} where cancelled_at is null"
_OVERLAPPING = f"{_STANDING} and doctor = ? and start < ? and finish > ? order by start"
_BETWEEN = f"{_STANDING} and (:doctor is null or doctor = :doctor) and finish > :since and start < :until"
_ADD = "insert into appointments (key, doctor, start, finish, patient, reason, booked_at) values (?, ?, ?, ?, ?, ?, ?)"


class Doctor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who can be visited. `id` is how tools name them; a speciality may be told by language."""

    id: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    speciality: str | dict[str, str] = ""


class Appointment(NamedTuple):
    """A row of the book. Times are milliseconds since the epoch."""

    id: int
    doctor: str
    start: int
    finish: int
    patient: str
    reason: str | None
    cancelled_at: int | None


class CalendarBook(Book):
    """Books, cancels and finds appointments. `now` is milliseconds since the epoch; answers are plain JSON, their times
    ISO 8601 in the office's zone."""

    NAME = "calendar.db"
    APPLICATION = 0x4D455743  # "MEWC"
    TABLES = """
    create table appointments (
        id integer primary key autoincrement, key text unique, doctor text not null,
        start integer not null, finish integer not null check (start < finish),
        patient text not null, reason text, booked_at integer not null, cancelled_at integer
    ) strict;
    create index standing on appointments (doctor, start) where cancelled_at is null;
    """

    def __init__(self, path: Path | None = None, *, doctors: Sequence[Doctor], hours: OfficeHours) -> None:
        super().__init__(path)
        self._doctors = {doctor.id: doctor for doctor in doctors}
        self._hours = hours

    def book(
        self, call: Call, *, doctor: str, start: datetime, minutes: int, patient: str, reason: str | None, now: int
    ) -> Answer:
        """An appointment; declined as `unknown_doctor`, `past`, `too_far`, `closed` or `taken`."""

        def work() -> Answer:
            whose, end = self._doctor(doctor), start + timedelta(minutes=minutes)
            self._check_time(start, end, now)
            begins, ends = milliseconds(start), milliseconds(end)
            if self._rows(_OVERLAPPING, (whose.id, ends, begins)):
                day = self._hours.local(start).date()
                details = self._free(whose, day, minutes, now)
                raise Declined("taken", start=self._iso(begins), end=self._iso(ends), **details)
            key = None if call.effect is None else call.effect.key
            self._rows(_ADD, (key, whose.id, begins, ends, patient, reason, now))
            return applied("booked", **self._shown(self._appointment(self._connection.last_insert_rowid())))

        return self._perform(call, work, now=now)

    def cancel(self, call: Call, *, appointment_id: int | None, key: str | None, now: int) -> Answer:
        """The end of an appointment, named by its id or by the key that it was booked under.

        What is cancelled already stays so (`cancelled_before`); declined as `unknown_appointment` or `begun`.
        """

        def work() -> Answer:
            found = self._find(appointment_id, key)
            if found.cancelled_at is not None:
                return applied("cancelled_before", **self._shown(found))
            if found.start <= now:
                raise Declined("begun", **self._shown(found))
            self._rows("update appointments set cancelled_at = ? where id = ?", (now, found.id))
            return applied("cancelled", **self._shown(found))

        return self._perform(call, work, now=now)

    def status(self, key: str, effect: Effect | None = None) -> Answer:
        """What became of a key; `cancelled` says whether the appointment that was booked has been cancelled since."""
        answer = super().status(key, effect)
        if answer["code"] != "booked":
            return answer
        return {**answer, "cancelled": self._appointment(answer["appointment_id"]).cancelled_at is not None}

    def appointments(self, *, doctor: str | None, since: datetime, until: datetime | None) -> Answer:
        """The appointments that stand, by time; of one doctor, or of all. Raises `Declined`."""
        bounds = {
            "doctor": None if doctor is None else self._doctor(doctor).id,
            "since": milliseconds(since),
            "until": 2**62 if until is None else milliseconds(until),
        }
        rows = self._rows(f"{_BETWEEN} order by start, id limit {_MOST + 1}", bounds)
        shown = [self._shown(Appointment(*row)) for row in rows[:_MOST]]
        return {"code": "appointments", "appointments": shown, "more": len(rows) > _MOST}

    def free(self, *, doctor: str, day: date, minutes: int, now: int) -> Answer:
        """When a doctor has so many minutes in a row on a day. Raises `Declined`."""
        return {"code": "free", **self._free(self._doctor(doctor), day, minutes, now)}

    def doctors(self, language: str) -> Answer:
        """Who can be visited; also as a `list` of names by id, which slots are matched against."""
        described = [_described(doctor, language) for doctor in self._doctors.values()]
        names = {doctor.id: [doctor.name] for doctor in self._doctors.values()}
        return {"code": "doctors", "doctors": described, "list": names}

    def _doctor(self, named: str) -> Doctor:
        """By id, or by the name as it is written."""
        for doctor in self._doctors.values():
            if named == doctor.id or named.casefold() == doctor.name.casefold():
                return doctor
        raise Declined("unknown_doctor", doctor=named, doctors=[one.name for one in self._doctors.values()])

    def _check_time(self, start: datetime, end: datetime, now: int) -> None:
        times = {"start": self._iso(milliseconds(start)), "end": self._iso(milliseconds(end))}
        if milliseconds(start) <= now:
            raise Declined("past", **times)
        if start - moment_at(now) > HORIZON:
            raise Declined("too_far", **times)
        if not self._hours.allow(start, end):
            hours = self._hours
            open_ = {"opens": f"{hours.opens:%H:%M}", "closes": f"{hours.closes:%H:%M}", "days": list(hours.days)}
            raise Declined("closed", **times, **open_)

    def _free(self, doctor: Doctor, day: date, minutes: int, now: int) -> dict[str, Any]:
        gaps = []
        span = self._hours.of(day)
        if span is not None:
            begins, closes = max(milliseconds(span[0]), _next_minute(now)), milliseconds(span[1])
            booked = [Appointment(*row) for row in self._rows(_OVERLAPPING, (doctor.id, closes, begins))]
            for start, finish in [*((one.start, one.finish) for one in booked), (closes, closes)]:
                if start - begins >= minutes * 60_000:
                    gaps.append({"from": self._iso(begins), "to": self._iso(start)})
                begins = max(begins, finish)
        return {
            "doctor": doctor.id,
            "doctor_name": doctor.name,
            "date": day.isoformat(),
            "minutes": minutes,
            "free": gaps,
        }

    def _find(self, id: int | None, key: str | None) -> Appointment:
        rows = self._rows(f"{_FIELDS} where id = ? or key = ?", (id, key))
        if not rows:
            raise Declined("unknown_appointment", **({"key": key} if id is None else {"appointment_id": id}))
        return Appointment(*rows[0])

    def _appointment(self, id: int) -> Appointment:
        return self._find(id, None)

    def _shown(self, one: Appointment) -> dict[str, Any]:
        doctor = self._doctors.get(one.doctor)  # who may have left the office since
        return {
            "appointment_id": one.id,
            "doctor": one.doctor,
            "doctor_name": one.doctor if doctor is None else doctor.name,
            "start": self._iso(one.start),
            "end": self._iso(one.finish),
            "timezone": self._hours.zone.key,
            "patient": one.patient,
            **({} if one.reason is None else {"reason": one.reason}),
        }

    def _iso(self, at: int) -> str:
        return self._hours.local(moment_at(at)).isoformat(timespec="minutes")


def _described(doctor: Doctor, language: str) -> dict[str, str]:
    told = doctor.speciality
    speciality = told if isinstance(told, str) else told.get(language, next(iter(told.values()), ""))
    return {"id": doctor.id, "name": doctor.name, "speciality": speciality}


def _next_minute(now: int) -> int:
    """Whoever books from now on begins no earlier."""
    return (now // 60_000 + 1) * 60_000
