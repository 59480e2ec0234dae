"""What flows promise people, in a space (docs/flows.md, acceptance): each by its number."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ...kit.agents import Person
from .flow_space import SHOP, TRANSFER, FlowSpace, balance, dialogues, replays, texts

WHOM = "¿A quién desea transferir?"
HOW_MUCH = "¿Cuánto desea transferir?"
ASKED = "Voy a transferir 50,00 US$ a {}. ¿Lo confirma?"


async def thoughts_of(human: Person, run: str) -> list[dict[str, Any]]:
    """What was thought in a run, which is over."""
    await human.conclusion(run)
    return [one["payload"] for one in human.seen("reasoning/thought") if one["context"] == run]


async def test_a_turn_is_one_run_and_one_reply(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        human = await space.person()
        asked = await human.ask(TRANSFER)
        (line,) = (await human.call("flows"))["flows"]
        assert (asked["payload"]["kind"], asked["payload"]["flow_id"]) == ("request_confirmation", line["flow_id"])
        assert asked["payload"]["question"]
        done = await human.ask("sí", correlation_id=[asked["id"]])
        assert done["payload"] == {
            "text": "Listo: transferí 50,00 US$ a Bruno (movimiento 7).",
            "kind": "completed",
            "flow_id": line["flow_id"],
        }
        first, second = (one for one in human.seen("reasoning/start"))
        assert "flow_id" not in first["payload"], "which it will be, the turn decides"
        assert (second["payload"]["flow_id"], second["payload"]["continues"]) == (line["flow_id"], first["id"])
        assert second["payload"]["span"]["policy"] == "checkpointed"
        told = [(one["event"], one.get("step")) for one in await thoughts_of(human, first["id"])]
        assert told == [("started", None), ("stepped", "to_whom"), ("stepped", "how_much"), ("ask", "agreed")]
        told = [(one["event"], one.get("step")) for one in await thoughts_of(human, second["id"])]
        assert told == [
            ("open", "pay"),
            ("external_effect_recorded", None),
            ("work_completed", None),
            ("stepped", "pay"),
            ("stepped", "paid"),
            ("stepped", "sent"),
            ("completed", None),
        ]
        ends = [await human.conclusion(one["id"]) for one in (first, second)]
        assert [(one["outcome"], one["flow_id"]) for one in ends] == [
            ("waiting", line["flow_id"]),
            ("completed", line["flow_id"]),
        ]
        assert balance(ledger, "bruno") == "50.00"
        assert (await human.call("flows"))["flows"] == []


async def test_1_two_people_at_once_have_a_flow_each(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend) as agent:
        ana, luis = await space.person(), await space.person("admin")
        await asyncio.gather(ana.ask("transferir 50 a Bruno"), luis.ask("transferir 50"))
        await asyncio.gather(luis.ask("a Emily"), ana.ask("no, mejor 80"))
        assert texts(ana) == [ASKED.format("Bruno"), "Voy a transferir 80,00 US$ a Bruno. ¿Lo confirma?"]
        assert texts(luis) == [WHOM, ASKED.format("Emily")]
        assert (await luis.ask("sí"))["payload"]["kind"] == "completed"
        assert (balance(ledger, "bruno"), balance(ledger, "emily")) == ("0.00", "50.00")
        assert (await ana.ask("sí"))["payload"]["kind"] == "completed"
        assert (balance(ledger, "bruno"), balance(ledger, "emily")) == ("80.00", "50.00")
        assert sorted(one.participant for one in await dialogues(agent)) == ["admin", "human"]


async def test_1_somebody_elses_answer_is_none(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        ana, luis = await space.person(), await space.person("admin")
        asked = await ana.ask(TRANSFER)
        await luis.ask("transferir 20 a Emily")
        foreign = await luis.ask("sí", correlation_id=[asked["id"]])
        assert foreign["payload"]["kind"] != "completed"
        assert (balance(ledger, "bruno"), balance(ledger, "emily")) == ("0.00", "0.00")
        assert (await ana.ask("sí"))["payload"]["kind"] == "completed"


class Speaking(Person):
    """One who speaks for others, each in a conversation that is named."""

    async def for_(self, name: str, text: str) -> dict[str, Any]:
        """Says it for somebody; the reply."""
        return await self.ask(text, payload={"conversation": name})


async def test_1_people_who_are_spoken_for_have_conversations_of_their_own(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend, speaks_for=("desk",)) as agent:
        desk = Speaking((await space.person("desk")).peer, "fluxi")
        names = ["ana", "luis/2", "ana/"]
        for name in names:
            asked = await desk.for_(name, "transferir 50")
            assert (asked["payload"]["conversation"], asked["payload"]["text"]) == (name, WHOM)
        for name, payee in zip(names, ("Bruno", "Emily", "Lucía"), strict=True):
            asked = await desk.for_(name, payee)
            assert (asked["payload"]["conversation"], asked["payload"]["text"]) == (name, ASKED.format(payee))
        await desk.for_("ana", "sí")
        await desk.for_("luis/2", "no")
        assert [balance(ledger, who) for who in ("bruno", "emily", "lucia")] == ["50.00", "0.00", "0.00"]
        assert [len(texts(desk, name)) for name in (*names, None)] == [3, 3, 2, 0]
        assert {one.conversation_id for one in await dialogues(agent)} == {f"demo/fluxi/desk/{one}" for one in names}


async def test_1_who_does_not_speak_for_others_talks_for_themselves(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend), space.flows(attend) as agent:
        desk = Speaking((await space.person("desk")).peer, "fluxi")
        await desk.for_("ana", "transferir 50")
        assert "conversation" not in (await desk.for_("luis", "Bruno"))["payload"]
        assert [one.conversation_id for one in await dialogues(agent)] == ["demo/fluxi/desk"]


async def test_3_a_digression_comes_back_to_what_was_asked(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend), space.flows(attend):
        human = await space.person()
        amount = await human.ask("transferir a Bruno")
        back = await human.ask("¿cuál es mi saldo?")
        first, *rest = back["payload"]["text"].splitlines()
        assert first.startswith("Su saldo es de 1.")
        assert rest[-1] == HOW_MUCH
        assert back["payload"]["kind"] == "request_slot"
        assert back["payload"]["question"] != amount["payload"]["question"]
        assert back["payload"]["flow_id"] == amount["payload"]["flow_id"]
        assert (await human.ask("50"))["payload"]["text"] == ASKED.format("Bruno")


async def test_4_a_change_of_mind_while_collecting_and_while_confirming(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        human = await space.person()
        assert (await human.ask("transferir 50"))["payload"]["text"] == WHOM
        assert (await human.ask("no, mejor 80"))["payload"]["text"].endswith(f"80,00 US$.\n{WHOM}")
        asked = await human.ask("a Bruno")
        assert asked["payload"]["text"] == "Voy a transferir 80,00 US$ a Bruno. ¿Lo confirma?"
        again = await human.ask("no, mejor 90")
        assert again["payload"]["text"] == "Voy a transferir 90,00 US$ a Bruno. ¿Lo confirma?"
        late = await human.ask("sí", correlation_id=[asked["id"]])
        assert (late["payload"]["kind"], balance(ledger, "bruno")) == ("reply", "0.00"), (
            "to 80 nobody says yes any more"
        )
        await human.ask("sí", correlation_id=[again["id"]])
        assert balance(ledger, "bruno") == "90.00"


async def test_5_a_no_cancels_and_nothing_is_called(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        human = await space.person()
        await human.ask(TRANSFER)
        assert (await human.ask("no"))["payload"]["kind"] == "request_slot"
        assert (await human.ask("no"))["payload"]["kind"] == "reply"
        assert (await human.ask("sí"))["payload"]["kind"] == "reply"
        assert (await human.call("flows"))["flows"] == []
        assert [one for one in human.seen("mcp/request") if one["from"] == "fluxi"] == []
        assert balance(ledger, "bruno") == "0.00"


async def test_6_minus_five_is_refused_and_nought_is_taken_where_it_may_be(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend), space.flows(attend, flows=("banking", str(SHOP))):
        human = await space.person()
        await human.ask("transferir a Bruno")
        for amount in ("-5", "0"):
            refused = await human.ask(amount)
            assert HOW_MUCH in refused["payload"]["text"]
            assert refused["payload"]["text"] != HOW_MUCH, "and it is said why"
        await human.ask("cancelar")
        await human.ask("propina")
        assert (await human.ask("-5"))["payload"]["kind"] == "request_slot"
        assert (await human.ask("31"))["payload"]["kind"] == "request_slot"
        assert (await human.ask("0"))["payload"]["text"] == "Propina: 0."


async def test_7_a_loop_runs_as_often_as_it_says(space: FlowSpace, attend: Any) -> None:
    async with space.flows(attend, flows=(str(SHOP),)):
        human = await space.person()
        for times in (3, 0, 50):
            await human.ask("contar")
            done = await human.ask(str(times))
            rounds = [f"Vuelta {one}." for one in range(1, times + 1)]
            assert done["payload"]["text"].splitlines() == [*rounds, f"Fin: {times}."]


async def test_8_what_the_ledger_refuses_is_not_paid(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        human = await space.person()
        await human.ask("transferir 9000 a Bruno")
        failed = await human.ask("sí")
        assert failed["payload"]["text"] == "La transferencia no se hizo: su dinero sigue en la cuenta."
        assert balance(ledger, "bruno") == "0.00"
        end = await human.conclusion(human.seen("reasoning/start")[-1]["id"])
        assert end["outcome"] == "failed"
        assert not any("Listo" in one for one in texts(human))
        assert (await human.call("flows"))["flows"] == []


async def test_8_a_ledger_that_is_not_there_has_paid_nothing_that_anybody_is_told_of(
    space: FlowSpace, attend: Any
) -> None:
    async with space.flows(attend, flows=(str(SHOP),)):
        human = await space.person()
        await human.ask("pagar 50")
        doubtful = await human.ask("sí")
        assert doubtful["payload"]["kind"] == "in_doubt"
        assert "Pagado" not in "".join(texts(human))
        end = await human.conclusion(human.seen("reasoning/start")[-1]["id"])
        assert end["outcome"] == "in_doubt"
        await human.ask("mirar")
        assert (await human.ask("Ana"))["payload"]["text"].splitlines()[0] == "Ana no ve nada."


async def test_9_there_is_nothing_to_cancel(space: FlowSpace, attend: Any) -> None:
    async with space.flows(attend):
        human = await space.person()
        polite = await human.ask("cancelar")
        assert polite["payload"]["kind"] == "reply"
        assert polite["payload"]["text"]
        await human.ask("transferir a Bruno")
        assert (await human.ask("cancelar"))["payload"]["text"] != polite["payload"]["text"]
        assert (await human.ask("cancelar"))["payload"]["text"] == polite["payload"]["text"]


async def test_10_a_supervisor_cancels_what_waits_and_the_late_answer_is_refused(space: FlowSpace, attend: Any) -> None:
    async with space.ledger(attend) as ledger, space.flows(attend):
        human, boss = await space.person(), await space.person("admin")
        asked = await human.ask(TRANSFER)
        (line,) = (await boss.call("flows"))["flows"]
        done = await boss.call("flow_cancel", flow_id=line["flow_id"], reason="duplicada")
        assert (done["flow_id"], done["status"]) == (line["flow_id"], "ended")
        told = await human.reply()
        assert "duplicada" in told["payload"]["text"]
        run = human.seen("reasoning/start")[-1]
        assert run["payload"]["flow_id"] == line["flow_id"]
        assert (await human.conclusion(run["id"]))["outcome"] == "cancelled"
        late = await human.ask("sí", correlation_id=[asked["id"]])
        plain = await human.ask("sí")
        for refused in (late, plain):
            assert "se canceló la operación (transferencia)" in refused["payload"]["text"]
        assert balance(ledger, "bruno") == "0.00"
        assert (await boss.call("flow_cancel", flow_id=line["flow_id"]))["code"] == "not_found"
        assert (await boss.call("flow_cancel", flow_id="nobody"))["code"] == "not_found"


async def test_12_a_replay_of_the_events_gives_the_same(space: FlowSpace, attend: Any) -> None:
    said: Sequence[str] = (
        "transferir a Bruno",
        "-5",
        "¿cuál es mi saldo?",
        "¿qué es eso?",
        "50",
        "no, mejor 80",
        "quiero hablar con una persona",
    )
    async with space.ledger(attend), space.flows(attend) as agent:
        human = await space.person()
        for one in said:
            await human.ask(one)
        (line, *_) = (await human.call("flows"))["flows"]
        await human.call("flow_resume", flow_id=line["flow_id"])
        await human.ask("sí")
        assert await replays(agent) > 25
