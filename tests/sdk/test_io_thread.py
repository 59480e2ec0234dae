"""The wire in a thread of its own: against real servers in threads, while the loop of the test stands still."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from mew_gateway.backoff import Backoff
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk import Client, Disconnected, Reconnected, Stopped
from mew_gateway.sdk._transport.io_thread.io_thread import IoThread
from mew_gateway.sdk._transport.link import Link

from ..kit.gateway import TIMEOUT

THREAD = "mew-wire"
Script = Callable[[ServerConnection], None]


@contextlib.contextmanager
def serving(script: Script) -> Iterator[str]:
    """A server whose every connection plays the script in a thread of its own; what it raised is raised at the end."""
    failures: list[BaseException] = []

    def play(connection: ServerConnection) -> None:
        try:
            script(connection)
        except ConnectionClosed:
            pass
        except BaseException as error:
            failures.append(error)

    with serve(play, "127.0.0.1", 0, max_size=None, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join(TIMEOUT)
    assert not failures, failures


async def connect(io_thread: IoThread, url: str = "ws://nowhere") -> Link:
    return await io_thread.open(url, space="demo", token="t", after=None)


def ignore(_: str | bytes) -> None:
    pass


def wires() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


async def round_trip(io_thread: IoThread, times: int = 3) -> None:
    """Let the thread do all that it can do now."""
    for _ in range(times):
        done = threading.Event()
        io_thread.call_later(0, done.set)
        assert done.wait(TIMEOUT)
        await asyncio.sleep(0)


class FakeWire:
    """A `Link` in the thread, whose every step a test decides."""

    def __init__(self, *, endless: str | bytes | None = None) -> None:
        self.endless = endless  # what is to be read, again and again
        self.read = 0
        self.sent: list[bytes] = []
        self.aborted = threading.Event()
        self.writable = asyncio.Event()
        self.writable.set()
        self._ended = asyncio.Event()

    async def send(self, *frames: bytes, text: bool) -> None:
        for frame in frames:
            await self.writable.wait()
            if self._ended.is_set():
                raise Disconnected("The fake has ended.")
            self.sent.append(frame)

    async def receive(self) -> str | bytes:
        if self.endless is None or self._ended.is_set():
            await self._ended.wait()
            raise Disconnected("The fake has ended.")
        self.read += 1
        return self.endless

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        self._ended.set()
        self.aborted.set()

    async def open(self, url: str, *, space: str, token: str, after: str | None) -> Link:
        return self


@pytest.fixture(autouse=True)
async def no_thread_is_left() -> AsyncIterator[None]:
    yield
    for thread in wires():
        thread.join(TIMEOUT)
    assert not wires()


# While the loop stands still.


async def test_what_attend_posts_leaves_while_the_agents_loop_stands_still() -> None:
    heard = threading.Event()

    def script(connection: ServerConnection) -> None:
        assert connection.recv(TIMEOUT) == "go"
        connection.send("interrupt")
        assert connection.recv(TIMEOUT) == "ack of interrupt"
        heard.set()
        connection.recv(TIMEOUT)

    def attend(frame: str | bytes) -> None:
        assert isinstance(frame, str)
        io_thread.post(f"ack of {frame}".encode())

    with serving(script) as url:
        async with IoThread(attend=attend) as io_thread:
            link = await connect(io_thread, url)
            await link.send(b"go", text=True)
            assert heard.wait(TIMEOUT)
            assert await link.receive() == "interrupt"  # and the agent gets it all the same


async def test_pings_are_answered_while_the_agents_loop_stands_still() -> None:
    answered = threading.Event()

    def script(connection: ServerConnection) -> None:
        connection.recv(TIMEOUT)
        assert connection.ping().wait(TIMEOUT)
        answered.set()
        connection.recv(TIMEOUT)

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            link = await connect(io_thread, url)
            await link.send(b"go", text=True)
            assert answered.wait(TIMEOUT)


async def test_timers_fire_while_the_agents_loop_stands_still_and_cancelled_ones_do_not() -> None:
    fired = threading.Event()
    wrong: list[str] = []
    where: list[str] = []

    def fire() -> None:
        where.append(threading.current_thread().name)
        fired.set()

    async with IoThread(attend=ignore) as io_thread:
        cancelled = io_thread.call_later(1, lambda: wrong.append("cancelled"))
        io_thread.call_later(2, fire)
        cancelled.cancel()
        cancelled.cancel()
        assert fired.wait(TIMEOUT)
    assert (where, wrong) == ([THREAD], [])


async def test_a_timer_can_be_cancelled_in_the_thread_by_an_earlier_one() -> None:
    fired = threading.Event()
    wrong: list[str] = []
    async with IoThread(attend=ignore) as io_thread:
        late = io_thread.call_later(20, lambda: wrong.append("late"))
        io_thread.call_later(0, late.cancel)
        io_thread.call_later(30, fired.set)
        assert fired.wait(TIMEOUT)
    late.cancel()
    assert wrong == []


async def test_a_timer_that_is_due_can_still_be_cancelled() -> None:
    holding, release, deciding, decided = (threading.Event() for _ in range(4))
    wrong: list[str] = []

    def hold() -> None:
        holding.set()
        assert release.wait(TIMEOUT)

    def wait() -> None:
        deciding.set()
        assert decided.wait(TIMEOUT)

    async with IoThread(attend=ignore) as io_thread:
        io_thread.call_later(0, hold)
        assert holding.wait(TIMEOUT)
        io_thread.call_later(0, wait)
        due = io_thread.call_later(0, lambda: wrong.append("due"))
        release.set()
        assert deciding.wait(TIMEOUT)
        due.cancel()
        decided.set()
        await round_trip(io_thread)
    assert wrong == []


async def test_a_timer_that_fails_is_logged_and_hurts_nobody(caplog: pytest.LogCaptureFixture) -> None:
    fired = threading.Event()
    async with IoThread(attend=ignore) as io_thread:
        io_thread.call_later(0, lambda: 1 / 0)  # type: ignore[arg-type]
        io_thread.call_later(1, fired.set)
        assert fired.wait(TIMEOUT)
    assert "ZeroDivisionError" in caplog.text


async def test_what_was_read_before_the_end_comes_before_it() -> None:
    closed = threading.Event()

    def script(connection: ServerConnection) -> None:
        connection.recv(TIMEOUT)
        for n in range(3):
            connection.send(str(n))
        connection.close(4503, "kicked")
        closed.set()

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            link = await connect(io_thread, url)
            await link.send(b"go", text=True)
            assert closed.wait(TIMEOUT)
            assert [await link.receive() for _ in range(3)] == ["0", "1", "2"]
            for _ in range(2):
                with pytest.raises(Stopped, match="kicked") as caught:
                    await link.receive()
                assert caught.value.code == 4503
            with pytest.raises(Stopped, match="kicked"):
                await link.send(b"too late", text=True)


# Frames.


async def test_send_and_post_keep_the_order_of_the_calls_whichever_thread_they_come_from() -> None:
    heard: list[str | bytes] = []
    all_heard = threading.Event()
    count, lock = 0, threading.Lock()

    def script(connection: ServerConnection) -> None:
        heard.extend(connection.recv(TIMEOUT) for _ in range(1500))
        all_heard.set()
        connection.recv(TIMEOUT)

    def post_some() -> None:
        nonlocal count
        for _ in range(500):
            with lock:
                io_thread.post(b"%d" % count)
                count += 1

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            link = await connect(io_thread, url)
            posting = [threading.Thread(target=post_some) for _ in range(2)]
            for thread in posting:
                thread.start()
            for _ in range(250):
                with lock:
                    sending = link.send(b"%d" % count, b"%d" % (count + 1), text=True)
                    count += 2
                await sending
            for thread in posting:
                await asyncio.to_thread(thread.join, TIMEOUT)
            assert await asyncio.to_thread(all_heard.wait, TIMEOUT)
    assert heard == [str(n) for n in range(1500)]


async def test_frames_come_in_order_each_once_as_text_or_binary() -> None:
    frames: list[str | bytes] = [f"ñ{n}" if n % 3 else b"\x00\xff%d" % n for n in range(3_000)]
    frames += ["", b"", "x" * 300_000]
    attended: list[str | bytes] = []

    def script(connection: ServerConnection) -> None:
        for frame in frames:
            connection.send(frame)
        assert connection.recv(TIMEOUT) == b"\x00binary"
        assert connection.recv(TIMEOUT) == "téxt"
        connection.send("heard")
        connection.recv(TIMEOUT)

    with serving(script) as url:
        async with IoThread(attend=attended.append) as io_thread:
            link = await connect(io_thread, url)
            assert [await link.receive() for _ in frames] == frames
            await link.send(b"\x00binary", text=False)
            await link.send("téxt".encode(), text=True)
            assert await link.receive() == "heard"
    assert attended == [frame for frame in [*frames, "heard"] if isinstance(frame, str)]


async def test_an_attend_that_fails_is_logged_and_the_frame_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    attended: list[str | bytes] = []

    def attend(frame: str | bytes) -> None:
        attended.append(frame)
        raise KeyError("a fault of the agent")

    def script(connection: ServerConnection) -> None:
        connection.send("one")
        connection.send("two")
        connection.recv(TIMEOUT)

    with serving(script) as url:
        async with IoThread(attend=attend) as io_thread:
            link = await connect(io_thread, url)
            assert [await link.receive() for _ in range(2)] == ["one", "two"]
    assert attended == ["one", "two"]
    assert caplog.text.count("a fault of the agent") >= 2


async def test_a_receive_that_is_cancelled_loses_nothing() -> None:
    def script(connection: ServerConnection) -> None:
        assert connection.recv(TIMEOUT) == "go"
        connection.send("one")
        connection.recv(TIMEOUT)

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            link = await connect(io_thread, url)
            receiving = asyncio.ensure_future(link.receive())
            await asyncio.sleep(0)
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)
            await link.send(b"go", text=True)
            assert await link.receive() == "one"


# Bounds.


@pytest.mark.parametrize("bounds", [{"frames": 10}, {"size": 50}])
async def test_when_too_much_waits_for_the_agent_the_socket_is_not_read(bounds: dict[str, int]) -> None:
    wire = FakeWire(endless=b"12345")
    async with IoThread(attend=ignore, open=wire.open, **bounds) as io_thread:
        link = await connect(io_thread)
        await round_trip(io_thread)
        assert wire.read == 10
        for _ in range(4):
            await link.receive()
        await round_trip(io_thread)
        assert wire.read == 10
        await link.receive()  # now half of it is free
        await round_trip(io_thread)
        assert wire.read == 15
        wire.endless = None
        assert [await link.receive() for _ in range(10)] == [b"12345"] * 10


async def test_a_slow_agent_slows_the_server_and_loses_nothing() -> None:
    attended: list[str | bytes] = []
    written = threading.Event()
    frames = [f"{n:04}" + "x" * 100_000 for n in range(400)]

    def script(connection: ServerConnection) -> None:
        for frame in frames:
            connection.send(frame)
        written.set()
        connection.recv(TIMEOUT)

    with serving(script) as url:
        async with IoThread(attend=attended.append, frames=4) as io_thread:
            link = await connect(io_thread, url)
            first = await link.receive()
            await round_trip(io_thread)
            assert len(attended) <= 5
            assert not written.is_set()  # forty megabytes are more than any socket holds
            assert [first, *[await link.receive() for _ in range(399)]] == frames
            assert await asyncio.to_thread(written.wait, TIMEOUT)


# Ends.


async def test_closing_lets_what_is_in_the_line_leave_first() -> None:
    heard: list[str | bytes] = []
    ended = threading.Event()

    def script(connection: ServerConnection) -> None:
        try:
            while True:
                heard.append(connection.recv(TIMEOUT))
        except ConnectionClosed:
            heard.append(f"closed {connection.close_code}")
            ended.set()

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            link = await connect(io_thread, url)
            io_thread.post(b"the conclusion")
            await link.close()
            await link.close()
            with pytest.raises(Disconnected):
                await link.receive()
            with pytest.raises(Disconnected):
                await link.send(b"too late", text=True)
            assert ended.wait(TIMEOUT)
    assert heard == ["the conclusion", "closed 1000"]


async def test_a_closing_that_is_cancelled_ends_the_thread_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    """As when a person's Ctrl-C waits for blocking code: the first thing awaited afterwards is the closing."""
    wire = FakeWire()
    io_thread = IoThread(attend=ignore, open=wire.open)
    link = await connect(io_thread)
    wire.writable.clear()
    writing = link.send(b"never", text=True)
    closing = asyncio.create_task(io_thread.aclose())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert not wires()
    assert wire.aborted.is_set()
    with pytest.raises(Disconnected):
        await writing
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_closing_waits_for_what_is_slow_to_leave() -> None:
    wire = FakeWire()
    async with IoThread(attend=ignore, open=wire.open) as io_thread:
        link = await connect(io_thread)
        wire.writable.clear()
        io_thread.post(b"the conclusion")
        closing = asyncio.create_task(link.close())
        await asyncio.sleep(0)
        await round_trip(io_thread)
        assert not wire.aborted.is_set()
        io_thread.call_later(0, wire.writable.set)
        await closing
    assert wire.sent == [b"the conclusion"]


