"""Joining by a first frame: docs/protocol.md §1, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from ..kit.frames import TEXT, frame
from ..kit.raw_connections import code_of, join, opened, read_payload, upgraded

TWO = """
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


async def said(socket: ClientConnection, message: dict[str, Any] | str | bytes) -> dict[str, Any]:
    """What the gateway says next, once it was sent this."""
    await socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
    return dict(await heard(socket))


async def heard(socket: ClientConnection) -> Any:
    async with asyncio.timeout(10):
        return json.loads(await socket.recv())


@pytest.mark.parametrize("path", ["/", "/ws", "/ws?after=", "/somewhere/else?space=demo", "/?x=1"])
async def test_a_join_frame_is_taken_on_any_path(site: Any, path: str) -> None:
    async with opened(site, path) as socket:
        welcome = await said(socket, join(site))
        assert (welcome["kind"], welcome["payload"]["you"]["id"]) == ("system/welcome", "human")


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "join", "participantId": "human", "token": "T", "space": "demo", "capabilities": []},
        {"type": "join", "participant_id": "human", "token": "T"},
        {"kind": "system/join", "id": "1", "protocol": "mew/v0.4", "payload": {"space": "demo", "token": "T"}},
        {"kind": "system/join", "space": "demo", "payload": {"participantId": "human", "token": "T"}},
        {"type": "join", "payload": {"participant_id": "human", "token": "T", "space": "demo"}},
        {"type": "join", "space": None, "participantId": "", "token": "T", "payload": {"space": "demo"}},
    ],
)
@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
async def test_its_fields_stand_at_the_top_or_in_the_payload(site: Any, frame: dict[str, Any], binary: bool) -> None:
    text = json.dumps(frame).replace('"T"', json.dumps(site.token("human")))
    async with opened(site) as socket:
        welcome = await said(socket, text.encode() if binary else text)
        assert welcome["payload"]["you"]["id"] == "human"
        assert welcome["to"] == ["human"]


async def test_where_there_are_several_spaces_one_must_be_named(start_gateway: Any) -> None:
    async with start_gateway(TWO.format(limits="{}")) as site:
        frame = {"type": "join", "token": site.token("human", "other")}
        async with opened(site) as socket:
            assert (await said(socket, frame))["payload"]["error"] == "join_refused"
            assert await code_of(socket) == 4501
        async with opened(site) as socket:
            assert (await said(socket, {**frame, "space": "other"}))["payload"]["space"]["id"] == "other"
        async with opened(site, "/?space=other") as socket:
            assert (await said(socket, frame))["payload"]["space"]["id"] == "other"
        headers = {"Authorization": f"Bearer {site.token('human')}"}
        with pytest.raises(InvalidStatus) as refused:
            await websockets.connect(site.url.replace("http", "ws"), additional_headers=headers)
        assert refused.value.response.status_code == 401


@pytest.mark.parametrize("path", ["/", "/ws", "/any?after="])
async def test_a_token_in_the_header_joins_the_only_space(site: Any, path: str) -> None:
    headers = {"Authorization": f"Bearer {site.token('human')}"}
    async with opened(site, path, additional_headers=headers) as socket:
        assert (await heard(socket))["payload"]["you"]["id"] == "human"


@pytest.mark.requirement("mew/5.2:token-decides")
async def test_wrong_tokens_foreign_tokens_and_unknown_spaces_look_the_same(start_gateway: Any) -> None:
    async with start_gateway(TWO.format(limits="{}")) as site:
        answers = []
        for frame in (
            {"type": "join", "space": "demo", "token": "mew_wrong_token_wrong_token"},
            {"type": "join", "space": "demo", "token": site.token("human", "other")},
            {"type": "join", "space": "elsewhere", "token": site.token("human")},
            {"type": "join", "space": "demo", "participantId": "human", "token": site.token("human") + "x"},
        ):
            async with opened(site) as socket:
                answers.append((await said(socket, frame))["payload"])
                assert await code_of(socket) == 4501
        assert answers == [{"error": "join_refused", "message": "That is no token of that space."}] * 4
        assert site.gateway.counters.refused == {"join_refused": 4}
        assert site.gateway.counters.closed == {4501: 4}


@pytest.mark.parametrize(
    "first",
    [
        '{"kind": "chat", "payload": {"text": "me first"}}',
        '{"type": "join", "space": "demo"}',
        '{"type": "join", "space": ["demo"], "token": "x"}',
        '{"type": "leave"}',
        '["join"]',
        "not JSON",
        "#stream-1#data",
        "[" * 10_000,
        b"\xff\xfe",
        "",
    ],
)
async def test_other_first_messages_get_an_error_and_a_close(site: Any, first: str | bytes) -> None:
    async with opened(site) as socket:
        error = await said(socket, first)
        assert error["kind"] == "system/error"
        assert error["payload"]["error"] == "join_refused"
        assert await code_of(socket) == 4501
    assert not site.gateway.broker.links


