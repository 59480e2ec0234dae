"""Somebody takes the ids of Fluxi's envelopes: nothing of it is believed (docs/fluxi-invariants.md 3, 8)."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
import websockets
from sqlalchemy import Column, select

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.claim import idempotency_key
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.tables import effect_attempts, outbox
from mew_agents.tools.moment import moment_at

from ...kit.gateway import Peer
from .hostile import FORMS, Mallory, Unmirrored, call, forged
from .stage import BOOKING, Person, Stage, Tool, hasty


class Held:
    """Stands still at a point, in the database's thread, the first time, until it may go on."""

    def __init__(self, point: str) -> None:
        self.point = point
        self.armed = False
        self.reached = threading.Event()
        self.may = threading.Event()

    def reach(self, name: str) -> None:
        if name == self.point and self.armed and not self.reached.is_set():
            self.reached.set()
            self.may.wait(60)


async def ids(agent: Host, column: Column[Any]) -> list[str]:
    """The values of a column of the agent's database, oldest first."""
    query = select(column)
    found = await agent.fluxi.database.read(lambda connection: connection.execute(query).scalars().all())
    return [str(one) for one in found]


async def paused(held: Held, human: Person) -> None:
    """The agent is paused where it stands still; then it goes on, and what it says is refused."""
    await asyncio.to_thread(held.reached.wait, 60)
    await human.peer.send("participant/pause", {}, to=["fluxi"])
    await human.peer.until("participant/pause")
    held.may.set()


async def told(human: Person, *kinds: str) -> dict[str, Any]:
    """The next reply of one of these kinds."""
    while (reply := await human.reply())["payload"]["kind"] not in kinds:
        pass
    return reply


async def mallory(stage: Stage) -> Mallory:
    return Mallory(await stage.join("mallory"), "fluxi")


async def test_a_work_in_doubt_believes_the_tool_alone(stage: Stage, attend: Any) -> None:
    """The tool has answered, so its request's id is free: an answer under it by somebody else says nothing."""
    tool, thief = await stage.tool(), await mallory(stage)
    async with stage.fluxi(attend, definitions=(hasty(stage.folder),)) as agent:
        human = await stage.person()
        await human.ask(BOOKING)
        await human.say("sí")
        request = await tool.request("book_appointment")
        error = {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "broken"}}
        await tool.peer.send("mcp/response", error, to=["fluxi"], correlation_id=[request["id"]])
        await told(human, "in_doubt")
        await thief.ask(request["id"])
        await thief.answer(request["id"], "applied")
        await human.ask("estado")
        assert [one["state"] for one in (await human.call("works"))["works"]] == ["EXECUTING"]
        assert "completed" not in [one["payload"].get("kind") for one in human.seen("chat")]
        assert agent.fluxi is not None


@pytest.mark.parametrize(("lie", "answered"), [("applied", False), ("applied", True), ("not_applied", True)])
async def test_a_request_refused_while_paused_is_made_once(stage: Stage, attend: Any, lie: str, answered: bool) -> None:
    """Its id is taken meanwhile, answered, and in the first case held: the call goes out all the same, with its key."""
    held, thief = Held("effect.begin.after"), await mallory(stage)
    agent = FluxiAgent(FluxiOptions(), failpoints=held)
    async with stage.calendar(attend) as calendar, stage.fluxi(attend, agent):
        human = await stage.person()
        await human.ask(BOOKING)
        held.armed = True
        await human.say("sí")
        await paused(held, human)
        (id,) = await ids(agent, effect_attempts.c.request_id)
        await thief.ask(id)
        await thief.answer(id, lie)
        if not answered:
            await thief.peer.socket.close()
            again = await mallory(stage)
            await again.ask(id)
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        assert (await told(human, "completed", "failed"))["payload"]["kind"] == "completed"
        assert stage.appointments(calendar) == 1
        booked = [one for one in human.seen("mcp/request") if one["from"] == "fluxi"]
        assert len(booked) == 1
        if not answered:  # else it may have come just when the id was free
            assert booked[0]["id"] != id


async def test_a_reply_whose_id_is_taken_is_said_under_another(stage: Stage, attend: Any) -> None:
    """A reply refused while paused counted as said because a stranger had a sequence under its id."""
    held, thief = Held("outbox.lease.after"), await mallory(stage)
    agent = FluxiAgent(FluxiOptions(), failpoints=held)
    async with stage.calendar(attend), stage.fluxi(attend, agent):
        human = await stage.person()
        held.armed = True
        await human.say(BOOKING)
        await paused(held, human)
        (id,) = await ids(agent, outbox.c.message_id)
        await thief.ask(id, kind="reasoning/start")
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        question = await told(human, "request_confirmation")
        assert question["id"] != id
        done = await human.ask("sí", correlation_id=[question["id"]])
        assert done["payload"]["kind"] == "completed"


