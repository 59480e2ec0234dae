"""The gateway's time: never runs back, and a wall clock that jumps moves no deadline (docs/architecture.md)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Milliseconds since the epoch, as the journal counts them."""

    def now(self) -> int:
        """The time. Never less than it was before."""


class GatewayClock:
    """At start the later of the wall clock and `floor` (the last entry's time); from there monotonic."""

    def __init__(
        self,
        *,
        floor: int = 0,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._monotonic = monotonic
        self._base = max(int(wall() * 1000), floor) - monotonic() // 1_000_000

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return self._base + self._monotonic() // 1_000_000
