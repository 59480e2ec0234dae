"""How long to wait before the next attempt: exponential, with full jitter."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """A growing window, and a random point in it each time, so that many clients never come back in step.

    `first` and `cap` are in milliseconds; `draw` gives a number in [0, 1). The cap is well under the 30 s after
    which an absent owner's sequences are lost and an unanswered interrupt is on record.
    """

    def __init__(self, *, first: int = 500, cap: int = 5_000, draw: Callable[[], float] = random.random) -> None:
        self._first = first
        self._cap = cap
        self._draw = draw
        self._window = first

    def next(self) -> int:
        """The milliseconds to wait now; the window doubles, up to `cap`."""
        wait = int(self._draw() * self._window)
        self._window = min(self._cap, self._window * 2)
        return wait

    def reset(self) -> None:
        """The last connection was a good one: begin again with the smallest window."""
        self._window = self._first
