"""A file of one space, as upstream's gateway reads it, served: its program is started, its short tokens let in."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ECHO = """
import json, sys
from websockets.sync.client import connect

gateway, space, token = sys.argv[1:]
with connect(f"{gateway}/ws?space={space}", additional_headers={"Authorization": f"Bearer {token}"}) as socket:
    for frame in socket:
        envelope = json.loads(frame)
        if envelope["kind"] == "chat" and envelope["from"] != "echo-agent":
            socket.send(json.dumps({"kind": "chat", "payload": {"text": "Echo: " + envelope["payload"]["text"]}}))
"""
FILE = f"""
gateway: {{listen: "127.0.0.1:0", journal: {{url: "memory:"}}}}
space: {{id: demo, name: A basic flow}}
participants:
  echo-agent:
    type: local
    tokens: [echo-token]
    auto_start: true
    command: "{sys.executable}"
    args: [./echo.py, "ws://127.0.0.1:${{PORT}}", "${{SPACE}}", "${{TOKEN}}"]
    capabilities: [{{kind: chat}}, {{kind: "system/*"}}]
  test-client:
    tokens: [test-token]
  script:
    tokens: [script-token]
    output_log: ./logs/script.jsonl
    auto_connect: true
defaults:
  capabilities: [{{kind: chat}}]
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path) -> None:
    """The program that the file names, beside it."""
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")


async def test_its_program_and_its_client_meet(start_gateway: Any) -> None:
    async with start_gateway(FILE) as site:
        assert site.token("test-client") == "test-token"
        client = await site.join("test-client")
        if not any(one["id"] == "echo-agent" for one in client.seen[0]["payload"]["participants"]):
            await client.until("system/presence", event="join")
        await client.send("chat", {"text": "hello"})  # `defaults.capabilities`: it has none of its own
        echo = await client.until("chat", text="Echo: hello")
        assert echo["from"] == "echo-agent"


async def test_a_script_posts_and_reads_its_log(start_gateway: Any, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "script.jsonl"
    async with start_gateway(FILE) as site, asyncio.timeout(20):
        while '"join"' not in (log.read_text() if log.exists() else ""):  # the echo agent's
            await asyncio.sleep(0.01)
        status, _ = await site.post("script", {"kind": "chat", "payload": {"text": "hello"}}, token="script-token")
        assert status == 200
        while "Echo: hello" not in log.read_text():
            await asyncio.sleep(0.01)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[0]["kind"] == "system/welcome"
    assert [line["from"] for line in lines if line["payload"].get("text") == "Echo: hello"] == ["echo-agent"]
