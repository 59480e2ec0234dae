"""Haste, and what comes of being told *later*."""

from __future__ import annotations

from typing import Any

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk._transport.resend_buffer import Retained
from mew_gateway.sdk._transport.throttle import Pace


def test_a_burst_is_free_and_then_there_is_a_rate() -> None:
    pace = Pace(now=0, rate=0.1, burst=3)
    assert [pace.take(0, 1) for _ in range(3)] == [0, 0, 0]
    assert pace.take(0, 1) == 11
    assert pace.take(1_000, 1) == 0


def test_bytes_have_a_rate_of_their_own() -> None:
    pace = Pace(now=0, rate=0.1, burst=3, bytes_rate=10, bytes_burst=1_000)
    assert pace.take(0, 900) == 0
    assert pace.take(0, 300) == 21
    assert pace.take(10_000, 1_000) == 0


def test_one_may_wait_until_it_is_ready_and_pay_for_what_it_took_afterwards() -> None:
    pace = Pace(now=0, rate=0.1, burst=2, bytes_rate=10, bytes_burst=1_000)
    assert pace.ready(0) == 0
    assert [pace.take(0, 900), pace.take(0, 300)] == [0, 21]
    assert pace.ready(0) == 21  # the bytes: it is not known how many more
    assert pace.ready(21) == 0
    assert pace.ready(21) == 0  # asking costs nothing
    assert pace.take(21, 1) == 0


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
    retained = Retained()
    retained.keep("a", "reasoning/thought", b"bytes of a")
    assert retained.again(refusal("a", "rate_limited", retry_after_ms=70)) == (b"bytes of a", 70)
    assert retained.again(refusal("a", "journal_unavailable")) == (b"bytes of a", 1_000)
    assert retained.again(refusal("a", "capability_violation")) is None
    assert retained.again(refusal("b", "rate_limited", retry_after_ms=70)) is None


def test_an_interrupt_is_not_sent_again_behind_its_senders_back() -> None:
    retained = Retained()
    retained.keep("i", "reasoning/interrupt", b"bytes")
    assert retained.again(refusal("i", "rate_limited", retry_after_ms=70)) is None


def test_it_holds_no_more_than_a_few_megabytes() -> None:
    retained = Retained()
    for number in range(10):
        retained.keep(str(number), "chat", bytes(1 << 20))
    assert retained.again(refusal("5", "rate_limited")) is None
    assert retained.again(refusal("9", "rate_limited")) is not None
