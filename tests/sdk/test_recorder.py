"""What an agent puts on record, and what it does while it cannot."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.events import Event, Interrupted, Started, TimePassed
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.timeline.base import CorruptTimeline, TimelineUnavailable, every
from mew_gateway.sdk.timeline.entry import Entry, Row
from mew_gateway.sdk.timeline.memory import TimelineMemory
from mew_gateway.sdk.timeline.recorder import Recorder
from mew_gateway.sdk.timeline.replay import Replayed, replayed
from mew_gateway.sdk.timeline.verify import faults

NOW = 1_800_000_000_000


class Disk(TimelineMemory):
    """A timeline whose disk can be full."""

    failure: Exception | None = None

    def append(self, rows: Sequence[Row]) -> list[Entry]:
        if self.failure is not None:
            raise self.failure
        return super().append(rows)


class Life:
    """A core with its recorder."""

    def __init__(self, timeline: Disk, *, most: int = 10_000) -> None:
        self.core = Core()
        self.timeline = timeline
        self.recorder = Recorder(timeline, "life", most=most)
        self.do(Started("life"))

    def do(self, event: Event) -> None:
        self.recorder.record(event, self.core.handle(event, NOW), NOW)

    def interrupt(self, id: str) -> None:
        self.do(Interrupted(Interrupt(id, "human", "gone", "cancel"), f"ack-{id}", NOW))

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for entry in every(self.timeline)]


def test_an_input_stands_before_what_came_of_it() -> None:
    life = Life(Disk())
    life.interrupt("i1")
    assert life.kinds == ["input", "started", "input", "interruption", "decided"]
    assert replayed(every(life.timeline)) == Replayed(2, 1)
    seq, hash = life.timeline.head
    assert life.recorder.head == f"{seq}:{hash}"


def test_what_cannot_be_written_waits_and_nothing_is_lost() -> None:
    life = Life(Disk())
    life.timeline.failure = TimelineUnavailable("full")
    life.interrupt("i1")
    assert len(life.kinds) == 2
    life.timeline.failure = None
    life.interrupt("i2")
    assert [entry.cause_id for entry in every(life.timeline) if entry.kind == "decided"] == ["i1", "i2"]
    assert isinstance(replayed(every(life.timeline)), Replayed)


def test_beyond_what_may_wait_nothing_begins_and_a_gap_is_told() -> None:
    life = Life(Disk(), most=4)
    life.timeline.failure = TimelineUnavailable("full")
    life.interrupt("i1")
    life.recorder.check()
    life.interrupt("i2")
    with pytest.raises(TimelineUnavailable):
        life.recorder.check()
    life.timeline.failure = None
    life.interrupt("i3")
    life.recorder.check()
    (gap,) = [entry for entry in every(life.timeline) if entry.kind == "gap"]
    assert gap.data == {"events": 3}
    again = Life(life.timeline)
    again.do(TimePassed())
    assert list(faults(every(life.timeline), newest=life.timeline.newest)) == []
    assert replayed(every(life.timeline)) == Replayed(4, 2, gaps=1)  # what came behind the gap is not judged


def test_a_timeline_that_somebody_else_wrote_to_lets_nothing_begin() -> None:
    life = Life(Disk())
    life.timeline.failure = CorruptTimeline("not ours")
    life.interrupt("i1")
    with pytest.raises(CorruptTimeline):
        life.recorder.check()


def test_what_could_not_be_recorded_is_a_gap_that_is_told() -> None:
    life = Life(Disk())
    life.recorder.miss()
    life.interrupt("i1")
    assert life.kinds[:3] == ["input", "started", "gap"]
    assert replayed(every(life.timeline)) == Replayed(1, 1, gaps=1)
