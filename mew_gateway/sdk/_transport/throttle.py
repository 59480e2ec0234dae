"""How fast a client sends: a little under what a gateway takes by default, so that nothing is refused for haste."""

from __future__ import annotations

_RATE = 0.19  # frames a millisecond; the gateway's default limit is 200 a second, in bursts of 400
_BURST = 350.0
_BYTES_RATE = 3_900.0  # bytes a millisecond; the gateway's is 4 MiB a second, in bursts of as much
_BYTES_BURST = 3.5 * (1 << 20)


class Pace:
    """Two token buckets, of frames and of their bytes. Times are in milliseconds."""

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
        """Take the tokens for a frame of `size` bytes; how long to wait before using them, 0 as a rule."""
        passed, self._at = now - self._at, now
        return max(self._frames.take(1, passed), self._bytes.take(size, passed))

    def ready(self, now: int) -> int:
        """How long until another frame may leave, whatever its size; it is to be paid for afterwards."""
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
