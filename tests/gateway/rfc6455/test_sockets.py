"""The same rules over real sockets: what each gives, that the gateway lives on, and that nobody else notices."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import pytest

from ...kit.frames import CLOSE, PING, PONG, TEXT, closing, frame
from ...kit.gateway import Peer, Site
from ...kit.raw_connections import Caller, called, request
from .cases import CASES, Case

pytestmark = pytest.mark.asyncio(loop_scope="module")

_MARK = b"are you there?"


def said(case: Case) -> Iterator[str]:
    """The chats that a row says."""
    for data, _ in case.messages:
        if data.startswith(b'{"kind"'):
            yield json.loads(data)["payload"]["text"]


async def upgraded(place: Site) -> AsyncIterator[Caller]:
    async with called(place.url) as caller:
        await caller.send(request(place.token("hostile")))
        assert (await caller.head()).startswith("HTTP/1.1 101 ")
        assert b'"system/welcome"' in (await caller.frame()).data
        yield caller


async def play(caller: Caller, case: Case, segments: list[bytes]) -> None:
    """Send a row, and compare what comes back; whoever was not hung up on is answered still."""
    await caller.send(*segments, frame(PING, _MARK))
    *before, last = await caller.answers(until=_MARK)
    assert before == [(0x80 | PONG, data) for data in case.pongs]
    if case.end is None:
        assert last == (0x80 | PONG, _MARK)
    elif isinstance(case.end, bytes):
        assert last == (0x80 | CLOSE, case.end)
    else:
        assert (last.first, last.data[:2]) == (0x80 | CLOSE, closing(case.end))
    if case.end is not None:
        assert await caller.rest() == b""  # §7.1.1: it is for the server to hang up


async def heard(place: Site, bystander: Peer) -> list[str]:
    """The chats of `hostile` that reached the bystander, whose own traffic goes on."""
    async with asyncio.timeout(30):
        while len(place.gateway.broker.links) > 1:  # the connection of this test
            await asyncio.sleep(0)
    start = len(bystander.seen)
    await bystander.send("chat", {"text": "I am still here"})
    await bystander.until("chat", text="I am still here")
    new = bystander.seen[start:-1]
    return [one["payload"]["text"] for one in new if one["kind"] == "chat"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_rule_holds_and_others_are_not_affected(place: Site, bystander: Peer, case: Case) -> None:
    async for caller in upgraded(place):
        await play(caller, case, [case.sent])
    assert await heard(place, bystander) == list(said(case))
    if len(case.sent) < 100:
        async for caller in upgraded(place):
            await play(caller, case, [bytes([byte]) for byte in case.sent])
        assert await heard(place, bystander) == list(said(case))


async def test_a_frame_may_come_with_the_request(place: Site, bystander: Peer) -> None:
    for case in (one for one in CASES if len(one.sent) < 100):
        async with called(place.url) as caller:
            await caller.send(request(place.token("hostile")) + case.sent)
            assert (await caller.head()).startswith("HTTP/1.1 101 ")
            await play(caller, case, [])
        assert await heard(place, bystander) == list(said(case)), case.name


async def test_a_connection_that_breaks_off_in_a_frame_leaves_nothing(place: Site, bystander: Peer) -> None:
    whole = frame(TEXT, b'{"kind": "chat", "payload": {"text": "never whole"}}')
    for at in range(1, len(whole), 5):
        async for caller in upgraded(place):
            await caller.send(whole[:at])
    assert await heard(place, bystander) == []
