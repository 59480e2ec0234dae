"""Stream frames `#id#data` (§3.10.3; docs/protocol.md §4) over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import websockets

from mew_gateway.errors import Rejected

STREAMS = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
  limits: {limits}
spaces:
  demo:
    participants:
      reader: {{capabilities: [{{kind: "*"}}]}}
      agent: {{capabilities: [{{kind: "*"}}]}}
      human: {{capabilities: [{{kind: "*"}}]}}
{more}
"""
FRAME = 65_536


def config(*, limits: str = "{}", writers: int = 0) -> str:
    more = "".join(f'      w{number}: {{capabilities: [{{kind: "*"}}]}}\n' for number in range(writers))
    return STREAMS.format(limits=limits, more=more)


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Any]:
    async with start_gateway(config()) as running:
        yield running


async def opened(peer: Any, **payload: Any) -> str:
    """The id of a new stream of the peer's."""
    await peer.send("stream/request", {"direction": "upload", **payload})
    while True:
        envelope = await peer.until("stream/open")
        if envelope["to"] == [peer.participant]:
            return str(envelope["payload"]["stream_id"])


async def frame(peer: Any) -> str | bytes:
    """The next stream frame; envelopes before it are passed over."""
    while True:
        async with asyncio.timeout(10):
            data = await peer.socket.recv()
        if data[:1] in ("#", b"#"):
            return data  # type: ignore[no-any-return]


@pytest.mark.requirement("mew/3.10.3:boundaries")
@pytest.mark.parametrize(
    "data",
    ["", "text", "año 🎉", "a#b##", "{}", "x" * 200, "y" * 70_000, b"", b"\x00\xff#\xfe", b"text", b"\x01" * 70_000],
)
async def test_a_frame_keeps_its_opcode_and_its_bytes(site: Any, data: str | bytes) -> None:
    agent, reader = await site.join("agent"), await site.join("reader")
    stream = await opened(agent)
    sent = f"#{stream}#{data}" if isinstance(data, str) else b"#%b#%b" % (stream.encode(), data)
    await agent.raw(sent)
    assert await frame(reader) == sent
    assert await frame(agent) == sent


async def test_a_fragmented_frame_arrives_whole(site: Any) -> None:
    agent, reader = await site.join("agent"), await site.join("reader")
    stream = await opened(agent)
    await agent.socket.send([f"#{stream}", "#one", "two"])
    assert await frame(reader) == f"#{stream}#onetwo"


async def test_frames_and_envelopes_of_a_connection_keep_their_order(site: Any) -> None:
    agent, reader = await site.join("agent"), await site.join("reader")
    stream = await opened(agent)
    for number in range(50):
        await agent.send("chat", {"text": str(number)})
        await agent.raw(f"#{stream}#{number}")
    await reader.until("stream/open")
    for number in range(50):
        for peer in (reader, agent):
            assert (await peer.receive())["payload"]["text"] == str(number)
            assert await peer.socket.recv() == f"#{stream}#{number}"


@pytest.mark.requirement("mew/3.10.4:nothing-after-close")
async def test_frames_after_a_close_are_refused_in_order(site: Any) -> None:
    agent, reader = await site.join("agent"), await site.join("reader")
    stream = await opened(agent)
    await agent.raw(f"#{stream}#last")
    await agent.send("stream/close", {"stream_id": stream, "reason": "complete"})
    await agent.raw(f"#{stream}#too late")
    await agent.send("chat", {"text": "done"})
    assert await frame(agent) == f"#{stream}#last"
    said = [await agent.receive() for _ in range(3)]
    assert [one["payload"].get("error") or one["kind"] for one in said] == ["stream/close", "stream_not_found", "chat"]
    assert said[1]["payload"]["stream_id"] == stream
    assert said[1]["to"] == ["agent"]
    assert "correlation_id" not in said[1]
    assert await frame(reader) == f"#{stream}#last"
    await reader.until("chat")
    counters = site.gateway.counters
    assert (counters.frames, counters.refused["stream_not_found"]) == (1, 1)


