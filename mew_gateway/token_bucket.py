"""Token bucket: how much may pass in a second, and how much at once after a rest.

The gateway's rate limiter refuses what finds too few tokens (`wait` is not zero). The throttle of a client takes them
all the same and waits until the debt is paid. Both count here; neither refuses or sleeps here.

Tokens are counted in whole thousandths, and times in milliseconds, so that a rate of N a second adds N thousandths each
millisecond exactly: who waits for `wait` milliseconds finds the tokens.
"""

from __future__ import annotations


class TokenBucket:
    """A bucket that holds at most `burst` tokens, is full at `now`, and gains `rate` tokens a second."""

    __slots__ = ("_at", "_level", "_most", "_rate")

    def __init__(self, *, rate: int, burst: int, now: int) -> None:
        self._rate = rate
        self._level = self._most = 1000 * burst
        self._at = now

    def wait(self, tokens: int, now: int) -> int:
        """Return the milliseconds from `now` until it holds so many tokens: 0 if it does. It takes none."""
        if now != self._at:
            self._fill(now)
        missing = 1000 * tokens - self._level
        return 0 if missing <= 0 else -(-missing // self._rate)  # rounded up

    def spend(self, tokens: int) -> None:
        """Take tokens, as of the last `wait`, `held` or `is_full`. More than there are become a debt."""
        self._level -= 1000 * tokens

    def held(self, now: int) -> int:
        """Return how many whole tokens it holds; a debt is negative."""
        if now != self._at:
            self._fill(now)
        return self._level // 1000

    def is_full(self, now: int) -> bool:
        """Return whether it holds all that it can."""
        self._fill(now)
        return self._level == self._most

    def _fill(self, now: int) -> None:
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
