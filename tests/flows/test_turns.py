"""One message, one answer: whatever it commands together, and whatever comes of that at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from mew_agents.flows import Flows
from mew_agents.flows.commands import Affirm, AnyCommand, CancelFlow, ChitChat, CorrectSlot, SetSlot, StartFlow
from mew_agents.flows.definitions.loader import load
from mew_agents.flows.understanding.base import Standing, Understander
from mew_agents.fluxi import Conversation, Message, PolicyContext, Result

from ..fluxi.bookings import START, ZONE
from ..fluxi.outside import Outside
from .acceptance.dialogue_player import FILES, Answering
from .record import records, wrong


class Told(Understander):
    """Understands what it is told to, whatever is said."""

    name = "told"
    deterministic = True

    def __init__(self) -> None:
        self.next: tuple[AnyCommand, ...] = ()

    def commands(self, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
        return self.next

    def slots(self, text: str, standing: Standing) -> tuple[SetSlot | CorrectSlot, ...]:
        return ()


class Talk:
    """Somebody who pays: each message is what it commands, its text a number."""

    def __init__(self, flows: Flows, told: Told, world: Answering, outside: Outside) -> None:
        self._flows = flows
        self._told = told
        self._number = 0
        self.world = world
        self.outside = outside

    async def say(self, *commands: AnyCommand, text: str = "50") -> Result:
        self._told.next = commands
        self._number += 1
        policy = PolicyContext(now=START + timedelta(seconds=self._number), timezone=ZONE)
        message = Message(message_id=f"m{self._number}", sender="ana", text=text)
        result = await self._flows.handle(message, policy, Conversation("account", "c"))
        library = self._flows.dialogues.library
        assert await self._flows.fluxi.database.read(lambda connection: wrong(connection, library)) == []
        return result

    async def replies(self) -> int:
        """How often something was said."""
        (record,) = await self._flows.fluxi.database.read(records)
        return len(record.ledger.outbox)


@pytest.fixture
async def talk(database_url: str, tmp_path: Path) -> AsyncIterator[Talk]:
    outside, told = Outside(tmp_path / "world"), Told()
    world = Answering(outside)
    flows = await Flows.open(database_url, tools=world, flows=load(FILES / "tools.yaml"), understander=told)
    try:
        yield Talk(flows, told, world, outside)
    finally:
        flows.close()


def amount(value: int) -> SetSlot:
    text = str(value)
    return SetSlot(path="amount", value=value, start=0, end=len(text), evidence=text)


async def test_a_yes_with_anything_beside_it_is_no_yes(talk: Talk) -> None:
    await talk.say(StartFlow(flow="pay"))
    await talk.say(amount(50))
    other = CorrectSlot(path="amount", value=80, start=0, end=2, evidence="80")
    asked = await talk.say(Affirm(), other, text="80")
    assert (asked.reason_code, asked.data["values"]) == ("confirm_execution", {"amount": 80})
    assert talk.outside.effects.lines == []
    await talk.say(Affirm())
    assert [one["arguments"] for one in talk.outside.effects.lines] == [{"amount": 80}]


async def test_what_is_commanded_behind_a_cancelled_effect_is_in_the_same_answer(talk: Talk) -> None:
    talk.world.moods = ["busy"]
    await talk.say(StartFlow(flow="pay"))
    await talk.say(amount(50))
    await talk.say(Affirm())
    before = await talk.replies()
    result = await talk.say(CancelFlow(), ChitChat())
    assert result.text.splitlines()[0].startswith("Dejé sin efecto")
    assert len(result.text.splitlines()) == 2
    assert await talk.replies() == before + 1


@pytest.mark.parametrize("flow", ["nobody", ""])
async def test_a_flow_that_there_is_not_is_not_begun(talk: Talk, flow: str) -> None:
    assert (await talk.say(StartFlow(flow=flow))).reason_code == "not_understood"


@pytest.mark.parametrize("value", ["", None, [], {}, 1.5, True, "x", 10**30])
async def test_a_value_of_another_form_is_refused_in_words(talk: Talk, value: object) -> None:
    await talk.say(StartFlow(flow="pay"))
    command = SetSlot(path="amount", value=value, start=0, end=2, evidence="50")
    refused = await talk.say(command)
    assert (refused.kind, refused.reason_code) == ("request_slot", "ask_slot")
    assert len(refused.text.splitlines()) == 2
