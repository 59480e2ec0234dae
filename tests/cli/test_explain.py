"""`mew explain`: which capability allows an envelope, or what prevents it."""

from __future__ import annotations

import asyncio
import json
from typing import Any


def write(mew: Any, name: str, **envelope: Any) -> str:
    (mew.folder / name).write_text(json.dumps(envelope))
    return name


async def test_grants_and_pauses_count_where_the_gateway_runs(team: Any, mew: Any) -> None:
    act = write(mew, "act.json", kind="x/y", to="human")
    before, offline = await asyncio.gather(mew("explain", "agent", act), mew("explain", "agent", act, "--no-live"))
    assert before.status == offline.status == 6
    assert "agent may not send this x/y" in before.out and "closest:" in before.out and "fails at" in before.out
    admin = await team.join("admin")
    await admin.send("capability/grant", {"recipient": "agent", "capabilities": [{"kind": "x/*"}]}, id="g")
    await admin.until("capability/grant")
    live, offline = await asyncio.gather(mew("explain", "agent", act), mew("explain", "agent", act, "--no-live"))
    assert (live.status, offline.status) == (0, 6) and 'agent may send this x/y: {"kind":"x/*"}' in live.out
    await admin.send("participant/pause", {}, to=["agent"])
    await admin.until("participant/pause")
    answer = write(mew, "answer.json", kind="mcp/response")
    paused, calm = await asyncio.gather(mew("explain", "agent", act, "--json"), mew("explain", "agent", answer))
    assert (
        paused.status == 6 and paused.json()["allowed"] and paused.json()["obstacles"][0].startswith("paused: by admin")
    )
    assert calm.status == 0 and "without a capability: everybody answers a request" in calm.out


async def test_without_a_gateway_the_configuration_decides(start_gateway: Any, mew: Any) -> None:
    async with start_gateway():
        pass  # its spaces.yaml stays
    write(mew, "chat.json", kind="chat", payload={"text": "secret"})
    (mew.folder / "broken.json").write_text("{")
    done, asked, broken = await asyncio.gather(
        mew("explain", "watcher", "chat.json"),
        mew("explain", "watcher", "chat.json", "--live"),
        mew("explain", "watcher", "broken.json"),
    )
    assert done.status == 6 and "By the configuration alone" in done.err and "payload.text" in done.out
    assert asked.status == 1 and "No gateway" in asked.err
    assert broken.status == 2 and "broken.json is not an envelope" in broken.err
