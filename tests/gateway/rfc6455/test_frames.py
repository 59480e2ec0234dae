"""Every rule of RFC 6455 about frames, whole and cut at every byte: the same messages, answers and end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ...kit.frames import CLOSE, PONG, Frame, closing
from .cases import CASES, Case
from .joined_connection import JoinedConnection, Outcome

_SMALL = 350  # bytes up to which every cut is tried


def cuts(size: int) -> Iterator[int]:
    """Where to cut: everywhere, and in what is long, around its beginning and its end."""
    return iter(range(1, size)) if size <= _SMALL else iter((*range(1, 16), size // 2, *range(size - 4, size)))


def check(case: Case, outcome: Outcome) -> None:
    """What came is what the row says."""
    assert outcome.messages == case.messages
    pongs = tuple(Frame(0x80 | PONG, data) for data in case.pongs)
    if case.end is None:
        assert (outcome.answers, outcome.has_ended) == (pongs, False)
        return
    *before, last = outcome.answers
    assert (tuple(before), outcome.has_ended) == (pongs, True)
    if isinstance(case.end, bytes):
        assert last == (0x80 | CLOSE, case.end)
    else:
        assert (last.first, last.data[:2]) == (0x80 | CLOSE, closing(case.end))
        assert len(last.data) <= 125 and last.data[2:].decode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_rule_holds_however_its_bytes_are_cut(case: Case) -> None:
    whole = JoinedConnection().feed(case.sent).outcome()
    check(case, whole)
    for at in cuts(len(case.sent)):
        assert JoinedConnection().feed(case.sent[:at], case.sent[at:]).outcome() == whole, f"cut at {at}"
    if len(case.sent) <= 10 * _SMALL:
        assert JoinedConnection().feed(*(bytes([byte]) for byte in case.sent)).outcome() == whole


async def test_two_rules_do_not_change_each_other() -> None:
    short = [case for case in CASES if len(case.sent) < 60][::4]
    for one in short:
        for other in short:
            sent = one.sent + other.sent
            whole = JoinedConnection().feed(sent).outcome()
            assert JoinedConnection().feed(*(bytes([byte]) for byte in sent)).outcome() == whole, (one.name, other.name)
            if one.end is None:
                check(
                    other,
                    whole._replace(
                        messages=whole.messages[len(one.messages) :], answers=whole.answers[len(one.pongs) :]
                    ),
                )
            else:
                check(one, whole)


async def test_a_failure_is_counted_once_by_its_code() -> None:
    for case in CASES:
        joined = JoinedConnection().feed(case.sent)
        assert joined.counters.closed == ({case.end: 1} if isinstance(case.end, int) else {}), case.name
        joined.outcome()
