"""Connecting, being refused, being ended: docs/protocol.md §1 and §7 over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from typing import Any

import pytest
import websockets
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from mew_gateway.gateway.broker import rate_limiter
from mew_gateway.gateway.websocket.connection import Connection

from ..kit.frames import CLOSE, CONTINUATION, PING, TEXT, frame
from ..kit.raw_connections import close_code, read_frame, upgraded

SMALL = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
  allowed_origins: ["https://console.example"]
  limits: {limits}
spaces:
  demo:
    participants:
      human: {{capabilities: [{{kind: "*"}}]}}
      agent: {{capabilities: [{{kind: chat}}]}}
  other:
    participants:
      human: {{capabilities: [{{kind: chat}}]}}
"""


def chat(text: str) -> bytes:
    return json.dumps({"kind": "chat", "payload": {"text": text}}, ensure_ascii=False).encode()


async def test_a_browser_joins_by_subprotocol(site: Any) -> None:
    url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
    offered = [Subprotocol("mew.v0.4"), Subprotocol(f"mew.token.{site.token('human')}")]
    async with websockets.connect(url, subprotocols=offered) as socket:
        assert socket.subprotocol == "mew.v0.4"
        assert json.loads(await socket.recv())["payload"]["you"]["id"] == "human"


@pytest.mark.parametrize(
    ("path", "token", "status"),
    [
        ("/ws?space=demo", None, 401),
        ("/ws?space=demo", "mew_wrong_token_wrong_token", 401),
        ("/ws?space=elsewhere", "human", 401),
        ("/?space=elsewhere", "human", 401),
        ("/elsewhere", "mew_wrong_token_wrong_token", 401),
    ],
)
async def test_without_a_token_of_the_space_nothing_is_revealed(
    site: Any, path: str, token: str | None, status: int
) -> None:
    headers = {} if token is None else {"Authorization": f"Bearer {site.token('human') if token == 'human' else token}"}
    with pytest.raises(InvalidStatus) as refused:
        await websockets.connect(f"{site.url.replace('http', 'ws')}{path}", additional_headers=headers)
    assert refused.value.response.status_code == status
    body = json.loads(refused.value.response.body or b"")
    assert set(body) == {"error", "message"}
    assert "human" not in body["message"]


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [("https://console.example", True), ("https://evil.example", False), ("null", False), ("same", True)],
)
async def test_a_web_page_needs_an_allowed_origin(start_gateway: Any, origin: str, allowed: bool) -> None:
    async with start_gateway(SMALL.format(limits="{}")) as site:
        headers = {"Origin": site.url if origin == "same" else origin, "Authorization": f"Bearer {site.token('human')}"}
        url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
        if allowed:
            async with websockets.connect(url, additional_headers=headers):
                return
        with pytest.raises(InvalidStatus) as refused:
            await websockets.connect(url, additional_headers=headers)
        assert refused.value.response.status_code == 403


@pytest.mark.requirement("mew/8.1:connection-state")
async def test_several_connections_of_one_participant_share_one_presence(site: Any) -> None:
    human, first = await site.join("human"), await site.join("agent")
    await human.until("system/presence", event="join")
    second = await site.join("agent")
    await human.send("chat", {"text": "to both"})
    for peer in (first, second):
        await peer.until("chat", text="to both")
    await site.leave(first)
    assert not [one for one in await human.settle() if one["kind"] == "system/presence"]
    await site.leave(second)
    assert (await human.until("system/presence"))["payload"] == {"event": "leave", "participant": {"id": "agent"}}


async def test_the_ninth_connection_of_a_participant_is_one_too_many(site: Any) -> None:
    for _ in range(8):
        await site.join("human")
    url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
    headers = {"Authorization": f"Bearer {site.token('human')}"}
    async with websockets.connect(url, additional_headers=headers) as ninth:
        await ninth.wait_closed()
        assert ninth.close_code == 4009


