"""What was said before something else was known: yeses that were on their way, words used twice, two suspensions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from mew_agents.flows import Flows
from mew_agents.flows.definitions.loader import load
from mew_agents.flows.understanding.base import Standing, Understood
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import works

from ..fluxi.outside import Outside
from .acceptance.dialogue_player import FILES, Answering

START = datetime(2026, 3, 2, 12, tzinfo=UTC)
HERE = Conversation("account", "c")
TWO = """
flows:
  pay:
    title: {en: pay}
    triggers: {en: [pay]}
    slots:
      amount: {type: money, currency: USD, label: {en: amount}, ask: {en: "How much?"}}
      parts: {type: int, label: {en: instalments}, ask: {en: "How many instalments?"}}
    steps:
      - {id: how_much, collect: amount}
      - {id: how_many, collect: parts}
      - {id: agreed, confirm: {en: "Pay {amount} in {parts}?"}}
      - {id: send, action: world/keyed, effect: true, idempotency: keyed, args: {amount: {slot: amount}}}
"""


class Thinking(Rules):
    """Rules that take their time with some words."""

    deterministic = False

    def __init__(self) -> None:
        self.at_work, self.done = asyncio.Event(), asyncio.Event()

    async def understand(self, text: str, standing: Standing) -> Understood:
        if "300" in text:
            self.at_work.set()
            await self.done.wait()
        return await super().understand(text, standing)


class Talk:
    """Somebody who pays, while the clock stands still."""

    def __init__(self, flows: Flows, thinking: Thinking) -> None:
        self.flows = flows
        self.thinking = thinking
        self._number = 0

    async def say(self, text: str) -> Result:
        self._number += 1
        message = Message(message_id=f"m{self._number}", sender="ana", text=text)
        return await self.flows.handle(message, PolicyContext(now=START, language="en"), HERE)

    async def payments(self) -> int:
        """Effects that anybody has begun."""
        query = select(func.count()).select_from(works)
        return int(await self.flows.fluxi.database.read(lambda connection: connection.execute(query).scalar_one()))

    async def halt(self, *, on: bool) -> None:
        await self.flows.operators.align(halted=on, account_id="account", prefix="")

    async def suspended(self, flow_id: str) -> str | None:
        dialogue = await self.flows.dialogues.read(flow_id.partition(".")[0])
        assert dialogue is not None
        return dialogue.suspended


@pytest.fixture
async def talk(database_url: str, tmp_path: Path) -> AsyncIterator[Talk]:
    outside, thinking, two = Outside(tmp_path / "world"), Thinking(), tmp_path / "two.yaml"
    two.write_text(TWO.replace("  pay:", "  share:").replace("pay]", "share it]"))
    flows = await Flows.open(
        database_url,
        tools=Answering(outside),
        flows=load(FILES / "tools.yaml", two),
        understander=thinking,
        clock=lambda: START,
    )
    try:
        yield Talk(flows, thinking)
    finally:
        flows.close()


async def test_a_yes_that_waited_behind_a_correction_is_none_to_the_new_question(talk: Talk) -> None:
    await talk.say("make a payment")
    assert (await talk.say("50")).reason_code == "confirm_execution"
    correcting = asyncio.create_task(talk.say("no, better 300"))
    await talk.thinking.at_work.wait()
    early = asyncio.create_task(talk.say("yes"))
    await asyncio.sleep(0)  # it has taken its place
    talk.thinking.done.set()
    assert "300" in (await correcting).text
    late = await early
    assert "Shall I pay 300?" in late.text and late.context_id is not None, "it is asked anew"
    assert (await talk.payments()) == 0
    assert (await talk.say("yes")).kind == "completed"


async def test_words_that_correct_one_slot_fill_no_other(talk: Talk) -> None:
    await talk.say("share it")
    await talk.say("50")
    told = (await talk.say("change the amount to 80")).text
    assert told == "I have noted the change (amount): $80.00.\nHow many instalments?"
    assert "$80.00 in 5?" in (await talk.say("5")).text


async def test_an_emergency_lies_over_what_waits_for_a_person(talk: Talk) -> None:
    flow_id = (await talk.say("make a payment")).data["flow_id"]
    await talk.say("I want to talk to a person")
    await talk.halt(on=True)
    assert await talk.suspended(flow_id) == "halted"
    with pytest.raises(Refused) as refused:
        await talk.flows.operators.release(flow_id, by="olga")
    assert refused.value.code == "halted"
    await talk.halt(on=False)
    assert await talk.suspended(flow_id) == "needs_human"
    await talk.flows.operators.release(flow_id, by="olga")
    assert await talk.suspended(flow_id) is None
    assert (await talk.say("50")).reason_code == "confirm_execution"
