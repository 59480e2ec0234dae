"""How fast a participant may send: token buckets, and the patience with one that floods (docs/protocol.md §7)."""

from __future__ import annotations

from mew_gateway.errors import Fatal, Rejected

FLOOD = 5_000  # ms of refusals without a pause, then the connection is closed (4029)
_PAUSE = 1_000  # ms without a refusal end a flood


class Bucket:
    """Fills at `rate` tokens a second up to `burst`."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, *, rate: float, burst: float, now: int) -> None:
        self._rate = rate / 1000
        self._burst = burst
        self._tokens = burst
        self._at = now

    def take(self, amount: float, now: int) -> int:
        """Take tokens: 0; or, taking none, how many milliseconds to wait for them."""
        tokens = self._tokens
        if now != self._at:
            tokens = min(self._burst, tokens + (now - self._at) * self._rate)
            self._at = now
        if tokens >= amount:
            self._tokens = tokens - amount
            return 0
        self._tokens = tokens
        return max(1, int((amount - tokens) / self._rate))


class Meter:
    """One participant's buckets: envelopes, urgent envelopes, bytes."""

    __slots__ = ("_bytes", "_envelopes", "_flooding_since", "_refused_at", "_urgent")

    def __init__(self, *, per_second: int, burst: int, bytes_per_second: int, frame_bytes: int, now: int) -> None:
        self._envelopes = Bucket(rate=per_second, burst=burst, now=now)
        self._urgent = Bucket(rate=per_second, burst=burst, now=now)
        self._bytes = Bucket(rate=bytes_per_second, burst=max(bytes_per_second, frame_bytes), now=now)
        self._flooding_since = self._refused_at = now - _PAUSE - 1

    def admit(self, size: int, now: int, *, urgent: bool, correlation: str) -> None:
        """Count one envelope of `size` bytes. Raises `Rejected` `rate_limited`, or `Fatal` 4029 for a flood.

        An urgent one (ack, conclusion, interrupt, resume) has a bucket of its own: chatter never crowds it out.
        """
        wait = self._urgent.take(1, now) if urgent else self._envelopes.take(1, now) or self._bytes.take(size, now)
        if wait == 0:
            return
        if now - self._refused_at > _PAUSE:
            self._flooding_since = now
        self._refused_at = now
        if now - self._flooding_since >= FLOOD:
            raise Fatal(4029, "flooding: the rate limit was passed for 5 seconds on end")
        raise Rejected("rate_limited", f"Too fast: wait {wait} ms.", correlation=correlation, retry_after_ms=wait)
