"""The next deadline of each space, timed. That it has passed becomes an event, and only the event ends anything."""

from __future__ import annotations

from collections.abc import Callable

from .ports import Loop, Timer
from .running import Running
from .spaces import Spaces
from .stalls import Stalls


class Alarms:
    """Calls `due` with the id of a space whose deadline has come, when all that had arrived by then is read.

    `now` is the gateway's time, in milliseconds.
    """

    def __init__(
        self, spaces: Spaces, *, loop: Loop, stalls: Stalls, now: Callable[[], int], due: Callable[[str], object]
    ) -> None:
        self._spaces = spaces
        self._loop = loop
        self._stalls = stalls
        self._now = now
        self._due = due
        self._settling: set[str] = set()
        self._set_for: dict[str, int | None] = {}
        self._timers: dict[str, Timer] = {}

    def look(self) -> None:
        """Look at every space: its deadline is due at once, or timed anew."""
        for name, running in self._spaces.items():
            self._look_at(name, running, is_settled=True)

    def follow(self, name: str, running: Running) -> None:
        """A space was at work: its deadline may be another."""
        if running.machine.deadline != self._set_for.get(name):
            self._look_at(name, running, is_settled=False)

    def stop(self) -> None:
        """None rings any more."""
        for timer in self._timers.values():
            timer.cancel()

    def _look_at(self, name: str, running: Running, *, is_settled: bool) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        deadline, now = running.machine.deadline, self._now()
        self._set_for[name] = deadline
        if deadline is None:
            return
        if deadline > now:
            delay = (deadline - now) / 1000
            self._timers[name] = self._loop.call_later(delay, lambda: self._settle(name, running))
        elif is_settled:
            self._set_for[name] = None  # whatever it leaves, the next deadline is timed anew
            self._due(name)
        else:
            self._settle(name, running)

    def _settle(self, name: str, running: Running) -> None:
        if name not in self._settling:
            self._settling.add(name)
            self._stalls.after_input(lambda: self._settled(name, running))

    def _settled(self, name: str, running: Running) -> None:
        self._settling.discard(name)
        self._look_at(name, running, is_settled=True)
