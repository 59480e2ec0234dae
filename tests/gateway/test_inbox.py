"""What waits while the journal cannot be written, and how long."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Unavailable
from mew_gateway.gateway.broker import inbox
from mew_gateway.gateway.broker.inbox import TICK, TICK_BYTES
from mew_gateway.gateway.broker.spaces import engine
from mew_gateway.gateway.event_loop import AsyncioLoop
from mew_gateway.journal.base import Record, Snapshot
from mew_gateway.space import outages
from mew_gateway.space.events import Connected, DeadlinePassed, Disconnected, Received, Stalled
from mew_gateway.space.state import Interrupt

from ..kit.broker import FragileJournal, RecordingLink, World


class UnreadableJournal(FragileJournal):
    """A journal with a bad spot where its history is."""

    def find(self, space: str, id: str, *, oldest: bool = False) -> Iterator[Record]:
        raise Unavailable("a bad spot")


class NarrowJournal(FragileJournal):
    """A journal with room for entries and, but for the first, none for snapshots."""

    saves = 0

    def save(self, snapshot: Snapshot) -> None:
        self.saves += 1
        if self.saves > 1:
            raise Unavailable("no room for so much")
        super().save(snapshot)


def test_an_outage_lasts_until_a_write_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="mew.broker")
    world = World()
    first, _ = world.join("a")
    world.loop.run()
    world.journal.broken = True
    world.chat(first, "refused")
    world.loop.run()
    for _ in range(3):  # nothing waits to be written
        world.loop.elapse()
        assert not world.broker.is_ready
        assert world.broker.unready == "The journal cannot be written."
    assert world.counters.unwritten == 4
    world.journal.broken = False
    world.loop.elapse()
    assert world.broker.unready is None
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_a_paused_sender_gets_an_error_and_is_read_again() -> None:
    world = World(limits=GatewayLimits(inbox=3))
    first, link = world.join("a")
    world.loop.run()
    world.journal.broken = True
    for number in range(3):
        world.chat(first, str(number))
    assert link.paused
    world.loop.run()
    assert not link.paused  # else its pongs would not be heard
    assert [told["payload"]["error"] for told in link.sent[-3:]] == ["journal_unavailable"] * 3


RUN = b'{"kind":"reasoning/start","id":"run"}'
INTERRUPT = b'{"kind":"reasoning/interrupt","id":"stop","to":"a","correlation_id":"run","payload":{"reason":"timeout"}}'
ACK = b'{"kind":"reasoning/interrupt-ack","correlation_id":"stop","payload":{"status":"stopping"}}'
CONCLUSION = b'{"kind":"reasoning/conclusion","context":"run"}'


def outage(world: World, of: tuple[int, RecordingLink], milliseconds: int, *, beforehand: int = 0) -> None:
    """The journal fails after `beforehand`, for so long; `of`, a connection, is refused."""
    world.clock.time += beforehand
    world.journal.broken = True
    number, link = of
    world.chat(number, "refused")
    world.loop.run()
    assert link.sent[-1]["payload"]["error"] == "journal_unavailable"
    for _ in range(5):
        world.clock.time += milliseconds // 5
        world.loop.elapse()
    world.journal.broken = False


def errors(link: RecordingLink) -> list[str]:
    told = [sent["payload"]["error"] for sent in link.sent if sent["kind"] == "system/error"]
    return [error for error in told if error != "journal_unavailable"]


def record_of(world: World) -> Interrupt:
    state = world.broker.engine["one"].machine.state
    return state.interrupts.get("stop") or state.settled["stop"]


def test_an_ack_refused_in_an_outage_is_in_time_later() -> None:
    world = World()
    first, one = world.join("a")
    second, _ = world.join("b")
    world.send(first, RUN)
    world.send(second, INTERRUPT)
    world.loop.run()
    before = len(list(world.journal.read(0)))
    outage(world, (first, one), 100_000, beforehand=20_000)
    world.broker.disconnect(second)
    world.loop.elapse()  # healed
    world.clock.time += 9_000  # of the 30 s, 20 had passed
    world.loop.elapse()
    world.send(first, ACK)
    world.loop.run()
    entries = list(world.journal.read(0))[before:]
    assert [type(entry.event) for entry in entries if entry.event != DeadlinePassed()] == [
        Stalled,
        Disconnected,
        Received,
    ]
    assert entries[0].event == Stalled(100_000, refused=True)
    assert [entry.time for entry in entries] == sorted(entry.time for entry in entries)
    assert errors(one) == []
    assert (record_of(world).status, record_of(world).stalled_ms) == ("acked", 100_000)


def test_a_missing_ack_after_an_outage_is_late_eventually() -> None:
    world = World()
    first, one = world.join("a")
    world.send(first, RUN)
    world.send(first, INTERRUPT)
    world.loop.run()
    outage(world, (first, one), 100_000, beforehand=29_999)
    world.loop.elapse()
    world.clock.time += outages.FAIR - 1
    world.loop.elapse()
    assert errors(one) == []
    world.clock.time += 1
    world.loop.elapse()
    assert errors(one) == ["interrupt_ack_timeout"]


def test_conclusions_and_owners_have_time_after_an_outage() -> None:
    world = World()
    first, one = world.join("a")
    second, two = world.join("b")
    for message in (RUN, INTERRUPT, ACK):
        world.send(first, message)
    world.loop.run()
    world.broker.disconnect(first)
    world.loop.run()
    outage(world, (second, two), 1_000_000)
    world.loop.elapse()
    world.loop.elapse()
    assert errors(two) == []
    again, one = world.join("a")
    world.send(again, CONCLUSION)
    world.loop.run()
    assert errors(one) == []
    assert record_of(world).status == "honoured"


def test_an_absent_owner_may_return_after_an_outage() -> None:
    world = World()
    first, one = world.join("a")
    second, two = world.join("b")
    world.send(first, RUN)
    world.send(second, INTERRUPT)
    world.loop.run()
    outage(world, (first, one), 100_000, beforehand=29_000)
    world.broker.disconnect(first)
    world.loop.elapse()  # healed
    world.clock.time += outages.RETURN - 1
    world.loop.elapse()
    assert errors(two) == []
    world.clock.time += 1
    world.loop.elapse()
    assert errors(two) == ["interrupt_ack_timeout"]


def test_the_watchdog_does_not_count_an_outage() -> None:
    world = World()
    first, one = world.join("a")
    world.send(first, RUN)
    world.loop.run()
    outage(world, (first, one), 100_000, beforehand=1_000)
    world.loop.elapse()
    sequence = world.broker.engine["one"].machine.state.sequences["run"]
    assert sequence.suspended_ms == 100_000


def test_unreadable_history_delays_only_its_reader() -> None:
    world = World(journal=UnreadableJournal)
    first, _ = world.join("a")
    _, link = world.join("b", after="something")
    assert world.broker.is_ready
    assert link.sent[0]["kind"] == "system/welcome"
    assert (link.sent[1]["payload"]["error"], link.sent[1]["correlation_id"]) == ("history_unavailable", ["something"])
    world.chat(first, "still here")
    world.loop.run()
    assert link.sent[-1]["payload"] == {"text": "still here"}
    assert sum(isinstance(entry.event, Connected) for entry in world.journal.read(0)) == 2


def test_a_snapshot_without_room_is_postponed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "SNAPSHOT_EVERY", 20)
    world = World(journal=NarrowJournal)
    first, one = world.join("a")
    for number in range(30):
        world.chat(first, str(number))
        world.loop.run()
        assert world.broker.is_ready
    assert [sent["payload"]["text"] for sent in one.sent if sent["kind"] == "chat"] == [str(n) for n in range(30)]
    tries = sum("No snapshot was kept" in record.message for record in caplog.records)
    assert 1 < tries <= 8  # every so many entries, not each


def test_a_lone_message_has_a_tick_at_once() -> None:
    world = World(is_last=lambda: True)
    first, link = world.join("a")
    world.events.clear()
    world.chat(first, "alone")
    assert world.events == ["commit", "write"]
    assert link.sent[-1]["payload"]["text"] == "alone"


def test_a_tick_waits_for_other_callbacks() -> None:
    alone = False
    world = World(is_last=lambda: alone)
    first, _ = world.join("a")
    world.events.clear()
    world.chat(first, "one")
    alone = True  # the last callback of the pass: what came before it waits for the tick already
    world.chat(first, "two")
    assert world.events == []
    world.loop.run()
    assert world.events == ["commit", "write"]


def test_spaces_own_envelopes_never_nest_ticks() -> None:
    world = World(is_last=lambda: True)
    first, _ = world.join("a")
    world.join("b")
    world.events.clear()
    world.send(first, b'{"kind":"space/kick","payload":{"participant_id":"b"}}')
    assert world.events.count("commit") == 1
    world.loop.run()


def test_a_lone_message_waits_while_the_journal_cannot_be_written() -> None:
    world = World(is_last=lambda: True)
    first, link = world.join("a")
    world.journal.broken = True
    world.chat(first, "one")
    assert link.sent[-1]["payload"]["error"] == "journal_unavailable"
    world.chat(first, "two")
    world.journal.broken = False
    assert link.sent[-1]["payload"]["error"] == "journal_unavailable"
    world.loop.elapse()
    assert link.sent[-1]["payload"]["text"] == "two"


async def test_asyncio_loop_reports_pending_callbacks() -> None:
    loop = asyncio.get_running_loop()
    is_last = AsyncioLoop(loop).is_last
    told: list[bool] = []
    loop.call_soon(lambda: told.append(is_last()))
    loop.call_soon(lambda: told.append(is_last()))
    await asyncio.sleep(0.01)
    assert told == [False, True]


def test_of_another_loop_it_is_not_known() -> None:
    other = SimpleNamespace(call_soon=None, call_later=None)
    assert not AsyncioLoop(other).is_last()  # type: ignore[arg-type]


def test_an_exception_in_a_tick_is_logged_and_closes_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(is_last=lambda: True)
    first, link = world.join("a")
    with monkeypatch.context() as patches:
        patches.setattr(engine.Engine, "append", lambda *_: 1 // 0)
        world.chat(first, "lost")
    assert [record.message for record in caplog.records] == ["a tick failed"]
    world.chat(first, "heard")
    assert link.sent[-1]["payload"]["text"] == "heard"


@pytest.mark.parametrize("says_more_before", [False, True])
def test_urgent_envelopes_overtake_only_other_senders(says_more_before: bool) -> None:
    world = World()
    loud, _ = world.join("a")
    quiet, _ = world.join("b")
    world.send(loud, b'{"kind":"reasoning/start","id":"run"}')
    world.loop.run()
    world.journal.commits.clear()
    number = 2 * TICK
    for nth in range(number):
        world.chat(loud, f"{nth}", id=f"{nth}")
        world.clock.time += 1
    if says_more_before:
        world.chat(quiet, "before", id="before")
    fields = b'"id":"stop","to":"a","correlation_id":"run","payload":{"reason":"error"}'
    world.send(quiet, b'{"kind":"reasoning/interrupt",%s}' % fields)
    world.loop.run()
    entries = [entry for entry in world.journal.read(0) if isinstance(entry.event, Received)]
    said = [entry.event.envelope.id for entry in entries if isinstance(entry.event, Received)][1:]
    chats = [f"{nth}" for nth in range(number)]
    assert said == ([*chats, "before", "stop"] if says_more_before else ["stop", *chats])
    assert max(world.journal.commits) == TICK
    times = [entry.time for entry in entries]
    assert times == sorted(times), "the record runs back"


def test_a_tick_is_bounded_in_bytes_urgent_first() -> None:
    world = World()
    first, _ = world.join("a")
    second, link = world.join("b")
    world.send(first, b'{"kind":"reasoning/start","id":"run"}')
    world.loop.run()
    del world.journal.commits[:]
    for number in range(5):
        world.chat(first, "x" * (TICK_BYTES // 3), id=f"large {number}")
    stop = b'{"kind":"reasoning/interrupt","id":"stop","to":"a","correlation_id":"run","payload":{"reason":"timeout"}}'
    world.send(second, stop)
    world.loop.run()
    assert [commit for commit in world.journal.commits if commit] == [3, 2, 1]
    ids = [one["id"] for one in link.sent if one["id"].startswith(("large", "stop"))]
    assert ids == ["stop", *(f"large {number}" for number in range(5))]


def test_an_envelope_larger_than_a_tick_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "TICK_BYTES", 1_000)
    world = World()
    first, _ = world.join("a")
    del world.journal.commits[:]
    for size in (5_000, 100, 5_000, 100, 100):
        world.chat(first, "x" * size)
    world.loop.run()
    assert [commit for commit in world.journal.commits if commit] == [1, 1, 1, 2]
    world.chat(first, "x" * 5_000)
    world.chat(first, "x" * 5_000)
    world.broker.stop()
    assert sum(isinstance(entry.event, Received) for entry in world.journal.read(0)) == 7
