"""Haste, and what comes of being told *later*."""

from __future__ import annotations

from typing import Any

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk._transport.resend_buffer import ResendBuffer
from mew_gateway.sdk._transport.throttle import Throttle


def test_a_burst_is_free_and_then_there_is_a_rate() -> None:
    throttle = Throttle(now=0, rate=100, burst=3)
    assert [throttle.take(0, 1) for _ in range(3)] == [0, 0, 0]
    assert throttle.take(0, 1) == 10
    assert throttle.take(1_000, 1) == 0


def test_bytes_have_a_rate_of_their_own() -> None:
    throttle = Throttle(now=0, rate=100, burst=3, bytes_rate=10_000, bytes_burst=1_000)
    assert throttle.take(0, 900) == 0
    assert throttle.take(0, 300) == 20
    assert throttle.take(10_000, 1_000) == 0


def test_one_may_wait_until_it_is_ready_and_pay_for_what_it_took_afterwards() -> None:
    throttle = Throttle(now=0, rate=100, burst=2, bytes_rate=10_000, bytes_burst=1_000)
    assert throttle.ready(0) == 0
    assert [throttle.take(0, 900), throttle.take(0, 300)] == [0, 20]
    assert throttle.ready(0) == 20  # the bytes: it is not known how many more
    assert throttle.ready(20) == 0
    assert throttle.ready(20) == 0  # asking costs nothing
    assert throttle.take(21, 1) == 0


def refusal(id: str, code: str, **payload: Any) -> Envelope:
    return Envelope(
        protocol="mew/v0.4",
        id="gw-1",
        ts="2026-01-01T00:00:00Z",
        sender="system:gateway",
        kind="system/error",
        correlation_id=[id],
        payload={"error": code, **payload},
    )


def test_what_was_refused_for_now_is_known_with_its_wait() -> None:
    buffer = ResendBuffer()
    buffer.keep("a", "reasoning/thought", b"bytes of a")
    assert buffer.again(refusal("a", "rate_limited", retry_after_ms=70)) == (b"bytes of a", 70)
    assert buffer.again(refusal("a", "journal_unavailable")) == (b"bytes of a", 1_000)
    assert buffer.again(refusal("a", "capability_violation")) is None
    assert buffer.again(refusal("b", "rate_limited", retry_after_ms=70)) is None


def test_an_interrupt_is_not_sent_again_behind_its_senders_back() -> None:
    buffer = ResendBuffer()
    buffer.keep("i", "reasoning/interrupt", b"bytes")
    assert buffer.again(refusal("i", "rate_limited", retry_after_ms=70)) is None


def test_it_holds_no_more_than_a_few_megabytes() -> None:
    buffer = ResendBuffer()
    for number in range(10):
        buffer.keep(str(number), "chat", bytes(1 << 20))
    assert buffer.again(refusal("5", "rate_limited")) is None
    assert buffer.again(refusal("9", "rate_limited")) is not None
