"""The calendar in a space: asked straight, by way of a proposal, twice, and about what became of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mew_agents.tools.calendar import Calendar, CalendarOptions
from mew_agents.tools.calendar_book import Doctor
from mew_gateway.sdk import Disconnected, Misconfigured, Participant, ToolError
from mew_gateway.sdk.options import options_from
from mew_gateway.sdk.testing import Space

PEOPLE: dict[str, list[dict[str, Any]]] = {
    "human": [{"kind": "mcp/*"}],
    "fluxi": [{"kind": ["mcp/proposal", "mcp/withdraw"]}, {"kind": "mcp/request", "payload": {"method": "tools/list"}}],
    "calendar": [{"kind": "chat"}],
}
BOOKING: dict[str, Any] = {"doctor": "ana-perez", "start": "2027-01-15T17:00-03:00", "patient": "Lucía Gómez"}


@pytest.fixture
def calendar(now: int) -> Calendar:
    options = CalendarOptions(language="es", timezone="America/Argentina/Buenos_Aires")
    return Calendar(options, clock=lambda: now)


async def ask(who: Participant, tool: str, effect: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    if effect is not None:
        params["_meta"] = {"mew/effect": effect}
    return dict(await who.request("calendar", "tools/call", params))


async def test_a_booking_is_told_to_a_person_and_to_a_program(calendar: Calendar, announced: Any) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        answer = await ask(human, "book_appointment", announced(), **BOOKING)
        assert answer["isError"] is False
        assert answer["content"] == [
            {
                "type": "text",
                "text": "Turno reservado: Dra. Ana Pérez, viernes, 15 de enero de 2027, 17:00–17:30, para Lucía Gómez. "
                "Es el turno 1.",
            }
        ]
        assert answer["structuredContent"]["status"] == "applied"
        assert answer["structuredContent"]["start"] == "2027-01-15T17:00-03:00"
        again = await ask(human, "book_appointment", announced(), **BOOKING)
        assert again["structuredContent"] == {**answer["structuredContent"], "repeated": True}
        status = await ask(human, "booking_status", key="k")
        assert (status["isError"], status["structuredContent"]["status"]) == (False, "applied")


async def test_a_refusal_is_an_error_that_says_nothing_was_done(calendar: Calendar) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        await ask(human, "book_appointment", **BOOKING)
        answer = await ask(human, "book_appointment", **BOOKING)
        assert answer["isError"] is True
        assert answer["structuredContent"]["status"] == "not_applied"
        assert answer["content"][0]["text"] == (
            "viernes, 15 de enero de 2027, 17:00–17:30: Dra. Ana Pérez no está libre. "
            "Horarios libres de ese día: 08:00–17:00, 17:30–20:00."
        )


async def test_whoever_fulfils_a_proposal_carries_its_key_along(calendar: Calendar, announced: Any) -> None:
    async with Space(PEOPLE) as space:
        human, fluxi = await space.join("human"), await space.join("fluxi")
        await space.run(calendar, "calendar")
        asking = asyncio.create_task(ask(fluxi, "book_appointment", announced(), **BOOKING))
        await space.settle()
        proposal = next(one for one in space.envelopes if one.kind == "mcp/proposal")
        first = await human.fulfil(proposal)
        assert (await asking)["structuredContent"] == first["structuredContent"]
        again = await ask(human, "book_appointment", announced(), **BOOKING)
        assert again["structuredContent"]["repeated"] is True
        listed = await ask(human, "list_appointments")
        assert len(listed["structuredContent"]["appointments"]) == 1


async def test_a_request_that_is_delivered_twice_is_answered_alike(calendar: Calendar) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        await ask(human, "book_appointment", **BOOKING)
        request = next(one for one in space.envelopes if one.kind == "mcp/request")
        params = (request.payload or {})["params"]
        answer = await calendar.participant.offers.answer("tools/call", params, request, me="calendar")
        assert answer["structuredContent"]["repeated"] is True
        assert answer["structuredContent"]["appointment_id"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("book_appointment", {**BOOKING, "start": "2027-01-15T17:00"}),
        ("book_appointment", {**BOOKING, "start": "el viernes"}),
        ("book_appointment", {**BOOKING, "start": "0001-01-01T00:00+14:00"}),
        ("book_appointment", {**BOOKING, "start": "9999-12-31T23:00-12:00"}),
        ("book_appointment", {**BOOKING, "start": "2027-01-15T17:00:30-03:00"}),
        ("book_appointment", {**BOOKING, "duration_minutes": 0}),
        ("book_appointment", {**BOOKING, "patient": ""}),
        ("book_appointment", {**BOOKING, "doctor": None}),
        ("book_appointment", {"doctor": "ana-perez"}),
        ("cancel_appointment", {}),
        ("cancel_appointment", {"appointment_id": 1, "key": "k"}),
        ("cancel_appointment", {"appointment_id": 2**60}),
        ("free_times", {"doctor": "ana-perez", "date": "mañana"}),
        ("free_times", {"doctor": "ana-perez", "date": "9999-12-31"}),
        ("list_appointments", {"since": "2027-01-15"}),
        ("booking_status", {"key": ""}),
    ],
)
async def test_what_is_asked_wrongly_is_refused_as_not_done(
    calendar: Calendar, tool: str, arguments: dict[str, Any]
) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        with pytest.raises(ToolError) as caught:
            await ask(human, tool, **arguments)
        assert caught.value.code == -32602


async def test_a_broken_effect_is_refused_rather_than_ignored(calendar: Calendar, announced: Any) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        with pytest.raises(ToolError, match="attempt"):
            await ask(human, "book_appointment", announced(attempt=0), **BOOKING)
        assert (await ask(human, "list_appointments"))["content"][0]["text"] == "No hay turnos."


async def test_its_tools_say_what_they_take(calendar: Calendar) -> None:
    async with Space(PEOPLE) as space:
        human = await space.join("human")
        await space.run(calendar, "calendar")
        tools = {one.name: one for one in await human.tools("calendar")}
    assert set(tools) >= {"doctors", "free_times", "book_appointment", "cancel_appointment", "booking_status"}
    schema = tools["book_appointment"].input_schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["doctor", "start", "patient"]
    jsonschema.validate(BOOKING, schema)


async def test_the_book_is_open_only_while_it_serves(calendar: Calendar, tmp_path: Path) -> None:
    with pytest.raises(Disconnected):
        _ = calendar.book
    with calendar.opened(tmp_path):
        assert calendar.book.doctors("en")["doctors"]
        assert (tmp_path / "calendar.db").exists()
    with pytest.raises(Disconnected):
        _ = calendar.book


@pytest.mark.parametrize(
    "wrong",
    [
        {"timezone": "Mars"},
        {"opens": "25:00"},
        {"opens": "20:00", "closes": "08:00"},
        {"days": ["someday"]},
        {"doctors": []},
        {"doctors": [{"id": "Ana Pérez", "name": "Ana"}]},
        {"doctors": [{"id": "a", "name": "Ana"}, {"id": "a", "name": "Eva"}]},
        {"language": "fr"},
    ],
)
def test_options_that_cannot_be_are_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured):
        Calendar(options_from(wrong, CalendarOptions))


def test_doctors_come_from_the_options(tmp_path: Path) -> None:
    told = {"language": "es", "doctors": [{"id": "eva", "name": "Eva", "speciality": {"es": "pediatría", "en": "x"}}]}
    calendar = Calendar(options_from(told, CalendarOptions))
    assert calendar.options.doctors == (Doctor("eva", "Eva", {"es": "pediatría", "en": "x"}),)
    with calendar.opened(None):
        assert calendar.say(calendar.book.doctors("es")) == "eva: Eva, pediatría"
        assert calendar.book.doctors("es")["list"] == {"eva": ["Eva"]}
