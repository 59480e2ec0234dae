"""Listings over HTTP: a row or a few of each are encoded when those before are taken, and no more is held."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from mew_gateway.gateway.http import rows_response
from mew_gateway.gateway.http.fair_queue import READS, FairQueue
from mew_gateway.gateway.http.listings import Listing
from mew_gateway.gateway.http.rows_response import RowEncoder

from ..kit.gateway import TIMEOUT, Peer, Site, Start
from ..kit.slow_readers import asking, hold, rest_of, until_asked

_LIST = "GET /spaces/demo/proposals HTTP/1.1\r\n"
_BIG = 1_000_000  # bytes of a proposal: four fit into what one participant may keep open
_SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "**"}]}
      agent: {capabilities: [{kind: "mcp/*"}]}
      other: {capabilities: [{kind: chat}]}
      second: {capabilities: [{kind: chat}]}
"""


@pytest.fixture
async def site(start_gateway: Start) -> AsyncIterator[Site]:
    async with start_gateway(_SPACES) as running:
        yield running


class _Row(msgspec.Struct):
    text: str


async def _propose(agent: Peer, many: int, size: int, *, since: int = 0) -> None:
    for nth in range(since, since + many):
        await agent.send("mcp/proposal", {"method": "m", "params": {"text": "x" * size}}, id=f"proposal {nth}")
        await agent.until("mcp/proposal")


async def _quiet() -> None:
    """Let the gateway do what it can do without its readers."""
    for _ in range(2_000):
        await asyncio.sleep(0)


def _encoded(lists: rows_response.Lists) -> list[bytes]:
    """What is encoded in each turn, if all is taken before the next."""
    encoder, pieces = RowEncoder(lists), []
    while not encoder.is_whole:
        encoder.encode()
        pieces.append(bytes(encoder.buffer))
        encoder.buffer.clear()
    return pieces


def test_lists_are_encoded_as_a_whole_would_be() -> None:
    for many in (0, 1, 2, 120):
        lists = {"ones": [_Row(f"{nth}") for nth in range(many)], "others": [], "more": [_Row("é")]}
        assert b"".join(_encoded(lists)) == msgspec.json.encode(lists)


def test_a_turn_encodes_so_many_rows_or_bytes() -> None:
    assert [piece.count(b"{") for piece in _encoded({"a": [_Row("x")] * 120})] == [
        1 + rows_response.ROWS,
        rows_response.ROWS,
        20,
    ]
    large = _encoded({"a": [_Row("x" * 40_000)] * 5})
    assert [piece.count(b"text") for piece in large] == [2, 2, 1]
    assert [piece.count(b"text") for piece in _encoded({"a": [_Row("x" * _BIG)] * 2})] == [1, 1, 0]


def test_rows_are_made_when_they_are_encoded() -> None:
    made: list[int] = []
    encoder = RowEncoder({"a": (made.append(nth) or _Row("x" * rows_response.PIECE) for nth in range(9))})  # type: ignore[func-returns-value]
    encoder.encode()
    assert made == [0]
    encoder.encode()
    assert made == [0], "nothing was taken"
    while encoder.buffer:
        encoder.take()
    encoder.encode()
    assert made == [0, 1]


async def test_readers_that_take_nothing_hold_few_rows(site: Site) -> None:
    await _propose(await site.join("agent"), 4, _BIG)
    gc.disable()  # nothing waits for the collector
    tracemalloc.start()
    try:
        async with AsyncExitStack() as held:
            await hold(held, site, _LIST, 30)
            await _quiet()
            assert tracemalloc.get_traced_memory()[0] < READS * 1.5 * _BIG + 2_000_000
            assert site.gateway.queue.held.total <= READS * _BIG
        await until_asked(site, 0)
        assert not site.gateway.queue.held.total
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


async def test_a_slow_reader_gets_every_row(site: Site) -> None:
    await _propose(await site.join("agent"), 4, _BIG)
    async with asking(site, _LIST.replace("1.1\r\n", "1.1\r\nConnection: close\r\n")) as (reader, _):
        await _quiet()
        head, _, body = (await rest_of(reader)).partition(b"\r\n\r\n")
    assert b"transfer-encoding: chunked" in head.lower()
    assert b"content-type: application/json" in head.lower()
    data = bytearray()
    while (size := int(body[: body.index(b"\r\n")], 16)) > 0:
        start = body.index(b"\r\n") + 2
        data += body[start : start + size]
        body = body[start + size + 2 :]
    listed = json.loads(data)["proposals"]
    assert [len(one["params"]["text"]) for one in listed] == [_BIG] * 4


