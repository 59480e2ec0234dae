"""What a person says late or anew: what was worked out before is worked out again, and nothing said is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from mew_agents.flows import Flows
from mew_agents.flows.definitions.loader import parse
from mew_agents.fluxi import Conversation, Message, PolicyContext, Result

from ..fluxi.bookings import START, ZONE
from ..fluxi.outside import Outside
from .acceptance.dialogue_player import Answering
from .record import Record, records, wrong

FLOWS = b"""
flows:
  dinner:
    title: {en: dinner}
    triggers: {en: [dinner]}
    slots:
      amount: {type: money, currency: USD, ask: {en: "How much?"}, label: {en: amount}}
      tip: {type: int, label: {en: tip}, cues: {en: ["tip:"]}}
      total: {type: number}
    steps:
      - {id: much, collect: amount}
      - {id: sum, set: {total: "amount.amount + (tip if tip is not null else 0)"}}
      - {id: sure, confirm: {en: "Pay {total}?"}}
      - {id: paid, say: {en: "Paid {total}."}}
  round:
    title: {en: round}
    triggers: {en: [round]}
    slots:
      tip: {type: int, label: {en: tip}, cues: {en: ["tip:"]}}
      size: {type: string}
    steps:
      - id: choose
        branch:
          - {when: tip is not null and tip > 9, steps: [{id: big, set: {size: "'big'"}}]}
          - {else: [{id: small, set: {size: "'small'"}}]}
      - {id: sure, confirm: {en: "A {size} one?"}}
      - {id: paid, say: {en: "Done."}}
  double:
    title: {en: double}
    triggers: {en: [double]}
    slots:
      payee: {type: enum, options: {ana: {en: [Ana]}, luis: {en: [Luis]}}, ask: {en: "Who?"}, label: {en: payee}}
      amount: {type: money, currency: USD, ask: {en: "How much?"}, label: {en: amount}}
    steps:
      - {id: who, collect: payee}
      - {id: much, collect: amount}
      - {id: twice, set: {amount: "amount.amount * 2"}}
      - {id: sure, confirm: {en: "Pay {amount} to {payee}?"}, on_deny: who}
      - {id: paid, say: {en: "Paid."}}
"""


class Talk:
    """Somebody who says one thing after the other."""

    def __init__(self, flows: Flows) -> None:
        self._flows = flows
        self._number = 0

    async def say(self, *texts: str) -> Result:
        """Returns what is answered to the last one."""
        for text in texts:
            self._number += 1
            policy = PolicyContext(now=START + timedelta(seconds=self._number), timezone=ZONE, language="en")
            message = Message(message_id=f"m{self._number}", sender="ana", text=text)
            result = await self._flows.handle(message, policy, Conversation("account", "c"))
        library = self._flows.dialogues.library
        assert await self._flows.fluxi.database.read(lambda connection: wrong(connection, library)) == []
        return result

    async def record(self) -> Record:
        (record,) = await self._flows.fluxi.database.read(records)
        return record


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    world = Answering(Outside(tmp_path / "world"))
    flows = await Flows.open(f"sqlite:///{tmp_path / 'flows.db'}", tools=world, flows=parse(FLOWS))
    try:
        yield Talk(flows)
    finally:
        flows.close()


async def test_what_is_said_late_counts_in_what_was_computed(talk: Talk) -> None:
    assert "Pay 50?" in (await talk.say("dinner", "50")).text
    assert "Pay 60?" in (await talk.say("tip: 10")).text
    assert "Pay 70?" in (await talk.say("no, tip: 20")).text
    assert (await talk.say("yes")).text == "Paid 70."


async def test_where_nothing_was_asked_yet_the_way_is_chosen_anew(talk: Talk) -> None:
    assert "A small one?" in (await talk.say("round")).text
    assert "A big one?" in (await talk.say("tip: 10")).text


async def test_an_answer_that_the_flow_has_changed_is_not_asked_for_again(talk: Talk) -> None:
    assert "Pay $100.00 to Ana?" in (await talk.say("double", "Ana", "50")).text
    assert "Pay $100.00 to Luis?" in (await talk.say("no, to Luis")).text


async def test_a_flow_that_comes_back_remembers_a_question_once(talk: Talk) -> None:
    await talk.say("double", "Ana", "50", "no", "no")
    first = (await talk.record()).dialogue.stack[0].visits
    await talk.say(*["no"] * 5)
    frame = (await talk.record()).dialogue.stack[0]
    assert [visit.step for visit in frame.visits] == [visit.step for visit in first] == ["who", "much"]
