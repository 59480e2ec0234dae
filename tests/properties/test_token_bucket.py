"""The token bucket that the gateway's rate limiter and the client's throttle share."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_gateway.config import GatewayLimits
from mew_gateway.gateway.broker.rate_limit import RateLimiter
from mew_gateway.sdk._transport.throttle import Throttle
from mew_gateway.token_bucket import TokenBucket

RATES = st.integers(1, 10_000)
TOKENS = st.integers(0, 5_000)


@given(rate=RATES, burst=st.integers(1, 5_000), spent=TOKENS, wanted=TOKENS)
def test_the_tokens_are_there_after_the_wait_and_not_before(rate: int, burst: int, spent: int, wanted: int) -> None:
    bucket = TokenBucket(rate=rate, burst=burst, now=0)
    wanted = min(wanted, burst)
    bucket.spend(spent)
    wait = bucket.wait(wanted, 0)
    if wait:
        assert bucket.wait(wanted, wait - 1) == 1
    assert bucket.wait(wanted, wait) == 0
    assert bucket.held(wait) >= wanted


def test_a_rest_fills_it_and_no_more() -> None:
    bucket = TokenBucket(rate=10, burst=3, now=0)
    bucket.spend(5)
    assert (bucket.held(0), bucket.held(50), bucket.held(100), bucket.held(499)) == (-2, -2, -1, 2)
    assert not bucket.is_full(499)
    assert bucket.is_full(500)
    assert bucket.held(1_000_000) == 3


def _send(sizes: Sequence[int], pauses: Sequence[int]) -> int:
    """Send frames as a client does, and count them as the gateway does, which raises what it refuses."""
    limits, throttle, now = GatewayLimits(), Throttle(now=0), 0
    limiter = RateLimiter(
        per_second=limits.envelopes_per_second,
        burst=limits.envelopes_burst,
        bytes_per_second=limits.bytes_per_second,
        frame_bytes=limits.frame_bytes,
        json_tokens=limits.json_tokens,
        connects=limits.connects,
        now=now,
    )
    for size, pause in zip(sizes, pauses, strict=False):
        now += pause
        now += throttle.take(now, size)
        limiter.admit(size, now, urgent=False, correlation=None)
    return now


@given(sizes=st.lists(st.integers(1, 1_000_000)), pauses=st.lists(st.integers(0, 50)))
def test_a_throttled_client_is_never_refused(sizes: list[int], pauses: list[int]) -> None:
    _send(sizes, pauses)


@pytest.mark.parametrize(("size", "number"), [(1, 2_000), (100_000, 200), (1_000_000, 20)])
def test_a_burst_of_a_throttled_client_is_not_refused_either(size: int, number: int) -> None:
    assert _send([size] * number, [0] * number) > 0
