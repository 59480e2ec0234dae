"""Interrupts of every class, wherever a Work is; the calendar is in the test's hands (docs/interruption.md §3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Interpretation, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.tables import works

from ...kit.agents import BOOKING, AgentSpace, Person, Tool


class Slow(Rules):
    """Understands nothing until it may."""

    deterministic = False

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.asked = asyncio.Event()

    async def interpret(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> Interpretation:
        self.asked.set()
        await self.may.wait()
        return await super().interpret(text, definitions, understanding)


class Thoughtful(FluxiAgent):
    """One that needs time to understand."""

    def __init__(self) -> None:
        super().__init__(FluxiOptions())
        self.slow = self._interpreter = Slow()


async def calling(human: Person, tool: Tool) -> tuple[str, dict[str, Any]]:
    """The agent is in the middle of the call: its run, and the request."""
    await human.ask(BOOKING)
    await human.say("sí")
    request = await tool.request("book_appointment")
    while human.seen("reasoning/start")[-1:] == human.seen("reasoning/start")[:1]:
        await human.peer.receive()
    return str(human.seen("reasoning/start")[-1]["id"]), request


async def work(human: Person) -> dict[str, Any]:
    (found,) = (await human.call("works"))["works"]
    return dict((await human.call("work", work_id=found["work_id"]))["work"])


@pytest.mark.parametrize("class_", ["cancel", "override"])
async def test_during_a_call_a_stop_is_recorded_and_the_call_is_whole(
    space: AgentSpace, attend: Any, class_: str
) -> None:
    tool = await space.tool()
    async with space.fluxi(attend):
        human = await space.person()
        run, request = await calling(human, tool)
        ack = await human.interrupt(run, "halt-it", **{"class": class_})
        assert (ack["status"], ack["policy_applied"]) == ("ignored", "non-interruptible")
        while (await work(human))["cancel_requested"] is None:
            pass
        assert (await work(human))["cancel_requested"] == "human"
        await tool.answer(request)
        assert (await human.conclusion(run))["outcome"] == "completed"
        assert (await work(human))["state"] == "COMPLETED"


async def test_after_a_stop_no_further_attempt_is_made(space: AgentSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.fluxi(attend):
        human = await space.person()
        run, request = await calling(human, tool)
        await human.interrupt(run, "halt-it", **{"class": "cancel"})
        while (await work(human))["cancel_requested"] is None:
            pass
        await tool.answer(request, "not_applied", code="busy", retry=True)
        assert (await human.conclusion(run))["outcome"] == "cancelled"
        assert (await work(human))["state"] == "CANCELLED"


@pytest.mark.parametrize("class_", ["queue", "clarification"])
async def test_what_is_queued_during_a_call_is_a_message_behind_it(space: AgentSpace, attend: Any, class_: str) -> None:
    tool = await space.tool()
    async with space.fluxi(attend):
        human = await space.person()
        run, request = await calling(human, tool)
        ack = await human.interrupt(run, "by-the-way", **{"class": class_, "input": "quiero un reembolso"})
        assert (ack["status"], ack["outcome"]) == ("continuing", "queued")
        await tool.answer(request)
        assert (await human.reply())["payload"]["kind"] == "completed"
        await human.reply()
        starts = human.seen("reasoning/start")
        assert starts[-1]["correlation_id"] == ["by-the-way"]


async def test_an_emergency_lets_the_call_finish_and_holds_everything_until_its_resume(
    space: AgentSpace, attend: Any
) -> None:
    tool = await space.tool()
    async with space.fluxi(attend):
        human, guardian = await space.person(), await space.person("guardian")
        run, request = await calling(human, tool)
        ack = await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        assert (ack["status"], ack["outcome"]) == ("continuing", "halt_after_span")
        await tool.answer(request)
        assert (await human.conclusion(run))["interrupt_id"] == "alarm"
        before = len(human.seen("reasoning/start"))
        await human.say("quiero un turno con el doctor Souza")
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        while (await human.reply())["payload"]["kind"] != "request_slot":
            pass
        assert len(human.seen("reasoning/start")) == before + 1


@pytest.mark.parametrize("class_", ["cancel", "override"])
async def test_a_turn_that_is_not_committed_is_discarded(space: AgentSpace, attend: Any, class_: str) -> None:
    agent = Thoughtful()
    async with space.fluxi(attend, agent):
        human = await space.person()
        await human.say(BOOKING)
        run = (await human.peer.until("reasoning/start"))["id"]
        await agent.slow.asked.wait()
        ack = await human.interrupt(run, "no", **{"class": class_, "input": "quiero un turno con la Dra. Clark"})
        assert ack["status"] == "stopping"
        assert (await human.conclusion(run))["interrupted"] is True
        agent.slow.may.set()
        if class_ == "override":
            assert (await human.reply())["payload"]["kind"] == "request_slot"
        listed = (await human.call("works"))["works"]
        assert len(listed) == (1 if class_ == "override" else 0)


async def test_the_watchdogs_cancel_cancels_no_work(space: AgentSpace, attend: Any) -> None:
    agent = Thoughtful()
    async with space.fluxi(attend, agent, participant="watched"):
        human = await space.person(agent="watched")
        agent.slow.may.set()
        await human.ask("quiero un turno con la Dra. Clark")
        agent.slow.may.clear()
        await human.say("mañana a las 17")
        run = (await human.peer.until("reasoning/start"))["id"]
        await space.site.pass_time(6_000)
        assert (await human.conclusion(run))["interrupted"] is True
        (found,) = (await human.call("works"))["works"]
        assert found["state"] == "WAITING_USER"


async def test_a_cancel_during_a_turn_cancels_its_work_and_voids_its_question(space: AgentSpace, attend: Any) -> None:
    agent = Thoughtful()
    async with space.fluxi(attend, agent):
        human = await space.person()
        agent.slow.may.set()
        await human.ask(BOOKING)
        agent.slow.may.clear()
        agent.slow.asked.clear()
        await human.say("mejor a las 18")
        start = await human.peer.until("reasoning/start")
        await agent.slow.asked.wait()
        await human.interrupt(start["id"], "no", **{"class": "cancel"})
        assert (await human.conclusion(start["id"]))["outcome"] == "interrupted"
        assert (await human.reply())["payload"]["kind"] == "reply"
        found = await human.call("work", work_id=start["payload"]["work_id"])
        assert (found["work"]["state"], found["questions"]) == ("CANCELLED", [])
        agent.slow.may.set()
        assert (await human.ask("sí"))["payload"]["kind"] == "reply"


async def test_a_stop_word_ends_the_run_of_whoever_says_it(space: AgentSpace, attend: Any) -> None:
    agent = Thoughtful()
    async with space.fluxi(attend, agent):
        human, other = await space.person(), await space.person("other")
        await human.say(BOOKING)
        run = (await human.peer.until("reasoning/start"))["id"]
        await agent.slow.asked.wait()
        await other.say("stop")
        await human.say("stop")
        end = await human.conclusion(run)
        assert end["interrupted"] is True
        agent.slow.may.set()
        assert (await human.call("works"))["works"] == []


async def test_a_waiting_work_is_cancelled_by_a_tool(space: AgentSpace, attend: Any) -> None:
    async with space.fluxi(attend):
        human = await space.person()
        await human.ask(BOOKING)
        run = human.seen("reasoning/start")[0]["id"]
        while not human.seen("reasoning/conclusion"):
            await human.peer.receive()
        told = {"reason": "user_request", "message": "stop"}
        await human.peer.send("reasoning/interrupt", told, id="late", to=["fluxi"], correlation_id=[run])
        await human.peer.error("sequence_closed")
        (found,) = (await human.call("works"))["works"]
        answer = await human.call("work_cancel", work_id=found["work_id"])
        assert answer["state"] == "CANCELLED"
        assert (await human.call("work_cancel", work_id=found["work_id"]))["code"] == "ended"
        assert (await human.call("work_cancel", work_id="01a2"))["code"] == "not_found"


async def stands(agent: FluxiAgent) -> tuple[str, str | None, int | None]:
    """State, suspension and expiry of the only Work: under a halt no tool answers."""
    row = await agent.fluxi.database.read(lambda connection: connection.execute(select(works)).one())
    return row.state, row.suspended_reason, row.expires_at


async def test_a_halt_outlives_a_restart_and_a_waiting_work_goes_on_after_it(space: AgentSpace, attend: Any) -> None:
    agent = Thoughtful()
    human, guardian = await space.person(), await space.person("guardian")
    async with space.fluxi(attend, agent):
        agent.slow.may.set()
        await human.ask("quiero un turno con la Dra. Clark")
        agent.slow.may.clear()
        agent.slow.asked.clear()
        await human.say("mañana a las 17")
        run = (await human.peer.until("reasoning/start"))["id"]
        await agent.slow.asked.wait()
        ack = await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        assert ack["status"] == "stopping"
        assert (await human.conclusion(run))["interrupt_id"] == "alarm"
        while await stands(agent) != ("WAITING_USER", "halted", None):
            pass
    async with space.fluxi(attend) as again:
        assert await stands(again) == ("WAITING_USER", "halted", None)
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        kinds = [(await human.reply())["payload"]["kind"] for _ in range(2)]
        assert kinds == ["request_slot", "request_confirmation"]
        assert (await stands(again))[:2] == ("WAITING_CONFIRMATION", None)