async def test_a_key_that_is_used_in_advance_does_nothing_in_fluxis_name(stage: Stage, attend: Any) -> None:
    """It follows from the question, which everybody sees; whoever may call the tool can use it before the yes."""
    async with stage.calendar(attend) as calendar, stage.fluxi(attend):
        human = await stage.person()
        question = (await human.ask(BOOKING))["payload"]["question"]
        effect = {"key": idempotency_key("demo", question, "book_appointment"), "attempt": 1, "fence": 1}
        effect["deadline"] = stage.site.clock.now() + 60_000
        start = moment_at(stage.site.clock.now() + 86_400_000).replace(hour=9, minute=0, second=0, microsecond=0)
        arguments = {"doctor": "emily-clark", "start": start.isoformat(), "patient": "Mallory"}
        params = {"name": "book_appointment", "arguments": arguments, "_meta": {"mew/effect": effect}}
        payload = {"jsonrpc": "2.0", "id": "before", "method": "tools/call", "params": params}
        await human.peer.send("mcp/request", payload, id="before", to=["calendar"])
        answer = await human.peer.until("mcp/response")
        assert answer["payload"]["result"]["structuredContent"]["status"] == "applied", answer
        await human.say("sí")
        assert (await told(human, "completed", "failed"))["payload"]["kind"] == "failed"
        assert stage.appointments(calendar) == 1


async def guest(stage: Stage, admin: Person) -> Peer:
    """A guest of that name is invited and joins."""
    itself = [{"kind": "mcp/request", "to": "guest"}]
    await admin.peer.send("space/invite", {"participant_id": "guest", "initial_capabilities": itself})
    token = (await admin.peer.until("space/invite-ack"))["payload"]["token"]
    url = f"{stage.site.url.replace('http', 'ws')}/ws?space={stage.site.space}"
    headers = {"Authorization": f"Bearer {token}"}
    return Unmirrored(await stage.enter(websockets.connect(url, additional_headers=headers, max_queue=None)), "guest")


async def test_a_new_guest_of_a_removed_tools_name_is_not_believed(stage: Stage, attend: Any) -> None:
    """It takes the id of the request that the earlier one was asked, and answers it."""
    definition = Path(hasty(stage.folder))
    definition.write_text(definition.read_text("utf-8").replace("calendar/", "guest/"), "utf-8")
    admin = await stage.person("admin")
    tool = Tool(await guest(stage, admin))
    async with stage.fluxi(attend, definitions=(str(definition),)):
        human = await stage.person()
        await human.ask(BOOKING)
        await human.say("sí")
        request = await tool.request("book_appointment")
        await admin.peer.send("space/kick", {"participant_id": "guest"})
        await tool.peer.closed()
        thief = Mallory(await guest(stage, admin), "fluxi")
        await thief.peer.send("mcp/response", forged(request["id"], "applied"), correlation_id=[request["id"]])
        await thief.peer.error("request_not_found")
        await told(human, "in_doubt")
        await thief.peer.send("mcp/request", call(), id=request["id"], to=["guest"])
        await thief.answer(request["id"], "applied")
        await human.ask("estado")
        assert [one["state"] for one in (await human.call("works"))["works"]] == ["EXECUTING"]
        assert "completed" not in [one["payload"].get("kind") for one in human.seen("chat")]


async def test_the_mirror_takes_ids_and_answers_in_every_form(stage: Stage, attend: Any) -> None:
    """It is there in every test of the suites: here it is seen to do what it says, and to change nothing."""
    async with stage.calendar(attend) as calendar, stage.fluxi(attend):
        human = await stage.person()
        await human.ask(BOOKING)
        assert (await human.ask("sí, pero a las 18"))["payload"]["kind"] == "request_confirmation"
        assert (await human.ask("dale"))["payload"]["kind"] == "completed"
        assert stage.appointments(calendar) == 1
        for _ in range(60):  # it takes one form after another, as it gets its turns
            if set(stage.mirror.taken) == set(FORMS):
                break
            await human.ask("estado")
        assert set(stage.mirror.taken) == set(FORMS)
        kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == "fluxi"]
        assert kinds.count("completed") == 1
