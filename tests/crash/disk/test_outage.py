"""A gateway whose disk fails: it says so, keeps everybody, accepts nothing, and goes on by itself."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
import websockets

from mew_gateway.gateway.broker import journal_retry

from .faulty_disk import FAULTS, Disk

TIMEOUT = 30.0
REASONS = {
    "broken": "The journal cannot be",  # read or written, or, when it is tried again, opened
    "full": "The journal cannot grow: free some disk space.",
    "read-only": "The journal may not be written: check its owner, its mode and how the disk is mounted.",
}


SCRIPT = """
gateway: {listen: "127.0.0.1:0", state_dir: state, journal: {url: "sqlite:state/journal.db"}}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: "space/*"}]}
      script: {capabilities: [{kind: chat}], output_log: logs/script.jsonl}
"""


@pytest.fixture
async def served(disk: Disk, start_gateway: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setattr(journal_retry, "_RETRY", 0.02)
    async with start_gateway() as site:
        yield site


async def until_ready(site: Any) -> None:
    async with asyncio.timeout(TIMEOUT):
        while (await site.get("/ready"))[0] != 200:
            pass


async def metric(site: Any, name: str) -> float:
    _, text = await site.get("/metrics")
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


@pytest.mark.parametrize("name", REASONS)
async def test_it_says_so_and_goes_on_by_itself(
    disk: Disk, served: Any, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="mew.broker")
    human, agent = await served.join("human"), await served.join("agent")
    await agent.send("reasoning/start", {"message": "hm"}, id="run")
    await human.until("reasoning/start")
    await human.send("reasoning/interrupt", {"reason": "timeout"}, id="stop", to=["agent"], correlation_id=["run"])
    await agent.until("reasoning/interrupt")
    failed_before = await metric(served, "mew_commits_failed_total")

    disk.arm(FAULTS[name])
    await human.send("chat", {"text": "anybody?"}, id="first")
    assert (await human.error("journal_unavailable"))["correlation_id"] == ["first"]
    status, body = await served.get("/ready")
    assert (status, body["ready"]) == (503, False)
    assert body["reason"].startswith(REASONS[name])
    assert (await served.get("/health"))[0] == 200
    assert await metric(served, "mew_ready") == 0
    await asyncio.wait_for(await agent.socket.ping(), TIMEOUT)
    status, body = await served.post("human", {"kind": "chat"})
    assert (status, body["error"]) == (503, "journal_unavailable")
    with pytest.raises(websockets.ConnectionClosed) as refused:
        await served.join("other")
    assert refused.value.rcvd is not None and refused.value.rcvd.code == 1012
    assert refused.value.rcvd.reason.startswith(REASONS[name])
    await served.pass_time(31_000)  # past the deadline of the ack
    tries = await metric(served, "mew_commits_failed_total")
    assert tries > failed_before
    async with asyncio.timeout(TIMEOUT):  # it is tried, with nothing to write, and stays unready
        while await metric(served, "mew_commits_failed_total") < tries + 3:
            assert (await served.get("/ready"))[0] == 503
    await human.send("reasoning/cancel", {}, id="second", to=["agent"], context="run")
    await human.error("journal_unavailable")
    assert not [one for one in human.seen if one.get("payload", {}).get("error") == "interrupt_ack_timeout"]

    disk.heal()
    await until_ready(served)
    assert await metric(served, "mew_ready") == 1
    await human.send("chat", {"text": "first after it"}, id="after")
    await agent.until("chat", text="first after it")
    assert not [one for one in human.seen if one.get("payload", {}).get("error") == "interrupt_ack_timeout"]
    await served.pass_time(31_000)  # what it had when the outage began
    assert (await human.error("interrupt_ack_timeout"))["correlation_id"] == ["stop"]
    await human.send("chat", {"text": "anybody?"}, id="first")
    await agent.until("chat", text="anybody?")
    await agent.send("chat", {"text": "me"}, id="answer")
    assert (await human.until("chat", text="me"))["id"] == "answer"
    told = [one["payload"]["error"] for one in human.seen if one["kind"] == "system/error"]
    assert told.count("interrupt_ack_timeout") == 1
    said = [record.message for record in caplog.records if record.name == "mew.broker"]
    assert len(said) == len(set(said)) == (3 if name == "broken" else 2)  # once a reason
    assert said[0].endswith("Nothing is accepted until that is mended; it is tried every second.")
    assert said[-1] == "The journal can be written again."
    _, history = await served.get("/spaces/demo/history", participant="human")
    assert [one["envelope"]["id"] for one in history["envelopes"] if one["envelope"]["kind"] == "chat"] == [
        "after",
        "first",
        "answer",
    ]


async def test_it_stops_in_good_order_while_the_disk_fails(disk: Disk, start_gateway: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        await human.send("chat", {"text": "kept"}, id="kept")
        await human.until("chat")
        disk.arm(FAULTS["broken"])
        await human.send("chat", {"text": "not"}, id="not")
        await human.error("journal_unavailable")
    assert (await human.closed())[0] == 1012
    disk.heal()
    async with start_gateway() as site:
        _, history = await site.get("/spaces/demo/history", participant="human")
        assert [one["envelope"]["id"] for one in history["envelopes"] if "-" not in one["envelope"]["id"]] == ["kept"]


async def test_who_comes_back_is_given_what_it_missed_though_the_disk_failed_at_first(disk: Disk, served: Any) -> None:
    human, agent = await served.join("human"), await served.join("agent")
    await human.send("chat", {"text": "before"}, id="before")
    await agent.until("chat")
    await served.leave(agent)
    await human.send("chat", {"text": "missed"}, id="missed")
    await human.until("chat", text="missed")
    left = iter([True])
    disk.arm(lambda one: FAULTS["broken"](one) if one.kind == "read" and next(left, False) else None)
    url = f"{served.url.replace('http', 'ws')}/ws?space=demo&after=before"
    headers = {"Authorization": f"Bearer {served.token('agent')}"}
    async with asyncio.timeout(TIMEOUT), websockets.connect(url, additional_headers=headers) as socket:
        seen = [json.loads(await socket.recv()) for _ in range(3)]
    assert [one["kind"] for one in seen] == ["system/welcome", "system/presence", "chat"]
    assert seen[2]["id"] == "missed"
    assert disk.failed


async def test_whoever_writes_a_file_is_let_in_when_the_disk_has_recovered(
    disk: Disk, start_gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_retry, "_RETRY", 0.02)
    async with start_gateway(SCRIPT) as site:
        human = await site.join("human")
        disk.arm(FAULTS["full"])
        await human.send("chat", {"text": "refused"})
        await human.error("journal_unavailable")
        logs = site.gateway._logs
        logs._logs["demo", "script"].close(1012, "as if it had been about to join")
        logs.retry()
        disk.heal()
        await until_ready(site)
        logs.retry()
        await human.until("system/presence", event="leave")
        joined = await human.until("system/presence", event="join")
        assert joined["payload"]["participant"]["id"] == "script"


async def test_whoever_joins_at_the_moment_that_it_fails_is_told_to_come_back(disk: Disk, served: Any) -> None:
    disk.arm(FAULTS["full"])
    with pytest.raises(websockets.ConnectionClosed) as refused:
        await served.join("human")
    assert refused.value.rcvd is not None and refused.value.rcvd.code == 1012
    disk.heal()
    await until_ready(served)
    human = await served.join("human")
    assert human.seen[0]["payload"]["participants"] == []
