"""Readers that stop reading: they are gone in time, the others miss nothing, what was not taken is held once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import select
import socket
import struct
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NoReturn

import pytest

from mew_gateway.gateway import server
from mew_gateway.gateway.broker.spaces.fanout import Fanout
from mew_gateway.gateway.websocket import outbox
from mew_gateway.gateway.websocket.connection import Connection
from mew_gateway.gateway.websocket.outbox import Outbox, WriteTurns, unacknowledged

from ..kit.broker import ManualLoop

PORTION = outbox._PORTION
LONG = 30  # seconds that what must come may take on a busy machine


class Turns(WriteTurns):
    """Turns to write that come at once, as many as there are."""

    def __init__(self) -> None:
        super().__init__(self)

    def call_soon(self, callback: Callable[[], object]) -> None:
        callback()

    def call_later(self, _delay: float, _callback: Callable[[], object]) -> NoReturn:
        raise AssertionError("nothing waits for a time")


class Narrow(asyncio.Transport):
    """A transport whose peer takes what `take` says and no more; it tells its outbox what asyncio's would."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = bytearray()
        self.kept = bytearray()
        self.most = 0  # that it ever kept
        self.room = 0
        self.is_closed = False
        self.outbox = Outbox(self, turns=Turns())

    def take(self, count: int) -> None:
        """The peer takes so many bytes more."""
        self.room += count
        self._pass()
        if not self.kept and self.outbox.is_blocked:
            self.outbox.unblock()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.kept += data
        self._pass()
        self.most = max(self.most, len(self.kept))
        if self.kept:
            self.outbox.block()

    def _pass(self) -> None:
        passed = min(self.room, len(self.kept))
        self.taken += self.kept[:passed]
        del self.kept[:passed]
        self.room -= passed

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert (high, low) == (1, 0)

    def get_write_buffer_size(self) -> int:
        return len(self.kept)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return NoSocket()

    def is_closing(self) -> bool:
        return False

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_closed = True


class NoSocket:
    """A socket that is closed: the system tells nothing of it."""

    def fileno(self) -> int:
        return -1


def pieces(draw: random.Random, count: int) -> Iterator[bytes]:
    for number in range(count):
        size = draw.choice((1, 90, 4_000, PORTION - 1, PORTION, PORTION + 1, 3 * PORTION))
        yield bytes([number % 251]) * size


@pytest.mark.parametrize("seed", range(5))
def test_data_is_written_in_order_in_bounded_portions(seed: int) -> None:
    draw = random.Random(seed)
    narrow, written = Narrow(), bytearray()
    for piece in pieces(draw, 30):
        narrow.outbox.put(piece)
        written += piece
        if draw.random() < 0.5:
            narrow.take(draw.randrange(2 * PORTION))
        assert narrow.outbox.size == len(written) - len(narrow.taken)
    narrow.outbox.end()
    assert not narrow.is_closed
    while not narrow.is_closed or narrow.kept:  # as asyncio does, what it keeps is sent before it closes
        narrow.take(draw.randrange(1, PORTION))
    assert narrow.taken == written
    assert narrow.most <= PORTION


def test_an_end_without_anything_waiting_is_at_once() -> None:
    narrow = Narrow()
    narrow.take(10)
    narrow.outbox.put(b"gone")
    narrow.outbox.end()
    assert narrow.is_closed


def test_a_drop_leaves_no_partial_piece() -> None:
    long, narrow = b"l" * (2 * PORTION + 5), Narrow()
    narrow.outbox.put(long)
    narrow.outbox.put(b"never sent")
    narrow.outbox.drop()
    narrow.outbox.put(b"last")
    assert narrow.outbox.size == len(long) + 4
    narrow.take(10 * PORTION)
    assert narrow.taken == long + b"last"
    assert narrow.outbox.size == 0


def test_a_piece_waiting_for_many_is_stored_once() -> None:
    narrows = [Narrow() for _ in range(20)]
    for narrow in narrows:
        narrow.outbox.put(b"first")
    tracemalloc.start()
    try:
        for _ in range(80):
            piece = bytes(100_000)
            for narrow in narrows:
                narrow.outbox.put(piece)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert sum(narrow.outbox.size for narrow in narrows) == 20 * (80 * 100_000 + 5)
    assert held < 1.1 * 80 * 100_000


def test_equal_deliveries_of_a_tick_are_shared() -> None:
    class Kept:
        def __init__(self) -> None:
            self.data = b""

        def write(self, data: bytes) -> None:
            assert not self.data  # one write a tick
            self.data = data

    links: dict[int, Any] = {number: Kept() for number in range(4)}
    fanout, everybody, some = Fanout(links, {}), (0, 1, 2, 3), (1, 2)
    for nth, to in enumerate((everybody, some, everybody, (3,), everybody)):
        fanout.put(to, b"%d" % nth * 10)
    fanout.flush()
    assert links[1].data is links[2].data
    texts = [links[number].data[2::12] for number in range(4)]
    assert texts == [b"024", b"0124", b"0124", b"0234"]


