"""Limit how fast a participant may send and connect (docs/protocol.md §7).

Token buckets for what it sends, a sliding window for its connects. A participant that is refused for `FLOOD`
milliseconds without a pause loses its connection.
"""

from __future__ import annotations

from collections import deque

from mew_gateway.errors import Fatal, Rejected
from mew_gateway.space.settings import Rate

FLOOD = 5_000  # ms of refusals without a pause, then the connection is closed (4029)
READS = 20_000  # records of the journal that are read at once for who resumes
READS_PER_SECOND = 1_000  # some 10 µs each
TOKENS_PER_SECOND = 200_000  # brackets, commas and colons of JSON, at 0.2 µs each
FRAMES = 2_000  # control frames and short fragments a second; each takes some 10 µs
_PAUSE = 1_000  # ms without a refusal end a flood


class Window:
    """A sliding window: at most `rate.count` events in any `rate.per` milliseconds. It holds the time of each."""

    __slots__ = ("_rate", "_times")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._times: deque[int] = deque()

    def count(self, now: int, *, message: str) -> None:
        """Count one event at `now` in milliseconds. Raises `Rejected` `rate_limited`: `message` and how long to wait.

        A refused event is not counted: a client that waits `retry_after_ms` is always admitted.
        """
        self._forget(now)
        if len(self._times) >= self._rate.count:
            wait = self._times[0] + self._rate.per - now
            raise Rejected("rate_limited", f"{message}: wait {wait} ms.", retry_after_ms=wait)
        self._times.append(now)

    def is_empty(self, now: int) -> bool:
        """Return whether no event counts any more."""
        self._forget(now)
        return not self._times

    def _forget(self, now: int) -> None:
        while self._times and now - self._times[0] >= self._rate.per:
            self._times.popleft()


