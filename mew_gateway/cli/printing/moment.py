"""Times as people read them: the hour of an envelope, and how long something took."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(timestamp: str) -> str:
    """HH:MM:SS here, of an RFC 3339 time; dashes for a text that is none."""
    moment = _moment(timestamp)
    return "--:--:--" if moment is None else f"{moment.astimezone():%H:%M:%S}"


def clock_of(milliseconds: int) -> str:
    """HH:MM:SS.mmm here, of milliseconds since the epoch; dashes for a number that is no time."""
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone():%H:%M:%S}.{milliseconds % 1000:03d}"
    except (ValueError, OverflowError, OSError, TypeError):
        return "--:--:--.---"


def between(earlier: str, later: str) -> int | None:
    """The milliseconds between two RFC 3339 times, None if they cannot be told."""
    first, second = _moment(earlier), _moment(later)
    if first is None or second is None:
        return None
    return round((second - first).total_seconds() * 1000)


def duration(milliseconds: int) -> str:
    """`40 ms`, `1.2 s`, `27 s`, `3 min 5 s`, `2 h 10 min`."""
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
    """The same of a time so short that it may be none."""
    return duration(milliseconds) if milliseconds > 0 else "< 1 ms"


def _moment(timestamp: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(timestamp)
        return moment.astimezone() if moment.tzinfo is None else moment
    except (ValueError, OverflowError):
        return None
