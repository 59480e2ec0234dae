"""Upstream's scenarios 12, 15, 16 and 18: a stream's life, late joiners, who may write, who is meant."""

from __future__ import annotations

from typing import Any

import pytest

LIFECYCLE = """
space: {id: scenario, name: Stream lifecycle}
participants:
  control-agent:
    tokens: [control-token]
    capabilities: [{kind: chat}, {kind: "stream/*"}, {kind: participant/status}, {kind: "system/*"}]
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities: [{kind: chat}, {kind: "stream/*"}, {kind: "participant/*"}, {kind: "system/*"}]
"""
CLIENTS = """
space: {id: scenario, name: Stream visibility}
participants:
  client-a:
    tokens: [client-a-token]
    output_log: ./logs/client-a.log
    auto_connect: true
    capabilities: [{kind: chat}, {kind: "stream/*"}]
  client-b: {tokens: [client-b-token], output_log: ./logs/b.log, capabilities: [{kind: chat}, {kind: "stream/*"}]}
  client-c: {tokens: [client-c-token], output_log: ./logs/c.log, capabilities: [{kind: chat}]}
"""
OWNERS = """
space: {id: scenario, name: Stream ownership}
participants:
  stream-owner:
    tokens: [stream-owner-token]
    output_log: ./logs/stream-owner.log
    auto_connect: true
    capabilities: [{kind: chat}, {kind: "stream/*"}]
  stream-writer: {tokens: [stream-writer-token], capabilities: [{kind: chat}, {kind: "stream/*"}]}
  verifier: {tokens: [verifier-token], capabilities: [{kind: chat}]}
"""
TARGETS = """
space: {id: scenario, name: Targeted streams}
participants:
  publisher: {tokens: [publisher-token], capabilities: [{kind: chat}, {kind: "stream/*"}]}
  aggregator: {tokens: [aggregator-token], capabilities: [{kind: chat}, {kind: "stream/*"}]}
  observer: {tokens: [observer-token], capabilities: [{kind: chat}, {kind: "stream/*"}]}
  test-controller:
    tokens: [test-controller-token]
    output_log: ./logs/test-controller.log
    auto_connect: true
    capabilities: [{kind: chat}]
"""


async def test_scenario_12_stream_controls(play: Any) -> None:
    """12-stream-controls: an agent asks for a stream, is told it is open, and is told it is closed.

    In upstream's the client says `stream/open` in the gateway's place and closes somebody else's stream, and the
    agent asks without a `direction`: all three are refused here. The gateway opens, and the owner closes.
    """
    async with play(LIFECYCLE) as scenario:
        agent = await scenario.agent("control-agent")
        await agent.send("stream/request", {"modes": ["text"]}, correlation_id=["trigger"])
        assert (await agent.until("system/error"))["payload"]["error"] == "invalid_payload"
        asked = {"direction": "upload", "modes": ["text"], "metadata": {"hint": "collaborative editing"}}
        await agent.send("stream/request", asked, id="request", correlation_id=["trigger"])
        await scenario.logged("test-client", "stream/request", correlation_id=["trigger"])
        opened = await agent.until("stream/open")
        assert (opened["from"], opened["correlation_id"]) == ("system:gateway", ["request"])
        forged = {"kind": "stream/open", "to": ["control-agent"], "payload": {"stream_id": "stream-123"}}
        assert (await scenario.post("test-client", forged))[1]["error"] == "reserved_kind"
        stream = opened["payload"]["stream_id"]
        for fields in ({"correlation_id": [opened["id"]]}, {"payload": {"stream_id": stream, "reason": "complete"}}):
            status, answer = await scenario.post("test-client", {"kind": "stream/close", **fields})
            assert (status, answer["error"]) == (403, "unauthorized")
        await agent.send("stream/close", {"reason": "complete"}, correlation_id=[opened["id"]])
        closed = await scenario.logged("test-client", "stream/close")
        assert closed["payload"]["reason"] == "complete"
        status, answer = await scenario.post("control-agent", f"#{stream}#late")
        assert (status, answer["error"]) == (404, "stream_not_found")


@pytest.mark.requirement("mew/3.8.1:active-streams", "mew/3.8.1:request-fields-are-preserved")
async def test_scenario_15_stream_visibility(play: Any) -> None:
    """15-stream-visibility: a stream asked for by a post is in the welcome of who comes later, and gone from it once
    closed. Upstream lets a post join; here a post makes nobody present, and the late joiners join."""
    async with play(CLIENTS) as scenario:
        asked = {"direction": "upload", "expected_size_bytes": 1024, "description": "Test stream", "hue": {"of": 7}}
        await scenario.accepted("client-a", "stream/request", asked, id="request", to=["gateway"])
        stream = (await scenario.logged("client-a", "stream/open"))["payload"]["stream_id"]
        late = await scenario.agent("client-b")
        [told] = late.seen[0]["payload"]["active_streams"]
        assert {**told, **asked} == told
        assert (told["stream_id"], told["owner"]) == (stream, "client-a")
        assert told["created"].endswith("Z")
        await scenario.accepted("client-a", "stream/close", {"stream_id": stream, "reason": "complete"})
        await late.until("stream/close")
        later = await scenario.agent("client-c")
        assert later.seen[0]["payload"]["active_streams"] == []


