"""What the calendar says to people, in English, Spanish and Portuguese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from babel.dates import format_date, get_day_names
from babel.lists import format_list

from ..phrasebook import Language, Phrasebook
from .answer import Answer
from .office_hours import WEEKDAYS, Weekday

PHRASES = Phrasebook(
    {
        "booked": {
            "en": "Booked: {doctor_name}, {when}, for {patient}. It is appointment {appointment_id}.",
            "es": "Turno reservado: {doctor_name}, {when}, para {patient}. Es el turno {appointment_id}.",
            "pt": "Consulta marcada: {doctor_name}, {when}, para {patient}. É a consulta {appointment_id}.",
        },
        "booked_and_cancelled": {
            "en": "Booked, and cancelled since: {doctor_name}, {when}, for {patient}. It was appointment "
            "{appointment_id}.",
            "es": "Turno reservado, y cancelado después: {doctor_name}, {when}, para {patient}. Era el turno "
            "{appointment_id}.",
            "pt": "Consulta marcada, e cancelada depois: {doctor_name}, {when}, para {patient}. Era a consulta "
            "{appointment_id}.",
        },
        "cancelled": {
            "en": "Cancelled: {doctor_name}, {when}, for {patient} (appointment {appointment_id}).",
            "es": "Turno cancelado: {doctor_name}, {when}, para {patient} (turno {appointment_id}).",
            "pt": "Consulta cancelada: {doctor_name}, {when}, para {patient} (consulta {appointment_id}).",
        },
        "cancelled_before": {
            "en": "It had been cancelled already: {doctor_name}, {when}, for {patient} (appointment {appointment_id}).",
            "es": "Ya estaba cancelado: {doctor_name}, {when}, para {patient} (turno {appointment_id}).",
            "pt": "Já estava cancelada: {doctor_name}, {when}, para {patient} (consulta {appointment_id}).",
        },
        "taken": {
            "en": "{when}: {doctor_name} is not free. {openings}",
            "es": "{when}: {doctor_name} no está libre. {openings}",
            "pt": "{when}: {doctor_name} não está livre. {openings}",
        },
        "closed": {
            "en": "{when}: the office is closed. It is open from {opens} to {closes}, {days}.",
            "es": "{when}: el consultorio está cerrado. Abre de {opens} a {closes}, {days}.",
            "pt": "{when}: o consultório está fechado. Abre das {opens} às {closes}, {days}.",
        },
        "past": {
            "en": "That is in the past: {when}.",
            "es": "Eso ya pasó: {when}.",
            "pt": "Isso já passou: {when}.",
        },
        "too_far": {
            "en": "That is more than two years away: {when}.",
            "es": "Faltan más de dos años para eso: {when}.",
            "pt": "Faltam mais de dois anos para isso: {when}.",
        },
        "begun": {
            "en": "That appointment has begun already: {when}.",
            "es": "Ese turno ya empezó: {when}.",
            "pt": "Essa consulta já começou: {when}.",
        },
        "unknown_doctor": {
            "en": "There is no doctor {doctor}. There are: {doctors}.",
            "es": "No hay profesional {doctor}. Hay: {doctors}.",
            "pt": "Não há profissional {doctor}. Há: {doctors}.",
        },
        "unknown_appointment": {
            "en": "There is no such appointment.",
            "es": "No hay tal turno.",
            "pt": "Não há tal consulta.",
        },
        "free": {
            "en": "{doctor_name}, {date}. {openings}",
            "es": "{doctor_name}, {date}. {openings}",
            "pt": "{doctor_name}, {date}. {openings}",
        },
        "openings": {
            "en": "Free that day: {gaps}.",
            "es": "Horarios libres de ese día: {gaps}.",
            "pt": "Horários livres nesse dia: {gaps}.",
        },
        "no_openings": {
            "en": "No {minutes} minutes are free that day.",
            "es": "Ese día no quedan {minutes} minutos libres.",
            "pt": "Nesse dia não há {minutes} minutos livres.",
        },
        "doctors": {"en": "{lines}", "es": "{lines}", "pt": "{lines}"},
        "appointments": {"en": "{lines}", "es": "{lines}", "pt": "{lines}"},
        "appointment": {
            "en": "{appointment_id}: {doctor_name}, {when}, {patient}",
            "es": "{appointment_id}: {doctor_name}, {when}, {patient}",
            "pt": "{appointment_id}: {doctor_name}, {when}, {patient}",
        },
        "no_appointments": {
            "en": "There are no appointments.",
            "es": "No hay turnos.",
            "pt": "Não há consultas.",
        },
        "more": {"en": "… and more", "es": "… y más", "pt": "… e mais"},
    }
)


def shown(answer: Answer, language: Language) -> Mapping[str, str]:
    """The fields of the calendar's answers as people write them."""
    values: dict[str, str] = {}
    if "start" in answer:
        values["when"] = _span(answer["start"], answer["end"], language)
    if "date" in answer:
        values["date"] = format_date(date.fromisoformat(answer["date"]), "full", locale=language)
    if "free" in answer:
        gaps = ", ".join(f"{_clock(gap['from'])}–{_clock(gap['to'])}" for gap in answer["free"])
        key = "openings" if gaps else "no_openings"
        values["openings"] = PHRASES.say(key, language, gaps=gaps, minutes=answer["minutes"])
    if "days" in answer:
        values["days"] = _days(answer["days"], language)
    if "doctors" in answer:
        values["doctors"] = format_list([_name(one) for one in answer["doctors"]], locale=language)
        values["lines"] = "\n".join(_doctor(one) for one in answer["doctors"] if isinstance(one, dict))
    if "appointments" in answer:
        values["lines"] = "\n".join(_appointments(answer, language))
    return values


def _span(start: str, end: str, language: Language) -> str:
    begins = datetime.fromisoformat(start)
    return f"{format_date(begins, 'full', locale=language)}, {_clock(start)}–{_clock(end)}"


def _days(days: Sequence[Weekday], language: Language) -> str:
    numbers = sorted(WEEKDAYS.index(day) for day in days)
    names = [get_day_names("wide", locale=language)[number] for number in numbers]
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{names[0]}–{names[-1]}"
    return format_list(names, locale=language)


def _clock(iso: str) -> str:
    return f"{datetime.fromisoformat(iso):%H:%M}"


def _name(doctor: str | dict[str, Any]) -> str:
    return doctor if isinstance(doctor, str) else str(doctor["name"])


def _doctor(doctor: dict[str, Any]) -> str:
    return f"{doctor['id']}: {doctor['name']}{', ' + doctor['speciality'] if doctor['speciality'] else ''}"


def _appointments(answer: Answer, language: Language) -> list[str]:
    lines = [
        PHRASES.say("appointment", language, **{**one, "when": _span(one["start"], one["end"], language)})
        for one in answer["appointments"]
    ] or [PHRASES.say("no_appointments", language)]
    return [*lines, PHRASES.say("more", language)] if answer["more"] else lines
