"""How fast a client sends: a little under what a gateway takes by default, so that nothing is refused for haste."""

from __future__ import annotations

_RATE = 0.19  # envelopes a millisecond; the gateway's default limit is 200 a second, in bursts of 400
_BURST = 350.0


class Pace:
    """A token bucket. Times are in milliseconds."""

    def __init__(self, *, now: int, rate: float = _RATE, burst: float = _BURST) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now

    def take(self, now: int) -> int:
        """Take a token; how long to wait before using it, 0 as a rule."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate) - 1
        self._at = now
        return 0 if self._tokens >= 0 else int(-self._tokens / self._rate) + 1