@pytest.mark.requirement("mew/3.10.7:transfer", "mew/3.10.8:authorized-writers", "mew/3.10.6:owner-revokes")
async def test_scenario_16_stream_ownership(play: Any) -> None:
    """16-stream-ownership: the owner writes, a stranger does not; granted it does, revoked it does not; transferred,
    the new owner writes and the old one does not. Frames are posted as `#id#data`."""
    async with play(OWNERS) as scenario:

        async def writes(participant: str, data: str) -> bool:
            status, answer = await scenario.post(participant, f"#{stream}#{data}")
            assert status == 200 or (status, answer["error"]) == (403, "unauthorized_stream_write")
            return bool(status == 200)

        asked = {"direction": "upload", "description": "Character position stream"}
        await scenario.accepted("stream-owner", "stream/request", asked, to=["gateway"])
        stream = (await scenario.logged("stream-owner", "stream/open"))["payload"]["stream_id"]
        assert await writes("stream-owner", "frame1:owner")
        writer = await scenario.agent("stream-writer")
        assert writer.seen[0]["payload"]["active_streams"][0]["authorized_writers"] == ["stream-owner"]
        assert not await writes("stream-writer", "frame2:unauthorized")
        named = {"stream_id": stream, "participant_id": "stream-writer"}
        await scenario.accepted("stream-owner", "stream/grant-write", {**named, "reason": "takes control"})
        granted = await scenario.logged("stream-owner", "stream/write-granted")
        assert granted["payload"]["authorized_writers"] == ["stream-owner", "stream-writer"]
        assert await writes("stream-writer", "frame3:authorized")
        verifier = await scenario.agent("verifier")
        told = verifier.seen[0]["payload"]["active_streams"][0]["authorized_writers"]
        assert told == ["stream-owner", "stream-writer"]
        await scenario.accepted("stream-owner", "stream/revoke-write", {**named, "reason": "disconnected"})
        revoked = await scenario.logged("stream-owner", "stream/write-revoked")
        assert revoked["payload"]["participant_id"] == "stream-writer"
        assert not await writes("stream-writer", "frame4:revoked")
        given = {"stream_id": stream, "new_owner": "stream-writer", "reason": "takes over"}
        await scenario.accepted("stream-owner", "stream/transfer-ownership", given)
        moved = (await scenario.logged("stream-owner", "stream/ownership-transferred"))["payload"]
        assert (moved["new_owner"], moved["previous_owner"]) == ("stream-writer", "stream-owner")
        assert await writes("stream-writer", "frame5:new-owner")
        assert not await writes("stream-owner", "frame6:old-owner")
        await verifier.received([f"#{stream}#frame5:new-owner"])  # it came behind frame3
        await writer.received([f"#{stream}#{data}" for data in ("frame3:authorized", "frame5:new-owner")])


async def test_scenario_18_targeted_streams(play: Any) -> None:
    """18-targeted-streams: frames of a stream with a `target` go to it alone, of one without to everybody, the writer
    too; `target` is told when it opens and to late joiners. Its agents bring their token twice: in the upgrade, where
    it counts, and in a join frame, which is refused as an envelope and harms nothing."""
    async with play(TARGETS) as scenario:
        publisher, aggregator, observer = [
            await scenario.agent(name, headers=True) for name in ("publisher", "aggregator", "observer")
        ]
        assert (await publisher.until("system/error"))["payload"]["error"] == "invalid_envelope"
        asked = {"direction": "upload", "target": ["aggregator"], "description": "Position telemetry"}
        await publisher.send("stream/request", asked, to=["gateway"])
        opened = (await publisher.until("stream/open"))["payload"]
        assert opened["target"] == ["aggregator"]
        frames = [f"#{opened['stream_id']}#position-data-{number}" for number in (1, 2, 3)]
        for frame in frames:
            await publisher.raw(frame)
        await aggregator.received(frames)
        await aggregator.send("stream/request", {"direction": "upload", "description": "World"}, to=["gateway"])
        everybodys = (await observer.until("stream/open", owner="aggregator"))["payload"]
        assert "target" not in everybodys
        states = [f"#{everybodys['stream_id']}#world-state-{number}" for number in (1, 2)]
        for frame in states:
            await aggregator.raw(frame)
        await publisher.received(states)
        await observer.received(states)
        await aggregator.received(frames + states)
        late = await scenario.agent("test-controller")
        told = {one["stream_id"]: one.get("target") for one in late.seen[0]["payload"]["active_streams"]}
        assert told == {opened["stream_id"]: ["aggregator"], everybodys["stream_id"]: None}
