"""A guest of the same name is somebody else: it gets nothing that was the earlier one's (docs/protocol.md §2)."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.tables import external_effects, outbox, semantic_contexts, work_events, works

from ...kit.agents import BOOKING, AgentSpace, Person
from ...kit.gateway import until
from ...kit.guests import MOMENTS, Guests, succession


async def rows(agent: FluxiAgent, *columns: Any) -> list[tuple[Any, ...]]:
    """What is on record."""
    found = await agent.fluxi.database.read(lambda connection: connection.execute(select(*columns)).all())
    return [tuple(row) for row in found]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_successor_learns_nothing_and_confirms_nothing(space: AgentSpace, attend: Any, moment: str) -> None:
    async def asked(old: Person) -> None:
        assert (await old.ask(BOOKING))["payload"]["kind"] == "request_confirmation"

    async with (
        space.calendar(attend) as calendar,
        succession(space, lambda: space.fluxi(attend), moment, before=asked, words="estado") as found,
    ):
        assert "work_id" not in found.reply["payload"]
        assert "17" not in found.reply["payload"]["text"]
        assert (await found.new.ask("sí"))["payload"]["kind"] == "reply"
        assert space.appointments(calendar) == 0
        assert await rows(found.agent, works.c.state) == [(State.CANCELLED,)]
        assert {row[0] for row in await rows(found.agent, semantic_contexts.c.status)} == {"void"}
        causes = [row[0] for row in await rows(found.agent, work_events.c.cause)]
        assert '"by":"removed"' in causes[-1]
        told = [one for one in await rows(found.agent, outbox.c.status, outbox.c.reason) if one[0] == "refused"]
        assert told == [("refused", "removed")]
        await found.new.ask(BOOKING)
        assert (await found.new.ask("sí"))["payload"]["kind"] == "completed"


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_late_reply_is_not_said_to_a_successor(space: AgentSpace, attend: Any, moment: str) -> None:
    """What is under way comes to its end and is on record."""
    tool = await space.tool()
    requests: list[dict[str, Any]] = []

    async def confirmed(old: Person) -> None:
        await old.ask(BOOKING)
        await old.say("sí")
        requests.append(await tool.request("book_appointment"))

    async def answered() -> None:
        await tool.answer(requests[0], confirmation="C-1")

    async with succession(
        space, lambda: space.fluxi(attend), moment, before=confirmed, words="hola", between=answered
    ) as found:
        ended: list[tuple[Any, ...]] = []

        async def is_over() -> bool:
            ended[:] = await rows(found.agent, works.c.state)
            waiting = [one for one in await rows(found.agent, outbox.c.status) if one[0] == "waiting"]
            return ended[0][0] in (State.CANCELLED, State.COMPLETED) and not waiting

        while not await is_over():
            await found.new.ask("hola")
        assert await rows(found.agent, external_effects.c.outcome) == [("applied",)]
        said = [one["payload"]["text"] for one in found.new.seen("chat") if one["from"] == "fluxi"]
        assert not [text for text in said if "17:00" in text or "confirmo" in text]
        reasons = [row[0] for row in await rows(found.agent, outbox.c.reason) if row[0] is not None]
        assert reasons
        assert set(reasons) == {"removed"}
        assert len([one for one in tool.peer.seen if one["kind"] == "mcp/request"]) == len(requests)


async def test_what_a_removed_guest_has_said_opens_nothing(space: AgentSpace, attend: Any) -> None:
    """Said while the agent was away, and read when its speaker has a successor."""
    guests = await Guests.of(space)
    async with space.fluxi(attend):
        pass
    old = await guests.invited("ana")
    await old.say(BOOKING)
    await old.peer.settle()
    await guests.removed("ana")
    new = await guests.invited("ana")
    async with space.fluxi(attend) as fluxi:
        assert "work_id" not in (await new.ask("estado"))["payload"]
        assert await rows(fluxi, works.c.work_id) == []
        assert len([one for one in new.seen("chat") if one["from"] == "fluxi"]) == 1


async def test_a_kick_behind_a_broken_connection_is_seen_in_the_replay(space: AgentSpace, attend: Any) -> None:
    guests = await Guests.of(space)
    async with space.calendar(attend) as calendar, space.fluxi(attend) as fluxi:
        old = await guests.invited("ana")
        await old.ask(BOOKING)
        client = fluxi.client
        link = client._outgoing.link
        assert link is not None
        held = client._open

        async def later(*args: Any, **options: Any) -> Any:
            await until(lambda: gone)
            return await held(*args, **options)

        gone: list[bool] = []
        client._open = later
        link.abort()
        await guests.removed("ana")
        new = await guests.invited("ana")
        id = await new.say("sí")
        gone.append(True)
        while (reply := await new.reply()).get("correlation_id") != [id]:
            pass
        assert reply["payload"]["kind"] == "reply"
        assert space.appointments(calendar) == 0
        assert await rows(fluxi, works.c.state) == [(State.CANCELLED,)]


async def test_an_approval_for_a_removed_guest_is_withdrawn(space: AgentSpace, attend: Any) -> None:
    guests = await Guests.of(space, agent="novice")
    async with space.fluxi(attend, participant="novice") as novice:
        old = await guests.invited("ana")
        await old.ask(BOOKING)
        await old.say("sí")
        proposal = await guests.admin.until("mcp/proposal")
        await guests.removed("ana")
        taken = await guests.admin.until("mcp/withdraw")
        assert taken["correlation_id"] == [proposal["id"]]
        new = await guests.invited("ana")
        while await rows(novice, works.c.state) != [(State.CANCELLED,)]:
            await new.ask("hola")
        assert "work_id" not in (await new.ask("estado"))["payload"]


async def test_a_configured_participant_is_the_same_after_a_kick(space: AgentSpace, attend: Any) -> None:
    guests = await Guests.of(space)
    async with space.calendar(attend) as calendar, space.fluxi(attend):
        human = await space.person()
        await human.ask(BOOKING)
        await guests.admin.send("space/kick", {"participant_id": "human"})
        await guests.admin.until("system/presence", event="leave")
        await guests.admin.send("space/invite", {"participant_id": "human"})
        await guests.admin.until("space/invite-ack")
        again = await space.person()
        assert (await again.ask("sí", id="again"))["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1
