"""Every row of the table of transitions is one event; anything else raises and writes nothing (docs/fluxi.md §3)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from mew_agents.fluxi import Conversation, Fluxi, Message, PolicyContext
from mew_agents.fluxi.fsm import ENDED, TABLE, Event, IllegalTransition, State
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work, plain_slot, replay

from ..bookings import PLAIN, START, ZONE, booking
from ..outside import Outside
from .world import World

HERE = Conversation("clinic", "c")
# The shortest way into each state.
WAYS: dict[State, tuple[tuple[Event, State], ...]] = {
    State.CREATED: (),
    State.ACTIVE: ((Event.STATE_CHANGED, State.ACTIVE),),
    State.WAITING_USER: ((Event.STATE_CHANGED, State.ACTIVE), (Event.SLOT_REQUESTED, State.WAITING_USER)),
    State.WAITING_CONFIRMATION: (
        (Event.STATE_CHANGED, State.ACTIVE),
        (Event.CONFIRMATION_REQUESTED, State.WAITING_CONFIRMATION),
    ),
    State.EXECUTING: ((Event.STATE_CHANGED, State.ACTIVE), (Event.SEMANTIC_COMMIT, State.EXECUTING)),
    State.COMPLETED: ((Event.STATE_CHANGED, State.ACTIVE), (Event.WORK_COMPLETED, State.COMPLETED)),
    State.FAILED: (
        (Event.STATE_CHANGED, State.ACTIVE),
        (Event.SEMANTIC_COMMIT, State.EXECUTING),
        (Event.WORK_FAILED, State.FAILED),
    ),
    State.EXPIRED: ((Event.EXPIRED, State.EXPIRED),),
    State.CANCELLED: ((Event.WORK_CANCELLED, State.CANCELLED),),
}
ROWS = {(row.source, row.event, row.target) for row in TABLE}


@pytest.fixture
async def fluxi(database_url: str, tmp_path: Path) -> AsyncIterator[Fluxi]:
    opened = await Fluxi.open(
        database_url, tools=World(Outside(tmp_path / "world")), definitions=[booking(PLAIN)], clock=lambda: START
    )
    yield opened
    opened.close()


class Undone(Exception):
    """Ends a transaction of which nothing is to stay."""


async def opened(fluxi: Fluxi) -> str:
    """The id of a Work that waits for a yes."""
    message = Message(message_id="1", sender="ana", text="Quiero un turno con la Dra. Ana Pérez el viernes a las 17")
    result = await fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), HERE)
    assert result.work_id is not None
    return result.work_id


def anew(scene: Scene, work: Work, state: State) -> Work:
    """Another Work of the same kind, taken to a state."""
    made = scene.open(
        scene.records.new_id(),
        proposal_id=work.proposal_id,
        conversation=HERE,
        owner=work.owner,
        version_id=work.version_id,
        slots={path: plain_slot(slot) for path, slot in work.slots.items()},
    )
    for event, target in WAYS[state]:
        made = scene.happen(made, event, target)
    return made


async def test_every_row_counts_one_and_is_what_its_events_make_of_it(fluxi: Fluxi) -> None:
    def happen(scene: Scene, work: Work) -> None:
        for source, event, target in ROWS:
            if source is not None:
                before = anew(scene, work, source)
                after = scene.happen(before, event, target)
                assert (after.state, after.revision) == (target, before.revision + 1)
                history = [one for one in scene.records.events if one.work_id == after.work_id]
                assert (history[-1].type, history[-1].source, history[-1].target) == (event, source, target)
                assert replay(history) == after
                assert (after.expires_at is not None) == (target not in (*ENDED, State.EXECUTING))
        raise Undone

    with pytest.raises(Undone):
        await fluxi.desk.on_work(await opened(fluxi), happen, point="operator", by="test")


async def test_what_the_table_does_not_have_raises_and_writes_nothing(fluxi: Fluxi) -> None:
    work_id = await opened(fluxi)

    def try_all(scene: Scene, work: Work) -> int:
        tried = 0
        for source, event, target in product(State, Event, State):
            if (source, event, target) not in ROWS:
                with pytest.raises(IllegalTransition, match=f"no transition {source} –{event}→ {target}"):
                    scene.happen(replace(work, state=source), event, target)
                tried += 1
        assert scene.records.events == []
        return tried

    before = await fluxi.database.read(lambda connection: fluxi.desk.records(connection).work(work_id))
    done = await fluxi.desk.on_work(work_id, try_all, point="operator", by="test")
    assert done is not None and done.value == len(State) ** 2 * len(Event) - len(ROWS) + 1
    assert await fluxi.database.read(lambda connection: fluxi.desk.records(connection).work(work_id)) == before


async def test_an_illegal_event_takes_back_the_whole_transaction(fluxi: Fluxi) -> None:
    work_id = await opened(fluxi)

    def half(scene: Scene, work: Work) -> None:
        work = scene.happen(work, Event.INPUT_UNRESOLVED, unresolved=1)
        scene.say("reply", "nothing_to_confirm")
        scene.happen(work, Event.WORK_COMPLETED, State.COMPLETED)

    with pytest.raises(IllegalTransition):
        await fluxi.desk.on_work(work_id, half, point="operator", by="test")
    records = await fluxi.database.read(lambda connection: fluxi.desk.records(connection).work(work_id))
    assert records is not None and (records.unresolved, records.revision) == (0, 4)
    assert await fluxi.outbox.take(HERE.account_id, HERE.conversation_id) == []
