"""Somebody takes the ids of Fluxi's envelopes: nothing of it is believed (docs/fluxi-invariants.md 3, 8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import websockets

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.claim import idempotency_key
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.tables import effect_attempts, outbox
from mew_agents.tools.moment import moment_at

from ...kit.agents import BOOKING, AgentSpace, Person, Tool, hasty, values_of
from ...kit.failpoints import BlockingFailpoint
from ...kit.gateway import Peer
from ...kit.hostile import FORMS, Mallory, Unmirrored, call, forged


async def mallory(space: AgentSpace) -> Mallory:
    return Mallory(await space.join("mallory"), "fluxi")


async def test_a_work_in_doubt_believes_the_tool_alone(space: AgentSpace, attend: Any) -> None:
    """The tool has answered, so its request's id is free: an answer under it by somebody else says nothing."""
    tool, thief = await space.tool(), await mallory(space)
    async with space.fluxi(attend, definitions=(hasty(space.folder),)) as agent:
        human = await space.person()
        await human.ask(BOOKING)
        await human.say("sí")
        request = await tool.request("book_appointment")
        error = {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "broken"}}
        await tool.peer.send("mcp/response", error, to=["fluxi"], correlation_id=[request["id"]])
        await human.told("in_doubt")
        await thief.ask(request["id"])
        await thief.answer(request["id"], "applied")
        await human.ask("estado")
        assert [one["state"] for one in (await human.call("works"))["works"]] == ["EXECUTING"]
        assert "completed" not in [one["payload"].get("kind") for one in human.seen("chat")]
        assert agent.fluxi is not None


