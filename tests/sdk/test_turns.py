"""Whose turn it is to send: what is decided at the last moment, what keeps a pace, and what waits for neither."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from mew_gateway.backoff import Backoff
from mew_gateway.sdk._transport.link import Disconnected, Link
from mew_gateway.sdk._transport.outgoing import Undelivered
from mew_gateway.sdk._transport.throttle import Throttle
from mew_gateway.sdk.client import Client

WELCOME = json.dumps(
    {
        "protocol": "mew/v0.4",
        "id": "gw-1",
        "ts": "2026",
        "from": "system:gateway",
        "kind": "system/welcome",
        "payload": {"you": {"id": "me", "capabilities": []}, "participants": []},
    }
)


class Line:
    """A link that keeps what is handed to it, at the call; it breaks when a test says so."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.broken = asyncio.Event()
        self.loses = False  # everything, and says so, though nobody has noticed yet
        self.held: asyncio.Event | None = None  # what is sent is written when this is set
        self._greeting = [WELCOME]

    def send(self, *frames: bytes, text: bool) -> Awaitable[None]:
        assert text
        if not self.loses:
            self.sent.extend(frames)
        return self._written()

    async def _written(self) -> None:
        if self.held is not None:
            await self.held.wait()
        if self.loses or self.broken.is_set():
            self.broken.set()
            raise Disconnected("The line has broken.")

    async def receive(self) -> str | bytes:
        if self._greeting:
            return self._greeting.pop()
        await self.broken.wait()
        raise Disconnected("The line has broken.")

    async def close(self) -> None:
        self.broken.set()

    def abort(self) -> None:
        self.broken.set()

    @property
    def texts(self) -> list[str]:
        """What was said in them, or their kind."""
        envelopes = [json.loads(frame) for frame in self.sent]
        return [one["payload"].get("text", one["kind"]) for one in envelopes]


class Lines:
    """Opens one line after the other; `ready` says whether there is one to open."""

    def __init__(self, *lines: Line) -> None:
        self._lines = list(lines)
        self.ready = asyncio.Event()
        self.ready.set()

    async def open(self, url: str, *, space: str, token: str, after: str | None) -> Link:
        await self.ready.wait()
        return self._lines.pop(0)


class Sleeper:
    """Records how long it was slept, in milliseconds; whoever sleeps does so until `awake` is set."""

    def __init__(self) -> None:
        self.waits: list[int] = []
        self.awake = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.waits.append(round(seconds * 1000))
        await self.awake.wait()


@asynccontextmanager
async def joined(lines: Lines, **options: Any) -> AsyncIterator[Client]:
    options.setdefault("backoff", Backoff(first=1, cap=1, draw=lambda: 0.0))
    options.setdefault("clock", lambda: 0)
    async with Client("ws://lines.test", space="demo", token="t", open=lines.open, **options) as client:
        yield client


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def said(client: Client, *texts: str) -> list[bytes]:
    return [client.encode("chat", {"text": text})[1] for text in texts]


async def test_the_bytes_of_an_envelope_are_those_that_would_be_sent() -> None:
    line = Line()
    async with joined(Lines(line), wall=lambda: 0) as client:
        id, data = client.encode("chat", {"text": "hi"}, to="you", correlation_id=["c"], context="r", at=1)
        assert await client.send("chat", {"text": "hi"}, to="you", correlation_id=["c"], context="r", id=id, at=1) == id
        assert line.sent == [data]
        with pytest.raises(ValueError, match="bytes"):
            client.encode("chat", {"text": "x" * 1_100_000})


async def test_what_is_decided_goes_to_the_link_at_once_and_under_the_lock() -> None:
    lock = threading.Lock()
    seen: list[tuple[bool, int]] = []

    class Watching(Line):
        def send(self, *frames: bytes, text: bool) -> Awaitable[None]:
            seen.append((lock.locked(), len(frames)))
            return super().send(*frames, text=text)

    line = Watching()
    async with joined(Lines(line)) as client:

        def decide() -> Sequence[bytes]:
            seen.append((lock.locked(), 0))
            return said(client, "one", "two")

        await client.in_turn(decide, under=lock)
        assert line.texts == ["one", "two"]
        await client.in_turn(lambda: said(client, "three"))
        assert line.texts == ["one", "two", "three"]
    assert seen == [(True, 0), (True, 2), (False, 1)]


async def test_nothing_may_be_decided_and_then_nothing_is_paid_for() -> None:
    sleeper = Sleeper()
    line = Line()
    async with joined(Lines(line), sleep=sleeper, throttle=Throttle(now=0, rate=100, burst=1)) as client:
        for _ in range(3):
            await client.in_turn(list)
        await client.send("chat", {"text": "free"})
        sleeper.awake.set()
    assert (line.texts, sleeper.waits) == (["free"], [])


