"""Stalls of the whole process: it was stopped, its machine was paused, a disk took seconds.

No time-out runs during a stall. Input that arrived in it is read before anything counts as late: a deadline, a ping, an
incomplete request. The gateway cannot know when the input arrived, so all of it is in time, also connections that wait
to be accepted and steps in the work queue; shares of the CPU do not count meanwhile. A peer that has connected can
authenticate only after our answer (a TLS handshake, the 101 before a join frame), so that is waited for as well
(`expect`). Deadlines wait at most `CATCH_UP` after the end of a stall, even if input is left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from .interfaces import Loop, Timer, Turns

THRESHOLD = 1.0  # seconds without a turn of the loop that are a stall
_BEAT = 0.25  # seconds between two checks, at most; they may be a part of a measured stall
CATCH_UP = 1.0  # seconds after a stall for reading the input that arrived in it, at most
_PASSES_CATCHING_UP = 20_000  # of the loop, at most, in that time
_SOON = 0.005  # seconds between two checks whether the expected peers have authenticated
_PASSES = 50  # of the loop, at most, for reading input without a stall; each reads every connection once


class Stalls:
    """Detector of stalls. It also makes deadlines wait until the input that has arrived is read.

    `stalled` is called with the milliseconds of each stall, before the input that arrived in it is processed.
    """

    def __init__(self, *, loop: Loop, turns: Turns, stalled: Callable[[int], object]) -> None:
        self._loop = loop
        self._turns = turns
        self._stalled = stalled
        self._seen = loop.time()
        self._catching_up_until = 0.0  # by the loop's time: when it stops catching up with a stall
        self._expected: set[Hashable] = set()  # peers that connected after the latest stall, not authenticated yet
        self._timer: Timer | None = None
        self.total = 0  # ms of all stalls

    def start(self) -> None:
        """Start to detect stalls, also while nothing else happens."""
        self._seen = self._loop.time()
        self._beat()

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def look(self) -> None:
        """Detect a stall that has just ended. Called before input is processed."""
        now = self._loop.time()
        passed, self._seen = now - self._seen, now
        if passed > THRESHOLD + _BEAT:
            milliseconds = round(1000 * (passed - _BEAT))
            self.total += milliseconds
            self._catching_up_until = now + CATCH_UP
            self._expected.clear()
            self._turns.hurry(CATCH_UP)
            self._stalled(milliseconds)

    def awake(self) -> float:
        """Return the seconds of the loop's clock without those of stalls."""
        self.look()
        return self._seen - self.total / 1000

    def expect(self, peer: Hashable) -> None:
        """Note that a peer has connected and has to authenticate. Right after a stall, deadlines wait for it."""
        self.look()
        if self._loop.time() < self._catching_up_until:
            self._expected.add(peer)

    def heard(self, peer: Hashable) -> None:
        """Note that a peer has authenticated or disconnected. Idempotent."""
        self._expected.discard(peer)

    def after_input(self, callback: Callable[[], object]) -> None:
        """Call back when the input that has arrived is read.

        That is after a pass of the loop with nothing else to do, or after `_PASSES`. After a stall it waits also for
        the work queue and for the expected peers, at most until the end of `CATCH_UP`.
        """
        self.look()
        is_catching_up = self._loop.time() < self._catching_up_until
        most = _PASSES_CATCHING_UP if is_catching_up else _PASSES
        self._loop.call_soon(partial(self._pass, callback, most, is_catching_up))

    def call_later(self, seconds: float, callback: Callable[[], object]) -> AwakeTimer:
        """Call back after so many seconds, without those of stalls."""
        return AwakeTimer(self, self._loop, seconds, callback)

    def _beat(self) -> None:
        self.look()
        self._timer = self._loop.call_later(_BEAT, self._beat)

    def _pass(self, callback: Callable[[], object], left: int, is_catching_up: bool) -> None:
        is_over = not left or (is_catching_up and self._loop.time() >= self._catching_up_until)
        is_read = self._loop.is_last() and (self._turns.is_idle() or not is_catching_up)
        again = partial(self._pass, callback, left - 1, is_catching_up)
        if is_over or (is_read and not (is_catching_up and self._expected)):
            callback()
        elif is_read:
            self._loop.call_later(_SOON, again)
        else:
            self._loop.call_soon(again)


class AwakeTimer:
    """Timer that does not count the time of stalls."""

    __slots__ = ("_callback", "_due", "_loop", "_stalls", "_timer")

    def __init__(self, stalls: Stalls, loop: Loop, seconds: float, callback: Callable[[], object]) -> None:
        self._stalls = stalls
        self._loop = loop
        self._callback = callback
        self._due = stalls.awake() + seconds
        self._timer = loop.call_later(seconds, self._fire)

    def cancel(self) -> None:
        """Cancel the timer."""
        self._timer.cancel()

    def _fire(self) -> None:
        left = self._due - self._stalls.awake()
        if left > 0.001:
            self._timer = self._loop.call_later(left, self._fire)
        else:
            self._callback()
