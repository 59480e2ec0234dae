"""Peers that take their time: a request, a handshake, a frame, or an answer has to pass within bounds, and many such
peers at once do not use up what the gateway needs itself."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import os
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import pytest
import trustme
import websockets

from mew_gateway.gateway.websocket import acceptor as listener
from mew_gateway.gateway.websocket import http_timeouts as head
from mew_gateway.gateway.websocket.acceptor import Acceptor
from mew_gateway.gateway.websocket.connection import Connection
from mew_gateway.gateway.websocket.http_timeouts import TimedHttpProtocol
from mew_gateway.gateway.websocket.work_queue import WorkQueue

LONG = 30  # seconds that what must come may take on a busy machine
Reading: TypeAlias = Callable[[int], Awaitable[bytes]]

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
  {tls}
  limits: {{{limits}}}
spaces:
  demo:
    participants:
      human: {{capabilities: [{{kind: chat}}]}}
      reader: {{capabilities: [{{kind: chat}}]}}
"""
HURRIED = SPACES.format(tls="", limits="join_timeout: 200ms")


@pytest.fixture(scope="module")
def behind_tls(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The setting that has the gateway listen with a key and a certificate made for this run."""
    pem = tmp_path_factory.mktemp("tls") / "localhost.pem"
    trustme.CA().issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(pem))
    return f"tls: {{certificate: {pem}, key: {pem}}}"


def address(site: Any) -> tuple[str, int]:
    host, port = site.url.partition("://")[2].split(":")
    return host, int(port)


@contextlib.asynccontextmanager
async def opened(site: Any, sent: bytes = b"") -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A TCP connection on which this much was sent."""
    reader, writer = await asyncio.open_connection(*address(site))
    writer.write(sent)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def drip_until_cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, drop: bytes = b"x") -> bytes:
    """Send a byte now and then until the other side has had enough; what it said."""

    async def drip() -> None:
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(0.02)

    said = b""
    dripping = asyncio.create_task(drip())
    try:
        async with asyncio.timeout(LONG):
            with contextlib.suppress(OSError):
                while data := await reader.read(4096):
                    said += data
    finally:
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)
    return said


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /health HTTP/1.1\r\nX-Drip: ",
        b"GET /ws?space=demo HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Drip: ",
        b"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /health HTTP/1.1\r\nX-Drip: ",
    ],
    ids=["first line", "head", "upgrade", "body", "second head"],
)
async def test_a_request_that_drips_is_cut(start_gateway: Any, sent: bytes) -> None:
    async with start_gateway(HURRIED) as site, opened(site, sent) as (reader, writer):
        await drip_until_cut(reader, writer)
        assert not site.gateway._server.server_state.connections


async def test_a_chunked_body_that_drips_is_cut(start_gateway: Any) -> None:
    sent = b"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with start_gateway(HURRIED) as site, opened(site, sent) as (reader, writer):
        await drip_until_cut(reader, writer, b"1\r\nx\r\n")


async def test_a_tls_handshake_that_never_ends_is_cut(start_gateway: Any, behind_tls: str) -> None:
    spaces = SPACES.format(tls=behind_tls, limits="join_timeout: 200ms")
    async with start_gateway(spaces) as site:
        for sent in (b"", b"\x16\x03\x01\x02\x00\x01\x00"):  # nothing; the beginning of a ClientHello
            async with opened(site, sent) as (reader, _), asyncio.timeout(LONG):
                with contextlib.suppress(OSError):
                    assert await reader.read() == b""


@contextlib.asynccontextmanager
async def secured(site: Any) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(*address(site), ssl=trusting())
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def test_over_tls_everything_is_answered(start_gateway: Any, behind_tls: str) -> None:
    async with start_gateway(SPACES.format(tls=behind_tls, limits="")) as site:
        async with secured(site) as (reader, writer), asyncio.timeout(LONG):
            for path in (b"/health", b"/openapi.json", b"/health"):
                writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
                answer = await reader.readuntil(b"\r\n\r\n")
                assert answer.startswith(b"HTTP/1.1 200")
                size = int(answer.lower().partition(b"content-length: ")[2].split()[0])
                await reader.readexactly(size)
        url = site.url.replace("https", "wss") + "/ws?space=demo"
        bearer = {"Authorization": f"Bearer {site.token('human')}"}
        async with websockets.connect(url, additional_headers=bearer, ssl=trusting(), max_size=None) as human:
            said = ['{"kind":"chat","payload":{"text":"' + "x" * size + '"}}' for size in (1, 100_000, 900_000)]
            for text in said:
                await human.send(text)
            async with asyncio.timeout(LONG):
                await human.recv()  # the welcome
                assert [len(str(await human.recv())) > len(text) for text in said] == [True] * 3


