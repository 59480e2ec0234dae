"""The client against a scripted server: what it does when the connection breaks, and when it must not come back."""

from __future__ import annotations

import asyncio
import http
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from mew_gateway.backoff import Backoff
from mew_gateway.protocol.address import address
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Client, Disconnected, Reconnected, Stopped
from mew_gateway.sdk._transport.frames import Frame
from mew_gateway.sdk._transport.throttle import Throttle
from mew_gateway.sdk.testing import Space

from ..kit.gateway import TIMEOUT

Script = Callable[["Server", ServerConnection], Awaitable[None]]


class Server:
    """Plays a script a connection: the n-th connection gets the n-th script, the last one again and again."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts
        self.connections = 0
        self.requests: list[Request] = []
        self.refusals: list[http.HTTPStatus] = []
        self.refusing: dict[str, str] = {}
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.url = ""

    async def play(self, connection: ServerConnection) -> None:
        script = self.scripts[min(self.connections, len(self.scripts) - 1)]
        self.connections += 1
        await script(self, connection)

    def check(self, connection: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        if not self.refusals:
            return None
        response = connection.respond(self.refusals.pop(0), "no")
        response.headers.update(self.refusing)
        return response

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(TIMEOUT):
            return await self.heard.get()


async def welcome(connection: ServerConnection, *, you: str = "me", **more: Any) -> None:
    payload = {"you": {"id": you, "capabilities": [{"kind": "chat"}]}, "participants": [], **more}
    await say(connection, "system/welcome", payload)


async def say(connection: ServerConnection, kind: str, payload: Any = None, **fields: Any) -> None:
    envelope = {"protocol": "mew/v0.4", "id": "gw-1", "ts": "2026", "from": "system:gateway", "kind": kind}
    await connection.send(json.dumps({**envelope, "payload": payload or {}, **fields}))


async def listen(server: Server, connection: ServerConnection) -> None:
    """Welcome, then hear everything until the client goes."""
    await welcome(connection)
    async for message in connection:
        server.heard.put_nowait(json.loads(message))


def close(code: int, reason: str = "") -> Script:
    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await connection.close(code, reason)

    return script


async def drop(_: Server, connection: ServerConnection) -> None:
    await welcome(connection)
    connection.transport.abort()


@asynccontextmanager
async def running(*scripts: Script) -> AsyncIterator[Server]:
    server = Server(*scripts)
    async with serve(server.play, "127.0.0.1", 0, process_request=server.check) as listening:
        port = listening.sockets[0].getsockname()[1]
        server.url = f"ws://127.0.0.1:{port}"
        yield server


def client(server: Server, **options: Any) -> Client:
    options.setdefault("backoff", Backoff(first=1, cap=1, draw=lambda: 0.0))
    return Client(server.url, space="demo", token="secret-token", **options)


async def test_it_connects_with_the_token_in_the_header_and_keeps_the_welcome():
    async with running(listen) as server, client(server) as connected:
        assert connected.welcome.you.id == "me"
        assert connected.welcome.you.capabilities == [{"kind": "chat"}]
        assert server.requests[0].path == "/ws?space=demo"
        assert server.requests[0].headers["Authorization"] == "Bearer secret-token"


async def test_what_is_sent_is_a_complete_envelope():
    async with running(listen) as server, client(server) as connected:
        id = await connected.send("chat", {"text": "hi"}, to=["you"], correlation_id=["c"], context="r")
        said = await server.hear()
        assert said.pop("ts").endswith("Z")
        assert said == {
            "protocol": "mew/v0.4",
            "id": id,
            "from": "me",
            "kind": "chat",
            "to": ["you"],
            "correlation_id": ["c"],
            "context": "r",
            "payload": {"text": "hi"},
        }
        assert id[14] == "7"  # UUIDv7
        assert await connected.send("chat", {}, id="mine", at=0) == "mine"
        assert (await server.hear())["ts"] == "1970-01-01T00:00:00.000Z"


async def test_what_no_frame_holds_is_refused_here():
    async with running(listen) as server, client(server) as connected:
        with pytest.raises(ValueError, match="bytes"):
            await connected.send("chat", {"text": "x" * 1_100_000})
        with pytest.raises(TypeError):
            await connected.send("chat", {"text": object()})
        await connected.send("chat", {"text": "still here"})
        assert (await server.hear())["payload"]["text"] == "still here"


async def test_unknown_fields_are_tolerated_and_what_is_no_envelope_is_skipped():
    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection, unknown={"a": 1})
        await connection.send(b"#stream-1#bytes")
        await connection.send("[1, 2]")
        await connection.send("{")
        await say(connection, "chat", {"text": "hi"}, unheard_of=1, deeper={"x": []})
        await connection.wait_closed()

    async with running(script) as server, client(server) as connected:
        item = await connected.receive()
        assert isinstance(item, Envelope)
        assert item.payload == {"text": "hi"}


@pytest.mark.parametrize("first", [drop, close(1012, "restarting"), close(4008), close(1000)])
async def test_it_comes_back_and_says_so_in_the_stream(first):
    async def second(_: Server, connection: ServerConnection) -> None:
        await welcome(connection, you="me", sequences={"open": [{"id": "r", "owner": "me"}], "count": 1})
        await say(connection, "chat", {"text": "after"})
        await connection.wait_closed()

    async with running(first, second) as server, client(server) as connected:
        item = await connected.receive()
        assert isinstance(item, Reconnected)
        assert item.welcome.sequences.open[0].id == "r"
        assert connected.welcome == item.welcome
        after = await connected.receive()
        assert isinstance(after, Envelope)
        assert after.payload == {"text": "after"}


async def test_what_was_received_before_the_end_comes_before_the_reconnection():
    async def first(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        for n in range(5):
            await say(connection, "chat", {"text": str(n)})
        await connection.close(1012)

    async with running(first, listen) as server, client(server) as connected:
        items = [await connected.receive() for _ in range(6)]
        assert [one.payload["text"] for one in items[:5] if isinstance(one, Envelope) and one.payload] == list("01234")
        assert isinstance(items[5], Reconnected)


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [(4501, "unauthorised", "get a token"), (4503, "kicked", "invited again"), (4999, "", "Do not come back")],
)
async def test_a_close_code_that_says_stop_is_obeyed(code, reason, said):
    async with running(close(code, reason)) as server, client(server) as connected:
        for _ in range(2):  # and every later call says the same
            with pytest.raises(Stopped) as caught:
                await connected.receive()
            assert (caught.value.code, caught.value.reason) == (code, reason)
            assert str(code) in str(caught.value)
            assert said in str(caught.value)
        with pytest.raises(Stopped):
            await connected.send("chat", {})
    assert server.connections == 1


async def test_a_refused_token_says_what_to_do():
    async with running(listen) as server:
        server.refusals = [http.HTTPStatus.UNAUTHORIZED]
        with pytest.raises(Stopped) as caught:
            await client(server, persistent=True).connect()
        assert caught.value.code == 401
        assert "MEW_TOKEN" in str(caught.value)
        assert "secret-token" not in str(caught.value)


async def test_a_token_that_is_refused_on_the_way_back_stops_it():
    async with running(drop, listen) as server, client(server) as connected:
        server.refusals = [http.HTTPStatus.UNAUTHORIZED]
        with pytest.raises(Stopped):
            await connected.receive()
        assert server.connections == 1


@pytest.mark.parametrize("status", [http.HTTPStatus.SERVICE_UNAVAILABLE, http.HTTPStatus.TOO_MANY_REQUESTS])
async def test_a_gateway_that_is_busy_is_tried_again(status):
    async with running(listen) as server:
        server.refusals = [status, status]
        with pytest.raises(Disconnected, match=str(status.value)):
            await client(server).connect()
        async with client(server, persistent=True) as connected:
            assert connected.welcome.you.id == "me"


async def test_a_first_connection_that_fails_is_the_callers_unless_it_is_persistent():
    async with running(listen) as server:
        url = server.url
    waits: list[float] = []
    several = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 4:
            several.set()
            await asyncio.Event().wait()

    with pytest.raises(Disconnected, match="No gateway answers"):
        await Client(url, space="demo", token="t").connect()
    backoff = Backoff(first=100, cap=400, draw=lambda: 1.0)
    stubborn = Client(url, space="demo", token="t", persistent=True, backoff=backoff, sleep=sleep)
    connecting = asyncio.create_task(stubborn.connect())
    async with asyncio.timeout(TIMEOUT):
        await several.wait()
    connecting.cancel()
    await asyncio.gather(connecting, return_exceptions=True)
    assert waits == [0.1, 0.2, 0.4, 0.4]


@pytest.mark.parametrize(
    ("said", "waited"),
    [("2", [2.1, 2.2]), ("3600", [60.1, 60.2]), ("Wed, 21 Oct 2026 07:28:00 GMT", [0.1, 0.2]), ("-1", [0.1, 0.2])],
)
async def test_it_waits_as_long_as_it_is_told_before_it_comes_again(said: str, waited: list[float]) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    backoff = Backoff(first=100, cap=10_000, draw=lambda: 1.0)
    async with running(listen) as server:
        server.refusals, server.refusing = [http.HTTPStatus(429), http.HTTPStatus(503)], {"Retry-After": said}
        async with client(server, backoff=backoff, sleep=sleep, persistent=True, heartbeat=600_000):
            assert waits == waited


async def test_only_a_connection_that_lasted_resets_the_backoff():
    waits: list[float] = []
    now = 0

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def third(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await connection.recv()
        await connection.close(1012)

    backoff = Backoff(first=100, cap=10_000, draw=lambda: 1.0)
    async with (
        running(drop, drop, third, listen) as server,
        client(server, backoff=backoff, sleep=sleep, clock=lambda: now, heartbeat=600_000) as connected,
    ):
        for _ in range(2):
            assert isinstance(await connected.receive(), Reconnected)
        now += 60_000
        await connected.send("chat", {})
        assert isinstance(await connected.receive(), Reconnected)
    assert waits == [0.1, 0.2, 0.1]


async def test_sending_waits_for_the_connection_and_keeps_its_order():
    back = asyncio.Event()
    lost = asyncio.Event()

    async def sleep(_: float) -> None:
        lost.set()
        await back.wait()

    async with running(drop, listen) as server, client(server, sleep=sleep) as connected:
        await lost.wait()
        sending = [asyncio.create_task(connected.send("chat", {"n": n})) for n in range(5)]
        await asyncio.sleep(0)
        back.set()
        ids = await asyncio.gather(*sending)
        heard = [await server.hear() for _ in range(5)]
        assert [one["payload"]["n"] for one in heard] == list(range(5))
        assert [one["id"] for one in heard] == ids


async def test_sending_does_not_wait_for_ever():
    async def sleep(_: float) -> None:
        await asyncio.Event().wait()

    async with running(drop) as server, client(server, sleep=sleep, patience=20) as connected:
        with pytest.raises(Disconnected, match="was not sent"):
            await _until_it_fails(connected)


async def _until_it_fails(connected: Client) -> None:
    """The drop may not have been noticed yet: then a send still goes into the void."""
    while True:
        await connected.send("chat", {})


async def test_a_heartbeat_is_sent_after_silence():
    async with running(listen) as server, client(server, heartbeat=10):
        assert (await server.hear())["kind"] == "system/heartbeat"
        assert (await server.hear())["kind"] == "system/heartbeat"


async def test_there_is_no_heartbeat_while_there_is_something_to_say():
    async with running(listen) as server, client(server, heartbeat=600_000) as connected:
        await connected.send("chat", {})
        assert (await server.hear())["kind"] == "chat"
        assert server.heard.empty()


async def test_a_full_buffer_stops_the_reading():
    """What the application does not take stays on the server's side: the socket is not read."""
    written = 0

    async def flood(_: Server, connection: ServerConnection) -> None:
        nonlocal written
        await welcome(connection)
        for n in range(400):
            await say(connection, "chat", {"n": n, "text": "x" * 100_000})
            written = n + 1
        await connection.wait_closed()

    async with running(flood) as server, client(server, buffer=2) as connected:
        first = await connected.receive()
        assert isinstance(first, Envelope)
        assert written < 400
        for n in range(1, 400):
            item = await connected.receive()
            assert isinstance(item, Envelope)
            assert item.payload is not None
            assert item.payload["n"] == n