@pytest.mark.parametrize(("lie", "answered"), [("applied", False), ("applied", True), ("not_applied", True)])
async def test_a_request_refused_while_paused_is_made_once(
    space: AgentSpace, attend: Any, lie: str, answered: bool
) -> None:
    """Its id is taken meanwhile, answered, and in the first case held: the call goes out all the same, with its key."""
    held, thief = BlockingFailpoint("effect.begin.after"), await mallory(space)
    agent = FluxiAgent(FluxiOptions(), failpoints=held)
    async with space.calendar(attend) as calendar, space.fluxi(attend, agent):
        human = await space.person()
        await human.ask(BOOKING)
        held.armed = True
        await human.say("sí")
        await human.pause_at(held)
        (id,) = await values_of(agent, effect_attempts.c.request_id)
        await thief.ask(id)
        await thief.answer(id, lie)
        if not answered:
            await thief.peer.socket.close()
            again = await mallory(space)
            await again.ask(id)
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        assert (await human.told("completed", "failed"))["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1
        booked = [one for one in human.seen("mcp/request") if one["from"] == "fluxi"]
        assert len(booked) == 1
        if not answered:  # else it may have come just when the id was free
            assert booked[0]["id"] != id


async def test_a_reply_whose_id_is_taken_is_said_under_another(space: AgentSpace, attend: Any) -> None:
    """A reply refused while paused counted as said because a stranger had a sequence under its id."""
    held, thief = BlockingFailpoint("outbox.lease.after"), await mallory(space)
    agent = FluxiAgent(FluxiOptions(), failpoints=held)
    async with space.calendar(attend), space.fluxi(attend, agent):
        human = await space.person()
        held.armed = True
        await human.say(BOOKING)
        await human.pause_at(held)
        (id,) = await values_of(agent, outbox.c.message_id)
        await thief.ask(id, kind="reasoning/start")
        await human.peer.send("participant/resume", {}, to=["fluxi"])
        question = await human.told("request_confirmation")
        assert question["id"] != id
        done = await human.ask("sí", correlation_id=[question["id"]])
        assert done["payload"]["kind"] == "completed"


async def test_a_key_that_is_used_in_advance_does_nothing_in_fluxis_name(space: AgentSpace, attend: Any) -> None:
    """It follows from the question, which everybody sees; whoever may call the tool can use it before the yes."""
    async with space.calendar(attend) as calendar, space.fluxi(attend):
        human = await space.person()
        question = (await human.ask(BOOKING))["payload"]["question"]
        effect = {"key": idempotency_key("demo", question, "book_appointment"), "attempt": 1, "fence": 1}
        effect["deadline"] = space.site.clock.now() + 60_000
        start = moment_at(space.site.clock.now() + 86_400_000).replace(hour=9, minute=0, second=0, microsecond=0)
        arguments = {"doctor": "emily-clark", "start": start.isoformat(), "patient": "Mallory"}
        params = {"name": "book_appointment", "arguments": arguments, "_meta": {"mew/effect": effect}}
        payload = {"jsonrpc": "2.0", "id": "before", "method": "tools/call", "params": params}
        await human.peer.send("mcp/request", payload, id="before", to=["calendar"])
        answer = await human.peer.until("mcp/response")
        assert answer["payload"]["result"]["structuredContent"]["status"] == "applied", answer
        await human.say("sí")
        assert (await human.told("completed", "failed"))["payload"]["kind"] == "failed"
        assert space.appointments(calendar) == 1


async def guest(space: AgentSpace, admin: Person) -> Peer:
    """A guest of that name is invited and joins."""
    itself = [{"kind": "mcp/request", "to": "guest"}]
    await admin.peer.send("space/invite", {"participant_id": "guest", "initial_capabilities": itself})
    token = (await admin.peer.until("space/invite-ack"))["payload"]["token"]
    url = f"{space.site.url.replace('http', 'ws')}/ws?space={space.site.space}"
    headers = {"Authorization": f"Bearer {token}"}
    return Unmirrored(await space.enter(websockets.connect(url, additional_headers=headers, max_queue=None)), "guest")


async def test_a_new_guest_of_a_removed_tools_name_is_not_believed(space: AgentSpace, attend: Any) -> None:
    """It takes the id of the request that the earlier one was asked, and answers it."""
    definition = Path(hasty(space.folder))
    definition.write_text(definition.read_text("utf-8").replace("calendar/", "guest/"), "utf-8")
    admin = await space.person("admin")
    tool = Tool(await guest(space, admin))
    async with space.fluxi(attend, definitions=(str(definition),)):
        human = await space.person()
        await human.ask(BOOKING)
        await human.say("sí")
        request = await tool.request("book_appointment")
        await admin.peer.send("space/kick", {"participant_id": "guest"})
        await tool.peer.closed()
        thief = Mallory(await guest(space, admin), "fluxi")
        await thief.peer.send("mcp/response", forged(request["id"], "applied"), correlation_id=[request["id"]])
        await thief.peer.error("request_not_found")
        await human.told("in_doubt")
        await thief.peer.send("mcp/request", call(), id=request["id"], to=["guest"])
        await thief.answer(request["id"], "applied")
        await human.ask("estado")
        assert [one["state"] for one in (await human.call("works"))["works"]] == ["EXECUTING"]
        assert "completed" not in [one["payload"].get("kind") for one in human.seen("chat")]


async def test_the_mirror_takes_ids_and_answers_in_every_form(space: AgentSpace, attend: Any) -> None:
    """It is there in every test of the suites: here it is seen to do what it says, and to change nothing."""
    async with space.calendar(attend) as calendar, space.fluxi(attend):
        human = await space.person()
        await human.ask(BOOKING)
        assert (await human.ask("sí, pero a las 18"))["payload"]["kind"] == "request_confirmation"
        assert (await human.ask("dale"))["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1
        for _ in range(60):  # it takes one form after another, as it gets its turns
            if set(space.mirror.taken) == set(FORMS):
                break
            await human.ask("estado")
        assert set(space.mirror.taken) == set(FORMS)
        kinds = [one["payload"].get("kind") for one in human.seen("chat") if one["from"] == "fluxi"]
        assert kinds.count("completed") == 1
