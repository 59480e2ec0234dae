"""Processes that die, tools that were away, capabilities that go, two agents under one id (docs/fluxi.md §9)."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from typing import Any

import websockets

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.tools.calendar import Calendar, CalendarOptions
from mew_gateway.protocol.codec import reread
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.tools import Offers

from ...kit.gateway import Peer
from .hostile import Unmirrored
from .process import PATIENCE, alive
from .stage import BOOKING, DYING, Stage, hasty, until

POINTS = (
    "effect.send.before",
    "effect.send.after",
    "effect.record.before",
    "effect.record.after",
    "outbox.carry.before:2",
    "outbox.carry.after:2",
)


async def dies_and_comes_back(stage: Stage, name: str, point: str, hour: int, definition: str) -> None:
    human = await stage.person(agent=name)
    async with alive(stage, name, failpoint=point, definitions=[definition]) as process:
        await human.ask(f"Quiero agendar un turno con la Dra. Ana Pérez para mañana a las {hour}")
        await human.say("sí")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL, point
    async with alive(stage, name, definitions=[definition]):
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


async def test_killed_at_any_point_it_books_once_and_says_so_once(stage: Stage, attend: Any) -> None:
    """18, 19, 20 through the gateway: what was sent is found in the history, what was not is sent once."""
    definition = hasty(stage.folder)
    async with stage.calendar(attend) as calendar:
        hours = range(9, 9 + len(POINTS))
        every = list(zip(DYING, POINTS, hours, strict=True))
        for few in (every[:3], every[3:]):
            await asyncio.gather(*(dies_and_comes_back(stage, *one, definition) for one in few))
        assert stage.appointments(calendar) == len(POINTS)


async def test_27_a_tool_that_comes_back_a_day_later_refuses(stage: Stage, attend: Any) -> None:
    calendar = Calendar(CalendarOptions(timezone="UTC"), clock=stage.site.clock.now)
    async with stage.fluxi(attend, definitions=(hasty(stage.folder),)):
        human = await stage.person()
        await human.ask(BOOKING)
        last = human.peer.seen[-1]["id"]
        await human.say("sí")
        while (await human.reply())["payload"]["kind"] != "in_doubt":
            pass
        await stage.site.pass_time(86_400_000)
        tool = await resumed(stage, after=last)
        with calendar.opened(None):
            request = reread(json.dumps(await tool.until("mcp/request")).encode())
            answer = await Offers.of(calendar).answer("tools/call", request.payload["params"], request, me="calendar")  # type: ignore[index]
            assert answer["structuredContent"]["code"] == "too_late"
            assert stage.appointments(calendar) == 0
        payload = {"jsonrpc": "2.0", "id": request.id, "result": answer}
        await tool.send("mcp/response", payload, to=["fluxi"], correlation_id=[request.id])
        while not any(
            one["payload"]["event"] == "external_effect_reconciled" for one in human.seen("reasoning/thought")
        ):
            await human.peer.receive()


async def resumed(stage: Stage, *, after: str) -> Peer:
    """The calendar, which gets what it missed."""
    site = stage.site
    url = f"{site.url.replace('http', 'ws')}/ws?space={site.space}&after={after}"
    headers = {"Authorization": f"Bearer {site.token('calendar')}"}
    socket = await stage.enter(websockets.connect(url, additional_headers=headers, max_queue=None))
    return Unmirrored(socket, "calendar")


class Held:
    """Stands still behind the commit of an attempt, in the database's thread, until it may go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.may = threading.Event()

    def reach(self, name: str) -> None:
        if name == "effect.begin.after":
            self.reached.set()
            self.may.wait(10)


async def test_a_capability_that_goes_before_the_call_leaves_nothing_done(stage: Stage, attend: Any) -> None:
    held = Held()
    agent = FluxiAgent(FluxiOptions(definitions=(hasty(stage.folder),)), failpoints=held)
    tool = await stage.tool()
    async with stage.fluxi(attend, agent):
        human, admin = await stage.person(), await stage.person("admin")
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


async def test_28_two_processes_under_one_id_have_one_effect(stage: Stage, attend: Any) -> None:
    url = f"sqlite:///{stage.folder / 'shared.db'}"
    async with stage.calendar(attend) as calendar, stage.fluxi(attend, database=url):
        where = Environment(stage.site.url, stage.site.space, stage.site.token("fluxi"), state=str(stage.folder / "b"))
        second = FluxiAgent(FluxiOptions(database=url))
        serving = asyncio.create_task(second.serve(where))
        await until(lambda: second._ready.is_set())
        human = await stage.person()
        await human.ask(BOOKING)
        await human.say("sí")
        while (await human.reply())["payload"]["kind"] != "completed":
            pass
        await human.ask("estado")
        assert stage.appointments(calendar) == 1
        kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == "fluxi"]
        assert kinds.count("completed") == 1
        assert len([one for one in human.seen("mcp/request") if one["from"] == "fluxi"]) == 1
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def test_what_is_said_while_it_is_away_is_heard_when_it_is_back(stage: Stage, attend: Any) -> None:
    human = await stage.person()
    async with stage.fluxi(attend):
        await human.ask("quiero un turno con la Dra. Clark")
    await human.say("mañana")
    await human.say("a las 17")
    async with stage.fluxi(attend):
        while (await human.reply())["payload"]["kind"] != "request_confirmation":
            pass
        text = human.seen("chat")[-1]["payload"]["text"]
        assert "17:00" in text
