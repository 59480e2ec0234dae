"""What was interrupted is kept for ever, whatever interrupted it (docs/interruption.md §8)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mew_gateway.gateway.broker.spaces.history_view import _head_of
from mew_gateway.space.events import Received

from ..kit.broker import World

ENDS: dict[str, list[dict[str, Any]]] = {
    "a chat": [
        {"from": "b", "kind": "chat", "id": "stop", "to": ["a"], "payload": {"text": "stop!"}},
        {
            "kind": "chat/acknowledge",
            "id": "ack",
            "to": ["b"],
            "correlation_id": ["stop"],
            "payload": {"status": "received"},
        },
        {
            "kind": "reasoning/conclusion",
            "id": "end",
            "context": "run",
            "payload": {"interrupted": True, "interrupt_id": "stop"},
        },
    ],
    "a restart": [
        {"from": "b", "kind": "participant/restart", "id": "stop", "to": ["a"]},
        {
            "kind": "chat/acknowledge",
            "id": "ack",
            "to": ["b"],
            "correlation_id": ["stop"],
            "payload": {"status": "received"},
        },
        {"kind": "reasoning/conclusion", "id": "end", "context": "run"},
    ],
    "a shutdown": [
        {"from": "b", "kind": "participant/shutdown", "id": "stop", "to": ["a"]},
        {"kind": "reasoning/conclusion", "id": "end", "context": "run"},
    ],
    "a kick": [{"from": "b", "kind": "space/kick", "id": "stop", "payload": {"participant_id": "a"}}],
    "a cancel of its owner": [{"kind": "reasoning/cancel", "id": "stop", "context": "run"}],
}


@pytest.mark.parametrize("cause", ENDS)
def test_an_interrupted_sequence_is_never_pruned(cause: str) -> None:
    world = World()
    ends = ENDS[cause]
    thoughts: list[dict[str, Any]] = [
        {"kind": "chat", "id": "before", "payload": {"text": "hm"}},
        {"kind": "reasoning/start", "id": "run"},
        {"kind": "reasoning/thought", "id": "thought", "context": "run"},
        {"from": "b", "kind": "chat", "id": "besides", "to": ["a"], "payload": {"text": "hm"}},
    ]
    connections = {name: world.join(name)[0] for name in ("a", "b")}
    for said in (*thoughts, *ends):
        world.send(connections[said.get("from", "a")], json.dumps(said).encode())
        world.loop.run()
    assert _pruned(world) == ["run", "thought", *(said["id"] for said in ends)]


def test_a_sequence_that_was_not_interrupted_is_pruned() -> None:
    world = World()
    connection, _ = world.join("a")
    for said in (
        {"kind": "reasoning/start", "id": "run"},
        {"kind": "reasoning/conclusion", "id": "end", "context": "run", "payload": {"interrupted": "no"}},
    ):
        world.send(connection, json.dumps(said).encode())
        world.loop.run()
    assert _pruned(world) == []


def test_a_lost_sequence_is_never_pruned() -> None:
    world = World()
    connection, _ = world.join("a")
    world.send(connection, b'{"kind":"reasoning/start","id":"run"}')
    world.loop.run()
    world.broker.disconnect(connection)
    world.loop.run()
    world.clock.time += 30_000
    world.broker.check_deadlines()
    world.loop.run()
    assert world.broker.engine["one"].machine.state.closed["run"].outcome == "lost"
    assert _pruned(world) == ["run"]


def _pruned(world: World) -> list[str]:
    """Prune all that may be pruned. Return the ids of the envelopes of participants that are left."""
    engine = world.broker.engine
    engine.save()
    engine.prune(older_than=2**62, limit=1_000)
    left = [one.entry.event for one in engine.records("one", after=0, limit=1_000)]
    return [_head_of(event).id for event in left if isinstance(event, Received)]