async def test_only_a_peer_that_joins_late_is_closed(site: Any) -> None:
    human = await site.join("human")
    async with opened(site) as socket:
        await human.settle()  # the upgrade is through, in both
        (waiting,) = site.gateway.accept_context.waiting
        site.clock.advance(9_999)
        waiting.check(site.clock.now())
        site.clock.advance(1)
        for connection in list(site.gateway.accept_context.open):
            connection.check(site.clock.now())
        assert await code_of(socket) == 4010
    await human.settle()
    assert not site.gateway.accept_context.waiting


async def test_a_peer_that_joined_in_time_is_not_closed(site: Any) -> None:
    async with opened(site) as socket:
        (waiting,) = site.gateway.accept_context.waiting
        site.clock.advance(9_999)
        await said(socket, join(site))
        site.clock.advance(1)
        waiting.check(site.clock.now())
        assert (await said(socket, {"kind": "chat", "payload": {"text": "here"}}))["kind"] == "chat"


@pytest.mark.requirement("mew/3.8.1:welcome-first")
async def test_input_after_the_join_frame_is_handled_after_the_welcome(site: Any) -> None:
    chats = [json.dumps({"kind": "chat", "payload": {"text": str(n)}}).encode() for n in range(3)]
    frames = [json.dumps(join(site)).encode(), chats[0], b"garbage", chats[1], b"#stream-9#x", chats[2]]
    async with upgraded(site) as (reader, writer):
        writer.write(b"".join(frame(TEXT, one) for one in frames))  # one TCP segment
        answers = [json.loads(await read_payload(reader)) for _ in range(6)]
    kinds = [one["payload"].get("text") or one["payload"].get("error") or one["kind"] for one in answers]
    assert kinds == ["system/welcome", "0", "invalid_json", "1", "stream_not_found", "2"]


async def test_a_join_frame_may_come_early_and_in_pieces(site: Any) -> None:
    joining = frame(TEXT, json.dumps(join(site)).encode())
    async with upgraded(site, behind=joining[:30]) as (reader, writer):
        for byte in joining[30:]:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert json.loads(await read_payload(reader))["kind"] == "system/welcome"


async def test_the_input_of_a_stranger_is_bounded(site: Any) -> None:
    async with upgraded(site) as (reader, writer):
        writer.write(frame(TEXT, b"x" * 200_000)[:20_000])
        assert struct.unpack("!H", (await read_payload(reader))[:2]) == (1009,)


async def test_a_join_frame_in_one_piece_has_the_same_bound(site: Any) -> None:
    async with upgraded(site) as (reader, writer):
        writer.write(frame(TEXT, json.dumps({**join(site), "more": "x" * 17_000}).encode()))
        assert struct.unpack("!H", (await read_payload(reader))[:2]) == (1009,)


async def test_a_join_frame_has_to_be_utf8(site: Any) -> None:
    async with upgraded(site) as (reader, writer):
        writer.write(frame(TEXT, b'{"type":"join","token":"\xff"}'))
        assert struct.unpack("!H", (await read_payload(reader))[:2]) == (1007,)


async def test_a_page_from_elsewhere_gets_no_chance_to_send_one(site: Any) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await websockets.connect(site.url.replace("http", "ws"), origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403


async def test_the_subprotocol_alone_does_not_authenticate(site: Any) -> None:
    async with opened(site, subprotocols=[Subprotocol("mew.v0.4")]) as socket:
        assert socket.subprotocol == "mew.v0.4"
        assert (await said(socket, join(site)))["kind"] == "system/welcome"


async def test_waiting_connections_are_bounded_and_block_no_token_holders(start_gateway: Any) -> None:
    async with start_gateway(TWO.format(limits="{connections: 2}")) as site:
        async with opened(site) as first, opened(site):
            async with opened(site) as third:
                assert await code_of(third) == 4009
            human = await site.join("human")
            assert (await said(first, join(site, "agent")))["kind"] == "system/welcome"
            await human.until("system/presence", event="join")
            assert len(site.gateway.accept_context.waiting) == 1
        await human.settle()
        async with opened(site) as again:
            await again.send(json.dumps(join(site, "agent")))
            assert (await heard(again))["kind"] == "system/welcome"
        assert not site.gateway.accept_context.waiting


async def test_the_bounds_of_a_participant_hold_for_join_frames_too(site: Any) -> None:
    for _ in range(8):
        await site.join("human")
    async with opened(site) as ninth:
        await ninth.send(json.dumps(join(site)))
        assert await code_of(ninth) == 4009


async def test_stopping_closes_waiting_connections_too(start_gateway: Any) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with start_gateway() as site:
            socket = await stack.enter_async_context(opened(site))
        assert await code_of(socket) == 1012
