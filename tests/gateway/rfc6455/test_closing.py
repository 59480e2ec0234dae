"""Two ends that close at the same time (RFC 6455 §5.5.1, §7.1): one close frame each, whatever was on the way."""

from __future__ import annotations

import asyncio

import pytest

from mew_gateway.gateway.websocket import connection

from ...kit.frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, closing, frame
from .joined_connection import JoinedConnection

OURS = Frame(0x80 | CLOSE, closing(4504, b"shut down"))
ANSWER = frame(CLOSE, closing(4504))


@pytest.mark.parametrize(
    ("before", "pongs"),
    [
        (b"", ()),
        (frame(TEXT, b"too late"), ()),
        (frame(PING, b"?"), (b"?",)),  # §5.5.2: until its close frame has come, a ping has a pong
        (frame(PONG, b"!"), ()),
        (frame(TEXT, b"too ", fin=0) + frame(PING, b"?") + frame(CONTINUATION, b"late"), (b"?",)),
        (frame(BINARY, b"x" * 200) + frame(PONG) + frame(TEXT, b"too late"), ()),
    ],
    ids=["nothing", "text", "ping", "pong", "fragments", "many"],
)
async def test_its_close_frame_ends_it_whatever_was_on_the_way(before: bytes, pongs: tuple[bytes, ...]) -> None:
    sent = before + ANSWER
    for at in range(len(sent)):
        joined = JoinedConnection()
        joined.connection.close(4504, "shut down")
        assert not joined.transport.is_closed
        outcome = joined.feed(*(part for part in (sent[:at], sent[at:]) if part)).outcome()
        assert outcome.answers == (OURS, *(Frame(0x80 | PONG, data) for data in pongs))
        assert (outcome.messages, outcome.has_ended) == ((), True), f"cut at {at}"
        assert joined.broker.left == 2  # when we closed, and when the socket did


async def test_its_code_may_be_another_than_ours() -> None:
    for data in (b"", closing(1000), closing(1001, b"I go, too")):
        joined = JoinedConnection()
        joined.connection.close(4504, "shut down")
        assert joined.feed(frame(CLOSE, data)).outcome() == ((), (OURS,), True)


async def test_a_broken_frame_ends_it_without_a_second_close_frame() -> None:
    for broken in (frame(3), frame(TEXT, b"x", mask=None), frame(TEXT, b"\xff", rsv=1), frame(CLOSE, b"\x03")):
        joined = JoinedConnection()
        joined.connection.close(4504, "shut down")
        assert joined.feed(broken).outcome() == ((), (OURS,), True)
        assert joined.counters.closed == {4504: 1}


async def test_closing_twice_sends_one_close_frame() -> None:
    joined = JoinedConnection()
    joined.connection.close(4504, "shut down")
    joined.connection.close(1012, "and restarted")
    assert joined.outcome().answers == (OURS,)


async def test_nothing_is_sent_after_our_close_frame() -> None:
    joined = JoinedConnection()
    joined.connection.close(4504, "shut down")
    joined.connection.write(b"\x81\x04more")  # §5.5.1
    assert joined.outcome().answers == (OURS,)


@pytest.mark.parametrize("ends", ["we close it", "it fails"])
async def test_a_peer_that_never_ends_its_side_is_aborted(ends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LINGER", 0.0)
    joined = JoinedConnection()
    if ends == "we close it":
        joined.connection.close(4504, "shut down")
    else:
        joined.feed(frame(3))
    assert not joined.transport.is_cut
    async with asyncio.timeout(30):
        while not joined.transport.is_cut:
            await asyncio.sleep(0.01)


async def test_many_pings_at_once_are_answered_at_once() -> None:
    joined = JoinedConnection()
    before = joined.transport.writes
    joined.feed(frame(PING, b"?") * 100 + frame(TEXT, b"on we go"))
    assert joined.transport.writes == before + 1
    assert joined.outcome().answers == (Frame(0x80 | PONG, b"?"),) * 100