async def test_what_deciding_raises_comes_out_and_nothing_is_sent() -> None:
    line = Line()

    def decide() -> Sequence[bytes]:
        raise KeyError("no such run")

    async with joined(Lines(line)) as client:
        with pytest.raises(KeyError, match="no such run"):
            await client.in_turn(decide)
        await client.send("chat", {"text": "on"})
    assert line.texts == ["on"]


async def test_it_is_decided_only_when_the_pace_allows_it() -> None:
    sleeper, line = Sleeper(), Line()
    decided: list[str] = []
    async with joined(Lines(line), sleep=sleeper, throttle=Throttle(now=0, rate=100, burst=3)) as client:

        def decide(text: str, *more: str) -> list[bytes]:
            decided.append(text)
            return said(client, text, *more)

        await client.in_turn(lambda: decide("a", "b", "c", "d"))  # one more than the burst
        waiting = [asyncio.create_task(client.in_turn(lambda: decide("e"))), asyncio.create_task(_say(client, "f"))]
        await settle()
        assert (decided, sleeper.waits) == (["a"], [20])
        sleeper.awake.set()
        await asyncio.gather(*waiting)
        assert line.texts == list("abcdef")
        assert sleeper.waits == [20, 30]


async def _say(client: Client, text: str) -> None:
    await client.send("chat", {"text": text})


async def test_turns_are_fair() -> None:
    first, second = Line(), Line()
    lines = Lines(first, second)
    async with joined(lines) as client:
        lines.ready.clear()
        first.abort()
        await settle()
        work: list[asyncio.Task[None]] = []
        for n in "0123":
            work.append(asyncio.create_task(_say(client, n)))
            work.append(asyncio.create_task(client.in_turn(partial(said, client, f"{n}, decided"))))
        await settle()
        assert second.texts == []
        lines.ready.set()
        await asyncio.gather(*work)
    assert second.texts == ["0", "0, decided", "1", "1, decided", "2", "2, decided", "3", "3, decided"]


async def test_without_a_connection_it_is_not_decided() -> None:
    lines = Lines(first := Line())
    async with joined(lines, patience=20) as client:
        lines.ready.clear()
        first.abort()
        await settle()
        decided: list[str] = []
        with pytest.raises(Disconnected, match="was not sent") as caught:
            await client.in_turn(lambda: decided.append("decided") or [])  # type: ignore[func-returns-value]
        assert not isinstance(caught.value, Undelivered)
        assert decided == []


async def test_a_connection_that_breaks_underneath_gets_the_same_bytes_again_on_the_next() -> None:
    first, second = Line(), Line()
    decided: list[bytes] = []
    async with joined(Lines(first, second)) as client:
        first.loses = True

        def decide() -> list[bytes]:
            decided.extend(said(client, "one", "two"))
            return decided

        await client.in_turn(decide)
        assert second.sent == decided
        assert len(decided) == 2


async def test_what_was_decided_and_found_no_connection_again_says_so() -> None:
    first = Line()
    lines = Lines(first)
    async with joined(lines, patience=20) as client:
        first.loses = True
        lines.ready.clear()
        with pytest.raises(Undelivered, match="may not have been sent"):
            await client.in_turn(lambda: said(client, "one"))


@pytest.mark.parametrize("kind", ["reasoning/interrupt-ack", "reasoning/conclusion"])
async def test_what_is_urgent_does_not_wait_for_anothers_pace(kind: str) -> None:
    sleeper, line = Sleeper(), Line()
    async with joined(Lines(line), sleep=sleeper, throttle=Throttle(now=0, rate=100, burst=1)) as client:
        await client.send("chat", {"text": "a"})
        waiting = [
            asyncio.create_task(_say(client, "b")),
            asyncio.create_task(client.in_turn(lambda: said(client, "c"))),
            asyncio.create_task(client.send_frame("s", "d")),
            asyncio.create_task(_say(client, "e")),
        ]
        await settle()
        assert line.texts == ["a"]
        await client.send(kind, {})
        assert line.texts == ["a", kind]
        sleeper.awake.set()
        await asyncio.gather(*waiting)
        line.sent.remove(b"#s#d")
        assert line.texts == ["a", kind, "b", "c", "e"]


async def test_what_is_urgent_keeps_its_place_behind_what_is_being_written() -> None:
    """A thought that the next connection gets again does not come behind the conclusion of its run."""
    first, second = Line(), Line()
    async with joined(Lines(first, second)) as client:
        first.held = asyncio.Event()
        thought = asyncio.create_task(_say(client, "a thought"))
        await settle()
        first.abort()
        await settle()  # there is another connection, but the thought does not know yet
        urgent = [
            asyncio.create_task(client.send("reasoning/interrupt-ack", {})),
            asyncio.create_task(client.send("reasoning/conclusion", {})),
        ]
        await settle()
        assert second.texts == []
        first.held.set()
        await asyncio.gather(thought, *urgent)
    assert second.texts == ["a thought", "reasoning/interrupt-ack", "reasoning/conclusion"]