def test_stalled_since_returns_the_last_progress() -> None:
    narrow = Narrow()
    narrow.take(3)
    narrow.outbox.put(b"abc")
    assert narrow.outbox.stalled_since(5) == 5  # nothing waits
    narrow.outbox.put(b"abcdef")
    assert narrow.outbox.stalled_since(10) == 10
    narrow.outbox.put(b"what comes is not what is taken")
    assert narrow.outbox.stalled_since(20) == 10
    narrow.take(1)
    assert narrow.outbox.stalled_since(30) == 30
    assert narrow.outbox.stalled_since(40) == 30
    narrow.take(4)
    narrow.outbox.put(b"xxxx")  # as much as was taken
    assert narrow.outbox.stalled_since(50) == 50
    narrow.take(1_000)
    assert narrow.outbox.stalled_since(60) == 60


class Wired(asyncio.Protocol):
    """What a connection is to its outbox, and no more."""

    outbox: Outbox

    def __init__(self) -> None:
        self.is_lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.outbox = Outbox(transport, turns=WriteTurns(asyncio.get_running_loop()))

    def connection_lost(self, _: Exception | None) -> None:
        self.is_lost.set()

    def pause_writing(self) -> None:
        self.outbox.block()

    def resume_writing(self) -> None:
        self.outbox.unblock()


async def test_a_closed_peer_gets_no_waiting_data() -> None:
    loop, said = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: said.append(context))
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname()) as peer:
        transport, wired = await loop.connect_accepted_socket(Wired, listening.accept()[0])
        while not wired.outbox.is_blocked:
            wired.outbox.put(bytes(PORTION))
            await asyncio.sleep(0)
        wired.outbox.put(b"what waits")
        peer.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while peer.recv(PORTION):  # there is room again, and nobody behind it
                pass
    transport.close()  # as asyncio does at the end of what a peer sends
    async with asyncio.timeout(LONG):
        await wired.is_lost.wait()  # a second loss would have been on its way before we are told of the first
    assert said == []


SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
  limits: {envelopes_per_second: 100000, envelopes_burst: 100000, bytes_per_second: 1000000000, ping_interval: 1h}
spaces:
  demo:
    participants:
      speaker: {capabilities: [{kind: "*"}]}
      slow: {capabilities: []}
      reader: {capabilities: []}
"""
STALLED, READERS = 3, 4


class Stalled:
    """A reader over a bare socket that reads only when it is told to."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._buffer = b""

    async def frame(self) -> tuple[int, bytes]:
        """The next frame: its opcode, and what is in it."""
        _first, second = head = await self._exactly(2)
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(await self._exactly(2 if size == 126 else 8), "big")
        return head[0] & 0x0F, await self._exactly(size)

    async def _exactly(self, count: int) -> bytes:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LONG):
            while len(self._buffer) < count:
                data = await loop.sock_recv(self._socket, 65_536)
                if not data:
                    raise EOFError
                self._buffer += data
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found


@contextlib.asynccontextmanager
async def stalled(site: Any) -> AsyncIterator[Stalled]:
    """Somebody who joins as `slow` and then reads nothing: of the welcome, too, only what came with the answer."""
    host, port = site.url.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await loop.sock_connect(sock, (host, int(port)))
        head = (
            f"GET /ws?space=demo HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Authorization: Bearer {site.token('slow')}\r\n\r\n"
        )
        await loop.sock_sendall(sock, head.encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += await loop.sock_recv(sock, 1)
        assert answer.startswith(b"HTTP/1.1 101")
        yield Stalled(sock)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(LONG):
        while not condition():
            await asyncio.sleep(0.01)


async def standing_still(connections: list[Connection]) -> None:
    """Wait until the systems between have settled: nothing moves any more until the peers read."""
    await until(lambda: all(_is_still(one) for one in connections))


def _is_still(connection: Connection) -> bool:
    """Whether the peer's window is closed, nothing is on its way there, and our system takes nothing more."""
    sock = connection._transport.get_extra_info("socket")
    told = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)  # Linux's `struct tcp_info`
    on_its_way, window = (struct.unpack_from("I", told, at)[0] for at in (24, 228))  # tcpi_unacked, tcpi_snd_wnd
    return on_its_way == window == 0 and not select.select((), (sock,), (), 0)[1]


