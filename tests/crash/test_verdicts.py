"""What looks for mistakes finds each kind of them."""

from __future__ import annotations

from typing import Any

import pytest

from bench.crash.promises import Promises
from bench.crash.record import compare
from bench.crash.remains import Pending
from bench.inquiry import Placed
from bench.peer import Seen


def seen(ids: str) -> list[Seen]:
    return [Seen(id, "chat", ord(id)) for id in ids]


@pytest.mark.parametrize(
    ("delivered", "lost", "twice", "reordered", "missed"),
    [
        ("abc", 0, 0, 0, 0),
        ("abcde", 0, 0, 0, 0),
        ("abxc", 1, 0, 0, 0),
        ("abbc", 0, 1, 0, 0),
        ("acb", 0, 0, 1, 0),
        ("abd", 0, 0, 0, 1),
        ("bcd", 0, 0, 0, 1),
    ],
)
def test_what_was_delivered_against_the_record(
    delivered: str, lost: int, twice: int, reordered: int, missed: int
) -> None:
    found = compare("somebody", seen(delivered), seen("abcde"))
    assert (found.lost, found.twice, found.reordered, found.missed) == (lost, twice, reordered, missed)
    assert found.is_good == ("abcde".startswith(delivered))


def test_other_bytes_under_the_same_id_are_something_else() -> None:
    found = compare("somebody", [Seen("a", "chat", 1)], [Seen("a", "chat", 2)])
    assert (found.lost, found.is_good) == (1, False)


STOP = {"kind": "reasoning/interrupt", "id": "stop", "correlation_id": ["run"]}
ACK = {
    "kind": "reasoning/interrupt-ack",
    "id": "ack",
    "correlation_id": ["stop"],
    "payload": {"status": "continuing"},
}
PROMISE = {**ACK, "payload": {"status": "stopping"}}
END = {"kind": "reasoning/conclusion", "id": "end", "context": "run"}
OVERDUE = {"kind": "system/error", "id": "gw-3", "correlation_id": ["stop"], "payload": {"error": "interrupt_overrun"}}
PASSED = {"kind": "system/error", "correlation_id": ["stop"], "payload": {"error": "interrupt_ack_timeout"}}


@pytest.mark.parametrize(
    ("ends", "faults"),
    [
        ([(100, ACK)], []),
        ([(1000, {**PASSED, "id": "gw-1"})], []),
        ([(100, PROMISE), (200, END)], []),
        ([(100, PROMISE), (600, OVERDUE)], []),
        ([(100, PROMISE)], ["demo/stop was to stop run, which neither ended nor is overdue"]),
        ([(1000, {**PASSED, "id": "gw-1"}), (1100, ACK)], []),
        ([], ["demo/stop was neither answered nor timed out"]),
        ([(999, {**PASSED, "id": "gw-1"})], ["demo/stop timed out after 999 ms"]),
        ([(1000, {**PASSED, "id": "gw-1"}), (1001, {**PASSED, "id": "gw-2"})], ["demo/stop timed out 2 times"]),
        ([(100, ACK), (101, {**ACK, "id": "again"})], ["demo/stop acked 2 times"]),
        ([(100, ACK), (101, ACK)], ["demo holds ack 2 times", "demo/stop acked 2 times"]),
    ],
)
def test_how_an_interrupt_may_end(ends: list[tuple[int, dict[str, Any]]], faults: list[str]) -> None:
    promises = Promises(ack_deadline=1000, conclusion=500)
    promises.judge("demo", [Placed(1, 0, STOP), *(Placed(2, at, envelope) for at, envelope in ends)])
    assert promises.faults == faults


@pytest.mark.parametrize(
    ("deadline", "conclusion_due", "returning", "faults"),
    [
        (1010, 700, 0, []),
        (1009, 700, 0, ["the ack of demo/one is due 1 ms early"]),
        (1500, 900, 0, ["the ack of demo/one is due 490 ms late", "the conclusion of demo/one is due 200 ms late"]),
        (1010, 699, 9000, ["the conclusion of demo/one is due 1 ms early"]),
        (10_000, 9_500, 9_000, []),
        (10_001, 9_500, 9_000, ["the ack of demo/one is due 1 ms late"]),
    ],
)
def test_the_deadlines_that_a_kill_may_leave(
    deadline: int, conclusion_due: int, returning: int, faults: list[str]
) -> None:
    promises = Promises(ack_deadline=1000, conclusion=500)
    promises.survived([Pending("demo", "one", 10, 200, deadline, conclusion_due, returning)])
    assert promises.faults == faults
    assert promises.over_a_kill == 2
