"""Somebody takes the ids of Fluxi's envelopes: nothing of it is believed (docs/fluxi-invariants.md 3, 8)."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from sqlalchemy import Column, select

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.host import Host
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.tables import effect_attempts, outbox

from .hostile import Mallory, mirroring
from .stage import BOOKING, Person, Stage, hasty


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
    return Mallory(await stage.site.join("mallory", max_queue=None), "fluxi")


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


async def test_somebody_who_mirrors_every_id_changes_nothing(stage: Stage, attend: Any) -> None:
    async with stage.calendar(attend) as calendar, stage.fluxi(attend), mirroring(stage.site, "fluxi"):
        human = await stage.person()
        await human.ask(BOOKING)
        assert (await human.ask("sí, pero a las 18"))["payload"]["kind"] == "request_confirmation"
        assert (await human.ask("dale"))["payload"]["kind"] == "completed"
        assert stage.appointments(calendar) == 1
        await human.ask("estado")
        kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == "fluxi"]
        assert kinds.count("completed") == 1