async def test_a_later_welcome_replaces_the_first():
    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await say(connection, "system/welcome", {"you": {"id": "me", "capabilities": [{"kind": "mcp/*"}]}})
        await connection.wait_closed()

    async with running(script) as server, client(server) as connected:
        await connected.receive()
        assert connected.welcome.you.capabilities == [{"kind": "mcp/*"}]


async def test_a_welcome_for_somebody_else_does_not_replace_it():
    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await welcome(connection, you="other")
        await say(connection, "system/welcome", {"you": 7})
        await connection.wait_closed()

    async with running(script) as server, client(server) as connected:
        for _ in range(2):
            await connected.receive()
        assert connected.welcome.you.id == "me"


async def test_frames_are_handed_over_in_their_place_to_who_wants_them():
    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await connection.send(b"#s#\x00\xff#")
        await connection.send("#s#text")
        await connection.send("#names no stream")
        await say(connection, "chat", {"text": "behind"})
        await connection.wait_closed()

    frames: list[Frame] = []
    async with running(script) as server:
        listening = client(server)
        listening.on_frame = frames.append
        async with listening:
            item = await listening.receive()
            assert isinstance(item, Envelope)
            assert item.payload == {"text": "behind"}
    assert frames == [Frame("s", b"\x00\xff#"), Frame("s", "text")]


