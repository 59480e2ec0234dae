"""Stalls of the whole process: it was stopped, its machine was paused, a disk took seconds.

Nobody's time runs meanwhile. What had arrived is read before anything counts as late: a deadline, a ping, a request
that is not whole. The gateway cannot know when it arrived, so all that is read then is in time: what waits to be
accepted and what waits for its turn in the pump too, for which no share counts meanwhile. Whoever has connected can say
who it is only after our answer (a TLS handshake, the 101 before a join frame): that is waited for as well (`expect`).
At most `CATCH_UP` after the end of a stall a deadline passes, whatever is still to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from .ports import Loop, Timer, Turns

THRESHOLD = 1.0  # seconds without a turn of the loop that are a stall
_BEAT = 0.25  # seconds between two looks at least, which may be a part of what is found
CATCH_UP = 1.0  # seconds behind a stall in which what had arrived is read, at most
_PASSES_BEHIND = 20_000  # of the loop, at most, in that time
_SOON = 0.005  # seconds between two looks whether those who are expected have said who they are
_PASSES = (
    50  # of the loop, without a stall, at most, in which what had arrived is read; each reads every connection once
)


class Stalls:
    """Detector of stalls. It also makes deadlines wait until what had arrived is read.

    `stalled` is called with the milliseconds of each stall, before anything else is done about the input that came
    meanwhile.
    """

    def __init__(self, *, loop: Loop, turns: Turns, stalled: Callable[[int], object]) -> None:
        self._loop = loop
        self._turns = turns
        self._stalled = stalled
        self._seen = loop.time()
        self._behind_until = 0.0  # by the loop's time: when it stops catching up with a stall
        self._expected: set[Hashable] = set()  # who has connected since the latest stall, and is still nobody
        self._timer: Timer | None = None
        self.total = 0  # ms of all stalls

    def start(self) -> None:
        """Notice stalls from here on, also while nothing happens."""
        self._seen = self._loop.time()
        self._beat()

    def stop(self) -> None:
        """Notice nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def look(self) -> None:
        """Notice a stall that has just ended. Called before what arrives is looked at."""
        now = self._loop.time()
        passed, self._seen = now - self._seen, now
        if passed > THRESHOLD + _BEAT:
            milliseconds = round(1000 * (passed - _BEAT))
            self.total += milliseconds
            self._behind_until = now + CATCH_UP
            self._expected.clear()
            self._turns.hurry(CATCH_UP)
            self._stalled(milliseconds)

    def awake(self) -> float:
        """Seconds for which the gateway has been awake, counted from some moment."""
        self.look()
        return self._seen - self.total / 1000

    def expect(self, peer: Hashable) -> None:
        """Note that a peer has connected and has yet to say who it is. Right after a stall deadlines wait for that: it
        could not say so before we answered."""
        self.look()
        if self._loop.time() < self._behind_until:
            self._expected.add(peer)

    def heard(self, peer: Hashable) -> None:
        """Note that a peer has said who it is, or is gone. Idempotent."""
        self._expected.discard(peer)

    def after_input(self, callback: Callable[[], object]) -> None:
        """Call this when what has arrived by now is read: behind a pass of the loop in which nothing else was to do,
        or behind enough of them; after a stall not while anything waits for its turn or anybody is expected, or until
        that has had its time."""
        self.look()
        is_behind = self._loop.time() < self._behind_until
        most = _PASSES_BEHIND if is_behind else _PASSES
        self._loop.call_soon(partial(self._pass, callback, most, is_behind))

    def call_later(self, seconds: float, callback: Callable[[], object]) -> AwakeTimer:
        """Call this after so many seconds, in which no stall counts."""
        return AwakeTimer(self, self._loop, seconds, callback)

    def _beat(self) -> None:
        self.look()
        self._timer = self._loop.call_later(_BEAT, self._beat)

    def _pass(self, callback: Callable[[], object], left: int, is_behind: bool) -> None:
        is_over = not left or (is_behind and self._loop.time() >= self._behind_until)
        is_read = self._loop.is_last() and (self._turns.is_idle() or not is_behind)
        again = partial(self._pass, callback, left - 1, is_behind)
        if is_over or (is_read and not (is_behind and self._expected)):
            callback()
        elif is_read:
            self._loop.call_later(_SOON, again)
        else:
            self._loop.call_soon(again)


class AwakeTimer:
    """A timer for which the time of a stall does not count."""

    __slots__ = ("_callback", "_due", "_loop", "_stalls", "_timer")

    def __init__(self, stalls: Stalls, loop: Loop, seconds: float, callback: Callable[[], object]) -> None:
        self._stalls = stalls
        self._loop = loop
        self._callback = callback
        self._due = stalls.awake() + seconds
        self._timer = loop.call_later(seconds, self._ring)

    def cancel(self) -> None:
        """It will not run."""
        self._timer.cancel()

    def _ring(self) -> None:
        left = self._due - self._stalls.awake()
        if left > 0.001:
            self._timer = self._loop.call_later(left, self._ring)
        else:
            self._callback()
