"""Trying a whole transaction again, for as long as somebody else may be in the way."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Retry:
    """A patience in seconds, spent on pauses that grow from half a millisecond to 50, each drawn at random.

    `draw` gives a number in [0, 1); `clock` is monotonic, in seconds. Full jitter, so that twenty processes that were
    refused together do not come back together.
    """

    def __init__(
        self,
        *,
        patience: float = 10.0,
        draw: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._patience = patience
        self._draw = draw
        self._clock = clock
        self._pause = pause

    def run(self, attempt: Callable[[], T], *, passing: Callable[[Exception], bool]) -> T:
        """What `attempt` returns, tried again after every error that is `passing`; the last of them is raised."""
        end = self._clock() + self._patience
        window = 0.0005
        while True:
            try:
                return attempt()
            except Exception as error:
                if not passing(error) or self._clock() >= end:
                    raise
            self._pause(self._draw() * window)
            window = min(0.05, window * 2)
