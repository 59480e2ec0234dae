"""A moment as a caller writes it: ISO 8601 with an offset, or a day of the office's calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NoReturn

from mew_gateway.sdk import ToolError
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = (1970, 9000)  # what every later calculation can bear


def moment_in(text: str, name: str) -> datetime:
    """The moment, in UTC. Raises `ToolError` -32602, naming the argument, for what is none or has no offset."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            _refuse(name, text, "it needs an offset, as in 2026-11-27T17:00-03:00")
        if not _YEARS[0] < found.year < _YEARS[1] or found.second or found.microsecond:
            _refuse(name, text, "it is to be a whole minute of this age")
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        _refuse(name, text, "write it as in 2026-11-27T17:00-03:00")


def day_in(text: str, name: str) -> date:
    """The day. Raises `ToolError` -32602 for what is none."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        _refuse(name, text, "write a day as in 2026-11-27")
    if not _YEARS[0] < found.year < _YEARS[1]:
        _refuse(name, text, "it is to be a day of this age")
    return found


def milliseconds(moment: datetime) -> int:
    """Since the epoch."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def moment_at(milliseconds: int) -> datetime:
    """The moment so long after the epoch, in UTC."""
    return EPOCH + timedelta(milliseconds=milliseconds)


def _refuse(name: str, text: str, why: str) -> NoReturn:
    raise ToolError(INVALID_PARAMS, f"{name} is {text[:40]!r}: {why}.")