async def test_what_could_not_leave_says_so_when_it_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mew_gateway.sdk._transport.io_thread.threaded_link._CLOSE_TIMEOUT", 0.01)
    wire = FakeWire()
    async with IoThread(attend=ignore, open=wire.open) as io_thread:
        link = await connect(io_thread)
        await link.send(b"written", text=True)
        wire.writable.clear()
        unwritten = [link.send(b"%d" % n, text=True) for n in range(3)]
        given_up = asyncio.ensure_future(link.send(b"given up", text=True))
        given_up.cancel()
    for writing in unwritten:
        with pytest.raises(Disconnected, match="closed"):
            await writing
    assert wire.sent == [b"written"]
    assert wire.aborted.is_set()
    with pytest.raises(Disconnected):
        await link.receive()
    with pytest.raises(Disconnected):
        await link.send(b"afterwards", text=True)
    await link.close()
    link.abort()
    _ = link.send(b"nobody asks what became of it", text=True)
    del _
    gc.collect()
    assert "never retrieved" not in caplog.text
    assert "InvalidStateError" not in caplog.text


async def test_an_end_in_the_middle_tells_every_sender_what_it_was() -> None:
    wire = FakeWire()
    async with IoThread(attend=ignore, open=wire.open) as io_thread:
        link = await connect(io_thread)
        wire.writable.clear()
        writing = [link.send(b"%d" % n, text=True) for n in range(3)]
        link.abort()
        io_thread.call_later(0, wire.writable.set)
        for one in writing:
            with pytest.raises(Disconnected, match="The fake has ended"):
                await one
        with pytest.raises(Disconnected, match="The fake has ended"):
            await link.receive()


