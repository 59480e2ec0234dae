"""Timers of the spaces' next deadlines.

A timer that fires ends nothing: it puts a `DeadlinePassed` event into the journal, and the space acts on the event.
"""

from __future__ import annotations

from collections.abc import Callable

from .clock import Clock
from .interfaces import Loop, Timer
from .spaces.engine import Engine
from .spaces.space_runtime import SpaceRuntime
from .stalls import Stalls


class DeadlineTimers:
    """One timer a space. `due` is called with the id of a space whose deadline has come, after all input that had
    arrived by then has been read."""

    def __init__(
        self, engine: Engine, *, loop: Loop, stalls: Stalls, clock: Clock, due: Callable[[str], object]
    ) -> None:
        self._engine = engine
        self._loop = loop
        self._stalls = stalls
        self._clock = clock
        self._due = due
        self._settling: set[str] = set()
        self._set_for: dict[str, int | None] = {}
        self._timers: dict[str, Timer] = {}

    def check(self) -> None:
        """Check every space: its deadline is due now, or its timer is set anew."""
        for name, runtime in self._engine.items():
            self._look_at(name, runtime, is_settled=True)

    def follow(self, name: str, runtime: SpaceRuntime) -> None:
        """Set the timer of a space anew if its next deadline has changed."""
        if runtime.machine.deadline != self._set_for.get(name):
            self._look_at(name, runtime, is_settled=False)

    def stop(self) -> None:
        """Cancel all timers."""
        for timer in self._timers.values():
            timer.cancel()

    def _look_at(self, name: str, runtime: SpaceRuntime, *, is_settled: bool) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        deadline, now = runtime.machine.deadline, self._clock.now()
        self._set_for[name] = deadline
        if deadline is None:
            return
        if deadline > now:
            delay = (deadline - now) / 1000
            self._timers[name] = self._loop.call_later(delay, lambda: self._settle(name, runtime))
        elif is_settled:
            self._set_for[name] = None  # whatever it leaves, the next deadline is timed anew
            self._due(name)
        else:
            self._settle(name, runtime)

    def _settle(self, name: str, runtime: SpaceRuntime) -> None:
        if name not in self._settling:
            self._settling.add(name)
            self._stalls.after_input(lambda: self._settled(name, runtime))

    def _settled(self, name: str, runtime: SpaceRuntime) -> None:
        self._settling.discard(name)
        self._look_at(name, runtime, is_settled=True)