async def test_fragments_are_put_together_and_control_frames_pass_between(site: Any) -> None:
    human = await site.join("human")
    text = chat("año nuevo 🎉")
    async with upgraded(site, "other") as (reader, writer):
        cut = text.index("ñ".encode()) + 1  # inside a character
        writer.write(frame(TEXT, text[:cut], fin=0) + frame(PING, b"hi") + frame(CONTINUATION, text[cut:]))
        assert await read_frame(reader) == (10, b"hi")
    assert (await human.until("chat"))["payload"]["text"] == "año nuevo 🎉"


async def test_frames_may_arrive_byte_by_byte_or_many_at_once(site: Any) -> None:
    human = await site.join("human")
    async with upgraded(site, "other") as (_, writer):
        for byte in frame(TEXT, chat("drop by drop")):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert (await human.until("chat"))["payload"]["text"] == "drop by drop"
        writer.write(b"".join(frame(TEXT, chat(f"n{number}")) for number in range(300)))
        for number in range(300):
            assert (await human.until("chat"))["payload"]["text"] == f"n{number}"


@pytest.mark.requirement("mew/8.1:unmodified")
@pytest.mark.parametrize("size", [125, 126, 65535, 65536, 200_000])
async def test_every_length_of_frame_is_forwarded_byte_for_byte(site: Any, size: int) -> None:
    human, other = await site.join("human"), await site.join("other")
    start = (
        '{"protocol":"mew/v0.4", "id":"x","ts":"2026-01-01T00:00:00Z","from":"other","kind":"chat","payload":{"text":"'
    )
    text = start + "y" * max(0, size - len(start) - 3) + '"}}'
    await other.raw(text)
    assert await human.socket.recv() == text or (await human.socket.recv()) == text


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (frame(TEXT, chat("unmasked"), mask=None), 1002),
        (frame(TEXT, rsv=4), 1002),
        (frame(3), 1002),
        (frame(CONTINUATION), 1002),
        (frame(TEXT, b"a", fin=0) + frame(TEXT, b"b"), 1002),
        (frame(PING, b"x" * 126), 1002),
        (frame(PING, b"x", fin=0), 1002),
        (frame(TEXT, b"\xff\xfe"), 1007),
        (frame(TEXT, b'{"kind":"chat","payload":{"text":"\xed\xa0\x80"}}'), 1007),
        (frame(TEXT, b"\xc3", fin=0) + frame(CONTINUATION, b"("), 1007),
        (frame(CLOSE)[:1] + b"\x81\0\0\0\0\x01", 1002),
        (b"\x81\xff" + struct.pack("!Q", 1 << 20 | 1) + b"mask", 1009),
        (frame(TEXT, b"y" * (1 << 20), fin=0) + frame(CONTINUATION, b"z"), 1009),
    ],
)
async def test_a_violation_of_the_websocket_protocol_ends_the_connection(site: Any, frames: bytes, code: int) -> None:
    async with upgraded(site, "human") as (reader, writer):
        writer.write(frames)
        assert await close_code(reader) == code


async def test_undecodable_input_is_answered_and_the_connection_lives(site: Any) -> None:
    human = await site.join("human")
    for text, code in (
        ("", "invalid_json"),
        ("[]", "invalid_json"),
        ('{"kind":"chat"', "invalid_json"),
        ('{"kind":"chat","payload":{"text":NaN}}', "invalid_json"),
        ('{"kind":"chat","payload":{"text":"\\ud800"}}', "invalid_json"),
        ('{"kind":"chat","payload":{"n":1e999}}', "invalid_number"),
        ('{"kind":"chat","payload":{"n":18446744073709551616}}', "invalid_number"),
        ('{"kind":"chat","payload":{"text":"a","text":"b"}}', "duplicate_key"),
        ('{"kind":"chat","payload":' + '{"a":' * 70 + "1" + "}" * 70 + "}", "too_deep"),
        ('{"kind":7}', "invalid_envelope"),
        ('{"kind":"chat","protocol":"mew/v9"}', "invalid_envelope"),
        ('{"kind":"chat","payload":"text"}', "invalid_envelope"),
        ('{"kind":"chat","payload":{}}', "invalid_payload"),
        ('{"kind":"system/welcome"}', "reserved_kind"),
        ('{"kind":"stream/open"}', "reserved_kind"),
        ('{"kind":"space/kick"}', "capability_violation"),
        ('{"kind":"chat","from":"agent","payload":{"text":"x"}}', "identity_mismatch"),
    ):
        await human.raw(text)
        error = await human.error(code)
        assert error["to"] == ["human"]
        assert len(error["payload"]["message"]) > 10
    await human.raw(b'{"kind":"chat","payload":{"text":"binary JSON is taken"}}')
    await human.until("chat")