async def test_an_abort_ends_a_link_that_nobody_reads_any_more(caplog: pytest.LogCaptureFixture) -> None:
    wire = FakeWire(endless="again")
    async with IoThread(attend=ignore, open=wire.open, frames=5) as io_thread:
        link = await connect(io_thread)
        await round_trip(io_thread)
        link.abort()
        await round_trip(io_thread)
        io_thread.post(b"to whom?")
        assert "no connection" in caplog.text
        for _ in range(5):
            assert await link.receive() == "again"
        with pytest.raises(Disconnected, match="The fake has ended"):
            await link.receive()


async def test_it_ends_more_than_once_and_opens_no_more(caplog: pytest.LogCaptureFixture) -> None:
    io_thread = IoThread(attend=ignore, open=FakeWire().open)
    await connect(io_thread)
    assert len(wires()) == 1
    await io_thread.aclose()
    await io_thread.aclose()
    assert not wires()
    with pytest.raises(Disconnected):
        await connect(io_thread)
    io_thread.post(b"nobody hears it")
    assert "no connection" in caplog.text
    io_thread.call_later(0, lambda: pytest.fail("called after the end")).cancel()
    unused = IoThread(attend=ignore)
    await unused.aclose()
    with pytest.raises(Disconnected):
        await connect(unused)


