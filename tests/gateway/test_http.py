"""The HTTP side: who may read what, and what it says (docs/protocol.md §6)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import Any

import pytest


def value(metrics: str, name: str) -> float:
    return sum(float(line.rpartition(" ")[2]) for line in metrics.splitlines() if line.startswith(name))


async def test_health_ready_and_metrics_need_no_token(site: Any) -> None:
    human = await site.join("human")
    await human.send("space/kick", {})
    await human.error("capability_violation")
    status, health = await site.get("/health")
    assert (status, health["status"], health["protocol"], health["connections"]) == (200, "ok", "mew/v0.4", 1)
    assert await site.get("/ready") == (200, {"ready": True})
    status, metrics = await site.get("/metrics")
    assert status == 200
    assert value(metrics, 'mew_refused_total{code="capability_violation"}') == 1
    assert value(metrics, "mew_connections ") == 1
    assert value(metrics, "mew_received_total") == 1
    assert value(metrics, "process_open_fds ") > 5


async def test_entries_from_before_a_restart_are_not_counted_again(start_gateway: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        await human.send("space/kick", {})
        await human.error("capability_violation")
    async with start_gateway() as site:
        _, metrics = await site.get("/metrics")
        assert value(metrics, "mew_refused_total{") == 0
        assert value(metrics, "mew_delivered_total") == 0


async def test_while_it_drains_it_is_not_ready(site: Any) -> None:
    site.gateway.broker.drain()
    assert await site.get("/ready") == (503, {"ready": False, "reason": "The gateway stops."})


@pytest.mark.parametrize("what", ["participants", "sequences", "interrupts", "timeline"])
async def test_a_space_is_read_with_a_token_of_it(site: Any, what: str) -> None:
    assert (await site.get(f"/spaces/demo/{what}", participant="watcher"))[0] == 200
    for path, token in ((f"/spaces/demo/{what}", "mew_no_such_token_at_all"), (f"/spaces/demo/{what}", None)):
        status, body = await site.get(path, token=token)
        assert (status, body["error"]) == (401, "unauthorized")
    status, body = await site.get(f"/spaces/elsewhere/{what}", participant="human")
    assert (status, body["error"]) == (401, "unauthorized")


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "after=-1", "after=1.5", "limit=" + "9" * 30])
async def test_a_wrong_query_is_refused(site: Any, query: str) -> None:
    status, body = await site.get(f"/spaces/demo/timeline?{query}", participant="human")
    assert (status, body["error"]) == (400, "bad_request")
    assert query.partition("=")[0] in body["message"]


async def test_not_found_is_json_too(site: Any) -> None:
    status, body = await site.get("/nothing")
    assert (status, body["error"]) == (404, "not_found")


async def test_the_timeline_goes_on_where_it_ended(site: Any) -> None:
    human = await site.join("human")
    _, first = await site.get("/spaces/demo/timeline", participant="human")
    await human.send("chat", {"text": "new"})
    await human.until("chat")
    _, then = await site.get(f"/spaces/demo/timeline?after={first['next']}", participant="human")
    _, none = await site.get(f"/spaces/demo/timeline?after={first['next']}&before=1", participant="human")
    assert none["events"] == []
    assert [one["text"] for one in then["events"]] == ["new"]


async def test_the_record_names_the_real_sender(site: Any) -> None:
    agent = await site.join("agent")
    await agent.send("chat", {"text": "I am somebody else"}, **{"from": "human"})
    await agent.error("identity_mismatch")
    _, body = await site.get("/spaces/demo/timeline", participant="agent")
    said = body["events"][-1]
    assert (said["from"], said["claimed"], said["refused"]) == ("agent", "human", "identity_mismatch")
    _, body = await site.get("/spaces/demo/timeline", participant="human")
    told = {key: value for key, value in body["events"][-1].items() if key not in ("position", "at")}
    assert told == {"kind": "chat", "from": "agent", "refused": "identity_mismatch"}


async def test_an_interrupted_sequence_lists_its_interrupts_when_it_has_ended(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    await human.until("reasoning/start")
    request = {"reason": "timeout", "message": "long"}
    await human.send("reasoning/interrupt", request, id="stop", to=["agent"], correlation_id=["run"])
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/interrupt-ack", {"status": "stopping"}, correlation_id=["stop"])
    await agent.send("reasoning/conclusion", {}, context="run")
    await human.until("reasoning/conclusion")
    _, body = await site.get("/spaces/demo/sequences", participant="human")
    assert body["sequences"][-1]["interrupts"] == ["stop"]


ADDRESSED = """
gateway: {listen: "127.0.0.1:0", journal: {url: "memory:"}}
spaces:
  demo:
    routing: addressed
    participants:
      human: {capabilities: [{kind: chat}]}
      agent: {capabilities: [{kind: chat}]}
      other: {capabilities: [{kind: chat}]}
      auditor: {observe: true}
