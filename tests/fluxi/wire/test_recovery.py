"""Processes that die, tools that were away, capabilities that go, two agents under one id (docs/fluxi.md §9)."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import websockets

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.tools.calendar import Calendar, CalendarOptions
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.tools import Offers

from ...kit.agents import BOOKING, FAILING, AgentSpace, hasty
from ...kit.failpoints import BlockingFailpoint
from ...kit.gateway import Peer, until
from ...kit.hostile import Unmirrored
from ...kit.processes import PATIENCE

POINTS = (
    "effect.send.before",
    "effect.send.after",
    "effect.record.before",
    "effect.record.after",
    "outbox.carry.before:2",
    "outbox.carry.after:2",
)


async def dies_and_comes_back(space: AgentSpace, name: str, point: str, hour: int, definition: str) -> None:
    human = await space.person(agent=name)
    async with space.process(name, failpoint=point, definitions=[definition]) as process:
        await human.ask(f"Quiero agendar un turno con la Dra. Ana Pérez para mañana a las {hour}")
        await human.say("sí")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL, point
    async with space.process(name, definitions=[definition]):
        while (await human.reply())["payload"]["kind"] != "completed":
            pass
        await human.ask("estado")
    kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == name]
    assert kinds.count("completed") == 1, (point, kinds)
    ids = [one["id"] for one in human.seen("chat") if one["from"] == name]
    assert len(ids) == len(set(ids))
    keys = [
        one["payload"]["params"]["_meta"]["mew/effect"]["key"]
        for one in human.seen("mcp/request")
        if one["from"] == name and one["payload"]["params"]["name"] == "book_appointment"
    ]
    assert len(keys) == 1, (point, keys)


async def test_killed_at_any_point_it_books_once_and_says_so_once(space: AgentSpace, attend: Any) -> None:
    """18, 19, 20 through the gateway: what was sent is found in the history, what was not is sent once."""
    definition = hasty(space.folder)
    async with space.calendar(attend) as calendar:
        hours = range(9, 9 + len(POINTS))
        every = list(zip(FAILING, POINTS, hours, strict=True))
        for few in (every[:3], every[3:]):
            await asyncio.gather(*(dies_and_comes_back(space, *one, definition) for one in few))
        assert space.appointments(calendar) == len(POINTS)


async def test_27_a_tool_that_comes_back_a_day_later_refuses(space: AgentSpace, attend: Any) -> None:
    calendar = Calendar(CalendarOptions(timezone="UTC"), clock=space.site.clock.now)
    async with space.fluxi(attend, definitions=(hasty(space.folder),)):
        human = await space.person()
        await human.ask(BOOKING)
        last = human.peer.seen[-1]["id"]
        await human.say("sí")
        while (await human.reply())["payload"]["kind"] != "in_doubt":
            pass
        await space.site.pass_time(86_400_000)
        tool = await resumed(space, after=last)
        with calendar.opened(None):
            request = reread(json.dumps(await tool.until("mcp/request")).encode())
            answer = await Offers.of(calendar).answer("tools/call", request.payload["params"], request, me="calendar")  # type: ignore[index]
            assert answer["structuredContent"]["code"] == "too_late"
            assert space.appointments(calendar) == 0
        payload = {"jsonrpc": "2.0", "id": request.id, "result": answer}
        await tool.send("mcp/response", payload, to=["fluxi"], correlation_id=[request.id])
        while not any(
            one["payload"]["event"] == "external_effect_reconciled" for one in human.seen("reasoning/thought")
        ):
            await human.peer.receive()


async def resumed(space: AgentSpace, *, after: str) -> Peer:
    """The calendar, which gets what it missed."""
    site = space.site
    url = f"{site.url.replace('http', 'ws')}/ws?space={site.space}&after={after}"
    headers = {"Authorization": f"Bearer {site.token('calendar')}"}
    socket = await space.enter(websockets.connect(url, additional_headers=headers, max_queue=None))
    return Unmirrored(socket, "calendar")


async def test_a_capability_that_goes_before_the_call_leaves_nothing_done(space: AgentSpace, attend: Any) -> None:
    held = BlockingFailpoint("effect.begin.after", armed=True)
    agent = FluxiAgent(FluxiOptions(definitions=(hasty(space.folder),)), failpoints=held)
    tool = await space.tool()
    async with space.fluxi(attend, agent):
        human, admin = await space.person(), await space.person("admin")
        await human.ask(BOOKING)
        await human.say("sí")
        await asyncio.to_thread(held.reached.wait, 10)
        revoked = {"recipient": "fluxi", "capabilities": [{"kind": "mcp/request"}]}
        await admin.peer.send("capability/revoke", revoked)
        await admin.peer.until("capability/revoke")
        held.may.set()
        while (await human.reply())["payload"]["kind"] != "failed":
            pass
        assert [one["state"] for one in (await human.call("works"))["works"]] == ["FAILED"]
        await tool.peer.settle()
        assert [one for one in tool.peer.seen if one["kind"] == "mcp/request" and one["to"] == ["calendar"]] == []


async def test_28_two_processes_under_one_id_have_one_effect(space: AgentSpace, attend: Any) -> None:
    url = f"sqlite:///{space.folder / 'shared.db'}"
    async with space.calendar(attend) as calendar, space.fluxi(attend, database=url):
        where = Environment(space.site.url, space.site.space, space.site.token("fluxi"), state=str(space.folder / "b"))
        second = FluxiAgent(FluxiOptions(database=url))
        serving = asyncio.create_task(second.serve(where))
        await until(lambda: second._ready.is_set())
        human = await space.person()
        await human.ask(BOOKING)
        await human.say("sí")
        while (await human.reply())["payload"]["kind"] != "completed":
            pass
        await human.ask("estado")
        assert space.appointments(calendar) == 1
        kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == "fluxi"]
        assert kinds.count("completed") == 1
        assert len([one for one in human.seen("mcp/request") if one["from"] == "fluxi"]) == 1
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def test_what_is_said_while_it_is_away_is_heard_when_it_is_back(space: AgentSpace, attend: Any) -> None:
    human = await space.person()
    async with space.fluxi(attend):
        await human.ask("quiero un turno con la Dra. Clark")
    await human.say("mañana")
    await human.say("a las 17")
    async with space.fluxi(attend):
        while (await human.reply())["payload"]["kind"] != "request_confirmation":
            pass
        text = human.seen("chat")[-1]["payload"]["text"]
        assert "17:00" in text
