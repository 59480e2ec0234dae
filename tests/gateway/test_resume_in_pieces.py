"""Who resumes behind much: it is looked up in turns, and the tick reads only the newest (docs/decisions/0058)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Unavailable
from mew_gateway.gateway.broker.batch import Item
from mew_gateway.gateway.broker.spaces import resume_search as resumption
from mew_gateway.gateway.broker.spaces.engine import Engine
from mew_gateway.gateway.broker.spaces.resume_search import Search
from mew_gateway.journal.base import Record
from mew_gateway.space.events import Connected

from ..kit.broker import FragileJournal, RecordingLink, World, texts

NEAR, PIECE = 10, 3


class ByHand:
    """Turns that come when the test says so."""

    def __init__(self) -> None:
        self.steps: list[Callable[[], bool]] = []

    def put(self, party: Hashable, step: Callable[[], bool]) -> None:
        self.steps.append(step)

    def is_idle(self) -> bool:
        return not self.steps

    def hurry(self, seconds: float) -> None:
        pass

    def run(self, most: int = 1_000) -> int:
        """Take so many turns, in rounds. Returns how many there were."""
        taken = 0
        while self.steps and taken < most:
            step = self.steps.pop(0)
            taken += 1
            if step():
                self.steps.append(step)
        return taken


class CountedJournal(FragileJournal):
    """A journal that counts what is read of it."""

    read_records = 0
    unreadable = False

    def records(self, space: str, *, after: int = 0, limit: int = 1000) -> Sequence[Record]:
        if self.unreadable:
            raise Unavailable("a sector is bad")
        found = super().records(space, after=after, limit=limit)
        self.read_records += len(found)
        return found


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumption, "NEAR", NEAR)
    monkeypatch.setattr(resumption, "_PIECE", PIECE)


def spoken(chats: int = 60) -> tuple[World, ByHand, int]:
    """Participant `a` has said so much behind `last`."""
    turns = ByHand()
    world = World(turns=turns, journal=CountedJournal)
    first, _ = world.join("a")
    world.chat(first, "before", id="last")
    for number in range(chats):
        world.chat(first, f"n{number}")
    world.loop.run()
    return world, turns, first


def journal_of(world: World) -> CountedJournal:
    assert isinstance(world.journal, CountedJournal)
    return world.journal


def connects(world: World) -> list[Connected]:
    return [entry.event for entry in world.journal.read(0) if isinstance(entry.event, Connected)]


def test_the_tick_reads_no_more_than_what_is_near() -> None:
    world, turns, first = spoken()
    _, back = world.arrive("b", after="last")
    assert turns.run() > (60 - NEAR) / PIECE
    journal_of(world).read_records = 0
    world.chat(first, "late")
    world.loop.run()
    assert journal_of(world).read_records <= NEAR
    assert texts(back) == [*(f"n{number}" for number in range(60)), "late"]
    assert back.sent[0]["payload"]["resume"]["count"] == 60


def test_input_waits_while_a_connection_resumes() -> None:
    world, turns, _ = spoken()
    number, back = world.arrive("b", after="last")
    said = [(b'{"kind":"chat","payload":{"text":"here I am"}}', True)]
    turns.run(2)
    assert world.broker.receive(number, said) == said
    world.loop.run()
    assert back.sent == []
    turns.run()
    assert world.broker.receive(number, said) == []
    world.loop.run()
    assert back.sent[0]["kind"] == "system/welcome"
    assert texts(back)[-1] == "here I am"


def test_it_has_its_seat_all_the_while() -> None:
    world, turns, _ = spoken()
    number, link = world.arrive("b", after="last")
    turns.run(2)
    assert link in world.broker.links
    world.broker.disconnect(number)
    assert link not in world.broker.links


def test_a_search_ends_with_its_connection() -> None:
    world, turns, _ = spoken()
    number, _ = world.arrive("b", after="last")
    turns.run(2)
    before = world.broker.engine.position
    journal_of(world).read_records = 0
    world.broker.disconnect(number)
    world.loop.run()
    assert turns.run() == 1
    assert journal_of(world).read_records == 0
    assert world.broker.engine.position == before, "the journal never knew of it"


def test_a_kicked_participant_is_closed_while_it_resumes() -> None:
    world, turns, first = spoken()
    number, back = world.arrive("b", after="last")
    _, other = world.arrive("b", space="two", after="last")
    turns.run(2)
    world.send(first, b'{"kind":"space/kick","payload":{"participant_id":"b"}}')
    world.loop.run()
    assert (back.closed, other.closed) == (4503, None)
    world.broker.disconnect(number)
    turns.run()
    world.loop.run()
    assert [one.connection for one in connects(world) if one.connection == number] == []


def test_a_resuming_connection_is_closed_1012_in_an_outage() -> None:
    world, turns, first = spoken()
    _, back = world.arrive("b", after="last")
    turns.run(2)
    world.journal.broken = True
    world.chat(first, "lost")
    world.loop.run()
    turns.run()
    world.loop.elapse()
    assert (back.sent, back.closed) == ([], 1012)


def test_an_unreadable_piece_is_left_to_the_tick() -> None:
    world, turns, _ = spoken()
    _, back = world.arrive("b", after="last")
    turns.run(3)
    journal_of(world).unreadable = True
    assert turns.run() == 1
    journal_of(world).unreadable = False
    world.loop.run()
    assert texts(back) == [f"n{number}" for number in range(60)]


def test_two_at_once_take_turns_and_get_each_their_own() -> None:
    world, turns, first = spoken()
    _, one = world.arrive("b", after="last")
    world.chat(first, "between", id="between")
    world.loop.run()
    for number in range(60):
        world.chat(first, f"m{number}")
    _, other = world.arrive("b", after="between")
    world.loop.run()
    turns.run()
    world.loop.run()
    assert texts(one) == [*(f"n{number}" for number in range(60)), "between", *(f"m{number}" for number in range(60))]
    assert texts(other) == [f"m{number}" for number in range(60)]


def test_an_envelope_in_the_inbox_is_found_by_the_tick() -> None:
    world, turns, first = spoken()
    world.chat(first, "now", id="now")
    _, back = world.arrive("b", after="now")
    turns.run()
    world.chat(first, "then")
    world.loop.run()
    assert texts(back) == ["then"]


SAID = st.one_of(
    st.tuples(st.just("chat"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("turns"), st.integers(1, 4)),
    st.tuples(st.just("tick"), st.none()),
    st.tuples(st.just("refused"), st.none()),
    st.tuples(st.just("come back"), st.sampled_from(["last", "unknown", "again"])),
    st.tuples(st.just("interrupt"), st.none()),
)


@given(before=st.integers(0, 40), said=st.lists(SAID, max_size=30))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_in_pieces_is_as_in_one_piece(before: int, said: list[tuple[str, Any]]) -> None:
    compared = 0

    def resumed(engine: Engine, item: Item, search: Search) -> Item:
        """Read all of it in one piece, too."""
        nonlocal compared
        assert isinstance(item.event, Connected)
        whole = engine.search(item, most_bytes=2**30, affords=lambda _: True).finish()
        done = finish(engine, item, search)
        assert isinstance(done.event, Connected)
        assert done.event.resumed == whole.resumed
        assert list(done.missed) == list(whole.envelopes)
        compared += 1
        return done

    finish = Engine.resumed
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(Engine, "resumed", resumed)
        world, turns, first = spoken(before)
        second, _ = world.join("b")
        world.chat(second, "x", id="again")
        world.send(first, b'{"kind":"reasoning/start","id":"run"}')
        came: list[RecordingLink] = []
        for nth, (what, how) in enumerate(said):
            if what == "chat":
                world.chat(first if how == "a" else second, f"said {nth}")
            elif what == "turns":
                turns.run(how)
            elif what == "tick":
                world.loop.run()
            elif what == "refused":
                world.send(second, b'{"kind":"space/kick","payload":{"participant_id":"nobody"}}')
            elif what == "interrupt":
                world.send(
                    second,
                    b'{"kind":"reasoning/interrupt","to":"a","correlation_id":"run","payload":{"reason":"error"}}',
                )
            elif len(came) < GatewayLimits().connections_per_participant - 1:  # it is here already
                came.append(world.arrive("b", after=how)[1])
        turns.run()
        world.loop.run()
        assert compared == len(came)
        assert [link.closed for link in came] == [None] * len(came)