async def test_only_a_small_listing_has_a_length(site: Site) -> None:
    async with asyncio.timeout(TIMEOUT):
        await _propose(await site.join("agent"), 3, 100_000)
        for path in ("participants", "proposals"):
            head = f"HEAD /spaces/demo/{path} HTTP/1.1\r\nConnection: close\r\n"
            async with asking(site, head) as (reader, _):
                answer = await rest_of(reader)
                assert answer.startswith(b"HTTP/1.1 200")
                assert answer.endswith(b"\r\n\r\n")
                assert (b"content-length: " in answer) == (path == "participants")


async def test_envelopes_go_between_two_pieces_of_a_listing(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each turn is one pass of the loop, after which sockets are read: a row of some size has a turn to itself."""
    order: list[str] = []
    turn = FairQueue._turn

    async def noted(self: FairQueue, line: Any) -> None:
        if line is not self._strangers and order[-1:] != ["piece"]:
            order.append("piece")
        await turn(self, line)

    human, agent = await site.join("human"), await site.join("agent", max_queue=None)
    await _propose(agent, 20, rows_response.PIECE)
    monkeypatch.setattr(FairQueue, "_turn", noted)
    listing = [
        asyncio.create_task(site.get("/spaces/demo/proposals", participant=who)) for who in ("other", "second") * 4
    ]
    while not all(one.done() for one in listing):
        await human.send("chat", {"text": "meanwhile"})
        await human.until("chat")
        order.append("envelope")
    for one in listing:
        status, told = await one
        assert (status, len(told["proposals"])) == (200, 20)
    assert order.count("piece") > 20, "the pieces are many, and an envelope goes after each few"


async def test_a_listing_takes_a_turn_for_each_large_row(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0
    turn = FairQueue._turn

    async def counted(self: FairQueue, line: Any) -> None:
        nonlocal taken
        taken += 1
        await turn(self, line)

    await _propose(await site.join("agent"), 10, rows_response.PIECE)
    monkeypatch.setattr(FairQueue, "_turn", counted)
    assert (await site.get("/spaces/demo/proposals", participant="human"))[0] == 200
    assert taken >= 10


async def test_what_is_gone_meanwhile_is_left_out(site: Site) -> None:
    agent = await site.join("agent")
    await _propose(agent, 3, 10)
    machine = site.gateway.broker.engine["demo"].machine

    async def turn() -> None:
        raise AssertionError

    listing = Listing(machine, "human", now=site.clock.now(), limit=1_000, turn=turn)
    among = iter((await listing.proposals(only_open=True))["proposals"])
    every = iter((await listing.proposals(only_open=False))["proposals"])
    assert [next(among).id, next(every).id] == ["proposal 0"] * 2  # type: ignore[attr-defined]
    await agent.send("mcp/withdraw", correlation_id=["proposal 1"])
    await agent.until("mcp/withdraw")
    assert [one.id for one in among] == ["proposal 2"]  # type: ignore[attr-defined]
    assert [(one.id, one.status) for one in every] == [  # type: ignore[attr-defined]
        ("proposal 1", "withdrawn"),
        ("proposal 2", "open"),
    ]


async def test_a_listing_ends_when_its_reader_is_removed(site: Site) -> None:
    await _propose(await site.join("agent"), 4, _BIG)
    async with AsyncExitStack() as held:
        ((reader, _),) = await hold(held, site, _LIST, 1, "second")
        await _quiet()
        kick = {"kind": "space/kick", "payload": {"participant_id": "second"}}
        assert (await site.post("human", kick))[0] == 200
        assert len(await rest_of(reader)) < _BIG
    await until_asked(site, 0, "second")


async def test_nothing_more_is_encoded_for_who_has_gone(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    await _propose(await site.join("agent"), 4, _BIG)
    encoded = 0
    encode = RowEncoder.encode

    def counted(self: RowEncoder) -> None:
        nonlocal encoded
        encoded += 1
        encode(self)

    monkeypatch.setattr(RowEncoder, "encode", counted)
    async with asking(site, _LIST) as (_, writer):
        await until_asked(site, 1)
        await _quiet()
        before = encoded
        writer.transport.abort()
        await until_asked(site, 0)
    assert encoded == before
