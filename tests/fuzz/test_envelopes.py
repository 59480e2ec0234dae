"""Garbage in: an envelope is accepted or refused with a documented code. Never another exception."""

from __future__ import annotations

import copy
import json
import random
import zlib
from collections import Counter
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.space.effects import Deliver
from mew_gateway.space.events import Configured, Connected, DeadlinePassed, Received
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import Participant, SpaceSettings

START = 1_800_000_000_000

SEEDS: list[dict[str, Any]] = [
    {"kind": "chat", "payload": {"text": "hi: 10:30", "format": "plain"}, "to": ["two"]},
    {"kind": "reasoning/start", "payload": {"message": "x"}},
    {"kind": "reasoning/thought", "context": "r1", "payload": {"message": "y"}},
    {"kind": "reasoning/conclusion", "context": "r1", "payload": {"outcome": "z"}},
    {"kind": "reasoning/cancel", "context": "r2/a", "payload": {"reason": "z"}},
    {
        "kind": "reasoning/interrupt",
        "to": ["one"],
        "correlation_id": ["r1"],
        "payload": {"reason": "other", "message": "m", "class": "cancel", "scope": "run", "confidence": 0.5},
    },
    {"kind": "reasoning/interrupt-ack", "correlation_id": ["i1"], "payload": {"status": "stopping"}},
    {"kind": "mcp/request", "to": ["two"], "payload": {"method": "tools/call", "params": {"a": [1, 2.5, None]}}},
    {"kind": "mcp/response", "correlation_id": ["q1"], "payload": {"result": {}}},
    {"kind": "mcp/proposal", "payload": {"method": "x", "params": {}}},
    {"kind": "system/heartbeat"},
    {"kind": "participant/status", "to": "one", "payload": {}},
    {"kind": "acme/x", "extra": {"deep": [[[{}]]]}},
]
VALUES: list[Any] = [
    None, True, False, 0, -1, 1e300, 2**64, -(2**63) - 1, "", "x" * 300, "r1", "i1", "one", "emergency", "stopping",
    [], [[]], ["r1", "r1"], [None], {}, {"": ""}, {"a": {"a": 1}}, ["one"], "reasoning/interrupt", "system/x", "\ud800",
]  # fmt: skip
PIECES = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u0000", b"\\ud800", b"NaN", b"1e999", b"\x00", b"\xff",
    b"\xed\xa0\x80", b"null", b'"id":"r1",', b'"kind":"chat"', b"[" * 70, b"9" * 5000, b" ", b"\n", b"'", b"//",
]  # fmt: skip


class Target:
    """A space with two participants who may do anything, and a few things going on in it."""

    def __init__(self) -> None:
        everything = ({"kind": "*"}, {"kind": "reasoning/interrupt"}, {"kind": "*", "payload": {"**": "!/x+/"}})
        settings = SpaceSettings(id="s", participants={name: Participant(name, everything) for name in ("one", "two")})
        self.space = Space.configured(Configured(settings, VERSION, "e"))
        self.now = START
        self.outcomes: Counter[str] = Counter()
        self.space.handle(Connected(1, "one"), self.now)
        self.space.handle(Connected(2, "two"), self.now)
        for id, body in (("r1", SEEDS[1]), ("r2", SEEDS[1]), ("i1", SEEDS[5]), ("q1", SEEDS[7])):
            assert self.take(json.dumps({"id": id, **body}).encode(), number=1) == "accepted"

    def take(self, frame: bytes, *, number: int = 0) -> str:
        """What becomes of a frame: `accepted`, or the code of its refusal. The two connections take turns."""
        self.now += 7
        outcome = self._take(frame, number or 1 + self.now % 2)
        assert outcome == "accepted" or outcome in ERRORS
        self.outcomes[outcome] += 1
        return outcome

    def _take(self, frame: bytes, number: int) -> str:
        name = ("one", "two")[number - 1]
        try:
            _, data = receive(frame, Sealer(sender=name, new_id=lambda: f"new-{self.now}"), now=self.now)
        except Rejected as rejected:
            return rejected.code
        if self.space.deadline is not None and self.space.deadline <= self.now:
            self.space.handle(DeadlinePassed(), self.now)
        for effect in self.space.handle(Received(name, number, zlib.crc32(frame), data), self.now):
            if isinstance(effect, Deliver) and effect.refusal:
                return str(json.loads(effect.data)["payload"]["error"])
        return "accepted"


def _mutated(rng: random.Random) -> bytes:
    """A seed with a few of its values replaced, fields moved or dropped, bytes cut, doubled or strewn in."""
    document: dict[str, Any] = copy.deepcopy(rng.choice(SEEDS))
    if rng.random() < 0.5:
        document |= {"protocol": "mew/v0.4", "ts": "t", "from": rng.choice(["one", "two"]), "id": f"m{rng.random()}"}
    for _ in range(rng.randrange(3)):
        holder = document["payload"] if "payload" in document and rng.random() < 0.5 else document
        if isinstance(holder, dict):
            known = [*holder, "id", "to", "context", "payload", "correlation_id", "class", "status", "from"]
            holder[rng.choice(known)] = copy.deepcopy(rng.choice(VALUES))
    frame = json.dumps(document, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    for _ in range(rng.choice([0, 0, 0, 1, 1, 3])):
        at = rng.randrange(len(frame) + 1)
        cut = at + rng.choice([0, 0, 1, 5])
        frame = frame[:at] + rng.choice([*PIECES, frame[at:cut], b""]) + frame[cut:]
    return frame


@pytest.mark.parametrize("seed", range(4))
def test_mutated_envelopes(seed: int) -> None:
    rng = random.Random(seed)
    target = Target()
    for _ in range(1_500):
        target.take(_mutated(rng))
    assert len(target.outcomes) > 12, "the mutations must reach more than the decoder"
    assert target.outcomes["accepted"] > 100


def test_random_bytes() -> None:
    rng = random.Random(0)
    target = Target()
    for _ in range(2_000):
        length = rng.choice([0, 1, 2, 8, 64, 512])
        assert target.take(rng.randbytes(length)) in ("invalid_json", "invalid_envelope", "invalid_number")


def test_json_of_random_pieces() -> None:
    rng = random.Random(0)
    target = Target()
    for _ in range(2_000):
        target.take(b"".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 30))))


@pytest.mark.parametrize(
    "field", ["protocol", "id", "ts", "from", "kind", "to", "correlation_id", "context", "payload"]
)
def test_every_field_with_every_value(field: str) -> None:
    target = Target()
    for seed in SEEDS:
        for value in VALUES:
            target.take(json.dumps({**seed, field: value}).encode())
    assert len(target.outcomes) > 1


@pytest.mark.parametrize("field", ["text", "method", "params", "reason", "message", "class", "status", "outcome"])
def test_every_payload_field_with_every_value(field: str) -> None:
    target = Target()
    for seed in SEEDS:
        for value in VALUES:
            target.take(json.dumps({**seed, "payload": {**seed.get("payload", {}), field: value}}).encode())
    assert target.outcomes["accepted"]