"""


async def test_with_addressed_routing_a_timeline_shows_what_was_delivered(start_gateway: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human, agent = await site.join("human"), await site.join("agent")
        await human.send("chat", {"text": "for one"}, to=["agent"])
        await agent.until("chat", text="for one")
        await human.send("chat", {"text": "for all"})
        await agent.until("chat", text="for all")
        for who, expected in (
            ("human", ["for one", "for all"]),
            ("agent", ["for one", "for all"]),
            ("other", ["for all"]),
            ("auditor", ["for one", "for all"]),
        ):
            _, body = await site.get("/spaces/demo/timeline", participant=who)
            assert [one["text"] for one in body["events"] if one["kind"] == "chat"] == expected, who


async def test_input_that_is_no_http_is_answered_in_json(site: Any) -> None:
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GARBAGE\r\n\r\n")
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 " in head
    assert json.loads(body)["error"] == "bad_request"


async def test_health_has_upstreams_fields(site: Any) -> None:
    await site.join("human")
    await site.join("human")
    _, health = await site.get("/health")
    assert (health["status"], health["spaces"], health["clients"], health["connections"]) == ("ok", 1, 1, 2)
    assert health["uptime"] == 0
    assert {"capabilities", "context", "validation", "http-io"} <= set(health["features"])


@pytest.mark.parametrize("path", ["/health/", "/spaces/demo/", "/participants", "/ws", "/participants/a/b/messages"])
async def test_no_other_path_is_served(site: Any, path: str) -> None:
    status, body = await site.get(path, participant="human")
    assert (status, body["error"]) == (404, "not_found")


async def test_a_body_that_drips_is_cut(start_gateway: Any) -> None:
    text = ADDRESSED.replace('"memory:"}', '"memory:"}, limits: {join_timeout: 200ms}')
    async with start_gateway(text) as site:
        host, port = site.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionError):
                while await reader.read(4096):
                    pass
        writer.close()


async def test_a_peer_that_takes_no_answer_is_cut(start_gateway: Any) -> None:
    text = ADDRESSED.replace('"memory:"}', '"memory:"}, limits: {outbox_stalled: 100ms}')
    async with start_gateway(text) as site:
        host, port = site.url.removeprefix("http://").split(":")
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.connect((host, int(port)))
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                peer.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 500)
            open_ones = site.gateway._server.server_state.connections
            async with asyncio.timeout(10):
                while not open_ones:
                    await asyncio.sleep(0)
                while open_ones:  # the peer hears nothing of it: the end stands behind what it does not take
                    await asyncio.sleep(0)


@pytest.mark.parametrize(
    "lines",
    [
        "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
        "Origin: http://[\r\n",
        "Origin: http://a\r\nOrigin: b\r\n",
    ],
)
async def test_an_upgrade_that_cannot_be_read_is_answered(site: Any, lines: str) -> None:
    host, port = site.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"GET /ws?space=demo HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{lines}\r\n".encode()
    )
    async with asyncio.timeout(10):
        head = await reader.readuntil(b"\r\n")
    writer.close()
    assert head.split()[1] in (b"400", b"403")
