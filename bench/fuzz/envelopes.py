"""Envelopes: bytes through `receive`, then `Space.handle`, in a space where something of everything is going on.

An input is a script, a step a line: `1{…}` is a frame from the first participant (`2`, `3`), `t500` lets 500 ms pass,
`d` the next deadline, `+1` joins once more, `-1` leaves, `r` restarts the gateway, `i` issues a token that was asked
for, `s` goes on from a snapshot, `c0` configures anew, `f1stream-1` is a stream's frame; any other line is a frame.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from mew_gateway.protocol.kinds import KINDS

from .play import Play
from .scatter import scatter
from .spoiling import spoil, written
from .stage import NAMES, set_up, variants

_MOST_STEPS = 40
_SHADOWED = 8  # one input in so many is played a second time, and looked at closely

BODIES: tuple[dict[str, Any], ...] = (
    {"kind": "chat", "payload": {"text": "hi: 10:30", "format": "plain"}, "to": ["two"]},
    {"kind": "chat/acknowledge", "correlation_id": "q1", "payload": {"status": "read"}},
    {"kind": "chat/cancel", "correlation_id": "q1"},
    {"kind": "mcp/request", "to": ["two"], "payload": {"method": "tools/call", "params": {"a": [1, 2.5, None]}}},
    {"kind": "mcp/request", "correlation_id": "p1", "payload": {"method": "tools/call", "params": {"a": 1}}},
    {"kind": "mcp/response", "correlation_id": ["q1"], "payload": {"result": {}}},
    {"kind": "mcp/proposal", "context": "r1", "payload": {"method": "x", "params": {}}},
    {"kind": "mcp/withdraw", "correlation_id": "p1", "payload": {"reason": "no"}},
    {"kind": "mcp/reject", "correlation_id": ["p1", "p2"]},
    {"kind": "reasoning/start", "id": "r9", "payload": {"message": "x", "span": {"span_id": "s"}}},
    {"kind": "reasoning/thought", "context": "r1", "payload": {"message": "y"}},
    {"kind": "reasoning/thought", "context": "r2/deep", "payload": {"message": "y", "n": 2}},
    {"kind": "reasoning/conclusion", "context": "r1", "payload": {"outcome": "z"}},
    {"kind": "reasoning/conclusion", "context": "r2", "payload": {"message": "z", "interrupted": True}},
    {"kind": "reasoning/cancel", "context": "r3", "payload": {"reason": "z"}},
    {"kind": "reasoning/interrupt", "to": ["two"], "correlation_id": ["r3"],
     "payload": {"reason": "other", "message": "m", "class": "cancel", "scope": "run", "confidence": 0.5}},
    {"kind": "reasoning/interrupt", "id": "i9", "to": "two", "correlation_id": "r3",
     "payload": {"reason": "error", "class": "emergency"}},
    {"kind": "reasoning/interrupt-ack", "correlation_id": ["i1"], "payload": {"status": "completing_thought"}},
    {"kind": "reasoning/interrupt-ack", "correlation_id": "i9",
     "payload": {"status": "continuing", "outcome": "halt_after_span", "stop_by": "2027-01-15T08:00:01Z"}},
    {"kind": "capability/grant", "payload": {"recipient": "three", "expires_at": "2027-01-15T08:00:02Z",
     "capabilities": [{"kind": "mcp/*", "payload": {"method": "tools/*", "$.params..a": "!x"}}]}},
    {"kind": "capability/grant", "payload": {"recipient": "guest", "capabilities": [{"kind": ["chat", "acme/**"]}]}},
    {"kind": "capability/revoke", "payload": {"recipient": "three", "grant_id": "g1"}},
    {"kind": "capability/revoke", "payload": {"recipient": "two", "capabilities": [{"kind": "chat"}, {"kind": "*"}]}},
    {"kind": "capability/grant-ack", "correlation_id": "g1", "payload": {"status": "accepted"}},
    {"kind": "space/invite", "payload": {"participant_id": "guest2", "initial_capabilities": [{"kind": "chat"}]}},
    {"kind": "space/kick", "payload": {"participant_id": "three", "reason": "z"}},
    {"kind": "participant/pause", "to": "two", "payload": {"timeout_seconds": 0.3}},
    {"kind": "participant/resume", "to": "two", "correlation_id": "i9"},
    {"kind": "participant/resume", "to": "three"},
    {"kind": "participant/shutdown", "to": ["two"]},
    {"kind": "participant/status", "to": "one", "payload": {"tokens": 1.5, "messages_in_context": 2.0}},
    {"kind": "participant/request-status", "to": "two", "payload": {"fields": ["tokens"]}},
    {"kind": "participant/forget", "to": "two", "payload": {"direction": "oldest", "entries": 3}},
    {"kind": "participant/compact", "to": "two", "payload": {"target_tokens": 100}},
    {"kind": "participant/compact-done", "to": "one", "payload": {"freed_tokens": 1, "skipped": False}},
    {"kind": "participant/clear", "to": "two"},
    {"kind": "participant/restart", "to": "two"},
    {"kind": "stream/request", "payload": {"direction": "upload", "content_type": "a/b", "metadata": {"a": [1]}}},
    {"kind": "stream/close", "payload": {"stream_id": "stream-1"}},
    {"kind": "stream/close", "correlation_id": "s2"},
    {"kind": "stream/grant-write", "payload": {"stream_id": "stream-1", "participant_id": "two"}},
    {"kind": "stream/revoke-write", "payload": {"stream_id": "stream-1", "participant_id": "two"}},
    {"kind": "stream/transfer-ownership", "payload": {"stream_id": "stream-1", "new_owner": "two"}},
    {"kind": "system/heartbeat"},
    {"kind": "acme/x", "extra": {"deep": [[[{}]]]}, "payload": {"a": "b"}},
)  # fmt: skip
_COMPLETE = {"protocol": "mew/v0.4", "ts": "2027-01-15T08:00:00Z", "from": "one", "id": "m1"}
_OTHERS = (
    *(b"t1", b"t299", b"t700", b"t2500", b"t31000", b"d", b"d", b"+1", b"+2", b"-1", b"-2", b"-3", b"r", b"i", b"s"),
    *(b"c0", b"c1", b"c2", b"f1stream-1", b"f2stream-1", b"f3stream-2", b"2#stream-1#x"),
)
_NAMES_OF_FIELDS = sorted({name for kind in KINDS.values() for name in kind.payload.__struct_encode_fields__})
WORDS: tuple[str, ...] = (
    *(
        "r0",
        "r1",
        "r2",
        "r3",
        "r9",
        "r2/deep",
        "i1",
        "i2",
        "i9",
        "q1",
        "p1",
        "p2",
        "g1",
        "z1",
        "v1",
        "s1",
        "m1",
        "gw-1",
    ),
    *(*NAMES, "guest", "guest2", "nobody", "gateway", "system:gateway", "stream-1", "stream-2", "stream-9"),
    *(*KINDS, "system/welcome", "system/x", "stream/open", "acme/x", "mew/v0.3", "mew/v1", "emergency", "stopping"),
    *(
        "continuing",
        "ignored",
        "halt_after_span",
        "timeout",
        "redirect",
        "other",
        "upload",
        "9999-12-31T23:59:59-12:00",
    ),
    *("protocol", "id", "ts", "from", "kind", "to", "correlation_id", "context", "payload", *_NAMES_OF_FIELDS),
)
_TWINS = tuple(b'"%s":"%s",' % (key.encode(), value.encode()) for key, value in (
    ("id", "r1"), ("kind", "chat"), ("from", "two"), ("reason", "x"), ("to", "one"), ("payload", "")))  # fmt: skip
_BYTES = (*(word.encode() for word in WORDS), *_TWINS, *(b"\n" + step for step in _OTHERS))


def _line(number: int, body: dict[str, Any]) -> bytes:
    return b"%d" % number + json.dumps(body).encode()


class Envelopes:
    """The target. Each input begins with the space as `stage` has set it up."""

    def __init__(self) -> None:
        self.seeds: Sequence[bytes] = [_line(1 + number % 2, body) for number, body in enumerate(BODIES)]
        self._parts = set_up()
        self._variants = variants()
        self.outcomes: Counter[str] = Counter()

    def vary(self, rng: Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
            lines.insert(rng.randrange(len(lines) + 1), self._drawn(rng))
        lines = [self._spoiled(rng, line) if rng.random() < 0.5 else line for line in lines]
        script = b"\n".join(lines)
        if rng.random() < 0.1:
            script = scatter(rng, script, words=_BYTES, others=self.seeds)
        return script

    def _drawn(self, rng: Random) -> bytes:
        if rng.random() < 0.35:
            return rng.choice(_OTHERS)
        body = rng.choice(BODIES)
        return _line(rng.choice((1, 1, 2, 2, 3)), {**_COMPLETE, **body} if rng.random() < 0.1 else body)

    def _spoiled(self, rng: Random, line: bytes) -> bytes:
        try:
            body = json.loads(line[1:])
        except (ValueError, RecursionError):
            return line
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            body = spoil(rng, body, WORDS)
        text = written(rng, body)
        return line[:1] + (text.replace(b"{", b"{" + rng.choice(_TWINS), 1) if rng.random() < 0.05 else text)

    def one(self, data: bytes) -> None:
        play = Play(self._parts, self._variants, shadowed=zlib.crc32(data) % _SHADOWED == 0)
        for line in data.split(b"\n")[:_MOST_STEPS]:
            self.outcomes[play.step(line)] += 1
        play.end()