@contextlib.asynccontextmanager
async def upgraded(site: Any) -> AsyncIterator[tuple[Connection, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection that has joined as `human`, as the gateway has it and as the peer has it."""
    key = base64.b64encode(os.urandom(16)).decode()
    request = (
        "GET /ws?space=demo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer {site.token('human')}\r\n\r\n"
    )
    async with opened(site, request.encode()) as (reader, writer):
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        (connection,) = site.gateway.accept_context.open
        yield connection, reader, writer


@pytest.mark.parametrize(
    "begun", [b"\x81", b"\x81\xfe\x20\x00mask", b"\x01\x81\0\0\0\0x"], ids=["a byte", "a header", "a fragment"]
)
async def test_a_message_that_is_begun_and_never_ends_is_cut(start_gateway: Any, begun: bytes) -> None:
    async with start_gateway(SPACES.format(tls="", limits="")) as site, upgraded(site) as (connection, reader, writer):
        connection.check(site.clock.now())
        writer.write(begun)
        for _ in range(19):
            site.clock.advance(1_000)
            await heard(connection, writer, b"\x8a\x80\0\0\0\0" if begun[0] == 1 else b"x")  # alive it is
            connection.check(site.clock.now())
        assert site.gateway.counters.closed[4008] == 0
        site.clock.advance(1_000)
        connection.check(site.clock.now())
        assert site.gateway.counters.closed[4008] == 1
        async with asyncio.timeout(LONG):
            await reader.readuntil(b"\x0f\xa8too slow: a message")  # 4008


async def heard(connection: Connection, writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send it, and wait until the gateway has heard it."""
    before = connection._heard_at
    writer.write(data)
    async with asyncio.timeout(LONG):
        while connection._heard_at == before:
            await asyncio.sleep(0)


async def test_overlapping_whole_messages_are_never_too_slow(start_gateway: Any) -> None:
    async with start_gateway(SPACES.format(tls="", limits="")) as site, upgraded(site) as (connection, _, writer):
        said = b'{"kind":"chat","payload":{"text":"x"}}'
        frame = b"\x81" + bytes([0x80 | len(said)]) + bytes(4) + said
        writer.write(frame[:20])
        for _ in range(50):
            site.clock.advance(1_000)
            await heard(connection, writer, frame[20:] + frame[:20])
            connection.check(site.clock.now())
        assert site.gateway.counters.closed[4008] == 0


LENGTH = 1_600_000  # bytes of the chats in the answer that is taken slowly


@contextlib.asynccontextmanager
async def answering(start_gateway: Any, stalled: str) -> AsyncIterator[tuple[TimedHttpProtocol, Reading]]:
    """The gateway's end of a long answer over a narrow window, when it waits for its peer; and how the peer reads."""
    loop = asyncio.get_running_loop()
    async with start_gateway(SPACES.format(tls="", limits=f"outbox_stalled: {stalled}")) as site:
        for _ in range(8):
            status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "x" * (LENGTH // 8)}})
            assert status == 200
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.setblocking(False)
            await loop.sock_connect(peer, address(site))
            bearer = f"Authorization: Bearer {site.token('human')}\r\nConnection: close\r\n"
            await loop.sock_sendall(peer, f"GET /spaces/demo/history HTTP/1.1\r\nHost: x\r\n{bearer}\r\n".encode())
            connections = site.gateway._server.server_state.connections
            async with asyncio.timeout(LONG):
                while not (waiting := [one for one in connections if one._stall_timer is not None]):
                    await asyncio.sleep(0)
                yield waiting[0], partial(loop.sock_recv, peer)


async def test_a_slowly_taken_response_is_completed(start_gateway: Any) -> None:
    async with answering(start_gateway, "30s") as (answer, read):  # nobody but this test looks
        came = looks = 0
        while (timer := answer._stall_timer) is not None:
            before = answer._unsent()
            while answer._stall_timer is timer and before - answer._unsent() < head._LEAST:
                data = await read(4096)
                assert data, f"cut after {came} bytes"
                came += len(data)
            if answer._stall_timer is timer:
                answer._check_stalled(before)
                timer.cancel()
                assert answer._stall_timer is not timer, f"not looked at again after {came} bytes"
                looks += 1
        while data := await read(65_536):
            came += len(data)
        assert came > LENGTH
        assert looks > 10


async def test_an_answer_that_is_taken_too_slowly_is_cut(start_gateway: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "_LEAST", 400_000)  # in a quarter of a second: more than this peer takes
    async with answering(start_gateway, "250ms") as (_, read):
        came = 0
        with contextlib.suppress(ConnectionError):
            while data := await read(1024):
                came += len(data)
                await asyncio.sleep(0.01)
        assert came < LENGTH


@pytest.fixture
def few_descriptors() -> Iterator[Any]:
    """Leaves room for so many descriptors more than there are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    fillers: list[int] = []  # of the gaps: a new descriptor is always the lowest that is free

    def leave(more: int) -> None:
        highest = max(int(name) for name in os.listdir("/dev/fd"))
        while not fillers or fillers[-1] < highest:
            fillers.append(os.open(os.devnull, os.O_RDONLY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (fillers[-1] + 1 + more, hard))

    yield leave
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for descriptor in fillers:
        os.close(descriptor)


@pytest.mark.parametrize("kept", [0, 32], ids=["none left", "few left"])
async def test_without_descriptors_the_port_waits_and_everything_else_goes_on(
    start_gateway: Any,
    few_descriptors: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kept: int,
) -> None:
    monkeypatch.setattr(listener, "_RESERVED", kept)
    monkeypatch.setattr(listener, "_RETRY_AFTER", 0.05)
    loop = asyncio.get_running_loop()
    async with start_gateway(SPACES.format(tls="", limits="")) as site:
        human = await site.join("human")
        with contextlib.ExitStack() as stack, caplog.at_level(logging.ERROR):
            crowd = [stack.enter_context(socket.socket()) for _ in range(60)]
            few_descriptors(kept + 20)
            for one in crowd:
                one.setblocking(False)
                await loop.sock_connect(one, address(site))
            async with asyncio.timeout(LONG):
                while not caplog.messages:
                    await asyncio.sleep(0.01)
            for number in range(20):  # some of the waits that follow
                await human.send("chat", {"text": str(number)})
                await human.until("chat", text=str(number))
                await asyncio.sleep(0.01)
            assert 0 < len(site.gateway._server.server_state.connections) <= 20
            for one in crowd:  # whoever has to wait is served when its turn comes, and was never hung up on
                await loop.sock_sendall(one, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            async with asyncio.timeout(LONG):
                for one in crowd:
                    assert (await loop.sock_recv(one, 65_536)).startswith(b"HTTP/1.1 200 ")
                    one.close()
        assert (await site.get("/health"))[0] == 200  # as soon as they have gone
        assert [text for text in caplog.messages if "descriptor" in text or "open files" in text] == caplog.messages
        assert len(caplog.messages) == 1


async def test_few_connections_are_accepted_in_a_turn(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    accept, charge = Acceptor._accept, WorkQueue.charge

    def accepting(self: Acceptor) -> bool:
        taken.append(0)
        return accept(self)

    def charged(self: WorkQueue, seconds: float) -> None:
        if seconds == listener._CONNECT_COST:
            taken[-1] += 1
        charge(self, seconds)

    monkeypatch.setattr(Acceptor, "_accept", accepting)
    monkeypatch.setattr(WorkQueue, "charge", charged)
    port = int(site.url.rpartition(":")[2])
    peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    try:
        async with asyncio.timeout(LONG):
            while sum(taken) < len(peers):
                await asyncio.sleep(0)
        assert max(taken) <= listener._AT_ONCE
        assert (await site.get("/ready"))[0] == 200, "and who comes later is taken as well"
    finally:
        for peer in peers:
            peer.close()
