"""The space that envelopes are thrown at: three participants, and something of everything that can be going on."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.space.effects import Deliver
from mew_gateway.space.events import Configured, Connected, Issued, Received
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import Bounds, Interrupts, Participant, Rate, SpaceSettings, Step, Watchdog

START = 1_800_000_000_000
NAMES = ("one", "two", "three")  # their connections are 1, 2 and 3

_BOUNDS = Bounds(
    open_sequences=6,
    open_streams=4,
    open_requests=4,
    open_proposals=4,
    remembered_ids=20,
    remembered_for=1_000,
    closed_sequences=3,
    settled_interrupts=3,
    grants=6,
    invitees=3,
)
_LADDER = (Step("notify"), Step("pause", 100), Step("revoke", 100), Step("kick", 100))
_INTERRUPTS = Interrupts(
    ack_deadline=1_000,
    emergency_ack_deadline=500,
    stopping_conclusion=300,
    completing_conclusion=800,
    per_sequence=Rate(4, 500),
    escalation=_LADDER,
    emergency_escalation=_LADDER,
)
_CAPABILITIES: dict[str, tuple[dict[str, Any], ...]] = {
    "one": ({"kind": "*"}, {"kind": "reasoning/interrupt"}),
    "two": (
        {"kind": "*", "payload": {"**": "!/x+y/"}},
        {"kind": "reasoning/interrupt", "payload": {"class": "!queue"}},
    ),
    "three": (
        {"kind": ["chat", "mcp/*", "acme/**"], "to": ["o*", "two"]},
        {"kind": "stream/*", "payload": {"$..a": "*"}},
    ),
}
_GOING_ON: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("one", "r1", {"kind": "reasoning/start", "payload": {"message": "x"}}),
    ("two", "r2", {"kind": "reasoning/start", "payload": {"message": "y"}}),
    ("two", "r3", {"kind": "reasoning/start", "payload": {"message": "y"}}),
    ("two", "r0", {"kind": "reasoning/start", "payload": {"message": "y"}}),
    ("two", "c0", {"kind": "reasoning/conclusion", "context": "r0", "payload": {"outcome": "done"}}),
    ("two", "i1", {"kind": "reasoning/interrupt", "to": "one", "correlation_id": "r1", "payload": {"reason": "error"}}),
    ("one", "i2", {"kind": "reasoning/interrupt", "to": "two", "correlation_id": "r2", "payload": {"reason": "error"}}),
    ("two", "a2", {"kind": "reasoning/interrupt-ack", "correlation_id": "i2", "payload": {"status": "stopping"}}),
    ("one", "q1", {"kind": "mcp/request", "to": "two", "payload": {"method": "tools/call", "params": {"a": [1, 2.5]}}}),
    ("one", "p1", {"kind": "mcp/proposal", "payload": {"method": "tools/call", "params": {"a": 1}}}),
    ("one", "p2", {"kind": "mcp/proposal", "to": "three", "payload": {"method": "x"}}),
    ("one", "g1", {"kind": "capability/grant", "payload": {"recipient": "three", "capabilities": [{"kind": "a"}]}}),
    ("one", "s1", {"kind": "stream/request", "payload": {"direction": "upload", "format": "text"}}),
    ("one", "s2", {"kind": "stream/request", "payload": {"direction": "download", "target": ["two", "three"]}}),
    ("one", "w1", {"kind": "stream/grant-write", "payload": {"stream_id": "stream-1", "participant_id": "two"}}),
    ("one", "v1", {"kind": "space/invite", "payload": {"participant_id": "guest"}}),
    ("one", "z1", {"kind": "participant/pause", "to": "three", "payload": {"timeout_seconds": 30}}),
)  # fmt: skip


def variants() -> tuple[SpaceSettings, ...]:
    """The same space under other rules: everybody sees all, or only whom it concerns; without types."""
    usual = _settings()
    return usual, replace(usual, routing="addressed"), replace(usual, validation="off")


def _settings() -> SpaceSettings:
    return SpaceSettings(
        id="s",
        participants={name: Participant(name, _CAPABILITIES[name], observe=name == "two") for name in NAMES},
        owner_grace=600,
        proposal_expiry=1_200,
        interrupts=_INTERRUPTS,
        watchdog=Watchdog(max_seconds=2, max_thoughts=3, max_bytes=600),
        bounds=_BOUNDS,
        invited_capabilities=({"kind": "chat"},),
    )


def set_up() -> dict[str, bytes]:
    """The snapshot of the space, with everything going on."""
    space = Space.configured(Configured(variants()[0], VERSION, "e"))
    for number, name in enumerate(NAMES, start=1):
        space.handle(Connected(number, name), START)
    for name, id, body in _GOING_ON:
        _say(space, name, {"id": id, **body})
    space.handle(Issued("guest", "v1", "one", bytes(32)), START)
    return space.snapshot()


def _say(space: Space, name: str, body: dict[str, Any]) -> None:
    frame, id = json.dumps(body).encode(), body["id"]
    _, data = receive(frame, Sealer(sender=name, new_id=lambda: id), now=START)
    effects = space.handle(Received(name, NAMES.index(name) + 1, zlib.crc32(frame), data), START)
    assert not list(_refusals(effects)), f"{body['id']}: {list(_refusals(effects))}"


def _refusals(effects: list[Any]) -> Iterator[bytes]:
    return (effect.data for effect in effects if isinstance(effect, Deliver) and effect.refusal)
