"""Client-side throttle, a little below the gateway's default rate limits, so that nothing is refused for its rate."""

from __future__ import annotations

_RATE = 0.19  # frames a millisecond; the gateway's default limit is 200 a second, in bursts of 400
_BURST = 350.0
_BYTES_RATE = 3_900.0  # bytes a millisecond; the gateway's is 4 MiB a second, in bursts of as much
_BYTES_BURST = 3.5 * (1 << 20)


class Throttle:
    """Two token buckets: frames, and their bytes. Times are in milliseconds."""

    def __init__(
        self,
        *,
        now: int,
        rate: float = _RATE,
        burst: float = _BURST,
        bytes_rate: float = _BYTES_RATE,
        bytes_burst: float = _BYTES_BURST,
    ) -> None:
        self._frames = _Bucket(rate, burst)
        self._bytes = _Bucket(bytes_rate, bytes_burst)
        self._at = now

    def take(self, now: int, size: int) -> int:
        """Take the tokens for a frame of `size` bytes. Return how long to wait before sending it, usually 0."""
        passed, self._at = now - self._at, now
        return max(self._frames.take(1, passed), self._bytes.take(size, passed))

    def ready(self, now: int) -> int:
        """Return the wait until another frame of any size may leave. The caller pays with `take` afterwards."""
        passed, self._at = now - self._at, now
        return max(self._frames.lack(1, passed), self._bytes.lack(0, passed))


class _Bucket:
    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst

    def take(self, count: int, passed: int) -> int:
        wait = self.lack(count, passed)
        self._tokens -= count
        return wait

    def lack(self, count: int, passed: int) -> int:
        self._tokens = min(self._burst, self._tokens + passed * self._rate)
        lacking = count - self._tokens
        return 0 if lacking <= 0 else int(lacking / self._rate) + 1
