"""What upstream's gateway lets through: each hole, shown closed over real sockets."""

from __future__ import annotations

import json
from typing import Any

import pytest
import websockets

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    participants:
      human:
        capabilities:
          - {kind: [chat, reasoning/interrupt, space/invite, space/kick]}
          - {kind: ["mcp/*", "participant/*"]}
          - {kind: capability/grant}
      agent:
        capabilities:
          - {kind: [chat, "reasoning/*", mcp/proposal, "stream/*", "x/*"]}
      tool: {capabilities: [{kind: chat}]}
      thief: {capabilities: [{kind: "*"}]}
      safety: {capabilities: [{kind: reasoning/interrupt}, {kind: participant/resume}]}
  other:
    participants:
      human: {capabilities: [{kind: "*"}]}
      tool: {capabilities: [{kind: mcp/response}]}
"""


@pytest.fixture
async def site(start_gateway: Any) -> Any:
    async with start_gateway(SPACES) as running:
        yield running


def call(name: str) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": {}}}


async def refusal(site: Any, query: str, token: str) -> int:
    """The status with which an upgrade is refused."""
    with pytest.raises(websockets.InvalidStatus) as caught:
        await websockets.connect(
            f"{site.url.replace('http', 'ws')}/ws?{query}", additional_headers={"Authorization": f"Bearer {token}"}
        )
    return int(caught.value.response.status_code)


async def dismissal(site: Any, **frame: Any) -> int:
    """The close code that a join frame gets."""
    async with websockets.connect(site.url.replace("http", "ws")) as socket:
        await socket.send(json.dumps({"type": "join", **frame}))
        assert json.loads(await socket.recv())["payload"]["error"] == "join_refused"
        await socket.wait_closed()
        return int(socket.close_code or 0)


async def opened(peer: Any, **payload: Any) -> str:
    """The id of a stream that the peer asks for."""
    await peer.send("stream/request", {"direction": "upload", **payload})
    return str((await peer.until("stream/open", owner=peer.participant))["payload"]["stream_id"])


@pytest.mark.requirement("mew/5.2:token-decides")
async def test_a_wrong_token_joins(site: Any) -> None:
    foreign = site.token("human", "other")
    for token in ("mew_wrong", site.token("human")[:-1], foreign):
        assert await refusal(site, "space=demo", token) == 401
        assert await dismissal(site, space="demo", participantId="human", token=token) == 4501
        status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "hi"}}, token=token)
        assert status in (401, 403)
    assert await dismissal(site, space="demo", participantId="human", token="") == 4501


@pytest.mark.requirement("mew/4.1:identity", "mew/5.3:same-rules-over-http")
async def test_somebody_speaks_as_another(site: Any) -> None:
    thief, human = await site.join("thief"), await site.join("human")
    said = {"kind": "chat", "payload": {"text": "I am the human"}}
    await thief.send("chat", said["payload"], **{"from": "human"})
    await thief.error("identity_mismatch")
    assert (await site.post("thief", {**said, "from": "human"}))[1]["error"] == "identity_mismatch"
    assert (await site.post("human", said, token=site.token("thief")))[0] == 403
    assert [one["kind"] for one in await human.settle()] == []


@pytest.mark.requirement("mew/4.1:reserved-namespace")
@pytest.mark.parametrize(
    "kind",
    [
        "system/welcome",
        "system/presence",
        "system/error",
        "system/made-up",
        "stream/open",
        "stream/write-granted",
        "stream/write-revoked",
        "stream/ownership-transferred",
        "space/invite-ack",
    ],
)
async def test_somebody_speaks_as_the_gateway(site: Any, kind: str) -> None:
    thief, human = await site.join("thief"), await site.join("human")
    await thief.send(kind, {"error": "made_up", "stream_id": "s"})
    await thief.error("reserved_kind")
    status, answer = await site.post("thief", {"kind": kind, "payload": {}})
    assert (status, answer["error"]) == (400, "reserved_kind")
    await thief.send("chat", {"text": "hello"}, **{"from": "system:gateway"})
    await thief.until("system/error", error="identity_mismatch")
    assert [one["kind"] for one in await human.settle()] == []


async def test_a_second_envelope_takes_the_id_of_a_live_one(site: Any) -> None:
    human, thief, tool = await site.join("human"), await site.join("thief"), await site.join("tool")
    await human.send("mcp/request", call("read"), id="r1", to=["tool"])
    await thief.until("mcp/request")
    for kind, fields in (
        ("mcp/request", {"to": ["thief"]}),
        ("mcp/proposal", {}),
        ("chat", {}),
    ):
        await thief.send(kind, {**call("wipe"), "text": "hi"}, id="r1", **fields)
        await thief.error("duplicate_id")
    await tool.until("mcp/request")
    await tool.send("mcp/response", {"result": "the tool's"}, correlation_id=["r1"], to=["human"])
    assert (await human.until("mcp/response"))["from"] == "tool"


@pytest.mark.requirement("mew/3.6.7:nobody-grants-what-it-lacks")
async def test_somebody_grants_what_it_lacks(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    for lacking in ({"kind": "*"}, {"kind": "stream/request"}, {"kind": ["chat", "space/*"]}):
        await human.send("capability/grant", {"recipient": "agent", "capabilities": [lacking]}, to=["agent"])
        await human.error("grant_exceeds_capabilities")
        invited = {"participant_id": "mole", "initial_capabilities": [lacking]}
        await human.send("space/invite", invited)
        await human.error("grant_exceeds_capabilities")
    assert "capability/grant" not in [one["kind"] for one in await agent.settle()]


@pytest.mark.requirement("mew/3.10.5:errors", "mew/3.10.5:owner-grants", "mew/3.10.6:owner-revokes")
async def test_somebody_closes_or_takes_a_stream_of_anothers(site: Any) -> None:
    agent, thief = await site.join("agent"), await site.join("thief")
    stream = await opened(agent)
    mine = {"stream_id": stream, "participant_id": "thief"}
    for kind, payload in (
        ("stream/close", {"stream_id": stream}),
        ("stream/grant-write", mine),
        ("stream/revoke-write", {**mine, "participant_id": "agent"}),
        ("stream/transfer-ownership", {"stream_id": stream, "new_owner": "thief"}),
    ):
        await thief.send(kind, payload)
        await thief.error("unauthorized")
        assert (await site.post("thief", {"kind": kind, "payload": payload}))[1]["error"] == "unauthorized"
    await thief.raw(f"#{stream}#mine")
    await thief.until("system/error", error="unauthorized_stream_write")
    await agent.send("stream/grant-write", {"stream_id": "stream-none", "participant_id": "thief"})
    await agent.error("stream_not_found")
    await agent.send("stream/grant-write", {"stream_id": stream, "participant_id": "nobody"})
    await agent.error("participant_not_found")


@pytest.mark.requirement("mew/3.8.1:request-fields-are-preserved", "mew/3.10.8:authorized-writers")
async def test_a_request_forges_what_the_gateway_says_of_its_stream(site: Any) -> None:
    agent = await site.join("agent")
    forged = {
        "stream_id": "stream-0",
        "owner": "human",
        "created": "1999-01-01T00:00:00Z",
        "authorized_writers": ["human", "thief"],
    }
    stream = await opened(agent, **forged, format="jsonl", hue={"deep": [1]})
    late = await site.join("thief")
    [told] = late.seen[0]["payload"]["active_streams"]
    assert (told["stream_id"], told["owner"], told["authorized_writers"]) == (stream, "agent", ["agent"])
    assert told["created"] != forged["created"]
    assert (told["format"], told["hue"]) == ("jsonl", {"deep": [1]})


@pytest.mark.requirement("mew/3.6.6:kick-removes")
async def test_a_kick_is_ignored(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await human.send("space/kick", {"participant_id": "agent"})
    assert (await agent.closed())[0] == 4503
    url = f"{site.url.replace('http', 'ws')}/ws?space=demo"
    headers = {"Authorization": f"Bearer {site.token('agent')}"}
    async with websockets.connect(url, additional_headers=headers) as again:
        with pytest.raises(websockets.ConnectionClosed):
            await again.recv()
        assert again.close_code == 4503
    assert (await site.post("agent", {"kind": "chat", "payload": {"text": "still here"}}))[1]["error"] == "removed"


@pytest.mark.requirement("mew/3.9.1:pause")
async def test_a_pause_is_ignored(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await human.send("participant/pause", {}, id="p", to=["agent"])
    await agent.until("participant/pause")
    await agent.send("chat", {"text": "on I go"})
    await agent.error("paused")
    assert (await site.post("agent", {"kind": "chat", "payload": {"text": "and on"}}))[1]["error"] == "paused"
    assert "chat" not in [one["kind"] for one in await human.settle()]


@pytest.mark.requirement("mew/3:response-names-request")
async def test_a_stranger_answers_a_request(site: Any) -> None:
    human, thief = await site.join("human"), await site.join("thief")
    await human.send("mcp/request", call("read"), id="r1", to=["tool"])
    await thief.until("mcp/request")
    for fields in ({"correlation_id": ["r1"]}, {"correlation_id": ["r2"]}, {}):
        await thief.send("mcp/response", {"result": "mine"}, to=["human"], **fields)
        await thief.error("request_not_found")
    assert "mcp/response" not in [one["kind"] for one in await human.settle()]


async def test_a_proposal_is_fulfilled_after_it_was_voided(site: Any) -> None:
    human, agent, tool = await site.join("human"), await site.join("agent"), await site.join("tool")
    await agent.send("reasoning/start", {}, id="r1")
    await agent.send("mcp/proposal", call("wipe"), id="p1", context="r1", to=["tool"])
    await human.until("mcp/proposal")
    stop = {"reason": "user_request", "message": "stop"}
    await human.send("reasoning/interrupt", stop, id="i1", to=["agent"], correlation_id=["r1"])
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/interrupt-ack", {"status": "stopping"}, to=["human"], correlation_id=["i1"])
    await human.until("system/error", error="proposal_voided")
    await human.send("mcp/request", call("wipe"), to=["tool"], correlation_id=["p1"])
    await human.error("proposal_closed")
    assert "mcp/request" not in [one["kind"] for one in await tool.settle()]


async def test_state_is_lost_on_a_restart(start_gateway: Any) -> None:
    async with start_gateway(SPACES) as site:
        human, agent = await site.join("human"), await site.join("agent")
        given = {"recipient": "agent", "capabilities": [{"kind": "mcp/request"}]}
        await human.send("capability/grant", given, id="g1", to=["agent"])
        await agent.until("capability/grant")
        await human.send("mcp/proposal", call("read"), id="p1")
        await agent.send("reasoning/start", {}, id="r1")
        await human.until("reasoning/start")
        await human.send("space/invite", {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]})
        token = (await human.until("space/invite-ack"))["payload"]["token"]
        await human.send("participant/pause", {}, id="z1", to=["tool"])
        await human.until("participant/pause")
        safety = await site.join("safety")
        emergency = {"reason": "other", "class": "emergency", "message": "stop"}
        await safety.send("reasoning/interrupt", emergency, id="i1", to=["agent"], correlation_id=["r1"])
        await agent.until("reasoning/interrupt")
    async with start_gateway(SPACES) as site:
        guest = {"kind": "chat", "payload": {"text": "I am still invited"}}
        assert (await site.post("guest", guest, token=token))[0] == 200
        tool, agent = await site.join("tool"), await site.join("agent")
        assert {"kind": "mcp/request"} in agent.seen[0]["payload"]["you"]["capabilities"]
        assert [one["id"] for one in agent.seen[0]["payload"]["proposals"]["open"]] == ["p1"]
        await tool.send("chat", {"text": "unpaused by a restart?"})
        await tool.error("paused")
        await agent.send("reasoning/start", {}, id="r2")
        await agent.error("halted")


@pytest.mark.requirement("mew/3.6:spaces-are-isolated")
async def test_two_spaces_share_ids(site: Any) -> None:
    here, there = await site.join("human"), await site.join("human", space="other")
    tool = await site.join("tool", space="other")
    await here.send("mcp/request", call("read"), id="r1", to=["tool"])
    assert (await here.until("mcp/request"))["id"] == "r1"
    await there.send("mcp/proposal", call("read"), id="r1")  # the same id, free here
    assert (await there.until("mcp/proposal"))["id"] == "r1"
    await tool.send("mcp/response", {"result": "of the other space"}, correlation_id=["r1"])
    await tool.error("request_not_found")
    assert "mcp/response" not in [one["kind"] for one in await here.settle()]
    assert [one["kind"] for one in await there.settle()] == []
    status, listed = await site.get("/spaces/other/proposals", participant="human")
    assert status in (401, 403, 404)
    assert "r1" not in str(listed)
