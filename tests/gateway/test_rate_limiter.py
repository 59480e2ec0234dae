"""Token buckets and floods."""

from __future__ import annotations

import pytest

from mew_gateway.errors import Fatal, Rejected
from mew_gateway.gateway.broker.rate_limiter import FLOOD, READS, READS_PER_SECOND, RateLimiter, Window
from mew_gateway.space.settings import Rate

OFTEN = Rate(100, 10_000)


def test_a_participant_has_its_burst_then_its_rate() -> None:
    one = RateLimiter(
        per_second=10, burst=3, bytes_per_second=1_000, frame_bytes=500, json_tokens=1, connects=OFTEN, now=0
    )

    def takes(now: int, count: int) -> bool:
        try:
            for _ in range(count):
                one.admit(1, now, urgent=False, correlation="x")
        except Rejected:
            return False
        return True

    assert takes(0, 3)
    assert not takes(0, 1)
    assert not takes(99, 1)
    assert takes(100, 1)
    assert takes(10_000, 3)
    assert not takes(10_000, 1)


def limiter() -> RateLimiter:
    return RateLimiter(
        per_second=10, burst=2, bytes_per_second=1_000, frame_bytes=500, json_tokens=1, connects=OFTEN, now=0
    )


def test_urgent_envelopes_have_a_bucket_of_their_own() -> None:
    one = limiter()
    one.admit(1, 0, urgent=False, correlation="a")
    one.admit(1, 0, urgent=False, correlation="b")
    with pytest.raises(Rejected) as refused:
        one.admit(1, 0, urgent=False, correlation="c")
    assert refused.value.code == "rate_limited"
    assert refused.value.details["retry_after_ms"] == 100
    one.admit(1, 0, urgent=True, correlation="d")


def test_bytes_count_too() -> None:
    one = limiter()
    one.admit(1_000, 0, urgent=False, correlation="a")
    with pytest.raises(Rejected):
        one.admit(10, 0, urgent=False, correlation="b")
    one.admit(10, 200, urgent=False, correlation="c")


def test_five_seconds_of_refusals_are_a_flood() -> None:
    one = limiter()

    def over(now: int) -> None:
        for _ in range(20):
            one.admit(1, now, urgent=False, correlation="x")

    for now in range(0, FLOOD, 500):
        with pytest.raises(Rejected):
            over(now)
    with pytest.raises(Rejected):
        over(FLOOD - 500 + 2_000)
    for now in range(FLOOD + 2_000, 2 * FLOOD + 1_500, 500):
        with pytest.raises(Rejected):
            over(now)
    with pytest.raises(Fatal) as fatal:
        over(2 * FLOOD + 1_500)
    assert fatal.value.close_code == 4029


def test_reads_of_a_participant_are_rate_limited() -> None:
    one = limiter()
    assert one.read(READS, 0)
    assert not one.read(1, 0)
    assert not one.read(READS_PER_SECOND, 999)
    assert one.read(READS_PER_SECOND, 1_000)
    assert not one.is_rested(1_000)
    assert one.is_rested(1_000 + 1_000 * READS // READS_PER_SECOND)
    assert not one.read(READS + 1, 1_000_000)


def test_a_window_slides_and_returns_the_wait() -> None:
    window = Window(Rate(2, 1_000))
    window.count(0, message="Too often")
    window.count(400, message="Too often")
    for now, wait in ((400, 600), (999, 1)):
        with pytest.raises(Rejected) as refused:
            window.count(now, message="Too often")
        assert (refused.value.code, refused.value.details) == ("rate_limited", {"retry_after_ms": wait})
    window.count(1_000, message="Too often")
    with pytest.raises(Rejected):
        window.count(1_399, message="Too often")
    window.count(1_400, message="Too often")
    assert not window.is_empty(2_399)
    assert window.is_empty(2_400)


def test_a_limiter_that_counted_a_connect_is_not_rested() -> None:
    one = limiter()
    one.connect(0)
    assert not one.is_rested(9_999)
    assert one.is_rested(10_000)
