"""The opening handshake, RFC 6455 §4: what is refused, with which status, and that a refusal is the last word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from ...kit.frames import CLOSE, PING, PONG, TEXT, Frame, closing, frame
from ...kit.gateway import Peer, Site
from ...kit.raw_connections import called, request

pytestmark = pytest.mark.asyncio(loop_scope="module")

ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # §1.3: what follows from the key in `request`


class Refused(NamedTuple):
    """An upgrade request that differs in `headers` from a good one."""

    name: str
    status: int
    headers: Mapping[str, Any] = MappingProxyType({})
    line: str = "GET /ws?space=demo HTTP/1.1"


REFUSED = [
    Refused("4.2.1-a-post", 405, line="POST /ws?space=demo HTTP/1.1"),
    Refused("4.2.1-a-head", 405, line="HEAD /ws?space=demo HTTP/1.1"),
    Refused("4.2.1-http-1.0", 505, line="GET /ws?space=demo HTTP/1.0"),
    Refused("4.2.1-http-2", 400, line="GET /ws?space=demo HTTP/2"),
    Refused("4.2.1-no-upgrade", 404, {"Upgrade": None}),
    Refused("4.2.1-another-upgrade", 404, {"Upgrade": "h2c"}),
    Refused("4.2.1-two-upgrades", 404, {"Upgrade": "websocket, h2c"}),
    Refused("4.2.1-no-connection", 404, {"Connection": None}),
    Refused("4.2.1-another-connection", 404, {"Connection": "keep-alive"}),
    Refused("4.2.1-no-host", 400, {"Host": None}),
    Refused("4.2.1-two-hosts", 400, {"Host": ["a.example", "b.example"]}),
    Refused("4.2.1-no-key", 400, {"Sec_WebSocket_Key": None}),
    Refused("4.2.1-an-empty-key", 400, {"Sec_WebSocket_Key": ""}),
    Refused("4.2.1-a-short-key", 400, {"Sec_WebSocket_Key": "dGhlIHNhbXBsZQ=="}),
    Refused("4.2.1-a-long-key", 400, {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZSB0b28="}),
    Refused("4.2.1-a-key-that-is-not-base64", 400, {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25j!!=="}),
    Refused("11.3.1-two-keys", 400, {"Sec_WebSocket_Key": ["dGhlIHNhbXBsZSBub25jZQ=="] * 2}),
    Refused("4.4-no-version", 426, {"Sec_WebSocket_Version": None}),
    Refused("4.4-version-8", 426, {"Sec_WebSocket_Version": "8"}),
    Refused("4.4-version-14", 426, {"Sec_WebSocket_Version": "14"}),
    Refused("4.4-version-013", 426, {"Sec_WebSocket_Version": "013"}),
    Refused("4.4-version-text", 426, {"Sec_WebSocket_Version": "x"}),
    Refused("11.3.5-two-versions", 426, {"Sec_WebSocket_Version": ["13", "13"]}),
    Refused("4.2.1-a-body", 400, {"Content_Length": "5"}),
    Refused("4.2.1-a-chunked-body", 400, {"Transfer_Encoding": "chunked"}),
    Refused("10.1-two-authorizations", 400, {"Authorization": ["Bearer a-token-of-nobody", "Bearer another"]}),
    Refused("10.2-a-strange-origin", 403, {"Origin": "https://evil.example"}),
    Refused("10.2-no-origin-of-a-page", 403, {"Origin": "null"}),
    Refused("10.2-two-origins", 400, {"Origin": ["http://gateway.example", "https://evil.example"]}),
    Refused("10.2-an-origin-that-is-no-url", 400, {"Origin": "http://[x"}),
    Refused("10.1-a-token-of-nobody", 401, {"Authorization": "Bearer a-token-of-nobody-at-all"}),
    Refused("10.1-no-token", 401, {"Authorization": None}),
    Refused("10.1-no-bearer", 401, {"Authorization": "Basic aHVtYW46cHc="}),
    Refused("3-a-path-that-is-no-url", 400, line="GET http://[/ws?space=demo HTTP/1.1"),
    Refused("rfc9112-5.1-a-blank-before-the-colon", 400, {"X-Any : x\r\nX": "y"}),
    Refused("rfc9112-2.2-a-bare-return", 400, {"X": "a\rSec-WebSocket-Version: 13"}),
    Refused("rfc9110-5.5-a-null", 400, {"X": "a\0b"}),
    Refused("rfc9112-3-a-blank-in-the-path", 400, line="GET /ws?space= demo HTTP/1.1"),
    Refused("rfc9110-5.1-a-name-with-a-bracket", 400, {"X[]": "y"}),
    Refused("rfc9112-5.2-a-folded-token", 401, {"Authorization": "Bearer\r\n a-token-of-nobody-at-all"}),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused.name)
async def test_an_invalid_handshake_is_refused_in_json(place: Site, bystander: Peer, refused: Refused) -> None:
    token = place.token("hostile")
    is_head, is_upgrade = refused.line.startswith("HEAD "), refused.status != 404
    await bystander.settle()
    sent = request(token, line=refused.line, **refused.headers)
    async with called(place.url) as caller:
        await caller.send(sent + frame(TEXT, b'{"kind":"chat","payload":{"text":"let me in"}}'))
        head = await caller.head()
        assert head.startswith(f"HTTP/1.1 {refused.status} "), head
        assert "sec-websocket-accept" not in head.lower()
        assert token not in head
        if not is_upgrade:  # it stays open: what is behind is the next request, and none, as soon as that has ended
            await caller.send(b"\r\n\r\n")
        rest = await caller.rest()
    length = re.search(r"\r\ncontent-length: (\d+)\r\n", head.lower())
    assert length is not None
    size = 0 if is_head else int(length[1])  # RFC 9110 §9.3.2: the answer to HEAD is its head
    body, behind = rest[:size], rest[size:]
    if is_upgrade:
        assert behind == b""
    else:
        assert behind.startswith(b"HTTP/1.1 400 ") and behind.count(b"HTTP/1.1") == 1
    if not is_head:
        said = json.loads(body)
        assert set(said) == {"error", "message"}
        assert token not in str(said)
    if refused.status == 426:
        assert "Sec-WebSocket-Version: 13\r\n" in head and "Upgrade: websocket\r\n" in head
    if refused.status == 405:
        assert "allow: GET" in head or "Allow: GET" in head
    told = await bystander.settle()
    assert [one for one in told if one["kind"] == "chat" or one["payload"].get("event") == "join"] == []


class Taken(NamedTuple):
    """An upgrade request that differs in `headers` from the usual one and is as good."""

    name: str
    headers: Mapping[str, Any] = MappingProxyType({})
    line: str = "GET /ws?space=demo HTTP/1.1"
    absent: tuple[str, ...] = ("sec-websocket-extensions", "sec-websocket-protocol")
    present: tuple[str, ...] = ()


TAKEN = [
    Taken("1.3-the-usual"),
    Taken("4.2.1-any-case", {"Upgrade": "WebSocket", "Connection": "UPGRADE"}),
    Taken("4.2.1-among-other-connections", {"Connection": "keep-alive, Upgrade"}),
    Taken("4.2.2-an-absolute-target", line="GET http://gateway.example/ws?space=demo HTTP/1.1"),
    Taken("4.2.1-an-empty-body", {"Content_Length": "0"}),
    Taken("10.2-its-own-origin", {"Origin": "http://gateway.example"}),
    Taken(
        "9.1-compression-is-not-negotiated",
        {"Sec_WebSocket_Extensions": "permessage-deflate; client_max_window_bits, x-webkit-deflate-frame"},
    ),
    Taken("9.1-no-extension-is", {"Sec_WebSocket_Extensions": ["x-any", "permessage-deflate"]}),
    Taken("4.2.2-unknown-subprotocols", {"Sec_WebSocket_Protocol": "soap, wamp"}),
    Taken(
        "4.2.2-our-subprotocol-among-others",
        {"Sec_WebSocket_Protocol": ["soap", "mew.v0.4, mew.token.whatever-it-is-not-needed"]},
        absent=("sec-websocket-extensions", "mew.token"),
        present=("sec-websocket-protocol: mew.v0.4\r\n",),
    ),
    Taken("3-a-fragment-changes-nothing", line="GET /ws?space=demo&x=%23y HTTP/1.1"),
    Taken("4.1-unknown-headers", {"Cookie": "a=b", "X-Forwarded-For": "10.0.0.1", "Sec-WebSocket-Any": "x"}),
    Taken("4.1-a-header-that-is-not-ascii", {"X-Any": "año"}),
]


@pytest.mark.parametrize("taken", TAKEN, ids=lambda taken: taken.name)
async def test_a_valid_handshake_is_accepted_and_nothing_is_added(place: Site, taken: Taken) -> None:
    async with called(place.url) as caller:
        await caller.send(request(place.token("hostile"), line=taken.line, **taken.headers))
        head = (await caller.head()).lower()
        assert head.startswith("http/1.1 101 ")
        for header in ("upgrade: websocket", "connection: upgrade", f"sec-websocket-accept: {ACCEPT.lower()}"):
            assert f"\r\n{header}\r\n" in head
        assert [word for word in taken.absent if word in head] == []
        assert [word for word in taken.present if word not in head] == []
        assert (await caller.frame()).first == 0x80 | TEXT  # the welcome: RSV1 is not set, whatever was offered
        await caller.send(frame(PING, b"?"))
        assert await caller.frame() == (0x80 | PONG, b"?")


@pytest.mark.parametrize("behind", ["GET /health HTTP/1.1\r\nHost: x\r\n\r\n", "\0\r\n\r\n", "x" * 20_000])
async def test_bytes_after_a_refused_upgrade_are_no_request(place: Site, behind: str) -> None:
    async with called(place.url) as caller:
        await caller.send(request("a-token-of-nobody-at-all") + behind.encode())
        assert (await caller.head()).startswith("HTTP/1.1 401 ")
        assert (await caller.rest()).count(b"HTTP/1.1") == 0


async def test_http_after_an_accepted_upgrade_is_a_broken_frame(place: Site) -> None:
    async with called(place.url) as caller:
        await caller.send(request(place.token("hostile")) + b"GET /health HTTP/1.1\r\nHost: %s\r\n\r\n" % (b"x" * 80))
        assert (await caller.head()).startswith("HTTP/1.1 101 ")
        *_, last = await caller.answers(until=b"")
        assert last.data[:2] == closing(1002)


async def test_the_request_may_be_cut_anywhere(place: Site, bystander: Peer) -> None:
    sent = request(place.token("hostile")) + frame(PING, b"?")
    for at in range(1, len(sent), 3):
        async with called(place.url) as caller:
            await caller.send(sent[:at], sent[at:])
            assert (await caller.head()).startswith("HTTP/1.1 101 ")
            assert await caller.answers(until=b"?") == [(0x80 | PONG, b"?")]
            await caller.send(frame(CLOSE, closing(1000)))
            assert (await caller.answers(until=b""))[-1] == Frame(0x80 | CLOSE, closing(1000))
            assert await caller.rest() == b""
    await bystander.settle()


async def test_a_header_cannot_be_put_into_the_answer(place: Site) -> None:
    for word in ("mew.v0.4%0d%0aX-Injected:1", "mew.v0.4\tX-Injected:1"):
        async with called(place.url) as caller:
            await caller.send(
                request(place.token("hostile"), Sec_WebSocket_Protocol=word, Origin="http://gateway.example")
            )
            assert "x-injected" not in (await caller.head()).lower()
    async with called(place.url) as caller:
        await caller.send(request(place.token("hostile"), Origin="https://evil.example\t<script>X-Injected:1"))
        assert "x-injected" not in (await caller.head()).lower()
