"""Messages that cost more than they say: how many are looked at before whoever sends them is ended, and who is not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.protocol import State
from websockets.server import ServerProtocol

from mew_gateway.gateway.broker.batch import Message
from mew_gateway.gateway.broker.ingress import most_at_once
from mew_gateway.gateway.websocket import connection
from mew_gateway.gateway.websocket.frame_reader import FrameReader

from ..kit.frames import CLOSE, PING, TEXT, closing, frame
from ..kit.raw_connections import Caller, called, request

FLOOD = b"\x81\x80\0\0\0\0" * 43_690  # as many messages as one read can bring
ANSWER = frame(CLOSE, closing(4501))


def reader(most: int) -> tuple[FrameReader, ServerProtocol]:
    protocol = ServerProtocol(max_size=None, state=State.OPEN)
    return FrameReader(protocol, limit=1_000, frames_left=10, most=most), protocol


def test_messages_beyond_the_most_wait_for_the_next_call() -> None:
    one, _ = reader(2)
    looks = [one.feed(b"".join(frame(TEXT, b"%d" % nth) for nth in range(5))), one.feed(b""), one.feed(b"")]
    assert looks == [[(b"0", True), (b"1", True)], [(b"2", True), (b"3", True)], [(b"4", True)]]
    assert (one.feed(b""), one.held) == ([], 0)


def test_it_waits_however_it_is_cut() -> None:
    sent = frame(TEXT, b"a") + frame(TEXT, b"b", fin=0) + frame(PING) + frame(0, b"b") + frame(TEXT, b"c")
    for at in range(len(sent)):
        one, _ = reader(1)
        messages = one.feed(sent[:at]) + one.feed(sent[at:])
        while more := one.feed(b""):
            assert len(more) == 1
            messages += more
        assert messages == [(b"a", True), (b"bb", True), (b"c", True)], f"cut at {at}"


@pytest.mark.parametrize("behind", [frame(PING, b"?"), frame(CLOSE, closing(1000)), frame(3), frame(PING) * 20])
def test_nothing_of_it_is_looked_at_before(behind: bytes) -> None:
    one, protocol = reader(1)
    assert one.feed(frame(TEXT, b"first") + behind) == [(b"first", True)]
    assert (protocol.data_to_send(), one.frames_left) == ([], 10)
    assert one.feed(b"") == []
    assert protocol.data_to_send() != []


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages each look of any connection gave."""
    counts: list[int] = []
    feed = FrameReader.feed

    def counted(self: FrameReader, data: bytes) -> list[Message]:
        messages = feed(self, data)
        counts.append(len(messages))
        return messages

    monkeypatch.setattr(FrameReader, "feed", counted)
    monkeypatch.setattr(connection, "_LINGER", 3_600.0)  # it is not what ends anybody here
    return counts


def stranger() -> bytes:
    return request(None, line="GET / HTTP/1.1")


async def code_of(caller: Caller) -> bytes:
    return (await caller.answers(until=b"never"))[-1].data[:2]


async def cut(site: Any) -> None:
    """Wait until the only connection is read no more, and let its time be over."""
    (one,) = site.gateway.accept_context.open
    async with asyncio.timeout(30):
        while one._transport.is_reading():
            await asyncio.sleep(0)
    one._linger._run()


async def test_a_stranger_has_one_message_looked_at_and_then_few(site: Any, looks: list[int]) -> None:
    async with called(site.url) as caller:
        await caller.send(stranger())
        await caller.head()
        flooding = asyncio.create_task(caller.send(*[FLOOD] * 100))
        assert await code_of(caller) == closing(4501)
        await cut(site)
        await flooding
    assert looks[0] == 1
    assert sum(looks) <= 1 + connection._STRANGERS_MESSAGES
    assert site.gateway.counters.refused == {"join_refused": 1}
    assert site.gateway.counters.closed == {4501: 1}


async def test_a_participants_messages_at_once_are_bounded(site: Any, looks: list[int]) -> None:
    most = most_at_once(site.gateway.accept_context.limits)
    async with called(site.url) as caller:
        await caller.send(request(site.token("human")))
        await caller.head()
        (one,) = site.gateway.accept_context.open
        one.data_received(FLOOD)
        assert await code_of(caller) == closing(4029)
        await cut(site)
    assert looks == [most, most]  # once more for its close frame
    assert site.gateway.counters.received == 0
    assert site.gateway.counters.closed == {4029: 1}


async def test_a_refused_stranger_ends_with_its_close_frame(site: Any, looks: list[int]) -> None:
    """However much of what it has to say came with it, before it or behind it."""
    chats = [frame(TEXT, json.dumps({"kind": "chat", "payload": {"text": str(nth)}}).encode()) for nth in range(50)]
    refused = frame(TEXT, b'{"type":"join","space":"demo","token":"wrong"}')
    for segments in ([refused, *chats, ANSWER], [b"".join([refused, *chats, ANSWER])]):
        async with called(site.url) as caller:
            await caller.send(stranger())
            await caller.head()
            await caller.send(*segments)
            assert await code_of(caller) == closing(4501)
            assert await caller.rest() == b""
    assert sum(looks) == 2 * 51


async def test_input_with_a_join_frame_is_processed_after_joining(site: Any, looks: list[int]) -> None:
    join = json.dumps({"type": "join", "space": "demo", "token": site.token("human")}).encode()
    async with called(site.url) as caller:
        await caller.send(stranger() + frame(TEXT, join) + frame(TEXT) * 999 + frame(PING, b"?"))
        await caller.head()
        assert (await caller.answers(until=b"?"))[-1].data == b"?"
    assert looks[:2] == [1, 999]
    assert site.gateway.counters.refused == {"invalid_json": 400, "rate_limited": 599}