class RateLimiter:
    """Token-bucket rate limiter of one participant. Rates are per second.

    Buckets: envelopes, bytes and tokens of JSON, and the same three again for urgent kinds; control frames and
    fragments; records that are read for it. Its connects have a sliding window.

    Buckets count integer milli-tokens, so that a rate of N a second refills N each millisecond exactly: a client that
    waits `retry_after_ms` is always admitted.
    """

    __slots__ = (
        "_at",
        "_burst",
        "_bytes",
        "_bytes_burst",
        "_bytes_rate",
        "_connects",
        "_envelopes",
        "_flooding_since",
        "_frames",
        "_rate",
        "_reads",
        "_refused_at",
        "_tokens",
        "_tokens_burst",
        "_urgent",
        "_urgent_bytes",
        "_urgent_tokens",
    )

    def __init__(
        self,
        *,
        per_second: int,
        burst: int,
        bytes_per_second: int,
        frame_bytes: int,
        json_tokens: int,
        connects: Rate,
        now: int,
    ) -> None:
        self._rate, self._burst = per_second, 1000 * burst
        self._bytes_rate, self._bytes_burst = bytes_per_second, 1000 * max(bytes_per_second, frame_bytes)
        self._envelopes = self._urgent = self._burst
        self._bytes = self._urgent_bytes = self._bytes_burst
        self._tokens_burst = 1000 * max(TOKENS_PER_SECOND, json_tokens)
        self._tokens = self._urgent_tokens = self._tokens_burst
        self._frames = 1000 * FRAMES
        self._reads = 1000 * READS
        self._connects = Window(connects)
        self._at = now
        self._flooding_since = self._refused_at = now - _PAUSE - 1

    def affords(self, size: int, now: int, *, tokens: int) -> bool:
        """Return True if an envelope that is not urgent would be admitted."""
        if now != self._at:
            self._fill(now)
        return self._envelopes >= 1000 and self._bytes >= 1000 * size and self._tokens >= 1000 * tokens

    def admit(self, size: int, now: int, *, urgent: bool, correlation: str | None, tokens: int = 0) -> None:
        """Count one envelope of `size` bytes and so many `tokens` of JSON. Raises `Rejected` `rate_limited`, or `Fatal`
        4029 for a flood.

        An urgent one (ack, conclusion, interrupt, resume) has buckets of its own: chatter never crowds it out.
        """
        if now != self._at:
            self._fill(now)
        size, tokens = 1000 * size, 1000 * tokens
        if urgent:
            if self._urgent >= 1000 and self._urgent_bytes >= size and self._urgent_tokens >= tokens:
                self._urgent -= 1000
                self._urgent_bytes -= size
                self._urgent_tokens -= tokens
                return
            missing, missing_bytes = 1000 - self._urgent, size - self._urgent_bytes
            missing_tokens = tokens - self._urgent_tokens
        else:
            if self._envelopes >= 1000 and self._bytes >= size and self._tokens >= tokens:
                self._envelopes -= 1000
                self._bytes -= size
                self._tokens -= tokens
                return
            missing, missing_bytes = 1000 - self._envelopes, size - self._bytes
            missing_tokens = tokens - self._tokens
        waits = (missing, self._rate), (missing_bytes, self._bytes_rate), (missing_tokens, TOKENS_PER_SECOND)
        wait = max(-(-each // rate) for each, rate in waits)  # rounded up
        self._refuse(wait, now, correlation)

    def connect(self, now: int) -> None:
        """Count one more connect. Raises `Rejected` `rate_limited`."""
        self._connects.count(now, message="You connect too often")

    def frames(self, now: int) -> int:
        """Return how many control frames and short fragments may come now."""
        if now != self._at:
            self._fill(now)
        return self._frames // 1000

    def spend(self, *, frames: int) -> None:
        """Count so many of them."""
        self._frames -= 1000 * frames

    def waste(self, size: int) -> None:
        """Count bytes of a message that never came to its end."""
        self._bytes = max(-self._bytes_burst, self._bytes - 1000 * size)

    def read(self, records: int, now: int) -> bool:
        """Count records that are about to be read. Return False, and count nothing, if they are too many."""
        if now != self._at:
            self._fill(now)
        if self._reads < 1000 * records:
            return False
        self._reads -= 1000 * records
        return True

    def is_rested(self, now: int) -> bool:
        """Return True if it is as good as a new one."""
        if not self._connects.is_empty(now):
            return False
        self._fill(now)
        is_full = self._envelopes == self._urgent == self._burst
        is_full = is_full and self._reads == 1000 * READS and self._frames == 1000 * FRAMES
        is_full = is_full and self._tokens == self._urgent_tokens == self._tokens_burst
        return is_full and self._bytes == self._urgent_bytes == self._bytes_burst and now - self._refused_at > _PAUSE

    def _fill(self, now: int) -> None:
        passed, self._at = now - self._at, now
        self._envelopes = min(self._burst, self._envelopes + passed * self._rate)
        self._urgent = min(self._burst, self._urgent + passed * self._rate)
        self._reads = min(1000 * READS, self._reads + passed * READS_PER_SECOND)
        self._frames = min(1000 * FRAMES, self._frames + passed * FRAMES)
        self._tokens = min(self._tokens_burst, self._tokens + passed * TOKENS_PER_SECOND)
        self._urgent_tokens = min(self._tokens_burst, self._urgent_tokens + passed * TOKENS_PER_SECOND)
        self._bytes = min(self._bytes_burst, self._bytes + passed * self._bytes_rate)
        self._urgent_bytes = min(self._bytes_burst, self._urgent_bytes + passed * self._bytes_rate)

    def _refuse(self, wait: int, now: int, correlation: str | None) -> None:
        if now - self._refused_at > _PAUSE:
            self._flooding_since = now
        self._refused_at = now
        if now - self._flooding_since >= FLOOD:
            raise Fatal(4029, "flooding: the rate limit was passed for 5 seconds on end")
        raise Rejected("rate_limited", f"Too fast: wait {wait} ms.", correlation=correlation, retry_after_ms=wait)
