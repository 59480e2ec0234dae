"""Client-side throttle, a little below the gateway's default rate limits, so that nothing is refused for its rate.

Its buckets are the gateway's (`mew_gateway.token_bucket`). It differs in what follows: it takes what is not there yet,
and its caller waits.
"""

from __future__ import annotations

from mew_gateway.token_bucket import TokenBucket

_RATE = 190  # frames a second; the gateway's default limit is 200, in bursts of 400
_BURST = 350
_BYTES_RATE = 3_900_000  # a second; the gateway's is 4 MiB, in bursts of as much
_BYTES_BURST = 3_670_016


class Throttle:
    """Two token buckets: frames, and their bytes. Rates are per second, times in milliseconds."""

    def __init__(
        self,
        *,
        now: int,
        rate: int = _RATE,
        burst: int = _BURST,
        bytes_rate: int = _BYTES_RATE,
        bytes_burst: int = _BYTES_BURST,
    ) -> None:
        self._frames = TokenBucket(rate=rate, burst=burst, now=now)
        self._bytes = TokenBucket(rate=bytes_rate, burst=bytes_burst, now=now)

    def take(self, now: int, size: int) -> int:
        """Take the tokens for a frame of `size` bytes. Return how long to wait before sending it, usually 0."""
        wait = max(self._frames.wait(1, now), self._bytes.wait(size, now))
        self._frames.spend(1)
        self._bytes.spend(size)
        return wait

    def ready(self, now: int) -> int:
        """Return the wait until another frame of any size may leave. The caller pays with `take` afterwards."""
        return max(self._frames.wait(1, now), self._bytes.wait(0, now))
