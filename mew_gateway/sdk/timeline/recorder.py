"""Recorder: writes every event of the core and its effects to the agent's timeline."""

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
    """Writes events before their effects leave: everything an agent has sent is on its timeline.

    While the timeline cannot be written, up to `most` rows wait. Interrupts are still answered, but no run begins:
    `check` raises. Rows beyond that are counted, and a `gap` records the count.
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
        """End of the chain, as `seq:hash`."""
        seq, hash = self._timeline.head
        return f"{seq}:{hash}"

    def check(self) -> None:
        """Raise `TimelineUnavailable` or `CorruptTimeline` if nothing may begin."""
        if self._damage is not None:
            raise self._damage
        if self._lost:
            raise TimelineUnavailable("The timeline cannot be written: nothing begins until it can.")

    def record(self, event: Event, effects: Sequence[Effect], now: int) -> None:
        """Record an event and its effects in one transaction. A full disk is no error here."""
        self._write(rows_of(event, tuple(effects), at=now, execution=self._execution), now)

    def miss(self) -> None:
        """Count an event that could not be recorded."""
        self._lost += 1

    def _write(self, rows: list[Row], now: int) -> None:
        gap = [Row(at=now, kind=GAP, execution_id=self._execution, data={"events": self._lost})] if self._lost else []
        try:
            self._timeline.append([*self._waiting, *gap, *rows])
        except (TimelineUnavailable, CorruptTimeline) as error:
            if isinstance(error, CorruptTimeline):
                self._damage = error  # another writer has changed it: a person has to look
            if self._lost or len(self._waiting) + len(rows) > self._most:
                self._lost += len(rows)
            else:
                self._waiting += rows
            log.error("the timeline cannot be written, %d events wait: %s", len(self._waiting), error)
        else:
            self._waiting, self._lost = [], 0
