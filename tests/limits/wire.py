"""Cases of the limits on wire input: size and depth of frames, fragmented messages, posts and HTTP heads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from mew_gateway.gateway.broker.ingress import MOST_REFUSED
from mew_gateway.gateway.broker.rate_limiter import FRAMES, TOKENS_PER_SECOND
from mew_gateway.gateway.websocket import connection, join_frame
from mew_gateway.gateway.websocket.connection import STRANGERS_AFTER_CLOSE, STRANGERS_FRAMES, Connection
from mew_gateway.gateway.websocket.frame_reader import SHORT
from mew_gateway.gateway.websocket.http_timeouts import LONGEST_HEAD, MOST_LINES
from mew_gateway.protocol.codec import count_tokens
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID

from ..kit.frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, closing, frame
from ..kit.gateway import TIMEOUT, Peer, Site
from ..kit.raw_connections import Caller, called, code_of, join, opened, read_payload, request, upgraded
from .limit import Pair
from .limit_fixture import TS, LimitFixture, chats, joined, unchanged, weighing

_FRAME = 2_048
_numbers = count()
_LIMITS = f"{{frame_bytes: {_FRAME}}}"

_Sending = Callable[[Peer, bytes], Awaitable[None]]


def _chat(size: int) -> bytes:
    return weighing(size, "human", "chat", f"chat {next(_numbers)}", {}, pad="text")


async def _whole(peer: Peer, message: bytes) -> None:
    await peer.raw(message.decode())


async def _in_fragments(peer: Peer, message: bytes) -> None:
    await peer.socket.send([message[:1], b"", message[1:1000], message[1000:]])


def _stream_frame(size: int) -> bytes:
    return b"#stream-1#".ljust(size, b"x")


async def aliased(site: Site) -> Peer:
    """`human`, who joined by a frame and calls itself otherwise."""
    return await _joined(site, participantId="client-1")


async def resumed(site: Site) -> Peer:
    """`human`, who would have what it missed."""
    human = await _joined(site, after="an envelope that nobody has")
    await human.error("history_unavailable")
    return human


async def _joined(site: Site, **fields: Any) -> Peer:
    socket = await site._stack.enter_async_context(opened(site, max_queue=None))
    await socket.send(json.dumps(join(site, **fields)))
    peer = Peer(socket, "human")
    await peer.until("system/welcome")
    return peer


async def _plain(site: Site) -> Peer:
    return await joined(site, "human")


_ARRIVALS = (_plain, aliased, resumed)


async def _frame_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_LIMITS) as site:
        other = await joined(site, "other")
        for arrive in _ARRIVALS:
            human = await arrive(site)
            for send in (_whole, _in_fragments):
                await send(human, _chat(_FRAME))
                assert (await other.until("chat"))["from"] == "human"
            await human.raw(_stream_frame(_FRAME))
            await human.error("stream_not_found")
            await site.leave(human)


async def _frame_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_LIMITS) as site:
        agent, other = await joined(site, "agent"), await joined(site, "other")
        for arrive in _ARRIVALS:
            for send, message in (
                (_whole, _chat(_FRAME + 1)),
                (_in_fragments, _chat(_FRAME + 1)),
                (_in_fragments, _stream_frame(_FRAME + 1)),
            ):
                human = await arrive(site)
                await send(human, message)
                assert (await human.closed())[0] == 1009
                await other.until("system/presence", event="leave")
                await chats(agent, other)
        assert not any(one["kind"] == "chat" and one["from"] == "human" for one in other.seen)
        assert site.gateway.counters.closed == {1009: 3 * len(_ARRIVALS)}


FRAME = Pair(_frame_at, _frame_past)


async def _posted(site: Site, body: bytes, *, chunked: bool = False, kind: str = "application/json") -> int:
    """Return the status of a post, with a whole body, or in chunks without a length."""
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    head = f"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n{length}\r\n"
    writer.write(f"{head}Authorization: Bearer {site.token('human')}\r\n\r\n".encode())
    if chunked:
        pieces = [body[:700], body[700:]]
        body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    writer.write(body)
    async with asyncio.timeout(TIMEOUT):
        status = int((await reader.readuntil(b"\r\n")).split()[1])
    writer.close()
    return status


async def _body_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_LIMITS) as site:
        assert await _posted(site, _chat(_FRAME)) == 200
        assert await _posted(site, _chat(_FRAME), chunked=True) == 200
        assert await _posted(site, _stream_frame(_FRAME), kind="text/plain") == 404  # no such stream


async def _body_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_LIMITS) as site:
        before = unchanged(site)
        for chunked in (False, True):
            assert await _posted(site, _chat(_FRAME + 1), chunked=chunked) == 413
            assert await _posted(site, _stream_frame(_FRAME + 1), chunked=chunked, kind="text/plain") == 413
        assert unchanged(site) == before
        status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "still here"}})
        assert status == 200


BODY = Pair(_body_at, _body_past)


def _complex(tokens: int, id: str = "tokens", *, more: int = 500) -> bytes:
    """Return an envelope with this number of brackets, commas and colons, and `more` of them in a string."""
    text = '{"id":"%s","kind":"x/y","payload":{"text":%s,"list":[0%s]}}'
    left = tokens - count_tokens((text % (id, 1, "")).encode(), most=tokens)
    return (text % (id, '"a\\"' + ":" * more + '"', ",0" * left)).encode()


async def _complex_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{json_tokens: 1000}") as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await human.raw(_complex(1_000).decode())
        assert (await other.until("x/y"))["id"] == "tokens"
        assert await _posted(site, _complex(1_000, "posted")) == 200


async def _complex_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{json_tokens: 1000}") as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await human.until("system/presence")
        before = unchanged(site)
        await human.raw(_complex(1_001).decode())
        refused = await human.error("too_complex")
        assert (refused["correlation_id"], refused["payload"]["limit"]) == (["tokens"], 1_000)
        assert await _posted(site, _complex(1_001)) == 400
        assert unchanged(site) == before
        await chats(human, other)


COMPLEX = Pair(_complex_at, _complex_past)

_TOKENS = (60_000, 60_000, 60_000, TOKENS_PER_SECOND - 180_000)


async def _tokens(human: Peer, other: Peer, last: int) -> None:
    for nth, number in enumerate((*_TOKENS[:-1], last)):
        await human.raw(_complex(number, f"t{nth}", more=0).decode())


async def _tokens_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await _tokens(human, other, _TOKENS[-1])
        assert [(await other.until("x/y"))["id"] for _ in _TOKENS] == ["t0", "t1", "t2", "t3"]


async def _tokens_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        again = await site.join("human")
        await _tokens(human, other, _TOKENS[-1] + 1)
        refused = await human.error("rate_limited")
        assert (refused["correlation_id"], refused["payload"]["retry_after_ms"]) == (["t3"], 1)
        await human.socket.close()
        await again.raw(_complex(_TOKENS[-1] + 1, "again", more=0).decode())  # neither another connection helps
        assert (await again.error("rate_limited"))["correlation_id"] == ["again"]
        site.clock.advance(1)
        await again.raw(_complex(_TOKENS[-1] + 1, "later", more=0).decode())
        while (await other.until("x/y"))["id"] != "later":
            pass


TOKENS = Pair(_tokens_at, _tokens_past)


def deep(levels: int) -> Pair:
    """Make the cases of JSON depth, for complete and incomplete envelopes: one level more is `too_deep`."""

    def envelopes(depth: int) -> list[bytes]:
        nested = '{"a":' * (depth - 1) + "1" + "}" * (depth - 1)
        listed = '{"a":' + "[" * (depth - 2) + "1" + "]" * (depth - 2) + "}"
        complete = f'"protocol":"mew/v0.4","id":"deep","ts":"{TS}","from":"human","kind":"x/deep"'
        forms = [f"{{{complete},", '{"id":"deep","kind":"x/deep",', f'{{{complete},"context":null,']
        forms.append('{"id":"deep","kind":"x/deep","to":["client-1"],')
        texts = [f'{form}"payload":{payload}}}' for form in forms for payload in (nested, listed)]
        texts.append(f'{{{complete},"own":{nested}}}')  # a field of the sender's
        return [text.replace("deep", f"deep{nth}", 1).encode() for nth, text in enumerate(texts)]

    async def at(fixture: LimitFixture) -> None:
        async with fixture.gateway(limits=f"{{json_depth: {levels}}}") as site:
            human, other = await aliased(site), await joined(site, "other")
            for text in envelopes(levels):
                await human.raw(text.decode())
                assert (await other.receive())["from"] == "human"
            (_, *posted) = envelopes(levels)
            for text in posted:
                assert await _posted(site, text.replace(b"deep", b"post", 1)) == 200

    async def past(fixture: LimitFixture) -> None:
        async with fixture.gateway(limits=f"{{json_depth: {levels}}}") as site:
            human, other = await aliased(site), await joined(site, "other")
            await human.until("system/presence")
            before = unchanged(site)
            for nth, text in enumerate(envelopes(levels + 1)):
                await human.raw(text.decode())
                assert (await human.error("too_deep"))["correlation_id"] == [f"deep{nth}"]
                assert await _posted(site, text) == 400
            assert unchanged(site) == before
            await chats(human, other)

    return Pair(at, past)


DEPTH = deep(8)
DEEPEST = deep(512)


async def _join_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for cut in (None, 1, 14):  # at once, or its last bytes apart
            async with upgraded(site) as (reader, writer):
                message = frame(TEXT, _join_frame(site, join_frame.LONGEST))
                writer.write(message[: None if cut is None else -cut])
                if cut is not None:
                    await _until_read(site, len(message) - cut)
                    writer.write(message[-cut:])
                assert json.loads(await read_payload(reader))["kind"] == "system/welcome"
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


async def _join_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for cut in (None, 1, 1_000):
            async with upgraded(site) as (reader, writer):
                writer.write(frame(TEXT, _join_frame(site, join_frame.LONGEST + 1))[: None if cut is None else -cut])
                if cut is not None:
                    writer.write(frame(TEXT, _join_frame(site, join_frame.LONGEST + 1))[-cut:])
                assert (await read_payload(reader))[:2] == (1009).to_bytes(2, "big")
        assert not site.gateway.accept_context.waiting
        assert not site.gateway.broker.links
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


def _join_frame(site: Site, size: int) -> bytes:
    short = json.dumps(join(site, more="")).encode()
    return json.dumps(join(site, more="x" * (size - len(short)))).encode()


async def _until_read(site: Site, size: int) -> None:
    """Wait until the gateway has taken this number of bytes of a join frame."""
    async with asyncio.timeout(TIMEOUT):
        while not any(one._reader.held == size for one in site.gateway.accept_context.waiting):
            await asyncio.sleep(0)


JOIN = Pair(_join_at, _join_past)


async def _alias_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site, opened(site, max_queue=None) as socket:
        await socket.send(json.dumps(join(site, participantId="c" * 64)))
        peer = Peer(socket, "human")
        assert (await peer.until("system/welcome"))["to"] == ["c" * 64]


async def _alias_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for name in ("c" * 65, "-c", "c/d", "system", "gateway", "gw-1", "other"):
            async with opened(site, max_queue=None) as socket:
                await socket.send(json.dumps(join(site, participantId=name)))
                await Peer(socket, "human").error("join_refused")
                assert await code_of(socket) == 4501
        assert not site.gateway.broker.links
        assert not site.gateway.broker.engine["demo"].aliases
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


ALIAS = Pair(_alias_at, _alias_past)


def _named(length: int) -> list[bytes]:
    """Send frames of a stream whose id has this number of characters, of one byte and of four."""
    return [f"#{letter * length}#data".encode() for letter in ("s", "🎈")]


async def _stream_id_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human = await joined(site, "human")
        for frame in _named(MAX_ENVELOPE_ID):
            await human.raw(frame)
            await human.error("stream_not_found")
            assert await _posted(site, frame, kind="application/octet-stream") == 404


async def _stream_id_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await human.until("system/presence")
        before = unchanged(site)
        for frame in (*_named(MAX_ENVELOPE_ID + 1), b"##data", b"#no end"):
            await human.raw(frame)
            await human.error("invalid_frame")
            assert await _posted(site, frame, kind="application/octet-stream") == 400
        assert unchanged(site) == before
        await chats(human, other)


STREAM_ID = Pair(_stream_id_at, _stream_id_past)

_HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n"


def _upgrade(site: Site) -> bytes:
    head = (
        "GET /ws?space=demo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    )
    return f"{head}Authorization: Bearer {site.token('human')}\r\n".encode()


async def _headed(site: Site, request: bytes, size: int, *, cut: int) -> int:
    """Return the status of a request with a head of this size; its last `cut` bytes come later."""
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    left = size - len(request) - len(b"\r\n")
    while left:  # in lines that every parser takes
        line = min(left, 4_000) if left < 4_000 or left > 4_100 else 2_000
        request += b"X: ".ljust(line - 2, b"x") + b"\r\n"
        left -= line
    head = request + b"\r\n"
    writer.write(head[: len(head) - cut])
    if cut:
        arrived: set[Any] = set(site.gateway._server.server_state.connections)
        async with asyncio.timeout(TIMEOUT):
            while not any(len(one.conn.trailing_data[0]) == size - cut for one in arrived):
                await asyncio.sleep(0)
                arrived = set(site.gateway._server.server_state.connections)
        writer.write(head[-cut:])
    async with asyncio.timeout(TIMEOUT):
        status = int((await reader.readuntil(b"\r\n")).split()[1])
    writer.close()
    return status


async def _head_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for request in (_HEALTH, _upgrade(site)):
            for cut in (0, 1, 1_000):
                assert await _headed(site, request, LONGEST_HEAD, cut=cut) in (200, 101)


async def _head_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        before = unchanged(site)
        for request in (_HEALTH, _upgrade(site)):
            for cut in (0, 1, 1_000):
                assert await _headed(site, request, LONGEST_HEAD + 1, cut=cut) == 400
        assert unchanged(site) == before
        assert await _headed(site, _HEALTH, LONGEST_HEAD, cut=0) == 200


HEAD = Pair(_head_at, _head_past)


async def _lined(site: Site, request: bytes, lines: int) -> int:
    """Return the status of a request whose head has this number of lines, with the empty one."""
    left = lines - request.count(b"\n") - 1
    return await _headed(site, request + b"x:\r\n" * left, len(request) + 4 * left + 2, cut=0)


async def _lines_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for request in (_HEALTH, _upgrade(site)):
            assert await _lined(site, request, MOST_LINES) in (200, 101)


async def _lines_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        before = unchanged(site)
        for request in (_HEALTH, _upgrade(site)):
            assert await _lined(site, request, MOST_LINES + 1) == 400
        assert unchanged(site) == before


LINES = Pair(_lines_at, _lines_past)


# Frames that are no whole message: sent at once, each of some number of them.
_ODD: tuple[Callable[[int], bytes], ...] = (
    lambda number: frame(PING, b"?") * number,
    lambda number: frame(PONG) * number,
    lambda number: frame(TEXT, fin=0) + frame(CONTINUATION, fin=0) * (number - 2) + frame(CONTINUATION, b"#a#"),
)


_LONG_FRAGMENTS = [
    frame(TEXT, b"#b#".ljust(SHORT), fin=0),
    *[frame(CONTINUATION, b"x" * SHORT, fin=0)] * 200,
    frame(CONTINUATION, b"x" * SHORT),
]


async def _odd_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        for odd in _ODD:
            async with called(site.url) as caller:
                await caller.send(request(site.token("human")) + odd(FRAMES) + frame(TEXT, b"#b#"))
                assert (await caller.head()).startswith("HTTP/1.1 101 ")
                await caller.send(*_LONG_FRAGMENTS)  # these do not count
                while b'"stream_id":"b"' not in (await caller.frame()).data:  # it has no such stream
                    pass
            site.clock.advance(1_000)


async def _odd_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        agent, other = await joined(site, "agent"), await joined(site, "other")
        for odd in _ODD:
            async with called(site.url) as caller:
                await caller.send(request(site.token("human")) + odd(FRAMES + 1))
                await caller.head()
                *_, last = await caller.answers(until=b"never")
                assert (last.first, last.data[:2]) == (0x80 | CLOSE, closing(4029))
            await other.until("system/presence", event="leave")
            await chats(agent, other)
            site.clock.advance(1_000)
        assert site.gateway.counters.closed == {4029: len(_ODD)}


async def _strange_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site, upgraded(site) as (reader, writer):
        writer.write(frame(PONG) * STRANGERS_FRAMES + frame(TEXT, json.dumps(join(site)).encode()))
        assert json.loads(await read_payload(reader))["kind"] == "system/welcome"
        writer.write(frame(PONG) * STRANGERS_FRAMES * 2 + frame(TEXT, b"#b#"))  # now it is no stranger
        assert b'"stream_id":"b"' in await read_payload(reader)


async def _strange_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        async with upgraded(site) as (reader, writer):
            writer.write(frame(PONG) * (STRANGERS_FRAMES + 1) + frame(TEXT, json.dumps(join(site)).encode()))
            assert (await read_payload(reader))[:2] == closing(4029)
        assert not site.gateway.accept_context.waiting
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


async def _refused_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site, called(site.url) as caller:
        await caller.send(request(site.token("human")))
        await caller.head()
        for nth in (b"one", b"two"):
            await caller.send(frame(TEXT) * (MOST_REFUSED - 1) + frame(PING, nth))
            assert (await caller.answers(until=nth))[-1].data == nth
        assert not site.gateway.counters.closed


async def _refused_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        agent, other = await joined(site, "agent"), await joined(site, "other")
        async with called(site.url) as caller:
            await caller.send(request(site.token("human")))
            await caller.head()
            await caller.send(frame(TEXT) * MOST_REFUSED)
            *_, last = await caller.answers(until=b"never")
            assert (last.first, last.data[:2]) == (0x80 | CLOSE, closing(4029))
        await other.until("system/presence", event="leave")
        await chats(agent, other)


_BURST = 20
_AT_ONCE = MOST_REFUSED + 2 * _BURST
_BURST_LIMITS = f"{{envelopes_burst: {_BURST}, envelopes_per_second: 1}}"


def _mixed(number: int) -> bytes:
    """Return this number of messages, of which as many pass as possible."""
    urgent = b'{"kind":"reasoning/interrupt-ack","payload":{}}'
    passing = frame(TEXT, b'{"kind":"chat","payload":{"text":"x"}}') * _BURST + frame(TEXT, urgent) * _BURST
    return passing + frame(TEXT) * (number - 2 * _BURST)


async def _at_once(fixture: LimitFixture, number: int) -> Frame:
    """Return the pong or the close of a connection that sent this number of messages in one piece."""
    async with fixture.gateway(limits=_BURST_LIMITS) as site, called(site.url) as caller:
        await caller.send(request(site.token("human")))
        await caller.head()
        (seat,) = site.gateway.accept_context.open
        seat.data_received(_mixed(number))
        await caller.send(frame(PING, b"?"))
        return (await caller.answers(until=b"?"))[-1]


async def _at_once_at(fixture: LimitFixture) -> None:
    assert await _at_once(fixture, _AT_ONCE - 1) == (0x80 | PONG, b"?")


async def _at_once_past(fixture: LimitFixture) -> None:
    last = await _at_once(fixture, _AT_ONCE)
    assert (last.first, last.data[:2]) == (0x80 | CLOSE, closing(4029))


_LAST_LIMITS = f"{{bytes_per_second: 70000, frame_bytes: {_FRAME}}}"
_ANSWER = frame(CLOSE, closing(1000))


def _parting(size: int) -> bytes:
    """Return messages and then a close frame, of this total size."""
    size -= len(_ANSWER)
    whole = frame(BINARY, bytes(_FRAME))
    number = (size - 200) // len(whole)
    left = size - number * len(whole)
    rest = frame(BINARY, bytes(left - 8 if left - 8 > 125 else left - 6))
    return whole * number + rest + _ANSWER


async def _closed_stranger(site: Site, caller: Caller) -> Connection:
    await caller.send(request(None, line="GET / HTTP/1.1"))
    await caller.head()
    (stranger,) = site.gateway.accept_context.open
    stranger.close(4010, "not joined")
    return stranger


async def _closed_human(site: Site, caller: Caller) -> Connection:
    await caller.send(request(site.token("human")))
    await caller.head()
    (human,) = site.gateway.accept_context.open
    human.close(4504, "shut down")
    return human


_PARTING = ((_closed_stranger, STRANGERS_AFTER_CLOSE), (_closed_human, 70_000))


async def _last_at(fixture: LimitFixture) -> None:
    """It is ended by its close frame: the time for that is not what ends it."""
    fixture.patches.setattr(connection, "_LINGER", 3_600.0)
    async with fixture.gateway(limits=_LAST_LIMITS) as site:
        for closed, most in _PARTING:
            async with called(site.url) as caller:
                await closed(site, caller)
                await caller.send(_parting(most))
                assert (await caller.answers(until=b"never"))[-1].first == 0x80 | CLOSE
                assert await caller.rest() == b""


async def _last_past(fixture: LimitFixture) -> None:
    """Nobody reads its close frame any more; it can read ours, and is cut."""
    fixture.patches.setattr(connection, "_LINGER", 3_600.0)
    async with fixture.gateway(limits=_LAST_LIMITS) as site:
        for closed, most in _PARTING:
            async with called(site.url) as caller:
                one = await closed(site, caller)
                await caller.send(_parting(most + 1))
                async with asyncio.timeout(TIMEOUT):
                    while one._transport.is_reading():
                        await asyncio.sleep(0)
                assert (await caller.answers(until=b"never"))[-1].first == 0x80 | CLOSE
                assert one in site.gateway.accept_context.open
                assert one._linger is not None
                one._linger._run()
        human, other = await joined(site, "human"), await joined(site, "other")
        await chats(human, other)


AT_ONCE = Pair(_at_once_at, _at_once_past)
LAST = Pair(_last_at, _last_past)
REFUSED = Pair(_refused_at, _refused_past)
ODD = Pair(_odd_at, _odd_past)
STRANGE = Pair(_strange_at, _strange_past)