async def test_without_a_connection_a_post_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    IoThread(attend=ignore).post(b"nobody hears it")
    assert "a posted frame of 15 bytes was dropped" in caplog.text


def test_a_loop_that_closes_without_a_word_takes_the_thread_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mew_gateway.sdk._transport.io_thread.loop_thread._POLL", 0.01)
    gone = threading.Event()

    def script(connection: ServerConnection) -> None:
        try:
            connection.recv(TIMEOUT)
        finally:
            gone.set()

    with serving(script) as url:
        io_thread = IoThread(attend=ignore)
        asyncio.run(connect(io_thread, url))
        assert gone.wait(TIMEOUT)
        for thread in wires():
            thread.join(TIMEOUT)
        assert not wires()


# Opening.


async def test_what_opening_raises_is_the_openers() -> None:
    async def refuse(url: str, *, space: str, token: str, after: str | None) -> Link:
        raise Stopped(401, "handshake refused", f"{url} {space} {token} {after}")

    async with IoThread(attend=ignore, open=refuse) as io_thread:
        with pytest.raises(Stopped, match="ws://nowhere demo t None") as caught:
            await connect(io_thread)
        assert caught.value.code == 401


async def test_an_opening_can_be_cancelled_and_another_begun(caplog: pytest.LogCaptureFixture) -> None:
    wire = FakeWire()
    begun, given_up = threading.Event(), threading.Event()

    async def never(url: str, **_: Any) -> Link:
        if begun.is_set():
            return wire
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()
            raise Disconnected("just when nobody wanted it any more")

    async with IoThread(attend=ignore, open=never) as io_thread:
        opening = asyncio.create_task(connect(io_thread))
        assert await asyncio.to_thread(begun.wait, TIMEOUT)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert given_up.wait(TIMEOUT)
        await (await connect(io_thread)).send(b"hello", text=True)
    assert wire.sent == [b"hello"]
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_connection_that_was_made_when_nobody_wanted_it_any_more_is_ended() -> None:
    wire = FakeWire()
    opened = threading.Event()

    async def open(url: str, **_: Any) -> Link:
        opened.set()
        return wire

    async with IoThread(attend=ignore, open=open) as io_thread:
        opening = asyncio.create_task(connect(io_thread))
        await asyncio.sleep(0)
        assert opened.wait(TIMEOUT)
        done = threading.Event()
        io_thread.call_later(1, done.set)
        assert done.wait(TIMEOUT)  # it is made, but this loop has not heard of it
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert wire.aborted.wait(TIMEOUT)


