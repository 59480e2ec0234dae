"""Timeline as lanes for drawing: each span with the intervals of its states, by run, and the emergencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from ..execution.spans import TERMINAL
from .entry import Entry


class Stretch(NamedTuple):
    """Interval in which a span was in `state`, in milliseconds since the epoch."""

    state: str
    start: int
    end: int


class Mark(msgspec.Struct, frozen=True):
    """An interrupt that was decided at a time, about `span` if about any; `latency` in milliseconds."""

    id: str
    at: int
    span: str | None
    class_: str
    policy: str | None
    status: str
    latency: int | None


class Halt(NamedTuple):
    """An emergency that halted the agent from `start` until `by` resumed it at `end`. None: outside of the entries."""

    interrupt: str
    start: int | None
    end: int | None = None
    by: str | None = None


class Lane(msgspec.Struct):
    """A span from its start to its `end`. `ended` is its last state; None if it is not known to have ended.

    `overdue` is when it exceeded its limit or its grace.
    """

    span: str
    parent: str | None
    what: str
    state: str
    start: int
    end: int
    stretches: list[Stretch] = []
    ended: str | None = None
    depth: int = 0
    overdue: int | None = None
    irreversible: bool = False


class RunLanes(msgspec.Struct):
    """The lanes of a run, each after its parent, and its interrupts. `trace` None: interrupts that met no run."""

    trace: str | None
    title: str = ""
    outcome: str | None = None
    lanes: list[Lane] = []
    marks: list[Mark] = []

    @property
    def start(self) -> int:
        """Time of the first event in it."""
        return min([*(lane.start for lane in self.lanes), *(mark.at for mark in self.marks)])

    @property
    def end(self) -> int:
        """Time of the last event in it."""
        return max([*(lane.end for lane in self.lanes), *(mark.at for mark in self.marks)])


class Lanes(msgspec.Struct):
    """Drawable content of a timeline: runs in the order of their start, and halts."""

    runs: list[RunLanes]
    halts: list[Halt] = []


def lanes(entries: Iterable[Entry]) -> Lanes:
    """Return the lanes of a timeline, which must be read from its start."""
    chart = _LaneBuilder()
    for entry in entries:
        chart.take(entry)
    return chart.end()


class _LaneBuilder:
    """Builds lanes, entry by entry."""

    def __init__(self) -> None:
        self._runs: dict[str | None, RunLanes] = {}
        self._open: dict[tuple[str | None, str | None], Lane] = {}
        self._halts: list[Halt] = []
        self._life: str | None = None
        self._now = 0
        self._kinds: dict[str, Callable[[Entry], None]] = {
            "run_begun": self._title,
            "span_begun": self._begin,
            "span_state": self._move,
            "overdue": self._pass_limit,
            "decided": self._mark,
            "run_concluded": self._conclude,
            "halted": self._halt,
            "resumed": self._resume,
        }

    def take(self, entry: Entry) -> None:
        if entry.execution_id != self._life:  # what an earlier life left open ends with its last entry
            self._close()
            self._life = entry.execution_id
        self._now = entry.at
        known = self._kinds.get(entry.kind)
        if known is not None:
            known(entry)

    def end(self) -> Lanes:
        self._close()
        runs = [run for run in self._runs.values() if run.lanes or run.marks]
        for run in runs:
            run.lanes = _nested(run.lanes)
        return Lanes(sorted(runs, key=lambda run: run.start), self._halts)

    def _close(self) -> None:
        for lane in self._open.values():
            lane.stretches.append(Stretch(lane.state, lane.end, self._now))
            lane.end = self._now
        self._open.clear()

    def _run(self, trace: str | None) -> RunLanes:
        return self._runs.setdefault(trace, RunLanes(trace))

    def _title(self, entry: Entry) -> None:
        self._run(entry.trace_id).title = _text(entry.data.get("message"))

    def _begin(self, entry: Entry) -> None:
        if entry.span_id is None or (entry.trace_id, entry.span_id) in self._open:
            return
        data = entry.data
        what = " · ".join(filter(None, (_text(data.get(key)) for key in ("name", "kind", "policy"))))
        parent = data.get("parent_span_id")
        lane = Lane(
            entry.span_id,
            parent if isinstance(parent, str) else None,
            what,
            "running",
            entry.at,
            entry.at,
            irreversible=data.get("side_effect") == "irreversible",
        )
        self._run(entry.trace_id).lanes.append(lane)
        self._open[entry.trace_id, entry.span_id] = lane

    def _move(self, entry: Entry) -> None:
        lane = self._open.get((entry.trace_id, entry.span_id))
        if lane is None:
            return
        if entry.at > lane.end:
            lane.stretches.append(Stretch(lane.state, lane.end, entry.at))
        lane.end, lane.state = entry.at, _text(entry.data.get("to"))
        if lane.state in TERMINAL:
            lane.ended = lane.state
            del self._open[entry.trace_id, entry.span_id]

    def _pass_limit(self, entry: Entry) -> None:
        lane = self._open.get((entry.trace_id, entry.span_id))
        if lane is not None and lane.overdue is None:
            lane.overdue = entry.at

    def _mark(self, entry: Entry) -> None:
        data: dict[str, Any] = entry.data
        policy, latency = data.get("policy"), data.get("latency_ms")
        mark = Mark(
            id=entry.cause_id or "",
            at=entry.at,
            span=entry.span_id,
            class_=_text(data.get("class")),
            policy=policy if isinstance(policy, str) else None,
            status=_text(data.get("status")),
            latency=latency if isinstance(latency, int) else None,
        )
        self._run(entry.trace_id).marks.append(mark)

    def _conclude(self, entry: Entry) -> None:
        self._run(entry.trace_id).outcome = _text(entry.data.get("outcome")) or None

    def _halt(self, entry: Entry) -> None:
        self._halts.append(Halt(entry.cause_id or "", entry.at))

    def _resume(self, entry: Entry) -> None:
        for n, halt in enumerate(self._halts):
            if halt.interrupt == entry.cause_id and halt.end is None:
                self._halts[n] = halt._replace(end=entry.at, by=_text(entry.data.get("by")) or None)


def _nested(lanes: list[Lane]) -> list[Lane]:
    """Return the lanes with each after its parent, and its depth. A lane with an unknown parent is at the top."""
    known = {lane.span for lane in lanes}
    within: dict[str | None, list[Lane]] = {}
    for lane in lanes:
        within.setdefault(lane.parent if lane.parent in known else None, []).append(lane)
    nested: list[Lane] = []
    waiting = within.pop(None, [])[::-1]
    while waiting:
        lane = waiting.pop()
        nested.append(lane)
        children = within.pop(lane.span, [])
        for child in children:
            child.depth = lane.depth + 1
        waiting.extend(children[::-1])
    return nested


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