@pytest.mark.parametrize(
    "data",
    ["#", "##", "##data", "#stream-1", f"#{'x' * 201}#data", f"#{'x' * 100_000}", b"#\xff\xfe#data", f"#{'é' * 201}#"],
)
async def test_an_invalid_frame_is_refused_and_the_connection_stays(site: Any, data: str | bytes) -> None:
    agent = await site.join("agent")
    await agent.raw(data)
    await agent.error("invalid_frame")
    await agent.raw(f"#{'é' * 200}#data")
    await agent.error("stream_not_found")


@pytest.mark.requirement("mew/3.10.5:owner-grants")
async def test_only_whom_the_owner_lets_may_write(site: Any) -> None:
    agent, human = await site.join("agent"), await site.join("human")
    stream = await opened(agent)
    await human.raw(f"#{stream}#mine now")
    assert (await human.error("unauthorized_stream_write"))["payload"]["stream_id"] == stream
    await agent.send("stream/grant-write", {"stream_id": stream, "participant_id": "human"})
    await human.until("stream/write-granted")
    await human.raw(f"#{stream}#thank you")
    assert await frame(agent) == f"#{stream}#thank you"


async def test_a_targeted_stream_reaches_its_targets_only(site: Any) -> None:
    agent, human, reader = await site.join("agent"), await site.join("human"), await site.join("reader")
    stream = await opened(agent, target=["human"])
    await agent.raw(f"#{stream}#secret")
    await agent.send("chat", {"text": "after"})
    assert await frame(human) == f"#{stream}#secret"
    while json.loads(data := await reader.socket.recv())["kind"] != "chat":  # a frame would be no JSON
        assert data
    assert json.loads(data)["payload"]["text"] == "after"


@pytest.mark.requirement("mew/3.9.1:pause")
async def test_a_paused_or_fenced_participant_cannot_write(site: Any) -> None:
    agent, human = await site.join("agent"), await site.join("human")
    stream = await opened(agent)
    await human.send("participant/pause", {"reason": "wait"}, to=["agent"], id="pause")
    await agent.until("participant/pause")
    await agent.raw(f"#{stream}#paused")
    assert (await agent.error("paused"))["payload"]["stream_id"] == stream
    await human.send("participant/resume", {}, to=["agent"], correlation_id=["pause"])
    await agent.until("participant/resume")
    await agent.send("reasoning/start", {}, id="run")
    interrupt = {"reason": "user_request", "message": "stop"}
    await human.send("reasoning/interrupt", interrupt, to=["agent"], correlation_id=["run"], id="i")
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/interrupt-ack", {"status": "stopping"}, to=["human"], correlation_id=["i"])
    await agent.raw(f"#{stream}#fenced")
    await agent.error("fenced")
    await agent.send("reasoning/conclusion", {"message": "stopped"}, context="run")
    await agent.raw(f"#{stream}#free again")
    assert await frame(agent) == f"#{stream}#free again"
    assert site.gateway.counters.frames == 1


async def test_frames_are_not_journalled(site: Any) -> None:
    agent = await site.join("agent")
    stream = await opened(agent)
    before = site.gateway.counters.journalled
    for number in range(10):
        await agent.raw(f"#{stream}#{number}")
        await frame(agent)
    assert site.gateway.counters.journalled == before


async def test_frames_count_against_the_rate(start_gateway: Any) -> None:
    async with start_gateway(config(limits="{bytes_per_second: 1048576}")) as site:
        agent, reader = await site.join("agent"), await site.join("reader")
        stream = await opened(agent)
        for _ in range(3):
            await agent.raw(f"#{stream}#{'x' * 400_000}")
        assert [len(await frame(agent)), len(await frame(agent))] == [400_000 + len(f"#{stream}#")] * 2
        refusal = (await agent.error("rate_limited"))["payload"]
        assert refusal["retry_after_ms"] > 0
        assert refusal["stream_id"] == stream
        site.clock.advance(1_000)
        await agent.raw(f"#{stream}#again")
        assert await frame(agent) == f"#{stream}#again"
        await frame(reader), await frame(reader)
        assert await frame(reader) == f"#{stream}#again"


