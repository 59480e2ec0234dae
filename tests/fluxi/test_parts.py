"""A Work that is a part of a dialogue: nobody's active Work, it says nothing, and its dialogue is told everything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from mew_agents.durable import NONE
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.lookup import proposals
from mew_agents.fluxi.message import Message, PolicyContext, Result
from mew_agents.fluxi.office import Office
from mew_agents.fluxi.outbox import Outbox
from mew_agents.fluxi.ports import UNSEEN, Carried
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_DIALOGUE, INSERT_REPLY
from mew_agents.fluxi.tables import outbox
from mew_agents.fluxi.work import Work

from .bookings import KEYED, PLAIN, START, ZONE, booking
from .dialogues import AT, HERE, Dialogue, dialogue_row, question
from .ledger import broken
from .outside import Doubles, Mood, Outside, Post


class Told:
    """Whoever knows the dialogue, and what it was told: the events and the state, once a transaction."""

    def __init__(self) -> None:
        self.heard: list[tuple[list[Event], State]] = []

    def __call__(self, scene: Scene, work: Work) -> Result:
        assert work.part_of == "d"
        self.heard.append(([event.type for event in scene.records.events], work.state))
        return Result(kind="reply", text="told", reason_code="told")


@asynccontextmanager
async def opened(
    url: str, folder: Path, *moods: Mood, effect: dict[str, Any] = KEYED
) -> AsyncIterator[tuple[Dialogue, Told]]:
    """A dialogue on a Fluxi whose only definition has one effect."""
    world = Outside(folder / "world")
    fluxi = await Fluxi.open(
        url, tools=Doubles(world, moods), definitions=[booking(effect)], carrier=Post(world), clock=lambda: START
    )
    told = Told()
    fluxi.desk.parts = told
    try:
        yield Dialogue(fluxi), told
    finally:
        assert await fluxi.database.read(broken) == []
        fluxi.close()


def say_two(records: Records) -> None:
    """A question of a dialogue goes into the outbox, and something that asks nothing."""
    records.write(INSERT_DIALOGUE, dialogue_row())
    records.ask(question("q1"))
    place = {"account_id": HERE.account_id, "conversation_id": HERE.conversation_id, "recipient": "ana"}
    for message_id, context_id in (("o1", "q1"), ("o2", None)):
        said = {"message_id": message_id, "work_id": None, "context_id": context_id}
        waiting = {"body": written(said), "status": "waiting", "queued_at": AT, "done_at": None}
        records.write(INSERT_REPLY, {**said, **place, **waiting})


async def test_it_is_carried_out_as_any_and_says_nothing_itself(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, "refused") as (dialogue, told):
        await dialogue.ask()
        work = await dialogue.yes()
        result = await dialogue.fluxi.effects.carry_out(work.work_id, UNSEEN)
        rows = await dialogue.fluxi.database.read(lambda connection: connection.execute(select(outbox)).all())
        ended = await dialogue.read(lambda records: records.work(work.work_id))
    assert result is not None and result.text == "told"
    assert rows == []
    assert told.heard == [([Event.EFFECT_RECORDED, Event.WORK_FAILED], State.FAILED)]
    assert ended is not None and (ended.part_of, ended.state) == ("d", State.FAILED)


async def test_what_is_told_is_committed_with_what_happened(database_url: str, tmp_path: Path) -> None:
    """The dialogue writes in the same transaction: if it cannot, nothing has happened."""

    def cannot(_scene: Scene, _work: Work) -> Result:
        raise ValueError("a fault of the dialogue's")

    async with opened(database_url, tmp_path, effect=PLAIN) as (dialogue, _):
        await dialogue.ask()
        work = await dialogue.yes()
        dialogue.fluxi.desk.parts = cannot
        with pytest.raises(ValueError, match="dialogue"):
            await dialogue.fluxi.operators.suspend(work.work_id, by="berta")
        after = await dialogue.read(lambda records: records.work(work.work_id))
    assert after == work


async def test_no_message_finds_it(database_url: str, tmp_path: Path) -> None:
    """It is neither active here nor the last that was opened, its question no question of a Work's."""
    async with opened(database_url, tmp_path) as (dialogue, told):
        await dialogue.ask()
        place = (HERE.account_id, HERE.conversation_id)
        assert await dialogue.read(lambda records: records.pending(*place, "ana")) == []
        assert await dialogue.read(lambda records: records.question(*place, "ana", "q")) is None
        assert await dialogue.read(lambda records: records.proposed(*place, "ana")) == []
        message = Message(message_id="yes", sender="ana", text="sí")
        said = await dialogue.fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), HERE)
        assert said.reason_code == "nothing_to_confirm"
        await dialogue.yes()
        assert await dialogue.read(lambda records: records.live_in(*place)) == []
        assert await dialogue.read(lambda records: records.last_of(*place, "ana")) is None
        message = Message(message_id="no", sender="ana", text="cancelar")
        said = await dialogue.fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), HERE)
        assert said.reason_code == "nothing_to_cancel"
    assert told.heard == []


