"""What waits while the journal cannot be written, and how long."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Unavailable
from mew_gateway.gateway import spaces
from mew_gateway.journal.base import Snapshot
from mew_gateway.space.events import Connected, DeadlinePassed, Disconnected, Received

from .test_hub import FragileJournal, World


class UnreadableJournal(FragileJournal):
    """A journal with a bad spot where its history is."""

    def find(self, space: str, id: str, *, limit: int = 100) -> Sequence[int]:
        raise Unavailable("a bad spot")


class NarrowJournal(FragileJournal):
    """A journal with room for entries and, but for the first, none for snapshots."""

    saves = 0

    def save(self, snapshot: Snapshot) -> None:
        self.saves += 1
        if self.saves > 1:
            raise Unavailable("no room for so much")
        super().save(snapshot)


def test_it_stays_closed_until_something_was_written_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="mew.hub")
    world = World()
    first, _ = world.join("a")
    world.loop.run()
    world.journal.broken = True
    world.chat(first, "refused")
    world.loop.run()
    for _ in range(3):  # nothing waits to be written
        world.loop.elapse()
        assert not world.hub.is_ready
        assert world.hub.unready == "The journal cannot be written."
    assert world.counters.unwritten == 4
    world.journal.broken = False
    world.loop.elapse()
    assert world.hub.unready is None
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_whoever_sent_too_much_for_it_is_told_and_read_again() -> None:
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


def test_a_deadline_that_passes_meanwhile_keeps_its_place() -> None:
    world = World()
    first, one = world.join("a")
    second, _ = world.join("b")
    world.send(first, b'{"kind":"reasoning/start","id":"run"}')
    interrupt = b'{"kind":"reasoning/interrupt","to":"a","correlation_id":"run","payload":{"reason":"timeout"}}'
    world.send(second, interrupt)
    world.loop.run()
    before = len(list(world.journal.read(0)))
    world.journal.broken = True
    world.chat(second, "refused")
    world.loop.run()
    world.hub.disconnect(second)
    world.clock.time += 30_000
    world.loop.elapse()
    world.chat(first, "refused, too")
    world.loop.elapse()
    world.journal.broken = False
    world.loop.elapse()
    world.chat(first, "taken")
    world.loop.run()
    entries = list(world.journal.read(0))[before:]
    assert [type(entry.event) for entry in entries] == [Disconnected, DeadlinePassed, Received]
    assert [entry.time for entry in entries] == sorted(entry.time for entry in entries)
    told = [sent["payload"].get("error") for sent in one.sent if sent["kind"] == "system/error"]
    assert told == ["journal_unavailable", "interrupt_ack_timeout"]


def test_history_that_cannot_be_read_holds_up_whoever_asks_for_it_and_nobody_else() -> None:
    world = World(journal=UnreadableJournal)
    first, _ = world.join("a")
    _, link = world.join("b", after="something")
    assert world.hub.is_ready
    assert link.sent[0]["kind"] == "system/welcome"
    assert (link.sent[1]["payload"]["error"], link.sent[1]["correlation_id"]) == ("history_unavailable", ["something"])
    world.chat(first, "still here")
    world.loop.run()
    assert link.sent[-1]["payload"] == {"text": "still here"}
    assert sum(isinstance(entry.event, Connected) for entry in world.journal.read(0)) == 2


def test_a_snapshot_that_finds_no_room_is_put_off_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(spaces, "SNAPSHOT_EVERY", 20)
    world = World(journal=NarrowJournal)
    first, one = world.join("a")
    for number in range(30):
        world.chat(first, str(number))
        world.loop.run()
        assert world.hub.is_ready
    assert [sent["payload"]["text"] for sent in one.sent if sent["kind"] == "chat"] == [str(n) for n in range(30)]
    tries = sum("No snapshot was kept" in record.message for record in caplog.records)
    assert 1 < tries <= 8  # every so many entries, not each
