"""Exponential backoff with full jitter, for reconnecting."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """Random delay within a window that doubles with each attempt, so that many clients do not reconnect at the same
    time.

    `first` and `cap` are in milliseconds. `draw` returns a number in [0, 1). The cap is well under the 30 s after which
    the gateway declares the sequences of an absent owner lost and records an interrupt as unanswered.
    """

    def __init__(self, *, first: int = 500, cap: int = 5_000, draw: Callable[[], float] = random.random) -> None:
        self._first = first
        self._cap = cap
        self._draw = draw
        self._window = first

    def next(self) -> int:
        """Return the milliseconds to wait now, and double the window up to `cap`."""
        wait = int(self._draw() * self._window)
        self._window = min(self._cap, self._window * 2)
        return wait

    def reset(self) -> None:
        """Return to the smallest window, after a connection that worked."""
        self._window = self._first