async def test_a_used_id_is_refused_only_as_a_resend(site: Any) -> None:
    human, other = await site.join("human"), await site.join("other")
    sent = {"id": "1", "kind": "chat", "payload": {"text": "first"}}
    await human.raw(json.dumps(sent))
    await other.until("chat", text="first")
    await human.raw(json.dumps({**sent, "payload": {"text": "second"}}))
    await human.error("duplicate_id")
    again = await site.join("human")
    await again.raw(json.dumps(sent))
    await again.error("duplicate_id")
    await again.raw(json.dumps({**sent, "payload": {"text": "counts from one again"}}))
    await other.until("chat", text="counts from one again")


async def test_an_unknown_recipient_is_named_and_the_known_still_receive(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await human.send("chat", {"text": "hello"}, to=["agent", "agnet", "gateway", "mute"])
    await agent.until("chat", text="hello")
    assert (await human.error("participant_not_found"))["payload"]["participants"] == ["agnet"]


async def test_a_flood_is_limited_then_ended(start_gateway: Any) -> None:
    limits = "{envelopes_per_second: 10, envelopes_burst: 20}"
    async with start_gateway(SMALL.format(limits=limits)) as site:
        human = await site.join("human")
        for number in range(21):
            await human.send("chat", {"text": str(number)})
        assert (await human.error("rate_limited"))["payload"]["retry_after_ms"] == 100
        await human.send("reasoning/conclusion", {"message": "urgent"})
        await human.until("reasoning/conclusion")
        for second in range(6):
            site.clock.advance(900)
            for number in range(40):
                await human.send("chat", {"text": "more"}, id=f"{second}-{number}")
            if second < 5:
                while (await human.error("rate_limited"))["correlation_id"] != [f"{second}-39"]:
                    pass
        assert (await human.closed())[0] == 4029


async def test_only_a_reader_that_takes_nothing_is_dropped(start_gateway: Any) -> None:
    limits = (
        "{outbox_bytes: 1048576, envelopes_per_second: 100000, envelopes_burst: 100000, bytes_per_second: 1000000000}"
    )
    async with start_gateway(SMALL.format(limits=limits)) as site:
        human, agent = await site.join("human"), await site.join("agent")
        async with upgraded(site, "agent"):
            sender = asyncio.create_task(_send_many(human))
            for number in range(400):
                await agent.until("chat", n=number)
            await sender
            async with asyncio.timeout(10):
                while site.gateway.counters.closed[4008] == 0:
                    await asyncio.sleep(0)
        await human.send("chat", {"text": "still here"})
        await agent.until("chat", text="still here")


async def _send_many(peer: Any) -> None:
    for number in range(400):
        await peer.send("chat", {"text": "x" * 50_000, "n": number})
        await peer.until("chat", n=number)


async def test_stalled_and_silent_peers_are_closed(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{}")) as site, upgraded(site, "human") as (reader, _):
        (connection,) = site.gateway.accept_context.open
        assert isinstance(connection, Connection)
        site.clock.advance(20_000)
        connection.check(site.clock.now())
        assert (await read_frame(reader))[0] == 9
        site.clock.advance(19_999)
        connection.check(site.clock.now())
        site.clock.advance(1)
        connection.check(site.clock.now())
        assert await close_code(reader) == 4008


async def test_a_peer_that_drips_its_request_head_is_cut(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{join_timeout: 100ms}")) as site:
        host, port = site.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()


async def test_a_joined_connection_has_no_join_timeout(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{join_timeout: 100ms}")) as site:
        human = await site.join("human")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await human.socket.wait_closed()
        await human.send("chat", {"text": "still here"})
        await human.until("chat")


async def test_stopping_closes_all_with_1012_and_journals_leaves(start_gateway: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        agent = await site.join("agent")
        await agent.send("reasoning/start", {}, id="run")
        await human.until("reasoning/start")
    assert (await human.closed())[0] == 1012
    async with start_gateway() as site:
        status, body = await site.get("/spaces/demo/timeline", participant="human")
        assert status == 200
        leaves = [one for one in body["events"] if one["kind"] == "system/presence" and one["event"] == "leave"]
        assert {one["participant"] for one in leaves} == {"human", "agent"}
        back = await site.join("agent")
        assert back.seen[0]["payload"]["sequences"]["open"][0]["id"] == "run"


async def test_nothing_is_read_after_a_close_or_broken_frame(site: Any) -> None:
    human = await site.join("human")
    for first in (frame(CLOSE, b"\x03\xe8"), frame(TEXT, chat("unmasked"), mask=None)):
        async with upgraded(site, "other") as (reader, writer):
            writer.write(first + frame(TEXT, chat("too late")))
            await close_code(reader)
    assert not [one for one in await human.settle() if one["kind"] == "chat"]


async def test_pongs_obey_the_outbox_too(start_gateway: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limiter, "FRAMES", 10**9)  # else they end with 4029 before
    small = SMALL.format(limits="{outbox_bytes: 1048576}")
    async with start_gateway(small) as site, upgraded(site, "human") as (_, writer):
        pings = frame(PING, b"p" * 125) * 1000
        async with asyncio.timeout(20):
            while site.gateway.counters.closed[4008] == 0:
                with contextlib.suppress(ConnectionError, TimeoutError):
                    writer.write(pings)
                    await asyncio.wait_for(writer.drain(), 0.05)
                await asyncio.sleep(0)


async def test_a_flood_of_garbage_ends_like_any_other(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{envelopes_per_second: 10, envelopes_burst: 20}")) as site:
        human = await site.join("human")
        codes = []
        with contextlib.suppress(websockets.ConnectionClosed):
            for _ in range(8):
                for _ in range(30):
                    await human.raw("x")
                    codes.append((await human.until("system/error"))["payload"]["error"])
                site.clock.advance(900)
        assert codes[:21] == ["invalid_json"] * 20 + ["rate_limited"]
        assert (await human.closed())[0] == 4029


async def test_urgent_envelopes_have_a_byte_limit_of_their_own(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{bytes_per_second: 1048576}")) as site:
        human = await site.join("human")
        for _ in range(2):
            await human.send("reasoning/interrupt-ack", {"status": "stopping", "message": "x" * 600_000})
        await human.until("system/error", error="unknown_interrupt")
        await human.until("system/error", error="rate_limited")
        await human.send("chat", {"text": "the others are not crowded out"})
        await human.until("chat")


@pytest.mark.requirement("mew/3.6.6:kick-removes")
async def test_a_kick_ends_every_connection_for_good(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{}")) as site:
        human, first, second = await site.join("human"), await site.join("agent"), await site.join("agent")
        await human.send("space/kick", {"participant_id": "agent", "reason": "test"})
        assert (await first.closed())[0] == 4503
        assert (await second.closed())[0] == 4503
        assert (await human.until("system/presence", event="leave"))["payload"]["participant"]["id"] == "agent"
        url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
        headers = {"Authorization": f"Bearer {site.token('agent')}"}
        async with websockets.connect(url, additional_headers=headers) as again:
            await again.wait_closed()
            assert again.close_code == 4503
        assert len(site.gateway.broker.links) == 1


@pytest.mark.requirement("mew/3.9.10:until-it-rejoins")
async def test_a_shutdown_refuses_other_input_and_then_closes(start_gateway: Any) -> None:
    async with start_gateway(SMALL.format(limits="{}")) as site:
        human, agent = await site.join("human"), await site.join("agent")
        await human.send("participant/shutdown", {}, to=["agent"])
        await agent.until("participant/shutdown")
        await agent.send("chat", {"text": "but"})
        await agent.error("shutting_down")
        await site.pass_time(2_000)
        assert (await agent.closed())[0] == 4504
        back = await site.join("agent")
        await back.send("chat", {"text": "here again"})
        await human.until("chat", text="here again")