async def test_an_end_while_opening_is_no_cancellation_of_the_caller() -> None:
    begun = threading.Event()

    async def never(url: str, **_: Any) -> Link:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    io_thread = IoThread(attend=ignore, open=never)
    opening = asyncio.create_task(connect(io_thread))
    at_once = asyncio.create_task(connect(io_thread))
    assert await asyncio.to_thread(begun.wait, TIMEOUT)
    await io_thread.aclose()
    for one in (opening, at_once):
        with pytest.raises(Disconnected, match="ended"):
            await one


async def test_a_connection_that_is_made_at_the_very_end_has_one() -> None:
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        holding.set()
        assert release.wait(TIMEOUT)

    io_thread = IoThread(attend=ignore, open=FakeWire().open)
    io_thread.call_later(0, hold)
    assert holding.wait(TIMEOUT)
    opening = asyncio.create_task(connect(io_thread))
    await asyncio.sleep(0)
    closing = asyncio.create_task(io_thread.aclose())
    await asyncio.sleep(0)
    release.set()  # now the thread has both to do
    await closing
    link = await opening
    async with asyncio.timeout(TIMEOUT):
        with pytest.raises(Disconnected, match="closed"):
            await link.receive()
        with pytest.raises(Disconnected, match="closed"):
            await link.send(b"too late", text=True)


