"""An appointment is booked in a space: what people see of it, in three languages."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.agents import BOOKING, AgentSpace

DIALOGUES = {
    "es": (BOOKING, "sí, pero a las 18", "dale"),
    "pt": ("Quero marcar uma consulta com a Dra. Ana Pérez para amanhã às 17h", "sim, mas às 18h", "sim"),
    "en": ("I would like to book an appointment with Dr. Ana Pérez tomorrow at 5 pm", "yes, but at 6 pm", "yes"),
}


@pytest.mark.parametrize("language", DIALOGUES)
async def test_an_appointment_is_booked(space: AgentSpace, attend: Any, language: str) -> None:
    ask, change, yes = DIALOGUES[language]
    async with space.calendar(attend) as calendar, space.fluxi(attend, language=language):
        human = await space.person()
        first = await human.ask(ask)
        assert "17:00" in first["payload"]["text"] or "5:00" in first["payload"]["text"]
        assert first["payload"]["kind"] == "request_confirmation"
        second = await human.ask(change)
        assert "18:00" in second["payload"]["text"] or "6:00" in second["payload"]["text"]
        done = await human.ask(yes)
        assert done["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1


async def test_each_turn_is_a_run_with_a_thought_a_transition(space: AgentSpace, attend: Any) -> None:
    async with space.calendar(attend), space.fluxi(attend):
        human = await space.person()
        asked = await human.say(BOOKING)
        start = await human.peer.until("reasoning/start")
        assert (start["from"], start["correlation_id"]) == ("fluxi", [asked])
        assert "work_id" not in start["payload"]
        end = await human.conclusion(start["id"])
        thoughts = [one["payload"] for one in human.seen("reasoning/thought") if one["context"] == start["id"]]
        assert thoughts[0]["event"] == "work_opened"
        assert thoughts[-1]["event"] == "semantic_confirmation_requested"
        assert (thoughts[-1]["from"], thoughts[-1]["to"]) == ("ACTIVE", "WAITING_CONFIRMATION")
        assert end["outcome"] == "waiting"
        assert {one["work_id"] for one in thoughts} == {end["work_id"]}
        question = await human.reply()
        assert question["correlation_id"] == [asked]
        await human.say("sí", correlation_id=[question["id"]])
        again = await human.peer.until("reasoning/start")
        assert again["payload"]["work_id"] == end["work_id"]
        assert again["payload"]["continues"] == start["id"]
        assert (await human.conclusion(again["id"]))["outcome"] == "completed"
        revisions = [one["payload"]["revision"] for one in human.seen("reasoning/thought")]
        assert revisions == list(range(1, len(revisions) + 1))


async def test_it_hears_only_what_is_addressed_or_correlated_to_it(space: AgentSpace, attend: Any) -> None:
    async with space.calendar(attend) as calendar, space.fluxi(attend):
        human = await space.person()
        await human.say(BOOKING, to=[])
        question = await human.ask(BOOKING)
        assert len(human.seen("reasoning/start")) == 1
        await human.say("sí", to=[])
        await human.say("sí", to=[], correlation_id=["something-else"])
        done = await human.ask("sí", to=[], correlation_id=[question["id"]])
        assert done["payload"]["kind"] == "completed"
        assert space.appointments(calendar) == 1


async def test_who_speaks_for_others_names_their_conversations(space: AgentSpace, attend: Any) -> None:
    async with space.fluxi(attend, speaks_for=("human",)):
        human, other = await space.person(), await space.person("other")
        ana = await human.ask("quiero un turno con el doctor Souza", payload={"conversation": "ana"})
        assert ana["payload"]["conversation"] == "ana"
        luis = await human.ask("sí", payload={"conversation": "luis"})
        assert luis["payload"]["kind"] == "reply"
        assert "work_id" not in luis["payload"]
        named = await other.ask("quiero un turno con la Dra. Clark", payload={"conversation": "ana"})
        assert "conversation" not in named["payload"]
        works = (await human.call("works"))["works"]
        assert [one["conversation_id"] for one in works] == ["demo/fluxi/human/ana", "demo/fluxi/other"]


async def test_a_yes_before_its_question_is_out_is_none(space: AgentSpace, attend: Any) -> None:
    async with space.fluxi(attend):
        human = await space.person()
        await human.say(BOOKING)
        await human.say("sí")
        first, second = await human.reply(), await human.reply()
        assert first["payload"]["kind"] == "request_confirmation"
        assert second["payload"]["kind"] == "reply"
        (work,) = (await human.call("works"))["works"]
        assert work["state"] == "WAITING_CONFIRMATION"


async def test_the_same_message_again_has_no_second_turn(space: AgentSpace, attend: Any) -> None:
    async with space.fluxi(attend):
        human, again = await space.person(), await space.person()
        await human.ask(BOOKING, id="one")
        await again.say(BOOKING + ".", id="two")
        await again.reply()
        await again.peer.send("chat", {"text": BOOKING}, id="one", to=["fluxi"])  # from another connection: other bytes
        await human.ask("cuándo?", id="three")
        assert len(human.seen("reasoning/start")) == 3
