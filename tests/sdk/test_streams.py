"""Streams: opened, written and read, given away and closed, and the holes that a lost connection tears."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Disconnected, Refused, TooSlow
from mew_gateway.sdk._transport.frames import Frame, encode_frame, frame_in
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import ANYTHING, begin, payload_of, said


async def read(stream: Any) -> list[str | bytes]:
    return [chunk async for chunk in stream]


async def filled(space: Space, stream: Any, theirs: Any) -> Any:
    """A reader of `theirs` that has something to read."""
    reader = aiter(theirs)
    await stream.write("x")
    await space.settle()
    return reader


@pytest.mark.parametrize("data", [b"", b"\x00\xff#x#", "", "ñ#2"])
def test_a_frame_is_what_it_was(data: str | bytes) -> None:
    encoded = encode_frame("stream-1", data)
    assert frame_in(encoded.decode() if isinstance(data, str) else encoded) == Frame("stream-1", data)


def test_a_chunk_is_text_or_bytes() -> None:
    with pytest.raises(TypeError, match="not dict"):
        encode_frame("stream-1", {})  # type: ignore[arg-type]


@pytest.mark.parametrize("data", ["#", "##x", "#stream-1", b"#", b"##x"])
def test_what_names_no_stream_is_no_frame(data: str | bytes) -> None:
    assert frame_in(data) is None


@pytest.mark.requirement("mew/3.10.3:boundaries", "mew/3.10.1:format-is-said", "mew/3.10.4:reason")
async def test_what_is_written_is_read_text_as_text_and_bytes_as_bytes(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    new = human.streams.follow()
    async with agent.open_stream(content_type="text/csv", description="prices", unit="eur") as stream:
        await stream.write("a,b")
        await stream.write(b"\x00\xff")
        heard = await anext(new)
        assert (heard.id, heard.owner, heard.writers) == (stream.id, "agent", ["agent"])
        assert (heard.fields["content_type"], heard.fields["unit"]) == ("text/csv", "eur")
        reading = await begin(space, read(heard))
        await stream.write("c")
    assert await reading == ["a,b", b"\x00\xff", "c"]
    assert heard.closed == stream.closed == "complete"
    assert said(space, "stream/close")[0].payload == {"stream_id": stream.id, "reason": "complete"}
    with pytest.raises(Refused, match="is closed"):
        await stream.write("late")
    with pytest.raises(Refused, match="No stream"):
        human.stream(stream.id)
    assert await read(heard) == []


@pytest.mark.requirement("mew/3.10.1:request-is-preserved", "mew/3.10.1:thoughts-as-a-stream")
async def test_who_comes_late_reads_from_then_on_and_knows_what_it_is(space: Space) -> None:
    agent = await space.join("agent")
    async with agent.open_stream(direction="download", metadata={"v": 1}) as stream:
        await stream.write("early")
        human = await space.join("human")
        assert [(one.id, one.owner) for one in human.streams.open] == [(stream.id, "agent")]
        late = human.stream(stream.id)
        assert (late.fields["direction"], late.fields["metadata"]) == ("download", {"v": 1})
        reading = await begin(space, read(late))
        await stream.write("late")
    assert await reading == ["late"]


async def test_only_its_targets_get_a_stream_that_has_some(space: Space) -> None:
    human, agent, novice = await space.join("human"), await space.join("agent"), await space.join("novice")
    async with agent.open_stream(target=["human"]) as stream:
        await space.settle()
        readings = [await begin(space, read(one.stream(stream.id))) for one in (human, novice)]
        await stream.write("for human")
    assert [await one for one in readings] == [["for human"], []]


async def test_its_owner_lets_others_write_and_gives_it_away(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    async with agent.open_stream() as stream:
        await space.settle()
        theirs = human.stream(stream.id)
        reading = await begin(space, read(stream))
        await theirs.write("not yet")
        await space.settle()
        with pytest.raises(Refused) as caught:
            await theirs.write("x")
        assert caught.value.code == "unauthorized_stream_write"
        with pytest.raises(Refused) as caught:
            await theirs.grant_write("human")
        assert caught.value.code == "unauthorized"
        await stream.grant_write("human", reason="asked for")
        await space.settle()
        assert theirs.writers == stream.writers == ["agent", "human"]
        await theirs.write("now")
        await space.settle()
        await stream.revoke_write("human")
        await space.settle()
        assert theirs.writers == ["agent"]
        await stream.transfer("human")
        await space.settle()
        assert (stream.owner, theirs.owner, theirs.writers) == ("human", "human", ["human"])
    assert stream.closed is None  # it is not ours to close any more
    await theirs.close("cancelled")
    assert await reading == ["now"]
    assert stream.closed == "cancelled"


async def test_a_block_that_fails_says_so_in_the_close(space: Space) -> None:
    agent = await space.join("agent")
    with pytest.raises(KeyError):
        async with agent.open_stream():
            raise KeyError
    assert said(space, "stream/close")[-1].payload["reason"] == "error"

    async def hold() -> None:
        async with agent.open_stream():
            await asyncio.Event().wait()

    task = await begin(space, hold())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert said(space, "stream/close")[-1].payload["reason"] == "cancelled"


async def test_who_may_not_open_one_is_refused(space: Space) -> None:
    novice = await space.join("novice")
    with pytest.raises(Refused) as caught:
        async with novice.open_stream():
            pass
    assert caught.value.code == "capability_violation"
    human = await space.join("human")
    with pytest.raises(Refused) as caught:
        async with human.open_stream(target=["nobody"]):
            pass
    assert caught.value.code == "target_not_found"


async def test_a_frame_that_was_refused_is_no_success(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")

    async def write() -> None:
        async with agent.open_stream() as stream:
            await human.send("participant/pause", {"timeout_seconds": 5}, to=["agent"])
            await stream.write("lost")
            await space.settle()

    with pytest.raises(Refused) as caught:
        await write()
    assert caught.value.code == "paused"
    assert agent.streams.open == []


async def test_the_end_of_its_owner_is_the_end_of_the_stream(space: Space) -> None:
    human, agent = await space.join("human"), space.client("agent")
    await agent.connect()
    await agent.send("stream/request", {"direction": "upload"})
    await space.settle()
    reading = await begin(space, read(human.streams.open[0]))
    await agent.aclose()
    await space.advance(60)
    assert await reading == []
    assert human.streams.open == []


async def test_a_reader_that_is_too_slow_gets_what_is_held_and_then_an_error(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    async with agent.open_stream() as stream:
        await space.settle()
        reader = aiter(human.stream(stream.id))
        for _ in range(10):
            await stream.write(bytes(1_000_000))
        await space.settle()
        assert [len(await anext(reader)) for _ in range(8)] == [1_000_000] * 8
        with pytest.raises(TooSlow):
            await anext(reader)
        with pytest.raises(ValueError, match="bytes"):
            await stream.write(bytes(1_048_576))


async def test_a_reader_nobody_holds_any_more_is_forgotten(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    async with agent.open_stream() as stream:
        await space.settle()
        theirs = human.stream(stream.id)
        async for _ in await filled(space, stream, theirs):
            assert len(theirs._readers) == 1
            break
        assert len(theirs._readers) == 0


async def test_a_lost_connection_tears_a_hole_that_readers_are_told_of(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    async with agent.open_stream() as stream:
        await space.settle()
        theirs = human.stream(stream.id)
        reading = await begin(space, read(theirs))
        await stream.write("before")
        await space.drop("human")
        with pytest.raises(Disconnected, match="missing"):
            await reading
        again = await begin(space, read(theirs))
        await stream.write("after")
    assert await again == ["after"]


async def test_a_stream_that_was_closed_while_we_were_away_is_closed(space: Space) -> None:
    human, agent = await space.join("human"), space.client("agent")
    await agent.connect()
    await agent.send("stream/request", {"direction": "upload"})
    await space.settle()
    theirs = human.streams.open[0]
    for link in [link for link in space._links.values() if link.participant == "human"]:
        link.abort()
    await agent.send("stream/close", {"stream_id": theirs.id})
    await space.settle()
    assert theirs.closed is not None
    await agent.aclose()


async def test_frames_keep_their_place_among_the_envelopes(space: Space) -> None:
    """A stream's frames come behind its opening and before its close, however late they are read."""
    agent = await space.join("agent")
    async with space.client("human") as client:
        order: list[str] = []
        client.on_frame = lambda frame: order.append(str(frame.data))
        async with agent.open_stream() as stream:
            await stream.write("one")
            await agent.send("chat", {"text": "between"})
            await stream.write("two")
        await agent.send("chat", {"text": "end"})
        await space.settle()
        assert order == []
        while order[-1:] != ["end"]:
            item = await client.receive()
            assert isinstance(item, Envelope)
            if item.kind in ("stream/open", "stream/close", "chat"):
                order.append(payload_of(item).get("text", item.kind))
    assert order == ["stream/open", "one", "between", "two", "stream/close", "end"]


async def test_addressed_routing_reveals_enough_of_a_stream_to_read_it() -> None:
    people = {"human": ANYTHING, "agent": ANYTHING}
    async with Space(people, routing="addressed") as space:
        human, agent = await space.join("human"), await space.join("agent")
        async with agent.open_stream(target=["human"], content_type="a/b") as stream:
            await space.settle()
            reading = await begin(space, read(human.stream(stream.id)))
            assert human.stream(stream.id).owner == "agent"
            await stream.write("x")
        assert await reading == ["x"]


async def test_nobody_of_that_name_can_be_given_write_access(space: Space) -> None:
    human = await space.join("human")
    async with human.open_stream() as stream:
        with pytest.raises(Refused, match="participant_not_found"):
            await stream.grant_write("nobody")
