"""A wall clock's reading in a zone, where clock changes skip some readings and repeat others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from mew_agents.language.found import Doubt

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Local:
    """What a clock's reading means: the moment, and of a repeated one also the second of the two."""

    value: datetime
    doubt: Doubt | None = None
    second: datetime | None = None


def local(wall: datetime, zone: tzinfo) -> Local:
    """The moment at which clocks of `zone` show `wall`, a naive time.

    Of a repeated one the first, with doubt "fold". Of one that is skipped the first moment after, with doubt "gap".
    """
    first, second = wall.replace(tzinfo=zone, fold=0), wall.replace(tzinfo=zone, fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    if before is None or after is None or before == after:
        return Local(first)
    if before > after:  # PEP 495: clocks went back
        return Local(first, "fold", second)
    return Local(_after_change((wall - after).replace(tzinfo=UTC), (wall - before).replace(tzinfo=UTC), zone), "gap")


def _after_change(early: datetime, late: datetime, zone: tzinfo) -> datetime:
    """The moment from which the zone's offset is no longer that at `early`, as it is no longer at `late`."""
    offset = early.astimezone(zone).utcoffset()
    while late - early > _SECOND:
        middle = early + (late - early) // 2
        if middle.astimezone(zone).utcoffset() == offset:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0).astimezone(zone)