async def test_stalled_peers_end_in_time_and_others_miss_nothing(
    start_gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_CHECK_EVERY", 1_000_000)  # it is those who are behind that are looked at
    async with start_gateway(SPACES) as site, contextlib.AsyncExitStack() as stack:
        speaker = await site.join("speaker")
        readers = [await site.join("reader") for _ in range(READERS)]
        slow = [await stack.enter_async_context(stalled(site)) for _ in range(STALLED)]
        behind = site.gateway.accept_context.lagging
        said = 0
        while len(behind) < STALLED:
            await speaker.send("chat", {"text": "x" * 50_000, "n": said})
            await speaker.until("chat", n=said)
            said += 1
        kept = list(behind)
        await standing_still(kept)
        for one in kept:
            one.check_stalled(site.clock.now())
        for _ in range(10):  # from here on it is the outboxes that hold what is said
            await speaker.send("chat", {"text": "x" * 10_000, "n": said})
            await speaker.until("chat", n=said)
            said += 1
        waiting = [one._outbox._waiting for one in kept]
        assert all(len(pieces) >= 10 for pieces in waiting)
        assert len({id(piece) for pieces in waiting for piece in pieces}) <= max(map(len, waiting)) + STALLED

        site.clock.advance(4_499)
        for one in kept:
            one.check_stalled(site.clock.now())
        assert site.gateway.counters.closed[4008] == 0
        site.clock.advance(1)
        await until(lambda: site.gateway.counters.closed[4008] == STALLED)  # nobody but the gateway looked
        assert all(one._outbox._held < 100 for one in kept)  # nothing is kept for those who are gone, but the reason
        left = await speaker.until("system/presence", event="leave")
        assert left["payload"]["participant"]["id"] == "slow"
        await speaker.send("chat", {"text": "still here", "n": said})
        for reader in readers:
            assert [await _number(reader) for _ in range(said + 1)] == list(range(said + 1))
        for one in slow:
            told = [number async for number in _told(one)]
            assert told[:-1] == list(range(len(told) - 1))
            assert len(told) < said
            assert told[-1] == 4008


async def _number(reader: Any) -> int:
    envelope = await reader.until("chat")
    return int(envelope["payload"]["n"])


async def _told(slow: Stalled) -> AsyncIterator[int]:
    """What somebody who begins to read again is told: the numbers of the chats, and then the close code."""
    while True:
        opcode, data = await slow.frame()
        if opcode == 8:
            yield int(struct.unpack("!H", data[:2])[0])
            return
        envelope = json.loads(data)
        if envelope["kind"] == "chat":
            yield envelope["payload"]["n"]


async def test_a_slow_reader_is_not_stalled(start_gateway: Any) -> None:
    async with start_gateway(SPACES) as site, stalled(site) as slow:
        speaker, said = await site.join("speaker"), 0
        while not site.gateway.accept_context.lagging:
            await speaker.send("chat", {"text": "x" * 50_000, "n": said})
            await speaker.until("chat", n=said)
            said += 1
        (one,) = site.gateway.accept_context.lagging
        await standing_still([one])
        for _ in range(2):  # a little in each five seconds: too little for the system to take more from us
            one.check_stalled(site.clock.now())
            site.clock.advance(4_450)
            before = unacknowledged(one._transport)
            while unacknowledged(one._transport) == before:
                await slow.frame()
            one.check_stalled(site.clock.now())
        assert site.gateway.counters.closed[4008] == 0


class Free(Narrow):
    """A transport whose peer takes everything."""

    def __init__(self, turns: WriteTurns) -> None:
        super().__init__()
        self.room = 1 << 40
        self.outbox = Outbox(self, turns=turns)


def test_only_large_data_is_written_in_turns() -> None:
    loop = ManualLoop()
    turns = WriteTurns(loop)
    readers = [Free(turns) for _ in range(100)]
    large, passes = bytes(1 << 20), 0
    for reader in readers:
        reader.outbox.put(large)
    other = Free(turns)
    other.outbox.put(b"small")
    assert other.taken == b"small"
    while any(reader.outbox.is_lagging for reader in readers):
        before = sum(len(reader.taken) for reader in readers)
        running, loop.soon = loop.soon, []
        for callback in running:
            callback()
        passes += 1
        assert sum(len(reader.taken) for reader in readers) - before <= outbox._PASS, "as much as fits into a pass"
        least, most = (find(len(reader.taken) for reader in readers) for find in (min, max))
        assert most - least <= PORTION, "a portion of each in turn"
    assert passes == len(readers) * len(large) // outbox._PASS
    assert all(bytes(reader.taken) == large for reader in readers)
    loop.run()
    assert loop.soon == [], "nothing is run where nothing is to be written"


def test_pieces_keep_their_order_when_some_wait_for_a_turn() -> None:
    loop = ManualLoop()
    reader = Free(WriteTurns(loop))
    pieces = [b"a" * (PORTION + 1), b"b", b"c" * 5_000, b"d" * (3 * PORTION)]
    for piece in pieces:
        reader.outbox.put(piece)
    reader.outbox.end()
    assert not reader.is_closed
    loop.run()
    assert bytes(reader.taken) == b"".join(pieces)
    assert reader.is_closed


def test_medium_pieces_of_a_pass_are_bounded_together() -> None:
    loop = ManualLoop()
    turns = WriteTurns(loop)
    readers = [Free(turns) for _ in range(200)]
    for reader in readers:
        reader.outbox.put(bytes(50_000))
    written = sum(len(reader.taken) for reader in readers)
    assert outbox._PASS <= written < outbox._PASS + 50_000
    loop.run()
    assert all(len(reader.taken) == 50_000 for reader in readers)


def test_ending_a_reset_connection_is_no_error() -> None:
    class Reset(Narrow):
        is_cut = False

        def write_eof(self) -> None:
            raise OSError("not connected")

        def abort(self) -> None:
            self.is_cut = True

    gone = Reset()
    gone.outbox.end()
    assert gone.is_cut
