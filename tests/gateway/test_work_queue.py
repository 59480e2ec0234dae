"""Work in pieces: parties in turns, each with its share, and HTTP that is parsed so."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import pytest

from mew_gateway.gateway.websocket import http_timeouts as head
from mew_gateway.gateway.websocket import work_queue as pump
from mew_gateway.gateway.websocket.http_timeouts import TimedHttpProtocol
from mew_gateway.gateway.websocket.work_queue import SHARE, WorkQueue

CHUNK = b"1\r\nx\r\n"


class Bench:
    """A pump whose clock goes on by a millisecond with each piece of work."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.told = ""
        self.work_queue = WorkQueue(loop=asyncio.get_running_loop(), clock=lambda: self.seconds)

    def work(self, name: str, pieces: int) -> None:
        def step() -> bool:
            nonlocal pieces
            pieces -= 1
            self.told += name
            self.seconds += 0.001
            return pieces > 0

        self.work_queue.put(name, step)


async def passes(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_piece_a_pass_and_parties_in_turns() -> None:
    bench = Bench()
    for name, pieces in (("a", 2), ("a", 2), ("b", 3), ("c", 1)):
        bench.work(name, pieces)
    for done in ("a", "ab", "abc"):
        await passes(1)
        assert bench.told == done, "one piece a pass"
    await passes(6)
    assert bench.told == "abcababa"


async def test_only_the_party_without_share_waits() -> None:
    bench = Bench()
    bench.work("a", 1_000)
    while bench.work_queue._timer is None:
        await passes(1)
    assert len(bench.told) == 1000 * pump._AT_ONCE / (1 / SHARE - 1), "as much as may be done at once"
    before = bench.told
    bench.work("b", 1)
    await passes(3)
    assert bench.told.startswith(before + "b")


async def test_a_failing_step_does_not_stop_others(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.work_queue.put("a", lambda: bool(1 / 0))
    bench.work("b", 1)
    await passes(3)
    assert bench.told == "b"
    assert "a step failed" in caplog.text


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events each step of an HTTP connection gave."""
    counts: list[int] = []
    parse, events = TimedHttpProtocol._parse, head._BoundedHeads.next_event

    def parsing(self: TimedHttpProtocol) -> bool:
        counts.append(0)
        return parse(self)

    def counted(self: Any) -> Any:
        event = events(self)
        if counts and isinstance(event, h11.Event):
            counts[-1] += 1
        return event

    monkeypatch.setattr(TimedHttpProtocol, "_parse", parsing)
    monkeypatch.setattr(head._BoundedHeads, "next_event", counted)
    return counts


async def _told(site: Any, sent: bytes) -> bytes:
    port = int(site.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(60):
        answer = await reader.readuntil(b"\r\n")
    writer.close()
    return answer


def _posted(site: Any) -> bytes:
    head = b"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    return head + b"Content-Type: application/json\r\nAuthorization: Bearer %s\r\n\r\n" % site.token("human").encode()


async def test_many_small_chunks_are_parsed_a_few_at_a_time(site: Any, steps: list[int]) -> None:
    text = b'{"kind":"chat","payload":{"text":"' + b"x" * 10_000 + b'"}}'
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in text) + b"0\r\n\r\n"
    assert await _told(site, _posted(site) + chunks) == b"HTTP/1.1 200 OK\r\n"
    assert len(steps) > 2 * len(text) / head._LINES
    assert max(steps) <= head._LINES


async def test_requests_that_came_at_once_are_begun_one_a_step(site: Any, steps: list[int]) -> None:
    port = int(site.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /ready HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
    async with asyncio.timeout(60):
        for _ in range(50):
            assert b" 200 OK" in await reader.readuntil(b"\r\n\r\n")
            await reader.readuntil(b"}")
    writer.close()
    assert max(steps) <= 3, "a request and its end"


@pytest.mark.parametrize("lines", [head.MOST_LINES - 2, head.MOST_LINES + head._LINES])
async def test_a_head_without_end_has_so_many_lines(site: Any, lines: int) -> None:
    said = b"GET /ready HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * (lines - 2)
    is_short = lines < head.MOST_LINES
    answer = await _told(site, said + (b"\r\n" if is_short else b""))
    assert answer.startswith(b"HTTP/1.1 200" if is_short else b"HTTP/1.1 400")


@pytest.mark.parametrize(("lines", "status"), [(100, b"200"), (1_000, b"400")])
async def test_lines_after_the_last_chunk_are_bounded_too(site: Any, lines: int, status: bytes) -> None:
    text = b'{"kind":"chat","payload":{"text":"x"}}'
    body = b"%x\r\n%b\r\n0\r\n%b\r\n" % (len(text), text, b"a:\r\n" * lines)
    assert (await _told(site, _posted(site) + body)).startswith(b"HTTP/1.1 " + status)


async def test_no_share_counts_while_it_catches_up_with_a_stall() -> None:
    bench = Bench()
    bench.work("a", 200)
    await passes(100)
    assert len(bench.told) < 100, "its share is used up"
    bench.work_queue.hurry(1.0)
    await passes(200)
    assert len(bench.told) == 200
    assert bench.work_queue.is_idle()
