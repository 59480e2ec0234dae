"""A timeline as lanes: which states each span went through, where it lies, what interrupted it."""

from __future__ import annotations

from typing import Any

from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry, Row
from mew_gateway.sdk.timeline.lanes import Halt, Lanes, Mark, Stretch, lanes
from mew_gateway.sdk.timeline.memory import TimelineMemory


class Told:
    """A timeline in the making."""

    def __init__(self) -> None:
        self._timeline = TimelineMemory()
        self.life = "life"

    def at(self, at: int, kind: str, span: str | None = None, *, run: str | None = "run", **data: Any) -> Told:
        cause = data.pop("cause", None)
        row = Row(at=at, kind=kind, execution_id=self.life, trace_id=run, span_id=span, cause_id=cause, data=data)
        self._timeline.append([row])
        return self

    def begun(self, at: int, span: str, *, run: str = "run", **data: Any) -> Told:
        return self.at(at, "span_begun", span, run=run, **data).moved(at, span, "spawned", "running", run=run)

    def moved(self, at: int, span: str, before: str, to: str, *, run: str = "run") -> Told:
        return self.at(at, "span_state", span, run=run, **{"from": before, "to": to})

    @property
    def entries(self) -> list[Entry]:
        return list(every(self._timeline))


def test_a_span_is_in_a_state_until_the_next():
    told = Told().at(0, "run_begun", "root", message="Look").begun(0, "root", policy="soft-stop", name="search")
    told.moved(10, "root", "running", "paused").moved(30, "root", "paused", "running")
    told.moved(35, "root", "running", "interrupted").moved(40, "root", "interrupted", "cancelled")
    (run,) = lanes(told.at(41, "run_concluded", "root", outcome="interrupted").entries).runs
    (lane,) = run.lanes
    assert lane.stretches == [
        Stretch("running", 0, 10),
        Stretch("paused", 10, 30),
        Stretch("running", 30, 35),
        Stretch("interrupted", 35, 40),
    ]
    assert (lane.ended, lane.what, lane.end) == ("cancelled", "search · soft-stop", 40)
    assert (run.title, run.outcome, run.start, run.end) == ("Look", "interrupted", 0, 40)


def test_children_stand_behind_their_parents():
    told = Told().begun(0, "root")
    told.begun(1, "a", parent_span_id="root").begun(2, "b", parent_span_id="root").begun(3, "c", parent_span_id="a")
    (run,) = lanes(told.entries).runs
    assert [(lane.span, lane.depth) for lane in run.lanes] == [("root", 0), ("a", 1), ("c", 2), ("b", 1)]


def test_a_span_whose_parent_is_unknown_stands_by_itself():
    (run,) = lanes(Told().begun(0, "a", parent_span_id="gone").entries).runs
    assert [lane.depth for lane in run.lanes] == [0]


def test_runs_stand_in_the_order_they_began():
    told = (
        Told().begun(0, "x", run="first").begun(5, "y", run="second").moved(9, "x", "running", "completed", run="first")
    )
    assert [(run.trace, run.lanes[0].ended) for run in lanes(told.entries).runs] == [
        ("first", "completed"),
        ("second", None),
    ]


def test_what_did_not_end_lasts_until_the_last_that_its_life_told():
    told = Told().begun(0, "root").at(8, "thought", "root")
    told.life = "another"
    told.at(100, "started", run=None).begun(100, "new", run="later").at(120, "thought", "new", run="later")
    first, later = lanes(told.entries).runs
    assert (first.lanes[0].end, first.lanes[0].ended) == (8, None)
    assert later.lanes[0].stretches == [Stretch("running", 100, 120)]


def test_interrupts_are_marks_of_their_run_and_span():
    told = Told().begun(0, "root")
    told.at(
        5, "decided", "root", cause="i1", policy="soft-stop", status="stopping", latency_ms=3, **{"class": "cancel"}
    )
    told.at(6, "decided", None, run=None, cause="i2", status="ignored", **{"class": "queue"})
    run, homeless = lanes(told.entries).runs
    assert run.marks == [Mark("i1", 5, "root", "cancel", "soft-stop", "stopping", 3)]
    assert (homeless.trace, homeless.marks) == (None, [Mark("i2", 6, None, "queue", None, "ignored", None)])


def test_a_span_is_overdue_from_when_its_time_was_over_first():
    told = Told().begun(0, "root").begun(0, "pay", side_effect="irreversible").begun(0, "look", side_effect="none")
    told.at(5, "overdue", "pay", why="limit").at(9, "overdue", "pay", why="grace")
    told.moved(9, "look", "running", "completed").at(9, "overdue", "look", why="limit").at(9, "overdue", "never")
    (run,) = lanes(told.entries).runs
    assert [(lane.span, lane.overdue, lane.irreversible) for lane in run.lanes] == [
        ("root", None, False),
        ("pay", 5, True),
        ("look", None, False),
    ]


def test_an_emergency_stands_until_it_is_resumed_whatever_life_that_is_in():
    told = Told().at(1, "halted", run=None, cause="i1").at(2, "halted", run=None, cause="i2")
    told.life = "another"
    told.at(5, "started", run=None).at(6, "resumed", run=None, cause="i1", by="guardian")
    told.at(7, "resumed", run=None, cause="i3", by="guardian").at(8, "halted", run=None, cause="i1")
    told.at(9, "resumed", run=None, cause="i1", by=None)
    assert lanes(told.entries) == Lanes([], [Halt("i1", 1, 6, "guardian"), Halt("i2", 2), Halt("i1", 8, 9)])


def test_what_makes_no_sense_is_not_drawn():
    told = (
        Told().moved(1, "never", "running", "paused").at(2, "span_begun", None).at(3, "decided", "x", latency_ms="long")
    )
    (run,) = lanes(told.entries).runs
    assert run.lanes == [] and run.marks[0].latency is None


def test_an_empty_timeline_has_no_lanes():
    assert lanes([]) == Lanes([])