async def test_a_frame_is_sent_as_it_is_and_counts_against_the_pace():
    heard: asyncio.Queue[str | bytes] = asyncio.Queue()
    waits: list[float] = []

    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        async for message in connection:
            heard.put_nowait(message)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    throttle = Throttle(now=0, bytes_rate=1_000, bytes_burst=20)
    async with running(script) as server, client(server, sleep=sleep, clock=lambda: 0, throttle=throttle) as connected:
        for chunk in ("text", b"\x00", b"x" * 30):
            await connected.send_frame("s", chunk)
        async with asyncio.timeout(TIMEOUT):
            assert [await heard.get() for _ in range(3)] == ["#s#text", b"#s#\x00", b"#s#" + b"x" * 30]
        assert waits == [0.024]
        with pytest.raises(ValueError, match="bytes"):
            await connected.send_frame("s", bytes(1_048_576))


async def test_a_frame_is_never_sent_twice():
    async def sleep(_: float) -> None:
        await asyncio.Event().wait()

    async with running(drop) as server, client(server, sleep=sleep, patience=20) as connected:
        with pytest.raises(Disconnected, match=r"may be lost|was not sent"):
            await _write_until_it_fails(connected)


async def _write_until_it_fails(connected: Client) -> None:
    while True:
        await connected.send_frame("s", b"x")


