"""People's acts on flows from a process that runs none of them: each one transaction, and nothing is called."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from mew_agents.durable import Database
from mew_agents.flows import Flows, lookup
from mew_agents.flows.definitions import Flow, parse
from mew_agents.flows.office import FlowOffice
from mew_agents.flows.replaying import replay
from mew_agents.flows.versions import Versions
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.ports import Answer, Call, Outcome, Prepared, ToolPort
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import SCHEMA, works

FLOWS = b"""
flows:
  pay:
    title: {en: payment}
    triggers: {en: [pay]}
    steps:
      - {id: agreed, confirm: {en: "Shall I pay?"}}
      - {id: paying, action: bank/pay, effect: true, idempotency: none, retry: {attempts: 1, backoff: 1s}}
      - {id: paid, say: {en: "Paid."}}
  pay_and_look:
    title: {en: payment with a look}
    triggers: {en: [settle]}
    steps:
      - {id: agreed, confirm: {en: "Shall I settle?"}}
      - {id: paying, action: bank/pay, effect: true, idempotency: none, retry: {attempts: 1, backoff: 1s}}
      - {id: look, action: bank/look}
      - {id: looked, say: {en: "Looked."}}
"""
HERE = Conversation("local", "c")


class Bank(ToolPort):
    """Answers each tool with an outcome that a test has chosen."""

    def __init__(self, outcomes: Mapping[str, Outcome]) -> None:
        self.outcomes = dict(outcomes)
        self.sent: list[str] = []

    def prepare(self, call: Call) -> Prepared:
        return Prepared(request=written({"tool": call.tool}))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        tool = prepared.request.split('"')[3]
        self.sent.append(tool)
        return Answer(outcome=self.outcomes.get(tool, "applied"))

    async def look_back(self, _: Prepared, /) -> Answer | None:
        return None

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        return Answer(outcome="unknown")


class Place:
    """A database, and people who talk and act on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bank = Bank({"bank/pay": "unknown"})
        self._known: tuple[Flow, ...] = parse(FLOWS)
        self._numbers = itertools.count(1)

    async def say(self, *texts: str) -> list[Result]:
        """An agent hears these, and is gone again."""
        flows = await Flows.open(self.url, tools=self.bank, flows=self._known)
        try:
            policy = PolicyContext(now=datetime.now(UTC), language="en")
            await flows.fluxi.schedule.run_due()
            return [
                await flows.handle(Message(message_id=f"m{next(self._numbers)}", sender="ana", text=text), policy, HERE)
                for text in texts
            ]
        finally:
            flows.close()

    @asynccontextmanager
    async def office(self) -> AsyncIterator[FlowOffice]:
        database = Database.open(self.url, schema=SCHEMA)
        try:
            yield await FlowOffice.open(database)
        finally:
            database.close()


@pytest.fixture
def place(database_url: str) -> Place:
    return Place(database_url)


async def in_doubt(office: FlowOffice) -> str:
    """The one Work there is."""
    query = select(works.c.work_id).where(works.c.suspended_reason == "in_doubt")
    return str(await office.desk.database.read(lambda connection: connection.execute(query).scalar_one()))


async def test_an_effect_in_doubt_is_resolved_and_its_flow_is_told(place: Place) -> None:
    *_, told = await place.say("pay", "yes")
    assert told.kind == "in_doubt"
    async with place.office() as office:
        await office.operators.resolve(await in_doubt(office), "paying", "applied", evidence="I asked", by="berta")
        sheet = (await office.desk.database.read(lambda it: lookup.dialogues(it, under_way=False)))[0]
    assert sheet.flows == () and sheet.last is not None and sheet.last.outcome == "completed"
    assert place.bank.sent == ["bank/pay"]


async def test_what_leads_to_a_call_is_refused_and_changes_nothing(place: Place) -> None:
    await place.say("settle", "yes")
    async with place.office() as office:
        read = office.desk.database.read
        before = await read(lambda it: lookup.dialogues(it, under_way=True))
        with pytest.raises(Refused, match="bank/look") as refused:
            await office.operators.resolve(await in_doubt(office), "paying", "applied", evidence="I asked", by="berta")
        assert refused.value.code == "needs_agent"
        assert await read(lambda it: lookup.dialogues(it, under_way=True)) == before
        assert await in_doubt(office)


async def test_a_flow_is_cancelled_by_its_id_alone_and_found_by_a_part(place: Place) -> None:
    await place.say("pay")
    async with place.office() as office:
        read = office.desk.database.read
        (listed,) = await read(lambda it: lookup.dialogues(it, under_way=True))
        assert listed.question == "Shall I pay?"
        found = await read(lambda it: lookup.fitting(it, listed.flows[0].flow_id[:6]))
        assert found == [listed.dialogue_id] and await read(lambda it: lookup.fitting(it, "zzzz")) == []
        assert await read(lambda it: lookup.fitting(it, listed.dialogue_id[:3])) == []
        with pytest.raises(Refused):
            await office.flows.cancel(f"{listed.dialogue_id}.9.9", by="berta")
        await office.flows.cancel(listed.flows[0].flow_id, by="berta", reason="closed")
        assert await read(lambda it: lookup.dialogues(it, under_way=True)) == []
    (told,) = await place.say("yes")
    assert told.reason_code == "question_closed" and place.bank.sent == []


async def test_each_event_is_done_again_with_the_flows_it_happened_with(place: Place) -> None:
    await place.say("pay")
    place._known = parse(FLOWS.replace(b"payment}", b"outlay}"))
    await place.say("no", "pay")
    place._known = parse(FLOWS)
    place.bank.outcomes["bank/pay"] = "applied"
    await place.say("yes", "thanks")
    async with place.office() as office:
        database = office.desk.database
        (one,) = await database.read(lambda it: lookup.dialogues(it, under_way=False))
        versions = await database.read(Versions)
        found = await database.read(lambda it: replay(it, one.dialogue_id, versions))
        assert found is not None and found.same
        assert len({retold.cause["library"] for retold in found.retold}) == 2
        assert [flow.title["en"] for flow in versions.newest.flows] == ["payment", "payment with a look"]
        assert await database.read(lambda it: replay(it, "nobody", versions)) is None
