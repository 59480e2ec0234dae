"""Calls that a person has to approve: fulfilled, rejected, withdrawn, in the order of the space (docs/fluxi.md §4)."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.agents import BOOKING, AgentSpace, Person
from ...kit.gateway import until


async def proposed(human: Person) -> dict[str, Any]:
    """The agent has proposed the booking."""
    await human.ask(BOOKING)
    await human.say("sí")
    proposal: dict[str, Any] = await human.peer.until("mcp/proposal")
    assert (await human.reply())["payload"]["kind"] == "reply"
    return proposal


async def fulfil(human: Person, proposal: dict[str, Any], id: str = "approved") -> None:
    payload = {"jsonrpc": "2.0", "id": id, **proposal["payload"]}
    await human.peer.send("mcp/request", payload, id=id, to=["calendar"], correlation_id=[proposal["id"]])


async def state(human: Person) -> str:
    (work,) = (await human.call("works"))["works"]
    return str(work["state"])


async def test_a_proposal_has_the_words_it_was_asked_for_with_and_a_call_has_not(
    space: AgentSpace, attend: Any
) -> None:
    async with space.fluxi(attend, participant="novice"):
        human = await space.person(agent="novice")
        evidence = (await proposed(human))["payload"]["params"]["_meta"]["mew/evidence"]
        words = {one["slot"]: one["words"] for one in evidence["said"]}
        assert evidence["person"] == "human"
        assert words["doctor"] == "Ana Pérez" and any("mañana" in said for said in words.values())
    async with space.fluxi(attend):
        tool, person = await space.tool(), await space.person("admin")
        await person.ask(BOOKING)
        await person.say("sí")
        assert list((await tool.request())["payload"]["params"]["_meta"]) == ["mew/effect"]


async def test_what_somebody_approves_is_done(space: AgentSpace, attend: Any) -> None:
    async with space.calendar(attend) as calendar, space.fluxi(attend, participant="novice"):
        human = await space.person(agent="novice")
        proposal = await proposed(human)
        assert space.appointments(calendar) == 0
        await fulfil(human, proposal)
        assert (await human.reply())["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1
        run = human.seen("reasoning/start")[-1]["id"]
        assert (await human.conclusion(run))["outcome"] == "completed"
        assert human.seen("reasoning/thought")[-1]["payload"]["event"] == "work_completed"


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        ({"reason": "closed"}, "Motivo: closed."),
        ({"reason": "policy", "message": "Los viernes no atendemos"}, "Motivo: Los viernes no atendemos."),
        ({"reason": "policy"}, None),
    ],
)
async def test_what_somebody_rejects_fails(
    space: AgentSpace, attend: Any, payload: dict[str, Any], told: str | None
) -> None:
    """The person is told the words of who rejected it, and no code. A chat about the rejection asks for nothing."""
    async with space.fluxi(attend, participant="novice"):
        human = await space.person(agent="novice")
        proposal = await proposed(human)
        await human.peer.send("mcp/reject", payload, id="no", correlation_id=[proposal["id"]])
        failed = await human.reply()
        text = failed["payload"]["text"]
        assert failed["payload"]["kind"] == "failed"
        assert (told in text) if told else ("Motivo" not in text and "policy" not in text)
        await human.say("Pregunte el lunes.", correlation_id=["no"])
        status = await human.ask("estado")
        assert [one["payload"]["kind"] for one in human.seen("chat")[-2:] if one["from"] == "novice"] == ["reply"]
        assert status["payload"]["kind"] == "reply"
        assert human.seen("mcp/withdraw") == []
        assert await state(human) == "FAILED"


async def test_a_cancel_before_anybody_approves_withdraws(space: AgentSpace, attend: Any) -> None:
    async with space.calendar(attend) as calendar, space.fluxi(attend, participant="novice"):
        human = await space.person(agent="novice")
        proposal = await proposed(human)
        await human.say("cancelar")
        withdrawn = await human.peer.until("mcp/withdraw")
        assert withdrawn["correlation_id"] == [proposal["id"]]
        await fulfil(human, proposal)
        await human.peer.error("proposal_closed")

        async def cancelled() -> bool:
            return await state(human) == "CANCELLED"

        while not await cancelled():
            pass
        assert space.appointments(calendar) == 0


async def test_an_approval_before_the_cancel_is_on_record(space: AgentSpace, attend: Any) -> None:
    """The approval came first in the space's order: whatever it did is recorded, and the Work is not cancelled."""
    tool = await space.tool()
    async with space.fluxi(attend, participant="novice"):
        human = await space.person(agent="novice")
        proposal = await proposed(human)
        await fulfil(human, proposal)
        request = await tool.request("book_appointment")
        await human.say("cancelar")
        assert (await human.reply())["payload"]["kind"] == "reply"
        assert (await human.call("works"))["works"][0]["state"] == "EXECUTING"
        await tool.answer(request, appointment_id=1)
        while (await human.reply())["payload"]["kind"] != "completed":
            pass
        assert human.seen("mcp/withdraw") == []
        assert await state(human) == "COMPLETED"


async def test_an_approval_while_the_agent_is_away_is_found_when_it_is_back(space: AgentSpace, attend: Any) -> None:
    async with space.calendar(attend) as calendar:
        human = await space.person(agent="novice")
        async with space.fluxi(attend, participant="novice"):
            proposal = await proposed(human)
        await fulfil(human, proposal)
        await until(lambda: space.appointments(calendar) == 1)
        async with space.fluxi(attend, participant="novice"):
            assert (await human.reply())["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1