async def test_it_says_which_envelope_it_had_last():
    """The welcome at first; of what followed not an interrupt, which may come again, nor what is on no record."""

    async def first(_: Server, connection: ServerConnection) -> None:
        await connection.recv()
        await say(connection, "chat", {}, id="c1", **{"from": "other"})
        await say(connection, "reasoning/interrupt", {}, id="i1", **{"from": "other"})
        await say(connection, "system/error", {"error": "rate_limited"}, id="r1")
        await connection.close(1012)

    async def greet(server: Server, connection: ServerConnection) -> None:
        await welcome(connection, resume={"after": "x", "count": 2})
        await first(server, connection)

    async def leave(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await connection.close(1012)

    async with running(leave, greet, leave, listen) as server, client(server) as connected:
        await connected.receive()
        await connected.send("chat", {})
        items = [await connected.receive() for _ in range(5)]
        asked = [request.path.partition("&after=")[2] for request in server.requests]
        assert [re.sub("gw-of-[0-9a-f]+-", "", one) for one in asked] == ["", "gw-1", "c1", "gw-1"]
        assert [one.missed for one in items if isinstance(one, Reconnected)] == [True, True]


async def test_closing_is_orderly_and_final():
    codes: asyncio.Queue[int | None] = asyncio.Queue()

    async def script(_: Server, connection: ServerConnection) -> None:
        await welcome(connection)
        await connection.wait_closed()
        codes.put_nowait(connection.close_code)

    async with running(script) as server:
        connected = client(server)
        with pytest.raises(Disconnected):
            await connected.send("chat", {})
        await connected.connect()
        await connected.aclose()
        await connected.aclose()
        async with asyncio.timeout(TIMEOUT):
            assert await codes.get() == 1000
        with pytest.raises(Disconnected):
            await connected.receive()
        with pytest.raises(Disconnected):
            await connected.send("chat", {})


async def test_the_applications_own_exception_comes_out_as_it_is():
    async with running(listen) as server:
        with pytest.raises(KeyError):
            async with client(server):
                raise KeyError("mine")


async def test_the_token_is_never_logged(caplog):
    caplog.set_level(logging.DEBUG)
    async with running(drop, listen) as server, client(server) as connected:
        await connected.receive()
        server.refusals = [http.HTTPStatus.UNAUTHORIZED]
        with pytest.raises(Stopped):
            await client(server).connect()
    mine = [record.getMessage() for record in caplog.records if record.name.startswith("mew_gateway.sdk")]
    assert mine
    assert "secret-token" not in "".join(mine)


@pytest.mark.parametrize(
    ("url", "there"),
    [
        ("ws://127.0.0.1:8080", "ws://127.0.0.1:8080/ws?space=a.b"),
        ("http://host/", "ws://host/ws?space=a.b"),
        ("https://host/base/ws", "wss://host/base/ws?space=a.b"),
        ("wss://[::1]:1", "wss://[::1]:1/ws?space=a.b"),
    ],
)
def test_addresses(url, there):
    assert address(url, "a.b") == there


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://host", "ws://", "ws:///path", "ws://h:99999", "ws://h:x"])
def test_what_is_no_address_is_refused_at_once(url):
    with pytest.raises(ValueError, match=r"ws://127\.0\.0\.1:8080"):
        Client(url, space="demo", token="t")


async def test_the_line_break_that_a_file_ends_with_is_no_part_of_the_token(space: Space) -> None:
    async with Client("ws://space.test", space="test", token="human\n", open=space._open) as joined:
        assert joined.welcome.you.id == "human"


@pytest.mark.parametrize("token", ["secret token", "secret\ntoken", "secret\x00"])
def test_a_token_that_cannot_be_one_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(ValueError, match="one word") as caught:
        Client("ws://127.0.0.1:8080", space="demo", token=token)
    assert "secret" not in str(caught.value)
