"""Interrupts of every class, wherever a flow is; the ledger is in the test's hands (docs/interruption.md §3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.flows.understanding.base import Standing, Understood
from mew_agents.flows.understanding.rules import Rules

from ...kit.agents import Person, Tool
from ...kit.gateway import until
from .flow_space import FORMAL, SHOP, FlowSpace, dialogues, texts

WHOM = "¿A quién desea transferir?"
NAME = "¿Nombre?"
BALANCE: dict[str, Any] = {"balances": [{"amount": "70.00", "currency": "USD"}]}


class Slow(Rules):
    """Understands nothing until it may; `passes` says which pass waits."""

    deterministic = False

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.may.set()
        self.asked: asyncio.Queue[str] = asyncio.Queue()

    async def understand(self, text: str, standing: Standing) -> Understood:
        self.asked.put_nowait("first")
        await self.may.wait()
        return await super().understand(text, standing)

    async def extract(self, text: str, standing: Standing) -> Understood:
        self.asked.put_nowait("second")
        await self.may.wait()
        return await super().extract(text, standing)


class Thoughtful(FlowAgent):
    """One that needs time to understand."""

    def __init__(self, **options: Any) -> None:
        super().__init__(FlowOptions(**{**FORMAL, "flows": (str(SHOP), "banking"), **options}))
        self.slow = self._understander = Slow()

    async def at_pass(self, name: str, human: Person, text: str) -> str:
        """Somebody says something, and it is at that pass: the run."""
        self.slow.may.clear()
        await human.say(text)
        run = str((await human.peer.until("reasoning/start"))["id"])
        while await self.slow.asked.get() != name:
            self.slow.may.set()
            await asyncio.sleep(0)
            self.slow.may.clear()
        return run


async def looking(human: Person, tool: Tool) -> tuple[str, dict[str, Any]]:
    """A flow waits for an action: its run, and the request."""
    await human.ask("mirar")
    await human.say("Ana")
    request = await tool.request("balance")
    return await last_run(human), request


async def paying(human: Person, tool: Tool) -> tuple[str, dict[str, Any]]:
    """A flow is in the middle of its effect: its run, and the request."""
    await human.ask("pagar 50")
    await human.say("sí")
    request = await tool.request("transfer")
    return await last_run(human), request


async def last_run(human: Person) -> str:
    """The run of the second turn."""
    while len(human.seen("reasoning/start")) < 2:
        await human.peer.receive()
    return str(human.seen("reasoning/start")[-1]["id"])


async def conclusions(human: Person, run: str) -> list[dict[str, Any]]:
    """All conclusions of a run: there is one."""
    await human.conclusion(run)
    await human.peer.settle()
    return [one["payload"] for one in human.seen("reasoning/conclusion") if one["context"] == run]


async def test_a_cancel_while_an_action_is_under_way_ends_the_flow(space: FlowSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)) as agent:
        human, boss = await space.person(), await space.person("admin")
        run, request = await looking(human, tool)
        ack = await boss.interrupt(run, "no", **{"class": "cancel"})
        assert (ack["status"], ack["policy_applied"]) == ("stopping", "checkpointed")
        (end,) = await conclusions(human, run)
        assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "no")
        assert end["rolled_back_to"]
        told = await human.reply()
        assert "admin" not in told["payload"]["text"]
        assert "canc" in told["payload"]["text"].lower()
        await tool.answer(request, **BALANCE)
        await human.peer.settle()
        (dialogue,) = await dialogues(agent)
        assert (dialogue.stack, dialogue.turn) == ((), None)
        assert not any("ve" in one.split() for one in texts(human)), "what the ledger said too late is not told"
        assert (await human.ask("mirar"))["payload"]["text"] == NAME


@pytest.mark.parametrize("class_", ["cancel", "override"])
async def test_a_stop_between_the_passes_cancels_what_the_turn_has_begun(
    space: FlowSpace, attend: Any, class_: str
) -> None:
    agent = Thoughtful()
    async with space.flows(attend, agent):
        human = await space.person()
        run = await agent.at_pass("second", human, "quiero transferir 50 dólares a Bruno")
        ack = await human.interrupt(run, "no", **{"class": class_, "input": "propina"})
        assert ack["status"] == "stopping"
        assert (await human.conclusion(run))["interrupted"] is True
        agent.slow.may.set()
        if class_ == "override":
            while (await human.reply())["payload"]["kind"] != "request_slot":
                pass
        else:
            assert (await human.reply())["payload"]["kind"] == "reply"
        names = [one["name"] for one in (await human.call("flows"))["flows"]]
        assert names == (["tip"] if class_ == "override" else [])
        if class_ == "override":
            assert human.seen("reasoning/start")[-1]["correlation_id"] == ["no"]


@pytest.mark.parametrize("class_", ["queue", "clarification"])
async def test_what_is_queued_is_a_message_behind_the_turn(space: FlowSpace, attend: Any, class_: str) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)):
        human = await space.person()
        run, request = await looking(human, tool)
        ack = await human.interrupt(run, "by-the-way", **{"class": class_, "input": "propina"})
        assert ack["status"] == "continuing"
        await tool.answer(request, **BALANCE)
        assert (await human.reply())["payload"]["text"].startswith("Ana ve 70")
        assert "¿Cuánto?" in (await human.reply())["payload"]["text"]
        assert human.seen("reasoning/start")[-1]["correlation_id"] == ["by-the-way"]


async def test_a_stop_word_of_whose_run_it_is_cancels(space: FlowSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)) as agent:
        human, other = await space.person(), await space.person("admin")
        run, _ = await looking(human, tool)
        await other.ask("stop")
        assert human.seen("reasoning/conclusion")[-1]["context"] != run, "that is a message of somebody else"
        await human.say("stop")
        (end,) = await conclusions(human, run)
        assert end["interrupted"] is True
        assert all(one.stack == () for one in await dialogues(agent))


async def test_the_watchdogs_cancel_leaves_the_flow_where_it_was(space: FlowSpace, attend: Any) -> None:
    agent = Thoughtful()
    async with space.flows(attend, agent, participant="watched"):
        human = await space.person(agent="watched")
        asked = await human.ask("transferir 50")
        assert asked["payload"]["text"] == WHOM
        agent.slow.may.clear()
        await human.say("a mi amigo Bruno el del bar")
        run = (await human.peer.until("reasoning/start"))["id"]
        await space.site.pass_time(6_000)
        assert (await human.conclusion(run))["interrupted"] is True
        agent.slow.may.set()
        (line,) = (await human.call("flows"))["flows"]
        assert (line["flow_id"], line["waits"], line["asked"]) == (asked["payload"]["flow_id"], "question", "payee")
        assert (await human.ask("Bruno"))["payload"]["kind"] == "request_confirmation"


async def test_the_watchdogs_cancel_of_an_action_has_it_done_anew(space: FlowSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.flows(attend, participant="watched", flows=(str(SHOP),)):
        human = await space.person(agent="watched")
        run, _ = await looking(human, tool)
        await space.site.pass_time(6_000)
        assert (await human.conclusion(run))["interrupted"] is True
        (line,) = (await human.call("flows"))["flows"]
        assert line["step"] == "look"
        await human.say("¿y?")
        await tool.answer(await tool.request("balance"), **BALANCE)
        while "Ana ve 70" not in (await human.reply())["payload"]["text"]:
            pass


@pytest.mark.parametrize("class_", ["cancel", "override"])
async def test_during_an_effect_a_stop_is_recorded_and_nothing_follows(
    space: FlowSpace, attend: Any, class_: str
) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)) as agent:
        human = await space.person()
        run, request = await paying(human, tool)
        ack = await human.interrupt(run, "halt-it", **{"class": class_, "input": "propina"})
        assert (ack["status"], ack["policy_applied"]) == ("ignored", "non-interruptible")

        async def requested() -> bool:
            (work,) = (await human.call("works"))["works"]
            return (await human.call("work", work_id=work["work_id"]))["work"]["cancel_requested"] is not None

        while not await requested():
            pass
        await tool.answer(request, transfer_id=1)
        end = await human.conclusion(run)
        assert end["outcome"] == "cancelled"
        (dialogue,) = await dialogues(agent)
        assert dialogue.stack == ()
        while human.seen("chat")[-1]["from"] != "fluxi":
            await human.peer.receive()
        assert not any("Pagado" in one for one in texts(human)), "the flow takes no step after it"
        (work,) = (await human.call("works"))["works"]
        assert work["state"] == "COMPLETED", "what was done is on record"


async def test_during_an_effect_a_stop_prevents_the_next_attempt(space: FlowSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)) as agent:
        human, boss = await space.person(), await space.person("admin")
        run, request = await paying(human, tool)
        (line,) = (await boss.call("flows"))["flows"]
        answer = await boss.call("flow_cancel", flow_id=line["flow_id"])
        assert (answer["status"], answer["work_id"]) == ("under_way", line["work_id"])
        await tool.answer(request, "not_applied", code="busy", retry=True)
        assert (await human.conclusion(run))["outcome"] == "cancelled"
        (dialogue,) = await dialogues(agent)
        assert dialogue.stack == ()
        assert len([one for one in human.seen("mcp/request") if one["from"] == "fluxi"]) == 1


async def test_tools_take_the_beginning_of_an_id_that_only_one_fits(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend), space.flows(attend):
        human = await space.person()
        await human.ask("transferir 50")
        (line,) = (await human.call("flows"))["flows"]
        dialogue, _, rest = line["flow_id"].partition(".")
        assert (await human.call("flow", flow_id=dialogue[:8]))["flows"][0]["flow_id"] == line["flow_id"]
        unknown = await human.call("flow_cancel", flow_id=f"{dialogue[:3]}.{rest}")
        assert (unknown["status"], unknown["code"]) == ("refused", "not_found")
        resumed = await human.call("flow_resume", flow_id=dialogue[:8])
        assert (resumed["status"], resumed["code"]) == ("refused", "not_suspended")
        ended = await human.call("flow_cancel", flow_id=f"{dialogue[:8]}.{rest}")
        assert ended == {"flow_id": line["flow_id"], "status": "ended"}


async def test_an_emergency_holds_everything_until_its_resume_and_across_a_restart(
    space: FlowSpace, attend: Any
) -> None:
    human, guardian, other = await space.person(), await space.person("guardian"), await space.person("admin")
    agent = Thoughtful()
    async with space.flows(attend, agent):
        waiting = await other.ask("transferir 20")
        await human.ask("transferir 50")
        run = await agent.at_pass("first", human, "a mi amigo Bruno el del bar")
        ack = await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        assert ack["status"] == "stopping"
        assert (await human.conclusion(run))["interrupt_id"] == "alarm"
        agent.slow.may.set()

        async def halted() -> set[str | None]:
            return {one.suspended for one in await dialogues(agent)}

        while await halted() != {"halted"}:
            await human.peer.settle()
    await other.say("Emily", correlation_id=[waiting["id"]])
    async with space.flows(attend) as again:
        assert {one.suspended for one in await dialogues(again)} == {"halted"}
        await other.peer.settle()
        assert texts(other) == [WHOM]
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        assert (await human.reply())["payload"]["text"] == "Voy a transferir 50,00 US$ a Bruno. ¿Lo confirma?"
        assert (await other.reply())["payload"]["text"] == "Voy a transferir 20,00 US$ a Emily. ¿Lo confirma?"
        assert {one.suspended for one in await dialogues(again)} == {None}
    assert [len(texts(one)) for one in (human, other)] == [2, 2], "what was asked before stood all the time"


async def test_an_emergency_between_the_passes_loses_no_slot(space: FlowSpace, attend: Any) -> None:
    human, guardian = await space.person(), await space.person("guardian")
    agent = Thoughtful()
    async with space.flows(attend, agent):
        run = await agent.at_pass("second", human, "quiero transferir 50 dólares a Bruno")
        await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        await human.conclusion(run)
        agent.slow.may.set()
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        assert (await human.reply())["payload"]["text"] == "Voy a transferir 50,00 US$ a Bruno. ¿Lo confirma?"


async def test_an_emergency_lets_an_effect_finish_and_the_flow_goes_on_behind_the_resume(
    space: FlowSpace, attend: Any
) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)) as agent:
        human, guardian = await space.person(), await space.person("guardian")
        run, request = await paying(human, tool)
        ack = await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        assert (ack["status"], ack["outcome"]) == ("continuing", "halt_after_span")
        await tool.answer(request, transfer_id=1)
        assert (await human.conclusion(run))["interrupt_id"] == "alarm"
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        while not (await human.reply())["payload"]["text"].startswith("Pagado: 50"):
            pass
        assert [one.stack for one in await dialogues(agent)] == [()]
        assert len([one for one in human.seen("mcp/request") if one["from"] == "fluxi"]) == 1
        await until(lambda: agent._ready.is_set())
