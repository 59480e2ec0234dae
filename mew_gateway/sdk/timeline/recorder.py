"""What happens in the core, put on the agent's timeline: every input, then what came of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from ..execution.effects import Effect
from ..execution.events import Event
from .base import CorruptTimeline, Timeline, TimelineUnavailable
from .entry import Row
from .replay import GAP, rows_of

log = logging.getLogger(__name__)


class Recorder:
    """Writes before anything leaves: what an agent has said is on its timeline.

    While the timeline cannot be written, rows wait, `most` of them; an interrupt is answered all the same, but no run
    begins that cannot be put on record: `check` raises. What was more than could wait is counted, and a `gap` says so.
    """

    def __init__(self, timeline: Timeline, execution: str, *, most: int = 10_000) -> None:
        self._timeline = timeline
        self._execution = execution
        self._most = most
        self._waiting: list[Row] = []
        self._lost = 0
        self._damage: CorruptTimeline | None = None

    @property
    def head(self) -> str:
        """Where the chain ends, as `seq:hash`."""
        seq, hash = self._timeline.head
        return f"{seq}:{hash}"

    def check(self) -> None:
        """Let something begin, or raise `TimelineUnavailable` or `CorruptTimeline`."""
        if self._damage is not None:
            raise self._damage
        if self._lost:
            raise TimelineUnavailable("The timeline cannot be written: nothing begins until it can.")

    def record(self, event: Event, effects: Sequence[Effect], now: int) -> None:
        """An event and its effects, in one transaction. Never raises for want of a disk."""
        self._write(rows_of(event, tuple(effects), at=now, execution=self._execution), now)

    def miss(self) -> None:
        """Something could not be recorded."""
        self._lost += 1

    def _write(self, rows: list[Row], now: int) -> None:
        gap = [Row(at=now, kind=GAP, execution_id=self._execution, data={"events": self._lost})] if self._lost else []
        try:
            self._timeline.append([*self._waiting, *gap, *rows])
        except (TimelineUnavailable, CorruptTimeline) as error:
            if isinstance(error, CorruptTimeline):
                self._damage = error  # somebody else has written to it: let a person look
            if self._lost or len(self._waiting) + len(rows) > self._most:
                self._lost += len(rows)
            else:
                self._waiting += rows
            log.error("the timeline cannot be written, %d events wait: %s", len(self._waiting), error)
        else:
            self._waiting, self._lost = [], 0
