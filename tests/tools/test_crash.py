"""SIGKILL of a real process behind a real gateway, between the commit and the answer: done, once, and it says so."""

from __future__ import annotations

import asyncio
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.sdk import Client, Participant

from ..kit.processes import agent_process

CALENDAR = "tests.tools.failing_calendar:FailingCalendar"
WAIT = 60
SPACES = """
gateway:
  listen: 127.0.0.1:0
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: "mcp/*"}]}
      calendar: {capabilities: [{kind: chat}]}
"""


async def here(heard: Any) -> None:
    """Wait until the calendar has come."""
    async with asyncio.timeout(WAIT):
        while (item := await anext(heard)).kind != "system/presence" or item.payload["event"] != "join":
            pass


def booking() -> dict[str, Any]:
    """Next week, at ten, on a day that is no Sunday: the process has a clock of its own."""
    day = datetime.now(UTC).replace(hour=10, minute=0, second=0, microsecond=0) + timedelta(days=7)
    day += timedelta(days=day.weekday() == 6)
    return {"doctor": "ana-perez", "start": day.isoformat(), "patient": "Lucía"}


async def ask(human: Participant, tool: str, arguments: dict[str, Any], *, fence: int) -> dict[str, Any]:
    effect = {"key": "k", "attempt": fence, "fence": fence, "deadline": 2**52}
    params = {"name": tool, "arguments": arguments, "_meta": {"mew/effect": effect}}
    answer = await human.request("calendar", "tools/call", params, timeout=WAIT * 1000)
    return dict(answer["structuredContent"])


async def test_what_was_committed_is_answered_when_it_is_asked_again(start_gateway: Any, tmp_path: Path) -> None:
    arguments = booking()
    async with (
        start_gateway(SPACES) as site,
        Participant(Client(site.url.replace("http", "ws"), space="demo", token=site.token("human"))) as human,
    ):
        heard = human.listen()
        async with agent_process(site, "calendar", CALENDAR, folder=tmp_path) as calendar:
            await here(heard)
            asking = asyncio.create_task(ask(human, "book_appointment", arguments, fence=1))
            async with asyncio.timeout(WAIT):
                assert await calendar.wait() == -signal.SIGKILL
            assert not asking.done()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
        async with agent_process(site, "calendar", CALENDAR, folder=tmp_path):
            await here(heard)
            status = await ask(human, "booking_status", {"key": "k"}, fence=2)
            assert (status["status"], status["appointment_id"]) == ("applied", 1)
            again = await ask(human, "book_appointment", arguments, fence=3)
            assert (again["status"], again["appointment_id"], again["repeated"]) == ("applied", 1, True)
            assert len((await ask(human, "list_appointments", {}, fence=3))["appointments"]) == 1
