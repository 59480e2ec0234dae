"""`mew participants`, `mew interrupts` and `mew timeline`: the gateway's lists, as tables and as JSON."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

from rich.text import Text


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


async def test_participants(site: Any, typed: Any) -> None:
    await site.join("agent")
    table, data = await asyncio.gather(typed("participants"), typed("participants", "--json"))
    assert (await site.get("/spaces/demo/participants", participant="human"))[1] == data.json()
    rows = {row.split()[0]: row for row in table.out.splitlines() if row.strip()}
    assert "● yes" in rows["agent"] and "x/*" in rows["agent"]
    assert "○ no" in rows["human"] and "chat, reasoning/interrupt…, reasoning/cancel" in rows["human"]


async def test_interrupts(site: Any, typed: Any) -> None:
    assert (await typed("interrupts")).out == "Nobody was interrupted here yet.\n"
    await think_and_interrupt(site)
    table, data = await asyncio.gather(typed("interrupts"), typed("interrupts", "--json", "--limit", "1"))
    assert [one["id"] for one in data.json()["interrupts"]] == ["stop"]
    row = next(row for row in table.out.splitlines() if "stop" in row)
    for part in ("human → agent", "error (cancel)", "acked", "ignored after 0 ms: busy"):
        assert part in row


async def test_the_timeline(site: Any, typed: Any) -> None:
    await think_and_interrupt(site)
    lines, data = await asyncio.gather(typed("timeline"), typed("timeline", "--json", "--limit", "2"))
    kinds = [event["kind"] for event in data.json()["events"]]
    assert kinds == ["reasoning/interrupt-ack", "capability/grant"]
    assert "\x1b" not in lines.out and "a tour \\x1b[2J" in lines.out
    told = [line.split()[3] for line in lines.out.splitlines()]
    assert told[-4:] == ["┌", "■", "■", "✗"]
    assert "is refused capability/grant" in lines.out.splitlines()[-1]


async def test_the_timeline_is_followed_until_ctrl_c(site: Any, mew: Any) -> None:
    peer = await site.join("other")
    async with mew.started("timeline", "--follow", "--json") as timeline:
        assert json.loads(await timeline.line("gateway/configured"))["position"] == 1
        await peer.send("chat", {"text": "from now on"})
        assert json.loads(await timeline.line("from now on"))["from"] == "other"
        timeline.signal(signal.SIGINT)
        done = await timeline.end()
    assert (done.status, done.err) == (0, "")


async def test_timeline_shows_tools_arguments_results_and_failures(site: Any, typed: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    params = {"name": "forecast", "arguments": {"city": "Lima"}}
    await human.send("mcp/request", {"method": "tools/call", "params": params}, id="ask", to=["agent"])
    await agent.until("mcp/request")
    result = {"content": [{"type": "text", "text": "It rains in Lima."}]}
    await agent.send("mcp/response", {"result": result}, to=["human"], correlation_id=["ask"])
    await agent.send("reasoning/start", {"message": "a tour"}, id="run")
    error = {"type": "ValueError", "message": "delay must be positive"}
    await agent.send("reasoning/conclusion", {"outcome": "failed", "error": error}, context="run")
    await agent.send("x/long", {"note": "short", "text": "z" * 5_000})
    await human.until("x/long")
    out, data = (await typed("timeline")).out, (await typed("timeline", "--json")).json()
    assert '→ agent request forecast(city="Lima")' in out
    assert "It rains in Lima." in out
    assert "concluded  (failed, 0 thoughts" in out and "ValueError: delay must be positive" in out
    told = {event["kind"]: event for event in data["events"]}
    assert told["mcp/request"]["payload"]["params"] == params
    assert told["mcp/response"]["payload"] == {"result": result}
    assert told["x/long"]["payload"] == {"note": "short"} and told["x/long"]["omitted"] == ["text"]
    narrow = (await typed("timeline", COLUMNS="80", FORCE_COLOR="1", TERM="xterm")).out
    assert max(len(Text.from_ansi(line).plain) for line in narrow.splitlines()) <= 80


async def test_the_timeline_is_searched_and_paged(site: Any, typed: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    for number in range(1, 6):
        await human.send("chat", {"text": f"number {number}"})
        await agent.until("chat")
    await think_and_interrupt(site)

    async def told(*options: str) -> list[str]:
        events = (await typed("timeline", "--json", *options)).json()["events"]
        return [event.get("text", event["kind"]) for event in events]

    assert await told("--grep", "NUMBER", "--limit", "2") == ["number 4", "number 5"]
    page = (await typed("timeline", "--json", "--grep", "number", "--limit", "2")).json()
    assert await told("--grep", "number", "--limit", "2", "--before", str(page["previous"])) == ["number 2", "number 3"]
    assert await told("--from", "agent", "--kind", "reasoning/interrupt-*") == ["reasoning/interrupt-ack"]
    sequence = (await typed("interrupts", "--json")).json()["interrupts"][0]["sequence"]
    kinds = ["reasoning/start", "reasoning/interrupt", "reasoning/interrupt-ack"]
    assert await told("--sequence", sequence) == kinds
    assert await told("--since", "2200-01-01T00:00") == []
    assert len(await told("--since", "2000-01-01")) > len(kinds)
    assert (await typed("timeline", "--since", "soon")).status == 2
