"""`GET /spaces/{space}/events`: what a web page hears, and from where it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from mew_gateway.gateway.http.event_stream import EventEncoder, EventStream, _events
from tests.kit.gateway import TIMEOUT, Site


class Page:
    """One connection of a web page, over plain HTTP/1.1."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def head(self) -> str:
        async with asyncio.timeout(TIMEOUT):
            return (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()

    async def event(self) -> dict[str, str]:
        """The next event; chunk sizes stand on lines of their own."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(TIMEOUT):
            while line := await self._reader.readline():
                name, colon, value = line.decode().strip().partition(": ")
                if colon:
                    fields[name] = value
                elif not name and "data" in fields:
                    return fields
        raise EOFError

    async def envelope(self, kind: str) -> tuple[dict[str, Any], str | None]:
        """The next envelope of a kind, and the id of its event."""
        while True:
            event = await self.event()
            envelope = json.loads(event["data"])
            if "event" not in event and envelope["kind"] == kind:
                return envelope, event.get("id")


@contextlib.asynccontextmanager
async def listening(site: Site, name: str, *headers: str) -> AsyncIterator[Page]:
    host, _, port = site.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = (
        f"GET /spaces/{site.space}/events HTTP/1.1",
        f"Host: {host}",
        f"Authorization: Bearer {site.token(name)}",
        *headers,
    )
    writer.write("\r\n".join((*lines, "", "")).encode())
    try:
        yield Page(reader)
    finally:
        writer.close()


async def test_an_event_stream_receives_and_resumes_as_a_session(site: Site) -> None:
    human = await site.join("human")
    async with listening(site, "agent") as page:
        head = await page.head()
        assert head.startswith("http/1.1 200") and "content-type: text/event-stream" in head
        welcome, _ = await page.envelope("system/welcome")
        assert welcome["payload"]["you"]["id"] == "agent"
        joined = await human.until("system/presence", event="join")
        assert joined["payload"]["participant"]["id"] == "agent"
        await human.send("chat", {"text": "one\n\ndata: two"}, id="c1")
        chat, last = await page.envelope("chat")
        assert (chat["payload"]["text"], last) == ("one\n\ndata: two", "c1")
    await human.until("system/presence", event="leave")
    await human.send("chat", {"text": "three"}, id="c2")
    await human.until("chat", text="three")
    async with listening(site, "agent", "Last-Event-ID: c1") as page:
        welcome, _ = await page.envelope("system/welcome")
        assert welcome["payload"]["resume"]["count"] == 2  # it left, and somebody said something
        assert (await page.envelope("chat"))[0]["id"] == "c2"


async def test_an_event_stream_sees_no_more_than_a_session(site: Site) -> None:
    async with listening(site, "second", "Last-Event-ID: unknown") as page:
        refused, id = await page.envelope("system/error")
        assert refused["payload"]["error"] == "history_unavailable"
        assert id is None or id.startswith("gw-")
        (stream,) = site.gateway._streams
        stream.close(4503, "kicked")
        while (event := await page.event()).get("event") != "close":
            pass
        assert json.loads(event["data"]) == {"code": 4503, "reason": "kicked"}
    status, _ = await site.get(f"/spaces/{site.space}/events", token="nobodys")
    assert status == 401
    assert not site.gateway._streams


async def test_event_streams_count_as_connections(site: Site) -> None:
    peers = [await site.join("human") for _ in range(site.gateway.accept_context.limits.connections_per_participant)]
    status, answer = await site.get(f"/spaces/{site.space}/events", participant="human")
    assert (status, answer["error"]) == (429, "rate_limited")
    assert peers


def test_events_for_many_streams_are_encoded_once() -> None:
    encoder, streams = EventEncoder(), []
    for _ in range(3):
        streams.append(EventStream(most=1_000_000, left=lambda: None, encoder=encoder))
    data = b'\x81\x27{"id":"a","from":"human","kind":"chat"}'
    data = bytes((0x81, len(data) - 2)) + data[2:]
    for stream in streams:
        stream.write(data)
    assert len({id(event) for stream in streams for event in stream._waiting}) == 1
    streams[0].write(bytes(data))
    streams[0].write(data.replace(b'"a"', b'"b"'))
    assert [event.split(b"\n")[0] for event in streams[0]._waiting] == [b"id: a", b"id: a", b"id: b"]


async def test_large_events_are_sent_in_turns() -> None:
    stream = EventStream(most=10_000_000, left=lambda: None, encoder=EventEncoder())
    turns = 0

    async def turn() -> None:
        nonlocal turns
        turns += 1

    message = json.dumps({"id": "a", "from": "human", "kind": "chat", "text": "x" * 200_000}).encode()
    stream.write(b"\x81\x7f" + len(message).to_bytes(8, "big") + message)
    stream.close(1000, "done")
    pieces = [piece async for piece in _events(stream, 1, turn)]
    assert turns == len(pieces) == 4
    assert b"".join(pieces).count(message) == 1
