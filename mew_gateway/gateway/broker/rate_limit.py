"""Limit how fast a participant may send and connect (docs/protocol.md §7).

Token buckets for what it sends, a sliding window for its connects. A participant that is refused for `FLOOD`
milliseconds without a pause loses its connection. A client of the SDK keeps below the rates with the same buckets and
waits; here an envelope that comes too soon is refused.
"""

from __future__ import annotations

from collections import deque
from typing import NoReturn

from mew_gateway.errors import Fatal, Rejected
from mew_gateway.space.settings import Rate
from mew_gateway.token_bucket import TokenBucket

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
    fragments; records that are read for it. Its connects have a sliding window. A client that waits `retry_after_ms`
    is always admitted.
    """

    __slots__ = (
        "_bytes_burst",
        "_connects",
        "_flooding_since",
        "_frames",
        "_reads",
        "_refused_at",
        "_urgent",
        "_usual",
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
        self._bytes_burst = max(bytes_per_second, frame_bytes)
        tokens_burst = max(TOKENS_PER_SECOND, json_tokens)
        self._usual, self._urgent = (
            (
                TokenBucket(rate=per_second, burst=burst, now=now),
                TokenBucket(rate=bytes_per_second, burst=self._bytes_burst, now=now),
                TokenBucket(rate=TOKENS_PER_SECOND, burst=tokens_burst, now=now),
            )
            for _ in range(2)  # envelopes, bytes, tokens of JSON
        )
        self._frames = TokenBucket(rate=FRAMES, burst=FRAMES, now=now)
        self._reads = TokenBucket(rate=READS_PER_SECOND, burst=READS, now=now)
        self._connects = Window(connects)
        self._flooding_since = self._refused_at = now - _PAUSE - 1

    def affords(self, size: int, now: int, *, tokens: int) -> bool:
        """Return True if an envelope that is not urgent would be admitted."""
        envelopes, of_bytes, of_tokens = self._usual
        return not (envelopes.wait(1, now) or of_bytes.wait(size, now) or of_tokens.wait(tokens, now))

    def admit(self, size: int, now: int, *, urgent: bool, correlation: str | None, tokens: int = 0) -> None:
        """Count one envelope of `size` bytes and so many `tokens` of JSON. Raises `Rejected` `rate_limited`, or `Fatal`
        4029 for a flood.

        An urgent one (ack, conclusion, interrupt, resume) has buckets of its own: chatter never crowds it out.
        """
        envelopes, of_bytes, of_tokens = self._urgent if urgent else self._usual
        if envelopes.wait(1, now) or of_bytes.wait(size, now) or of_tokens.wait(tokens, now):
            wait = max(envelopes.wait(1, now), of_bytes.wait(size, now), of_tokens.wait(tokens, now))
            self._refuse(wait, now, correlation)
        envelopes.spend(1)
        of_bytes.spend(size)
        of_tokens.spend(tokens)

    def connect(self, now: int) -> None:
        """Count one more connect. Raises `Rejected` `rate_limited`."""
        self._connects.count(now, message="You connect too often")

    def frames(self, now: int) -> int:
        """Return how many control frames and short fragments may come now."""
        return self._frames.held(now)

    def spend(self, *, frames: int) -> None:
        """Count so many of them."""
        self._frames.spend(frames)

    def waste(self, size: int, now: int) -> None:
        """Count bytes of a message that never came to its end. The debt is at most a burst."""
        of_bytes = self._usual[1]
        of_bytes.spend(min(size, of_bytes.held(now) + self._bytes_burst))

    def read(self, records: int, now: int) -> bool:
        """Count records that are about to be read. Return False, and count nothing, if they are too many."""
        if self._reads.wait(records, now):
            return False
        self._reads.spend(records)
        return True

    def is_rested(self, now: int) -> bool:
        """Return True if it is as good as a new one."""
        buckets = (*self._usual, *self._urgent, self._frames, self._reads)
        is_full = self._connects.is_empty(now) and all(bucket.is_full(now) for bucket in buckets)
        return is_full and now - self._refused_at > _PAUSE

    def _refuse(self, wait: int, now: int, correlation: str | None) -> NoReturn:
        if now - self._refused_at > _PAUSE:
            self._flooding_since = now
        self._refused_at = now
        if now - self._flooding_since >= FLOOD:
            raise Fatal(4029, "flooding: the rate limit was passed for 5 seconds on end")
        raise Rejected("rate_limited", f"Too fast: wait {wait} ms.", correlation=correlation, retry_after_ms=wait)
