"""What a flow promises about what has happened, whatever its tools answer and its author has written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mew_agents.flows import Flows, lookup
from mew_agents.flows.definitions.loader import parse
from mew_agents.flows.definitions.model import Flow
from mew_agents.fluxi import Conversation, Message, PolicyContext
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort

NOW = datetime(2026, 11, 24, 15, tzinfo=UTC)
PAY = """
  pay:
    title: {en: payment}
    triggers: {en: [pay]}
    slots:
      amount: {type: int, label: {en: amount}, ask: {en: "How much?"}}
      number: {type: int, label: {en: number}}
    steps:
      - {id: how_much, collect: amount}
      - {id: sure, confirm: {en: "Pay {amount}?"}}
      - id: send
        action: bank/pay
        effect: true
        args: {amount: {slot: amount}}
        result: {number: result.number}
        on_error: unpaid
      - {id: next, NEXT}
      - {id: over, end: completed}
      - {id: unpaid, say: {en: "Nothing was paid."}}
      - {id: ended, end: failed}
"""


class Bank(ToolPort):
    """Does what it is told, and answers what it is given."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        self.called: list[str] = []
        self._answer = answer

    def prepare(self, call: Call) -> Prepared:
        return Prepared(request=json.dumps({"tool": call.tool, "key": call.key}))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        tool = str(json.loads(prepared.request)["tool"])
        self.called.append(tool)
        return self._answer(tool)

    async def look_back(self, prepared: Prepared) -> Answer | None:
        return None

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        return Answer(outcome="unknown")

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        return None


def flows_of(text: str) -> tuple[Flow, ...]:
    return parse(b"flows:\n" + text.encode())


class Talk:
    """Somebody talks to flows in one conversation."""

    def __init__(self, url: str, bank: Bank) -> None:
        self._url = url
        self._bank = bank
        self.flows: Flows
        self._said = 0
        self._now = NOW

    async def begin(self, text: str) -> None:
        self._now += timedelta(minutes=1)
        self.flows = await Flows.open(self._url, tools=self._bank, flows=flows_of(text), clock=lambda: self._now)

    async def say(self, text: str) -> Result:
        self._said += 1
        message = Message(message_id=f"m{self._said}", sender="ana", text=text)
        return await self.flows.handle(message, PolicyContext(now=self._now, language="en"), Conversation("bank", "c"))


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Callable[[Callable[[str], Answer]], Talk]]:
    made: list[Talk] = []

    def make(answer: Callable[[str], Answer]) -> Talk:
        made.append(Talk(f"sqlite:///{tmp_path / 'flows.db'}", Bank(answer)))
        return made[-1]

    yield make
    for one in made:
        one.flows.close()


def applied(content: Mapping[str, Any]) -> Callable[[str], Answer]:
    return lambda _: Answer(outcome="applied", content=content)


@pytest.mark.parametrize("content", [{}, {"number": "TX-7"}, {"number": None}, {"number": [1]}])
async def test_an_effect_that_happened_is_never_told_as_not_done(talk: Any, content: Mapping[str, Any]) -> None:
    one = talk(applied(content))
    await one.begin(PAY.replace("NEXT", 'say: {en: "Paid {amount}[ ({number})]."}'))
    await one.say("pay")
    await one.say("50")
    done = await one.say("yes")
    assert (done.kind, done.text) == ("completed", "Paid 50.")
    assert one._bank.called == ["bank/pay"]


async def test_what_an_effect_happened_with_is_not_corrected_in_the_flow_that_it_goes_on_with(talk: Any) -> None:
    receipt = """
  receipt:
    title: {en: receipt}
    slots:
      amount: {type: int, label: {en: amount}, cues: {en: ["amount:"]}}
      mail: {type: text, label: {en: address}, ask: {en: "Where to?"}}
    steps:
      - {id: where, collect: mail}
      - {id: sure, confirm: {en: "A receipt over {amount} to {mail}?"}}
      - {id: sent, say: {en: "Sent, over {amount}."}}
"""
    one = talk(applied({"number": 7}))
    await one.begin(PAY.replace("{id: next, NEXT}", '{id: next, link: receipt, with: {amount: "amount"}}') + receipt)
    await one.say("pay")
    await one.say("50")
    assert "Where to?" in (await one.say("yes")).text
    await one.say("ana@example.com")
    assert "already" in (await one.say("amount: 70")).text
    assert "Sent, over 50." in (await one.say("yes")).text


