"""When an office is open: local times of some weekdays, in one time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mew_gateway.sdk import Misconfigured

Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)


class OfficeHours:
    """`opens` and `closes` are HH:MM. Raises `Misconfigured` for a zone or hours that cannot be."""

    def __init__(self, *, timezone: str, opens: str, closes: str, days: Sequence[Weekday]) -> None:
        try:
            self.zone = ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise Misconfigured(f"There is no time zone {timezone!r}: one looks like America/Sao_Paulo.") from None
        self.opens, self.closes = time.fromisoformat(opens), time.fromisoformat(closes)
        if not self.opens < self.closes:
            raise Misconfigured(f"The office opens at {opens} and closes at {closes}: it would never be open.")
        self.days = tuple(day for day in WEEKDAYS if day in days)

    def of(self, day: date) -> tuple[datetime, datetime] | None:
        """From when to when it is open on a day, None if it is not."""
        if WEEKDAYS[day.weekday()] not in self.days:
            return None
        return self._at(day, self.opens), self._at(day, self.closes)

    def allow(self, start: datetime, end: datetime) -> bool:
        """Whether it is open all that time."""
        span = self.of(self.local(start).date())
        return span is not None and span[0] <= start and end <= span[1]

    def local(self, moment: datetime) -> datetime:
        """A moment, as the clock in the office shows it."""
        return moment.astimezone(self.zone)

    def _at(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, self.zone).astimezone(UTC)
