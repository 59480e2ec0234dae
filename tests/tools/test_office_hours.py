"""When the office is open: in its own zone, across the days on which clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from mew_agents.tools.office_hours import WEEKDAYS, OfficeHours
from mew_gateway.sdk import Misconfigured


def hours(timezone: str = "America/Sao_Paulo") -> OfficeHours:
    return OfficeHours(timezone=timezone, opens="09:00", closes="17:00", days=WEEKDAYS[:5])


@pytest.mark.parametrize(
    ("start", "minutes", "open_"),
    [
        ("2027-01-15T12:00+00:00", 30, True),  # nine in São Paulo
        ("2027-01-15T11:59+00:00", 30, False),
        ("2027-01-15T19:30+00:00", 30, True),
        ("2027-01-15T19:31+00:00", 30, False),
        ("2027-01-15T12:00+00:00", 481, False),
        ("2027-01-16T12:00+00:00", 30, False),  # a Saturday
        ("2027-01-18T00:30+00:00", 30, False),  # Monday in UTC, Sunday evening there
    ],
)
def test_it_is_open_all_the_time_or_not(start: str, minutes: int, open_: bool) -> None:
    begins = datetime.fromisoformat(start)
    assert hours().allow(begins, begins + timedelta(minutes=minutes)) is open_


@pytest.mark.parametrize(("day", "opens"), [("2026-03-27", 8), ("2026-03-30", 7), ("2026-10-26", 8)])
def test_it_opens_by_the_local_clock(day: str, opens: int) -> None:
    span = hours("Europe/Madrid").of(date.fromisoformat(day))
    assert span is not None and span[0].astimezone(UTC).hour == opens


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "America"])
def test_a_zone_that_is_none_is_said(zone: str) -> None:
    with pytest.raises(Misconfigured, match="time zone"):
        hours(zone)


def test_an_office_that_never_opens_is_said() -> None:
    with pytest.raises(Misconfigured, match="never be open"):
        OfficeHours(timezone="UTC", opens="17:00", closes="09:00", days=WEEKDAYS)
