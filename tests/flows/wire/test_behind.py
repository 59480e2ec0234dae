"""What goes on behind somebody's back: approvals, late answers, what nobody saw, and many who wait (docs/flows.md)."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import select

from mew_agents.fluxi.tables import outbox

from ...kit.agents import Person
from ...kit.gateway import until
from .flow_space import SHOP, TRANSFER, FlowSpace, balance, dialogues, texts
from .test_stops import paying

HOW_MUCH = "¿Monto?"


async def proposed(human: Person) -> dict[str, Any]:
    """The agent has proposed the payment."""
    await human.ask("pagar 50")
    await human.say("sí")
    proposal: dict[str, Any] = await human.peer.until("mcp/proposal")
    assert (await human.reply())["payload"]["kind"] == "reply"
    return proposal


async def fulfil(boss: Person, proposal: dict[str, Any]) -> None:
    payload = {"jsonrpc": "2.0", "id": "approved", **proposal["payload"]}
    await boss.peer.send("mcp/request", payload, id="approved", to=["ledger"], correlation_id=[proposal["id"]])


async def test_what_somebody_approves_is_paid_and_the_flow_goes_on_behind_it(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend, participant="novice", flows=(str(SHOP),)):
        human, boss = await space.person(agent="novice"), await space.person("admin", agent="novice")
        proposal = await proposed(human)
        assert balance(ledger, "ana") == "0.00"
        (line,) = (await human.call("flows"))["flows"]
        assert line["waits"] == "effect"
        await fulfil(boss, proposal)
        done = await human.reply()
        assert done["payload"]["text"].startswith("Pagado: 50")
        assert done["payload"]["flow_id"] == line["flow_id"]
        assert balance(ledger, "ana") == "50.00"
        starts = human.seen("reasoning/start")
        end = await human.conclusion(starts[-1]["id"])
        assert (end["outcome"], end["flow_id"]) == ("completed", line["flow_id"])
        assert starts[-1]["payload"]["continues"] == starts[-2]["id"]
        events = [one["payload"]["event"] for one in human.seen("reasoning/thought")]
        assert events[-3:] == ["stepped", "stepped", "completed"], "the flow's own steps are seen there"
        assert (await human.call("flows"))["flows"] == []


async def test_what_somebody_rejects_goes_where_the_flow_says(space: FlowSpace, attend: Any) -> None:
    async with space.flows(attend, participant="novice", flows=(str(SHOP),)):
        human = await space.person(agent="novice")
        proposal = await proposed(human)
        await human.peer.send("mcp/reject", {"reason": "no"}, correlation_id=[proposal["id"]])
        assert (await human.reply())["payload"]["text"] == "No se pagó."
        assert human.seen("mcp/withdraw") == []
        assert (await human.call("flows"))["flows"] == []


async def test_an_approval_behind_a_digression_leaves_its_question_open(space: FlowSpace, attend: Any) -> None:
    """What is told does not take the place of what is asked: the same question takes the answer afterwards."""
    async with space.ledger(attend) as ledger, space.flows(attend, participant="novice", flows=(str(SHOP),)):
        human, boss = await space.person(agent="novice"), await space.person("admin", agent="novice")
        proposal = await proposed(human)
        asked = await human.ask("propina")
        assert "¿Cuánto?" in asked["payload"]["text"]
        await fulfil(boss, proposal)
        assert (await human.reply())["payload"]["text"].startswith("Pagado: 50")
        assert balance(ledger, "ana") == "50.00"
        done = await human.ask("7", correlation_id=[asked["id"]])
        assert done["payload"]["text"] == "Propina: 7."
        assert [one.split(":")[0] for one in texts(human)[-3:]] == ["¿Cuánto?", "Pagado", "Propina"]
        assert (await human.call("flows"))["flows"] == []


async def test_a_late_answer_is_told_when_it_is_known(space: FlowSpace, attend: Any) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)):
        human = await space.person()
        _, request = await paying(human, tool)
        while (reply := await human.reply())["payload"]["kind"] != "in_doubt":
            pass
        (line,) = (await human.call("flows"))["flows"]
        assert line["waits"] == "effect"
        assert (await human.ask("¿y?"))["payload"]["kind"] == "in_doubt", "who asks is told how it stands"
        await tool.answer(request, transfer_id=4)
        done = await human.reply()
        assert done["payload"]["text"].startswith("Pagado: 50")
        assert "correlation_id" not in done or done["correlation_id"] != [reply["id"]]
        starts = human.seen("reasoning/start")
        assert (await human.conclusion(starts[-1]["id"]))["outcome"] == "completed"
        assert (await human.call("flows"))["flows"] == []


async def test_an_attempt_that_may_be_made_again_is_made_and_its_run_is_the_flows(
    space: FlowSpace, attend: Any
) -> None:
    tool = await space.tool()
    async with space.flows(attend, flows=(str(SHOP),)):
        human = await space.person()
        run, request = await paying(human, tool)
        (line,) = (await human.call("flows"))["flows"]
        await tool.answer(request, "not_applied", code="busy", retry=True)
        assert (await human.conclusion(run))["outcome"] == "waiting"
        await space.site.pass_time(1_000)
        await tool.answer(await tool.request("transfer"), transfer_id=4)
        while not (await human.reply())["payload"]["text"].startswith("Pagado: 50"):
            pass
        again = human.seen("reasoning/start")[-1]
        assert again["payload"]["continues"] == run
        end = await human.conclusion(again["id"])
        assert (end["outcome"], end["flow_id"]) == ("completed", line["flow_id"])


async def test_a_question_that_may_not_be_sent_wants_a_person(space: FlowSpace, attend: Any) -> None:
    async with space.flows(attend) as agent:
        human, admin = await space.person(), await space.person("admin")
        chats = {"recipient": "fluxi", "capabilities": [{"kind": ["chat", "chat/acknowledge"]}]}
        await admin.peer.send("capability/revoke", chats)
        await admin.peer.until("capability/revoke")
        await human.say(TRANSFER)

        async def stands() -> list[str | None]:
            return [one.suspended for one in await dialogues(agent)]

        while await stands() != ["needs_human"]:
            await human.peer.settle()
        (line,) = (await human.call("flows"))["flows"]
        assert (line["suspended"], line["asked"]) == ("needs_human", None)
        (status,) = await agent.fluxi.database.read(
            lambda connection: connection.execute(select(outbox.c.status)).scalars().all()
        )
        assert status == "refused"
        grant = {"recipient": "fluxi", "capabilities": [{"kind": ["chat", "chat/acknowledge"]}]}
        await admin.peer.send("capability/grant", grant)
        await admin.peer.until("capability/grant-ack")
        assert (await human.ask("sí"))["payload"]["kind"] == "reply", "nobody has seen that question"
        await admin.call("flow_resume", flow_id=line["flow_id"])
        again = await human.reply()
        assert again["payload"]["text"] == "Voy a transferir 50,00 US$ a Bruno. ¿Lo confirma?"
        assert (await human.ask("no"))["payload"]["kind"] == "request_slot"


async def test_what_a_supervisor_cancels_above_lets_the_flow_below_go_on(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend), space.flows(attend, flows=(str(SHOP),)):
        human, boss = await space.person(), await space.person("admin")
        await human.ask("pagar")
        await human.ask("propina")
        top, below = (await boss.call("flows"))["flows"]
        assert (top["name"], below["name"], below["waits"]) == ("tip", "pay", None)
        await boss.call("flow_cancel", flow_id=top["flow_id"])
        told = await human.reply()
        assert told["payload"]["text"].splitlines()[-1] == HOW_MUCH
        assert told["payload"]["flow_id"] == below["flow_id"]
        assert (await human.ask("50", correlation_id=[told["id"]]))["payload"]["kind"] == "request_confirmation"


async def test_11_who_waits_holds_nothing_and_is_answered_after_a_restart(space: FlowSpace, attend: Any) -> None:
    """200 of them; the 10,000 are the bench's."""
    names = [f"p{one}" for one in range(200)]
    human = await space.person("desk")
    machine = space.site.gateway.broker.engine["demo"].machine

    async def all_say(text: str) -> None:
        for name in names:
            await human.say(text, payload={"conversation": name})
        for _ in names:
            await human.reply()

    async with space.flows(attend, speaks_for=("desk",)) as agent:
        before = len(asyncio.all_tasks())
        await all_say("transferir 50")
        await until(lambda: not agent.runs._open)
        await until(lambda: not machine.state.sequences)
        await until(lambda: len(asyncio.all_tasks()) < before + 10)  # the loops of the agent itself come and go
        inbound, station = agent._inbound, agent.station
        lines = (station.line._last, agent.dialogue_flows._line._last, station.resumption._line)
        held = (inbound._said, agent._conversing._turns, station.wire._exchanges, *lines)
        await until(lambda: not any(held))
    async with space.flows(attend, speaks_for=("desk",)):
        await all_say("Bruno")
    for name in names:
        assert texts(human, name)[1] == "Voy a transferir 50,00 US$ a Bruno. ¿Lo confirma?"