async def test_no_person_looks_at_its_proposal(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as (dialogue, _):
        await dialogue.ask()
        reviews = dialogue.fluxi.reviews
        for decide in (
            reviews.accept("proposal", by="berta"),
            reviews.decline("proposal", by="berta", reason="no"),
        ):
            with pytest.raises(Refused) as refused:
                await decide
            assert refused.value.code == "part_of_flow"
        assert await dialogue.fluxi.database.read(lambda connection: proposals(connection, status=None)) == []
        assert (await dialogue.yes()).state is State.EXECUTING


async def test_an_operator_acts_on_it_and_the_dialogue_is_told(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as (dialogue, told):
        await dialogue.ask()
        work = await dialogue.yes()
        cancelled = await dialogue.fluxi.operators.cancel(work.work_id, by="berta")
    assert cancelled.state is State.CANCELLED
    assert told.heard == [([Event.WORK_CANCELLED], State.CANCELLED)]


async def test_where_nobody_knows_dialogues_it_is_left_alone(database_url: str, tmp_path: Path) -> None:
    """Neither the office nor the schedule of such a process touches it; what else is due is done."""
    async with opened(database_url, tmp_path) as (dialogue, told):
        await dialogue.ask()
        work = await dialogue.yes()
        office = await Office.open(dialogue.fluxi.database)
        with pytest.raises(Refused) as refused:
            await office.operators.cancel(work.work_id, by="berta")
        assert refused.value.code == "part_of_flow"
        dialogue.fluxi.desk.parts = None
        await dialogue.fluxi.schedule.run_due()
        assert await dialogue.read(lambda records: records.work(work.work_id)) == work
        dialogue.fluxi.desk.parts = told
        office.desk.parts = told
        await office.operators.suspend(work.work_id, by="berta")
    assert told.heard == [([Event.WORK_SUSPENDED], State.EXECUTING)]


async def test_a_dialogue_is_told_of_its_question_that_nobody_will_see(database_url: str, tmp_path: Path) -> None:
    """A Work would be suspended; the dialogue is its owner's affair, in the transaction that refuses the message."""
    told: list[tuple[str, str]] = []

    class Refusing(Post):
        async def carry(self, body: str) -> Carried:
            return Carried(status="refused", reason="target_left")

    def unsaid(connection: Connection, dialogue_id: str, carried: Carried) -> None:
        status = connection.execute(select(outbox.c.status).where(outbox.c.context_id == "q1")).scalar_one()
        told.append((dialogue_id, f"{carried.reason}: {status}"))

    async with opened(database_url, tmp_path) as (dialogue, _):
        relay = Outbox(dialogue.fluxi.desk, Refusing(Outside(tmp_path / "world")), NONE)
        relay.unsaid = unsaid
        await dialogue.write(say_two)
        assert await relay.relay() == 2
    assert told == [("d", "target_left: refused")]