async def test_the_newest_connection_gets_what_is_posted() -> None:
    heard: list[tuple[str, str | bytes]] = []
    all_heard = threading.Event()

    def script(connection: ServerConnection) -> None:
        assert connection.request is not None
        space = connection.request.path.partition("space=")[2]
        while True:
            heard.append((space, connection.recv(TIMEOUT)))
            if len(heard) == 3:
                all_heard.set()

    with serving(script) as url:
        async with IoThread(attend=ignore) as io_thread:
            first = await io_thread.open(url, space="first", token="t", after=None)
            await first.send(b"a", text=True)
            second = await io_thread.open(url, space="second", token="t", after=None)
            io_thread.post(b"b")
            await second.send(b"c", text=True)
            assert all_heard.wait(TIMEOUT)
            first.abort()
            with pytest.raises(Disconnected):
                await first.receive()
    assert sorted(heard) == [("first", "a"), ("second", "b"), ("second", "c")]


# A client end to end, with a real gateway.


async def test_a_client_speaks_through_it_and_its_interrupts_are_answered_in_the_thread(site: Any) -> None:
    answered: list[str] = []

    def attend(frame: str | bytes) -> None:
        if '"reasoning/interrupt"' not in str(frame):
            return
        interrupt = reread(str(frame).encode())
        _, data = client.encode(
            "reasoning/interrupt-ack",
            {"status": "stopping"},
            to=interrupt.sender,
            correlation_id=interrupt.id,
            context=(interrupt.correlation_id or [""])[0],
        )
        answered.append(threading.current_thread().name)
        io_thread.post(data)

    human = await site.join("human")
    url = site.url.replace("http", "ws")
    async with (
        IoThread(attend=attend) as io_thread,
        Client(url, space="demo", token=site.token("agent"), open=io_thread.open) as client,
    ):
        run = await client.send("reasoning/start", {"message": "thinking", "interruptible": True})
        for n in range(50):
            await client.send("reasoning/thought", {"message": str(n)}, context=run)
        await human.until("reasoning/thought", message="49")
        assert [e["payload"]["message"] for e in human.seen if e["kind"] == "reasoning/thought"] == [
            str(n) for n in range(50)
        ]
        await human.send(
            "reasoning/interrupt",
            {"interrupt_type": "cancel", "reason": "user_request", "message": "stop"},
            to=["agent"],
            correlation_id=[run],
            id="stop-it",
        )
        ack = await human.until("reasoning/interrupt-ack")
        assert ack["correlation_id"] == ["stop-it"]
        assert answered == [THREAD]


async def test_a_client_comes_back_through_it(site: Any) -> None:
    human = await site.join("human")
    backoff = Backoff(first=1, cap=1, draw=lambda: 0.0)
    url = site.url.replace("http", "ws")
    async with IoThread(attend=ignore) as io_thread:
        links: list[Link] = []

        async def open(url: str, **more: Any) -> Link:
            links.append(await io_thread.open(url, **more))
            return links[-1]

        async with Client(url, space="demo", token=site.token("agent"), open=open, backoff=backoff) as client:
            links[0].abort()
            await human.send("chat", {"text": "meanwhile"}, to=["agent"])
            texts = []
            async with asyncio.timeout(TIMEOUT):
                while "meanwhile" not in texts:
                    item = await client.receive()
                    texts.append("back" if isinstance(item, Reconnected) else (item.payload or {}).get("text"))
            assert "back" in texts or len(links) == 1
            await client.send("chat", {"text": "here"})
            await human.until("chat", text="here")
