"""Rows of a picture of an agent's timeline: for each run a heading, its spans, and its interrupts.

This module decides what is drawn and where labels go, in any unit of length; `picture` draws it in inches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from mew_gateway.sdk.timeline.lanes import Halt, Lane, Lanes, Mark, RunLanes

from ..printing.ids import short
from ..printing.moment import latency
from ..printing.terminal import one_line

MAX_ROWS = 240  # as many as a picture can show
_MAX_MARKS = 60  # rows of marks in a run that fills the picture alone
_MAX_HALTS = 60
_HALT_LINES = 3  # of labels

Measure: TypeAlias = Callable[[str], float]  # the width of a text, in the unit of the places


class Heading(NamedTuple):
    """The heading of a run."""

    title: str
    outcome: str


class LaneRow(NamedTuple):
    """The row of a span."""

    lane: Lane
    label: str


class Placed(NamedTuple):
    """An interrupt's label, from `start` to `end`. `anchor` is one of them: the place of its moment."""

    mark: Mark
    label: str
    anchor: float
    start: float
    end: float


class MarkRow(NamedTuple):
    """A row of interrupts' labels, which do not touch. `reach` is how many rows their stems go up, to the bar of the
    span above or to the run's heading."""

    placed: list[Placed]
    reach: float


Row: TypeAlias = Heading | LaneRow | MarkRow


class Chart(msgspec.Struct, frozen=True):
    """The content of a picture: the newest runs, the number of older spans left out, and the emergencies of that
    time."""

    runs: list[RunLanes]
    left_out: int
    halts: list[Halt] = []


def chart(found: Lanes) -> Chart:
    """Return the newest runs that there is room for, whole as far as possible, and at least one."""
    runs, kept = found.runs, list[RunLanes]()
    room = MAX_ROWS
    for run in reversed(runs):
        if kept and 1 + len(run.lanes) + len(run.marks) > room:
            break
        marks = run.marks[-_MAX_MARKS:]
        lanes = _newest(run.lanes, room - 1 - len(marks))
        kept.append(msgspec.structs.replace(run, lanes=lanes, marks=marks))
        room -= 1 + len(lanes) + len(marks)
    shown = sum(len(run.lanes) for run in kept)
    since = min(run.start for run in kept) if len(kept) < len(runs) else None
    return Chart(
        kept[::-1], sum(len(run.lanes) for run in runs) - shown, _halts_since(found.halts, since)[-_MAX_HALTS:]
    )


def _halts_since(halts: list[Halt], moment: int | None) -> list[Halt]:
    """Return the emergencies that still stood at a moment, or came later; None: all."""
    if moment is None:
        return halts
    standing = [halt for halt in halts if halt.end is None or halt.end >= moment]
    return [halt._replace(start=None) if (halt.start or 0) < moment else halt for halt in standing]


def rows(chart: Chart, *, place: Callable[[int], float], left: float, right: float, measure: Measure) -> list[Row]:
    """Return the rows from top to bottom. Labels stay between `left` and `right`, whatever the place of their
    moment."""
    return [row for run in chart.runs for row in _run_rows(run, place, left, right, measure)]


def _newest(lanes: list[Lane], count: int) -> list[Lane]:
    """Return the newest lanes of a run in their order, its root among them."""
    kept = {id(lane) for lane in [*lanes[:1], *sorted(lanes[1:], key=lambda lane: lane.start)[1 - count :]]}
    return lanes if len(lanes) <= count else [lane for lane in lanes if id(lane) in kept]


def _run_rows(
    run: RunLanes, place: Callable[[int], float], left: float, right: float, measure: Measure
) -> Iterator[Row]:
    yield Heading(_title(run), run.outcome or "")
    shown = {lane.span for lane in run.lanes}
    unplaced = [mark for mark in run.marks if mark.span not in shown]
    yield from _mark_rows(unplaced, place, left, right, measure, reach=-0.5)
    for lane in run.lanes:
        yield LaneRow(lane, one_line(lane.what) or short(lane.span))
        meant = [mark for mark in run.marks if mark.span == lane.span]
        yield from _mark_rows(meant, place, left, right, measure, reach=0.3)


def _title(run: RunLanes) -> str:
    if run.trace is None:
        return "Interrupts that met no run"
    return f"{one_line(run.title)}  ({short(run.trace)})" if run.title else short(run.trace)


def _mark_rows(
    marks: list[Mark], place: Callable[[int], float], left: float, right: float, measure: Measure, *, reach: float
) -> Iterator[MarkRow]:
    """Yield rows of labels, each label in the first row where it touches no other.

    Labels to the right of their moment come first, the later above the earlier, then those to the left: so stems
    cross no labels.
    """
    to_right: list[Placed] = []
    to_left: list[Placed] = []
    for mark in marks:
        label, anchor = mark_label(mark), place(mark.at)
        length = measure(label)
        if anchor + length <= right:
            to_right.append(Placed(mark, label, anchor, anchor, anchor + length))
        else:
            to_left.append(Placed(mark, label, anchor, max(left, anchor - length), anchor))
    packed: list[list[Placed]] = []
    for placed in [*to_right[::-1], *to_left]:
        row = next(
            (row for row in packed if all(placed.end < one.start or one.end < placed.start for one in row)), None
        )
        if row is None:
            packed.append(row := [])
        row.append(placed)
    yield from (MarkRow(row, depth + reach) for depth, row in enumerate(packed, 1))


def mark_label(mark: Mark) -> str:
    """Return an interrupt on one line: `cancel → stopping · soft-stop · 3 ms`."""
    took = None if mark.latency is None else latency(mark.latency)
    return one_line(" · ".join(filter(None, (f"{mark.class_} → {mark.status}", mark.policy, took))))


class HaltLabel(NamedTuple):
    """The label of an emergency's begin or end, from `start` to `end`.

    `anchor` is one of them: the place of its moment. `line` counts upwards from the lanes; None: there is no room
    for it.
    """

    text: str
    anchor: float
    resumed: bool
    start: float
    end: float
    line: int | None = None


def halt_labels(
    halts: list[Halt], *, place: Callable[[int], float], left: float, right: float, measure: Measure
) -> list[HaltLabel]:
    """Return the labels of emergencies, by time. A begin's is preferably before its moment, an end's after. None
    touches another."""
    found: list[HaltLabel] = []
    for at, text, resumed in sorted(_moments(halts), key=lambda moment: moment[0]):
        anchor, length = place(at), measure(text)
        sides = ((anchor - length, anchor), (anchor, anchor + length))
        within = [(start, end) for start, end in sides if left <= start and end <= right]
        label = HaltLabel(text, anchor, resumed, *sides[resumed])
        free = _free_place(found, within[::-1] if resumed else within)
        found.append(label if free is None else label._replace(start=free[0], end=free[1], line=free[2]))
    return found


def _free_place(taken: list[HaltLabel], sides: list[tuple[float, float]]) -> tuple[float, float, int] | None:
    """Return the first of these places that touches no label, on the lowest line; None if there is none."""
    for start, end in sides:
        for line in range(_HALT_LINES):
            if all(one.line != line or end < one.start or one.end < start for one in taken):
                return start, end, line
    return None


def _moments(halts: list[Halt]) -> Iterator[tuple[int, str, bool]]:
    for halt in halts:
        if halt.start is not None:
            yield halt.start, f"halted {short(halt.interrupt)}", False
        if halt.end is not None:
            yield halt.end, f"resumed by {one_line(halt.by, longest=24)}" if halt.by else "resumed", True