async def test_a_connection_with_an_alias_gets_frames_as_they_came(site: Any) -> None:
    agent = await site.join("agent")
    async with websockets.connect(site.url.replace("http", "ws")) as socket:
        await socket.send(json.dumps({"type": "join", "participantId": "client-1", "token": site.token("human")}))
        assert json.loads(await socket.recv())["kind"] == "system/welcome"
        stream = await opened(agent)
        await agent.raw(f'#{stream}#{{"from":"human","to":["human"]}}')
        json.loads(await socket.recv()), json.loads(await socket.recv())
        assert await socket.recv() == f'#{stream}#{{"from":"human","to":["human"]}}'


async def test_a_posted_frame_obeys_the_same_rules(site: Any) -> None:
    agent, broker = await site.join("agent"), site.gateway.broker
    stream = await opened(agent)
    broker.post_frame("demo", "agent", f"#{stream}#posted".encode(), is_text=True)
    assert await frame(agent) == f"#{stream}#posted"
    broker.post_frame("demo", "agent", f"#{stream}#".encode() + b"\xff", is_text=False)
    assert await frame(agent) == f"#{stream}#".encode() + b"\xff"
    for data, code in (
        (f"#{stream}#x", "unauthorized_stream_write"),
        ("#stream-9#x", "stream_not_found"),
        ("#", "invalid_frame"),
    ):
        with pytest.raises(Rejected) as refused:
            broker.post_frame("demo", "human", data.encode(), is_text=True)
        assert refused.value.code == code
        assert site.gateway.counters.refused[code] == 1


@pytest.mark.requirement("mew/3.10.3:boundaries")
async def test_twenty_writers_at_once_lose_and_reorder_nothing(start_gateway: Any) -> None:
    writers, frames = 20, 8
    async with start_gateway(config(writers=writers)) as site:
        reader = await site.join("reader")
        peers = [await site.join(f"w{number}") for number in range(writers)]
        streams = [await opened(peer, target=["reader", peer.participant]) for peer in peers]
        expected = {
            stream: [_frame(stream, turn, is_text=number % 2 == 0) for turn in range(frames)]
            for number, stream in enumerate(streams)
        }

        async def write(peer: Any, chunks: list[str | bytes]) -> None:
            for chunk in chunks:
                await peer.raw(chunk)
                assert await frame(peer) == chunk  # the writer is a target: it goes on when its frame has arrived

        async def read() -> dict[str, list[str | bytes]]:
            arrived: dict[str, list[str | bytes]] = {stream: [] for stream in streams}
            for _ in range(writers * frames):
                data = await frame(reader)
                name = data.split("#")[1] if isinstance(data, str) else data.split(b"#")[1].decode()
                arrived[name].append(data)
            return arrived

        jobs = [write(peer, expected[stream]) for peer, stream in zip(peers, streams, strict=True)]
        arrived, *_ = await asyncio.gather(read(), *jobs)
        assert arrived == expected
        assert site.gateway.counters.frames == writers * frames


def _frame(stream: str, turn: int, *, is_text: bool) -> str | bytes:
    start = f"#{stream}#{turn}:"
    text = start + "á#" * ((FRAME - len(start)) // 3)
    return text if is_text else start.encode() + bytes([turn, 0xFF, 0x00, 0x23]) * ((FRAME - len(start)) // 4)


async def test_a_slow_reader_is_dropped_and_the_others_are_not(start_gateway: Any) -> None:
    limits = "{outbox_bytes: 1048576, bytes_per_second: 1073741824, envelopes_burst: 100000}"
    async with start_gateway(config(limits=limits)) as site:
        agent, reader, slow = await site.join("agent"), await site.join("reader"), await site.join("human")
        stream = await opened(agent)
        slow.socket.transport.pause_reading()
        async with asyncio.timeout(20):
            sent = 0
            while not site.gateway.counters.closed[4008]:
                await agent.raw(_frame(stream, sent % 256, is_text=False))
                assert await frame(reader) == await frame(agent)
                sent += 1
        await agent.raw(f"#{stream}#still here")
        assert await frame(reader) == f"#{stream}#still here"
        slow.socket.transport.resume_reading()
        assert (await slow.closed())[0] in (4008, 1006)  # whatever of it still got through
