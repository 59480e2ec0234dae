"""A space from its snapshot or its first entry, also where another version of the machine wrote it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mew_gateway.errors import CorruptJournal
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.spaces.engine import Engine
from mew_gateway.gateway.broker.spaces.replay import check_version
from mew_gateway.gateway.broker.spaces.space_runtime import SpaceRuntime
from mew_gateway.gateway.event_loop import RandomIds
from mew_gateway.journal.base import Draft, Entry, Snapshot
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.space.events import Configured, Connected, DeadlinePassed, Received, Restarted
from mew_gateway.space.machine import VERSION
from mew_gateway.space.settings import Participant, SpaceSettings

SETTINGS = SpaceSettings("demo", {"ann": Participant("ann", ({"kind": "*"},))})

# As version 1 wrote it: without everything that has come since.
OLD_STATE: dict[str, Any] = {
    "settings": {
        "id": "demo",
        "participants": {"ann": {"id": "ann", "capabilities": [{"kind": "*"}], "observe": False}},
        "description": "",
        "routing": "visible",
        "validation": "strict",
        "owner_grace": 30_000,
        "interrupts": {
            "ack_deadline": 30_000,
            "emergency_ack_deadline": 2_000,
            "stopping_conclusion": 5_000,
            "completing_conclusion": 60_000,
            "per_sequence": {"count": 5, "per": 10_000},
            "escalation": [{"name": "notify", "after": 0}],
        },
        "bounds": {"open_sequences": 64, "open_requests": 256},
    },
    "version": 1,
    "epoch": "e",
    "issued": 7,
    "ordinal": 3,
    "last_connection": 4,
    "connections": {4: "ann"},
    "sequences": {
        "run": {
            "id": "run",
            "owner": "ann",
            "ordinal": 3,
            "opened_at": 5,
            "message": "hm",
            "thoughts": 2,
            "interrupts": ["stop"],
            "asked": {"ann": [6]},
        }
    },
    "interrupts": {
        "stop": {
            "id": "stop",
            "kind": "reasoning/interrupt",
            "sequence": "run",
            "ordinal": 3,
            "target": "ann",
            "sender": "ann",
            "reason": "timeout",
            "class_": "cancel",
            "message": None,
            "accepted_at": 6,
            "data": b"{}",
            "deadline": 30_006,
            "status": "pending",
            "steps": [["pending", 6]],
        }
    },
    "requests": {"ask": {"id": "ask", "sender": "ann", "awaited": ["ann"]}},
    "asking": {"ann": ["ask"]},
    "deadlines": [[30_006, 1, "ack", "stop"]],
    "timers": 1,
}
OLD_SNAPSHOT = {"state": msgspec.msgpack.encode([OLD_STATE, {}])}


def at(position: int, event: Any, time: int = 10) -> Entry:
    return Entry(position, "demo", time, event)


def test_a_snapshot_of_the_version_before_goes_on() -> None:
    runtime = SpaceRuntime.restored("demo", OLD_SNAPSHOT, {})
    machine = runtime.machine
    check_version(at(1, Configured(SETTINGS, VERSION, "e")), runtime)
    machine.handle(Configured(SETTINGS, VERSION, "e"), 10)
    check_version(at(2, Restarted()), runtime)
    machine.handle(Restarted(), 10)
    assert machine.state.version == VERSION
    assert machine.state.connections == {}
    assert machine.state.visible_since == 0
    assert machine.deadline == 30_006
    machine.handle(Connected(5, "ann"), 11)
    start = b'{"protocol":"mew/v0.4","id":"new","ts":"t","from":"ann","kind":"reasoning/start","payload":{}}'
    machine.handle(Received("ann", 5, 0, start), 12)
    assert list(machine.state.sequences) == ["run", "new"]
    machine.handle(DeadlinePassed(), 30_006)
    assert machine.state.settled["stop"].status == "timed_out"
    again = SpaceRuntime.restored("demo", machine.snapshot(), {})
    assert again.machine.state == machine.state


@pytest.mark.parametrize("event", [Connected(9, "ann"), Restarted(), Configured(SETTINGS, 1, "e")])
def test_entries_of_an_earlier_version_are_not_replayed(event: Any) -> None:
    runtime = SpaceRuntime.restored("demo", OLD_SNAPSHOT, {})
    with pytest.raises(CorruptJournal, match=r"left in the middle by version 1 .*stop it in good order"):
        check_version(at(8, event), runtime)


def left_by_version_1(*events: Any) -> Engine:
    """Return the spaces that a start makes of what version 1 saved, and these events after it."""
    journal = MemoryJournal()
    journal.append([Draft("demo", 5, Configured(SETTINGS, 1, "e"))], [])
    journal.save(Snapshot(1, 5, {f"demo/{part}": data for part, data in OLD_SNAPSHOT.items()}))
    journal.append([Draft("demo", 10, event) for event in events], [])
    return Engine(journal, links={}, counters=Counters())


def test_a_start_after_a_new_version_begins_with_configured() -> None:
    started = left_by_version_1()
    started.apply(started.append(started.start({"demo": SETTINGS}, now=20, ids=RandomIds())))
    state = started["demo"].machine.state
    assert (state.version, state.epoch, list(state.sequences)) == (VERSION, "e", ["run"])


def test_a_start_interrupted_after_the_configuration_is_completed() -> None:
    started = left_by_version_1(Configured(SETTINGS, VERSION, "e"), Restarted(), Connected(9, "ann"))
    assert started["demo"].machine.state.connections == {9: "ann"}


def test_a_start_after_a_crash_of_an_earlier_version_fails() -> None:
    with pytest.raises(CorruptJournal, match="version 1"):
        left_by_version_1(Connected(9, "ann"))


def test_the_first_entry_of_a_space_configures_it() -> None:
    assert SpaceRuntime.opened(at(1, Configured(SETTINGS, VERSION, "e")), {}).machine.state.settings == SETTINGS
    with pytest.raises(CorruptJournal, match="which was never configured"):
        SpaceRuntime.opened(at(1, Restarted()), {})


@pytest.mark.parametrize("parts", [{}, {"state": b"junk"}, {**OLD_SNAPSHOT, "ids/ann/0": b"junk"}])
def test_a_snapshot_that_cannot_be_read(parts: dict[str, bytes]) -> None:
    with pytest.raises(CorruptJournal, match="the snapshot of the space 'demo' cannot be read"):
        SpaceRuntime.restored("demo", parts, {})
