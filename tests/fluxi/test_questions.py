"""The questions of dialogues: found by what they belong to, closed once, and never taken for a Work's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from mew_agents.fluxi.context import ContextStatus
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.statements import INSERT_DIALOGUE, INSERT_FLOW_EVENT, INSERT_REPLY, UPDATE_DIALOGUE
from mew_agents.fluxi.transaction import Stale, bound

from .bookings import START
from .dialogues import AT, HERE, Dialogue, dialogue_row, question
from .outside import Doubles, Outside, Post


@pytest.fixture
async def two(database_url: str, tmp_path: Path) -> AsyncIterator[Dialogue]:
    """Two dialogues, one of which has asked three questions in messages of its own."""
    world = Outside(tmp_path / "world")
    fluxi = await Fluxi.open(
        database_url, tools=Doubles(world), definitions=[], carrier=Post(world), clock=lambda: START
    )
    dialogue = Dialogue(fluxi)
    await dialogue.write(_asked)
    yield dialogue
    fluxi.close()


def _asked(records: Records) -> None:
    records.write(INSERT_DIALOGUE, dialogue_row("d"))
    records.write(INSERT_DIALOGUE, dialogue_row("e", participant="ben"))
    for number in (3, 1, 2):
        records.ask(question(f"q{number}", created_at=AT + number))
        records.write(INSERT_REPLY, _reply(f"o{number}", f"q{number}"))
    records.ask(question("other", "e", participant="ben"))


def _reply(message_id: str, context_id: str) -> dict[str, object]:
    place = {"account_id": HERE.account_id, "conversation_id": HERE.conversation_id, "recipient": "ana"}
    waiting = {"work_id": None, "context_id": context_id, "body": "{}", "status": "waiting", "done_at": None}
    return {"message_id": message_id, **place, **waiting, "queued_at": AT}


def _settled(records: Records, context_id: str, status: ContextStatus, *, at: int) -> None:
    (one,) = (one for one in records.open_of("d") if one.context_id == context_id)
    records.settle(one, status, by=f"m{at}", at=at)


async def test_what_was_asked_is_read_as_it_was_asked(two: Dialogue) -> None:
    assert await two.read(lambda records: records.question_of("d", "q1")) == question("q1", created_at=AT + 1)


async def test_the_open_ones_are_listed_oldest_first(two: Dialogue) -> None:
    await two.write(lambda records: _settled(records, "q2", "consumed", at=AT + 5))
    assert [one.context_id for one in await two.read(lambda records: records.open_of("d"))] == ["q1", "q3"]
    assert [one.context_id for one in await two.read(lambda records: records.open_of("e"))] == ["other"]
    assert await two.read(lambda records: records.open_of("nobody")) == []


@pytest.mark.parametrize(
    ("reference", "found"), [("q2", "q2"), ("o2", "q2"), ("other", None), ("o9", None), ("", None)]
)
async def test_one_is_found_by_its_id_or_by_that_of_its_message(
    two: Dialogue, reference: str, found: str | None
) -> None:
    asked = await two.read(lambda records: records.question_of("d", reference))
    assert (asked and asked.context_id) == found


async def test_the_one_closed_last_says_how(two: Dialogue) -> None:
    assert await two.read(lambda records: records.last_closed("d")) is None
    await two.write(lambda records: _settled(records, "q3", "void", at=AT + 7))
    await two.write(lambda records: _settled(records, "q1", "consumed", at=AT + 6))
    last = await two.read(lambda records: records.last_closed("d"))
    assert last is not None
    assert (last.context_id, last.status, last.settled_by, last.settled_at) == ("q3", "void", f"m{AT + 7}", AT + 7)


async def test_one_is_closed_once(two: Dialogue) -> None:
    """Whoever read it open and comes second is told so by the database, and has written nothing."""
    (first, *_) = await two.read(lambda records: records.open_of("d"))
    await two.write(lambda records: records.settle(first, "consumed", by="m1", at=AT + 1))

    def again(connection: object) -> None:
        records = two.fluxi.desk.records(connection)  # type: ignore[arg-type]
        records.settle(first, "void", by="m2", at=AT + 2)
        records.flush()

    with pytest.raises(Stale):
        await two.fluxi.database.write(again, point="x")
    closed = await two.read(lambda records: records.question_of("d", "q1"))
    assert closed == replace(first, status="consumed", settled_by="m1", settled_at=AT + 1)


async def test_it_counts_as_asked_when_its_message_is_out(two: Dialogue) -> None:
    assert await two.fluxi.outbox.out("o1", at=AT + 9) == AT + 9
    sent = await two.read(lambda records: [one.sent_at for one in records.open_of("d")])
    assert sent == [AT + 9, None, None]


async def test_a_message_to_somebody_is_theirs_whoever_asked_in_it(two: Dialogue) -> None:
    place = (HERE.account_id, HERE.conversation_id)
    assert await two.read(lambda records: records.said_to_another(*place, "ben", "o1"))
    assert await two.read(lambda records: records.said_to_another(*place, "ben", "q1"))
    assert not await two.read(lambda records: records.said_to_another(*place, "ana", "o1"))
    assert await two.read(lambda records: records.said_to_another(place[0], "elsewhere", "ana", "o1"))
    assert not await two.read(lambda records: records.said_to_another("elsewhere", place[1], "ben", "o1"))


# The rows of dialogues


async def test_a_dialogue_is_one_participants_in_one_conversation(two: Dialogue) -> None:
    place = (HERE.account_id, HERE.conversation_id)
    found = await two.read(lambda records: records.dialogue(*place, "ben"))
    assert found is not None and found.dialogue_id == "e"
    assert await two.read(lambda records: records.dialogue(*place, "nobody")) is None
    taken = await two.write(lambda records: records.take_dialogue("d"))
    assert taken is not None and taken.participant == "ana"
    assert await two.write(lambda records: records.take_dialogue("nobody")) is None


async def test_a_dialogue_that_somebody_changed_is_not_overwritten(two: Dialogue) -> None:
    def change(records: Records) -> None:
        records.write(UPDATE_DIALOGUE, {**bound(dialogue_id="d", revision=0), "revision": 1, "top": "transfer"})
        records.write(INSERT_FLOW_EVENT, _event(1))

    def too_late(connection: object) -> None:
        records = two.fluxi.desk.records(connection)  # type: ignore[arg-type]
        change(records)
        records.flush()

    await two.write(change)
    with pytest.raises(Stale):
        await two.fluxi.database.write(too_late, point="x")
    row = await two.write(lambda records: records.take_dialogue("d"))
    assert row is not None and (row.revision, row.top) == (1, "transfer")


async def test_the_events_of_a_dialogue_are_read_in_order(two: Dialogue) -> None:
    for revision in (1, 2):
        await two.write(lambda records, revision=revision: records.write(INSERT_FLOW_EVENT, _event(revision)))  # type: ignore[misc]
    assert [row.revision for row in await two.read(lambda records: records.flow_events("d"))] == [1, 2]
    assert await two.read(lambda records: records.flow_events("e")) == []


def _event(revision: int) -> dict[str, object]:
    words = dict.fromkeys(("cause", "event", "delta", "effects"), "{}")
    return {"dialogue_id": "d", "revision": revision, "type": "said", **words, "at": AT}
