"""Operators at the database: what they lead to is done by whoever runs Fluxi there, once, with its own carrier."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mew_agents.durable import Database
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.lookup import fitting, work, works
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.office import Office
from mew_agents.fluxi.ports import Carried, Carrier, Reply

from .bookings import KEYED, PLAIN, START, ZONE, booking
from .outside import Doubles, Outside

HERE, THERE = Conversation("clinic", "a"), Conversation("clinic", "b")
UNDONE = PLAIN | {"compensate": {"tool": "world/keyed", "args": {"key": {"key": "effect-0"}}}}


class Letters(Carrier):
    """Makes a letter of each reply, which is no JSON, and keeps what it carried."""

    def __init__(self) -> None:
        self.carried: list[str] = []

    def compose(self, reply: Reply) -> str:
        return f"to {reply.recipient} in {reply.conversation_id}: {reply.text}"

    async def carry(self, body: str) -> Carried:
        self.carried.append(body)
        return Carried(status="done")


class Clinic:
    """Fluxi with a carrier, and an office beside it, on one database."""

    def __init__(self, fluxi: Fluxi, office: Office, database: Database, letters: Letters) -> None:
        self.fluxi = fluxi
        self.office = office
        self.database = database
        self.letters = letters
        self._heard = 0

    async def hear(self, text: str, where: Conversation = HERE) -> None:
        self._heard += 1
        message = Message(message_id=f"m-{self._heard}", sender="ana", text=text)
        await self.fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), where)
        await self.fluxi.outbox.relay()

    async def newest(self) -> str:
        return (await self.database.read(works))[-1].work_id


@pytest.fixture
async def clinic(database_url: str, tmp_path: Path) -> AsyncIterator[Clinic]:
    """Its first effect will be done, and nobody will hear of it."""
    definition = booking(UNDONE, KEYED, cancel={"allowed": True, "compensate": True})
    letters = Letters()
    fluxi = await Fluxi.open(
        database_url,
        tools=Doubles(Outside(tmp_path / "outside"), ["late"]),
        definitions=[definition],
        carrier=letters,
        clock=lambda: START,
    )
    database = Database.open(database_url)
    yield Clinic(fluxi, await Office.open(database, clock=lambda: START), database, letters)
    database.close()
    fluxi.close()


ASKED = "Quiero agendar un turno con la Dra. Pérez para el 2 de diciembre a las 10:30"


async def test_a_reply_of_the_office_is_composed_by_whoever_relays_it(clinic: Clinic) -> None:
    await clinic.hear(ASKED)
    await clinic.office.operators.cancel(await clinic.newest(), by="operator:berta")
    before = len(clinic.letters.carried)
    assert await clinic.fluxi.outbox.relay() == 1
    (letter,) = clinic.letters.carried[before:]
    assert letter.startswith("to ana in a: ")
    assert await clinic.fluxi.outbox.relay() == 0


async def test_one_conversation_is_relayed_alone(clinic: Clinic) -> None:
    await clinic.hear(ASKED)
    first = await clinic.newest()
    await clinic.hear(ASKED.replace("10:30", "11:30"), THERE)
    for id in (first, await clinic.newest()):
        await clinic.office.operators.cancel(id, by="operator:berta")
    assert await clinic.fluxi.outbox.relay(THERE) == 1
    assert clinic.letters.carried[-1].startswith("to ana in b: ")
    assert await clinic.fluxi.outbox.relay() == 1


async def test_a_cancelled_work_whose_effect_was_done_is_undone_by_whoever_runs_it(clinic: Clinic) -> None:
    await clinic.hear(ASKED)
    await clinic.hear("sí")
    await clinic.hear("sí")
    id = await clinic.newest()
    cancelled = await clinic.office.operators.cancel(id, by="operator:berta")
    assert (cancelled.state, cancelled.cancel_requested) == (State.EXECUTING, "operator:berta")
    await clinic.office.operators.resolve(id, "effect-0", "applied", evidence="asked them", by="operator:berta")
    await clinic.fluxi.schedule.run_due()
    found = await clinic.database.read(lambda connection: work(connection, id))
    assert found is not None
    assert (found.work.state, found.work.cancel_requested) == (State.CANCELLED, None)
    assert {one.claim.effect_id: one.outcome for one in found.effects} == {
        "effect-0": "applied",
        "effect-1": None,
        "effect-0.compensate": "applied",
    }


async def test_who_looks_for_a_part_of_an_id_finds_what_begins_or_ends_so(clinic: Clinic) -> None:
    await clinic.hear(ASKED)
    id = await clinic.newest()
    looked = {
        typed: await clinic.database.read(lambda connection, typed=typed: fitting(connection, typed, what="work"))  # type: ignore[misc]
        for typed in (id, id[:8], id[-8:], id[-3:], "%%%%", "")
    }
    assert looked == {id: [id], id[:8]: [id], id[-8:]: [id], id[-3:]: [], "%%%%": [], "": []}
    assert await clinic.database.read(lambda connection: work(connection, id, account_id="other")) is None
