"""Times for people: the time of day of an envelope, and durations."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(timestamp: str) -> str:
    """Return an RFC 3339 time as HH:MM:SS in the local time zone; dashes if it is none."""
    moment = _moment(timestamp)
    return "--:--:--" if moment is None else f"{moment.astimezone():%H:%M:%S}"


def clock_of(milliseconds: int) -> str:
    """Return milliseconds since the epoch as HH:MM:SS.mmm in the local time zone; dashes if that is no time."""
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone():%H:%M:%S}.{milliseconds % 1000:03d}"
    except (ValueError, OverflowError, OSError, TypeError):
        return "--:--:--.---"


def between(earlier: str, later: str) -> int | None:
    """Return the milliseconds between two RFC 3339 times, None if one of them is none."""
    first, second = _moment(earlier), _moment(later)
    if first is None or second is None:
        return None
    return round((second - first).total_seconds() * 1000)


def duration(milliseconds: int) -> str:
    """Return milliseconds in words: `40 ms`, `1.2 s`, `27 s`, `3 min 5 s`, `2 h 10 min`."""
    seconds = milliseconds / 1000
    if milliseconds < 100:
        return f"{milliseconds} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def latency(milliseconds: int) -> str:
    """Return the same of a time that may be zero: `< 1 ms`."""
    return duration(milliseconds) if milliseconds > 0 else "< 1 ms"


def _moment(timestamp: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(timestamp)
        return moment.astimezone() if moment.tzinfo is None else moment
    except (ValueError, OverflowError):
        return None