async def test_what_a_flow_cannot_do_behind_an_effect_undoes_nothing_of_it(talk: Any) -> None:
    """Its author has taken away the flow that it goes on with, while it waited for the yes."""
    thanks = '  thanks:\n    title: {en: thanks}\n    steps: [{id: say, say: {en: "Thanks."}}]\n'
    one = talk(applied({"number": 7}))
    await one.begin(PAY.replace("NEXT", "call: thanks") + thanks)
    await one.say("pay")
    await one.say("50")
    one.flows.close()
    await one.begin(PAY.replace("NEXT", 'say: {en: "Paid."}'))
    done = await one.say("yes")
    assert done.kind == "failed"
    assert "was done" in done.text
    await one.flows.fluxi.schedule.run_due()
    await one.flows.fluxi.schedule.run_due()
    assert one._bank.called == ["bank/pay"]
    assert (await one.say("pay")).text == "How much?"  # the dialogue lives


async def test_a_flow_that_waits_for_nobody_ends(talk: Any) -> None:
    """Two flows that go on with one another for ever; the lint refuses it, but for the branch between them."""
    round_and_round = "".join(
        f"""
  {name}:
    title: {{en: {name}}}
    triggers: {{en: [{name}]}}
    slots: {{n: {{type: int, label: {{en: n}}}}}}
    steps:
      - {{id: look, action: bank/look, on_error: again}}
      - {{id: again, branch: [{{when: "n == null", steps: [{{id: there, link: {other}}}]}}]}}
"""
        for name, other in (("one", "two"), ("two", "one"))
    )
    talker = talk(applied({}))
    await talker.begin(round_and_round)
    assert (await talker.say("one")).reason_code == "too_many_steps"
    assert (await talker.say("thanks")).reason_code == "chit_chat"


@pytest.mark.parametrize("content", [{(1, 2): 3}, {"x": "\ud800"}])
async def test_an_answer_that_is_no_json_fails_the_action_and_nothing_else(talk: Any, content: Any) -> None:
    one = talk(applied(content))
    await one.begin(
        """
  look:
    title: {en: look}
    triggers: {en: [look]}
    slots: {x: {type: text, label: {en: x}}}
    steps:
      - {id: see, action: bank/look, result: {x: result.x}, on_error: blind}
      - {id: told, say: {en: "Seen."}}
      - {id: over, end: completed}
      - {id: blind, say: {en: "Not seen."}}
"""
    )
    assert (await one.say("look")).text == "Not seen."
    assert (await one.say("look")).text == "Not seen."


async def test_what_the_program_cannot_do_ends_the_flow_and_nothing_else(
    talk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OverflowError("too much")

    one = talk(applied({}))
    await one.begin(PAY.replace("NEXT", 'say: {en: "Paid."}'))
    await one.say("pay")
    with monkeypatch.context() as patched:
        patched.setattr("mew_agents.flows.commanding.take", broken)
        failed = await one.say("50")
    assert (failed.kind, failed.reason_code) == ("failed", "fault")
    assert (await one.say("pay")).text == "How much?"
    assert (await one.say("50")).text == "Pay 50?"
    assert one._bank.called == []


GIVE = PAY.replace("pay:", "give:").replace("[pay]", "[give]").replace("bank/pay", "bank/give")


async def in_doubt(talk: Any) -> Talk:
    """Two payments, and nobody knows what became of either: both flows wait for somebody who finds out."""
    one: Talk = talk(lambda _: Answer(outcome="unknown"))
    await one.begin((PAY + GIVE).replace("NEXT", 'say: {en: "Done."}'))
    for begin in ("pay", "give"):
        await one.say(begin)
        await one.say("50")
        assert (await one.say("yes")).kind == "in_doubt"
    return one


async def waiting(one: Talk) -> list[str]:
    """The flows that wait for an effect."""
    return [line.name for line in await one.flows.fluxi.database.read(lookup.flows) if line.work_id is not None]


async def test_whoever_cancels_everything_while_effects_are_out_is_told_that_it_is_noted(talk: Any) -> None:
    one = await in_doubt(talk)
    told = await one.say("cancel everything")
    assert told.text.count("cancellation is noted") == 2
    assert await waiting(one) == ["give", "pay"]


async def test_no_fault_ends_a_flow_whose_effect_is_out(talk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OverflowError("too much")

    one = await in_doubt(talk)
    with monkeypatch.context() as patched:
        patched.setattr("mew_agents.flows.commanding._chat", broken)
        assert (await one.say("thanks")).kind == "in_doubt"
    assert await waiting(one) == ["give", "pay"]
