"""`mew participants`, `mew interrupts` and `mew timeline`: what the gateway has, as tables and as JSON."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any


async def think_and_interrupt(site: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {"message": "a tour \x1b[2J"}, id="run")
    await agent.until("reasoning/start")
    await human.send("reasoning/interrupt", {"reason": "error"}, to=["agent"], correlation_id=["run"], id="stop")
    await agent.until("reasoning/interrupt")
    await agent.send("reasoning/interrupt-ack", {"status": "ignored", "message": "busy"}, correlation_id=["stop"])
    await human.until("reasoning/interrupt-ack")
    await agent.send("capability/grant", {"recipient": "human", "capabilities": [{"kind": "chat"}]})
    await agent.error("capability_violation")


async def test_participants(site: Any, mew: Any) -> None:
    await site.join("agent")
    table, data = await asyncio.gather(mew("participants"), mew("participants", "--json"))
    assert (await site.get("/spaces/demo/participants", participant="human"))[1] == data.json()
    rows = {row.split()[0]: row for row in table.out.splitlines() if row.strip()}
    assert "● yes" in rows["agent"] and "x/*" in rows["agent"]
    assert "○ no" in rows["human"] and "chat, reasoning/interrupt…, reasoning/cancel" in rows["human"]


async def test_interrupts(site: Any, mew: Any) -> None:
    assert (await mew("interrupts")).out == "Nobody was interrupted here yet.\n"
    await think_and_interrupt(site)
    table, data = await asyncio.gather(mew("interrupts"), mew("interrupts", "--json", "--limit", "1"))
    assert [one["id"] for one in data.json()["interrupts"]] == ["stop"]
    row = next(row for row in table.out.splitlines() if "stop" in row)
    for part in ("human → agent", "error (cancel)", "acked", "ignored after 0 ms: busy"):
        assert part in row


async def test_the_timeline(site: Any, mew: Any) -> None:
    await think_and_interrupt(site)
    lines, data = await asyncio.gather(mew("timeline"), mew("timeline", "--json", "--limit", "2"))
    kinds = [event["kind"] for event in data.json()["events"]]
    assert kinds == ["reasoning/interrupt-ack", "capability/grant"]
    assert "\x1b" not in lines.out and "a tour \\x1b[2J" in lines.out
    told = [line.split()[2] for line in lines.out.splitlines()]
    assert told[-4:] == ["reasoning/start", "reasoning/interrupt", "reasoning/interrupt-ack", "capability/grant"]
    assert "[refused: capability_violation]" in lines.out.splitlines()[-1]


async def test_the_timeline_is_followed_until_ctrl_c(site: Any, mew: Any) -> None:
    peer = await site.join("other")
    async with mew.started("timeline", "--follow", "--json") as timeline:
        assert json.loads(await timeline.line("gateway/configured"))["position"] == 1
        await peer.send("chat", {"text": "from now on"})
        assert json.loads(await timeline.line("from now on"))["from"] == "other"
        timeline.signal(signal.SIGINT)
        done = await timeline.end()
    assert (done.status, done.err) == (0, "")
