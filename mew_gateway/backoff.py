"""Exponential backoff with jitter: a client that connects again, and a hosted process that is started again."""

from __future__ import annotations

import random
from collections.abc import Callable


class Backoff:
    """Random waits within a window that doubles with each attempt.

    `first` and `cap` bound the window, in milliseconds. A wait is a part of it, from `least` to the whole: from 0, many
    clients do not come back at the same time. `draw` returns a number in [0, 1).
    """

    def __init__(self, *, first: int, cap: int, least: float = 0.0, draw: Callable[[], float] = random.random) -> None:
        self._first = first
        self._cap = cap
        self._least = least
        self._draw = draw
        self._window = first

    def next(self, *, growth: int = 2) -> int:
        """Return the milliseconds to wait now, and let the window grow up to `cap`."""
        wait = int((self._least + (1 - self._least) * self._draw()) * self._window)
        self._window = min(self._cap, self._window * growth)
        return wait

    def reset(self) -> None:
        """Return to the first window, after an attempt that worked."""
        self._window = self._first
