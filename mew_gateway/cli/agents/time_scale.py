"""Time axis of a picture: from moments to places, with idle time cut short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from ..printing.moment import duration

_STEPS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000),
    *(60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000),
)  # milliseconds between two ticks
_TICKS = 9  # at most, about
_BY_THE_CLOCK = 600_000  # milliseconds from which on labels are times of day
_IDLE = 0.12  # of all work: a longer pause is cut
_LEAST_IDLE = 1_000  # milliseconds; a shorter pause is never cut


class Tick(NamedTuple):
    """A labelled moment, at a place from 0 to 1."""

    place: float
    label: str


class Cut(NamedTuple):
    """Idle time that was cut out, between two places, and its label."""

    start: float
    end: float
    label: str


class _Piece(NamedTuple):
    """A stretch of work, and where it begins on the axis, in milliseconds drawn."""

    start: int
    end: int
    offset: float


class TimeScale:
    """Mapping of moments (milliseconds since the epoch) to places from 0 to 1. `busy` are the stretches of work, at
    least one."""

    def __init__(self, busy: Iterable[tuple[int, int]]) -> None:
        stretches = sorted((start, max(end, start + 1)) for start, end in busy)
        self._first, last = stretches[0][0], max(end for _, end in stretches)
        self._by_clock = last - self._first >= _BY_THE_CLOCK
        merged = list(_merged(stretches, longest=0))
        work = sum(end - start for start, end in merged)
        pieces = list(_merged(merged, longest=max(_LEAST_IDLE, round(work * _IDLE))))
        drawn = sum(end - start for start, end in pieces)
        self._gap = drawn * min(0.04, 0.3 / len(pieces))
        self._pieces: list[_Piece] = []
        offset = 0.0
        for start, end in pieces:
            self._pieces.append(_Piece(start, end, offset))
            offset += end - start + self._gap
        self._length = offset - self._gap
        self._step = next((step for step in _STEPS if drawn / step <= _TICKS), _STEPS[-1])

    def place(self, moment: int) -> float:
        """Return the place of a moment; one within a cut is at the middle of the cut."""
        for piece in self._pieces:
            if moment < piece.start:
                return max(0.0, (piece.offset - self._gap / 2) / self._length)
            if moment <= piece.end:
                return (piece.offset + moment - piece.start) / self._length
        return 1.0

    def ticks(self) -> Iterator[Tick]:
        """Yield the moments to label, from left to right. The caller leaves out those that would touch."""
        for piece in self._pieces:
            origin = 0 if self._by_clock else self._first
            first = origin - (origin - piece.start) // self._step * self._step
            for moment in range(first, piece.end + 1, self._step):
                yield Tick(self.place(moment), self._label(moment))

    def cuts(self) -> Iterator[Cut]:
        """Yield the idle time that was cut."""
        for before, after in zip(self._pieces, self._pieces[1:], strict=False):
            end = after.offset / self._length
            idle = duration(after.start - before.end).removesuffix(" 0 s").removesuffix(" 0 min")
            yield Cut(end - self._gap / self._length, end, f"{idle} idle")

    def _label(self, moment: int) -> str:
        digits = 0 if self._step % 1_000 == 0 else 3 - (self._step % 10 == 0) - (self._step % 100 == 0)
        if not self._by_clock:
            return f"{(moment - self._first) / 1000:.{digits}f} s"
        at = datetime.fromtimestamp(moment / 1000, UTC)
        return f"{at:%H:%M:%S}" + (f".{moment % 1000:03d}"[: digits + 1] if digits else "")


def _merged(stretches: Iterable[tuple[int, int]], *, longest: int) -> Iterator[tuple[int, int]]:
    """Merge sorted stretches that are no further apart than `longest`."""
    found: tuple[int, int] | None = None
    for start, end in stretches:
        if found is None:
            found = start, end
        elif start - found[1] <= longest:
            found = found[0], max(found[1], end)
        else:
            yield found
            found = start, end
    if found is not None:
        yield found
