"""The waits between attempts."""

from __future__ import annotations

from mew_gateway.backoff import Backoff


def test_the_window_doubles_up_to_its_cap_and_starts_over():
    backoff = Backoff(first=100, cap=500, draw=lambda: 1.0)
    assert [backoff.next() for _ in range(5)] == [100, 200, 400, 500, 500]
    backoff.reset()
    assert backoff.next() == 100


def test_the_jitter_is_full():
    draws = iter([0.0, 0.5, 0.999])
    backoff = Backoff(first=1_000, cap=1_000, draw=lambda: next(draws))
    assert [backoff.next() for _ in range(3)] == [0, 500, 999]


def test_a_wait_is_at_least_its_part_of_the_window_and_the_growth_is_the_callers():
    draws = iter([0.0, 0.5, 0.0])
    backoff = Backoff(first=1_000, cap=10_000, least=0.5, draw=lambda: next(draws))
    assert [backoff.next(growth=8), backoff.next(), backoff.next()] == [500, 6_000, 5_000]
