"""Capability patterns: compiled, matched, held against one another.

An input is JSON, `{"outer": capability, "inner": capability, "kind", "payload", "to"}`: whether what `inner` lets
through `outer` lets through, too, is asked about the envelope that the rest describes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability
from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.protocol.containment import contains
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.explain import explain
from mew_gateway.protocol.reasons import EMERGENCY, INTERRUPT, with_class
from mew_gateway.space.participants.grants import check_size

from .scatter import scatter
from .spoiling import spoil, written

PATTERNS: tuple[Any, ...] = (
    *("*", "**", "a", "a*", "a/*", "a/**", "*b*", "?", "a?b", "!a", "!*", "!/b/", "/^a/", "/a|b/", "/(a*)*$/", "/./"),
    *("mcp/*", "tools/**", "../*", ".", "/\\p{L}+/", "/(?i)A{1,50}/", 1, 1.0, 1.5, True, False, None, 0, 2**63),
    *(
        ["a", "!b"],
        ["*"],
        {"a": "*"},
        {"**": "a"},
        {"**": "!b"},
        {"*": "a*"},
        {"a*": 1},
        {"$..a": "a"},
        {"$.a[0]": "*"},
    ),
    *(
        {"$.*": "!a"},
        {"$[?@.a]": 1},
        {"$['a','b'][1:3]": "a"},
        {"$..*": {"**": "a"}},
        {"a": {"b": ["a", {"**": 1}]}},
        {},
    ),
)
VALUES: tuple[Any, ...] = (
    *("a", "b", "ab", "a/b", "a/../b", "", ".", "é", "aaaaaaaaaaaaaaaaaaaaaaaa!", 1, 1.0, 1.5, True, None, 2**64 - 1),
    *([], ["a", "b"], [["a"]], {}, {"a": "a"}, {"a": {"a": ["a", {"b": 1}]}}, [{"a": 1}, {"a": "b"}], list(range(50))),
)
_KEYS = ("a", "b", "ab", "method", "class")
_SEARCHES = ("*", "a*", "?", "**", "**", "$..a", "$.*", "$.a", "$['a','b']", "$[0:2]", "$..*")
_KINDS = ("a", "chat", "mcp/request", "mcp/a/b", INTERRUPT, INTERRUPT, "acme/x")
_CLASSES = ("queue", "cancel", EMERGENCY)
WORDS = ("kind", "payload", "to", "outer", "inner", *_KEYS, *_SEARCHES, *_KINDS, *_CLASSES, "!*", "/a/", "one")
_BYTES = (
    *(word.encode() for word in WORDS),
    *(
        b"(",
        b")",
        b"|",
        b"+",
        b"{1,1000}",
        b"(?:",
        b"[^",
        b"\\\\p{Greek}",
        b"$..",
        b"[?@.a]",
        b"['",
        b"']",
        b"::-1",
        b"**/**",
    ),
)
_ASKED: tuple[dict[str, Any], ...] = (
    {"outer": {"kind": "*"}, "inner": {"kind": "mcp/*", "payload": {"method": "tools/*"}}, "kind": "mcp/request"},
    {"outer": {"kind": INTERRUPT}, "inner": {"kind": INTERRUPT, "payload": {"class": "cancel"}}, "kind": INTERRUPT},
    {"outer": {"kind": ["a*", "b"], "to": "*"}, "inner": {"kind": "a/b", "to": ["one"]}, "kind": "a/b", "to": ["one"]},
)


def _asking(pattern: Any) -> dict[str, Any]:
    return {"outer": {"kind": "*", "payload": {"a": pattern}}, "inner": {"kind": "a"}, "payload": {"a": "b"}}


class Patterns:
    """The target."""

    def __init__(self) -> None:
        self.seeds: Sequence[bytes] = [json.dumps(one).encode() for one in (*_ASKED, *map(_asking, PATTERNS))]

        self.outcomes: Counter[str] = Counter()

    def vary(self, rng: Random, data: bytes) -> bytes:
        if rng.random() < 0.1:
            return scatter(rng, data, words=_BYTES, others=self.seeds)
        asked = self._drawn(rng) if rng.random() < 0.8 else _heard(data)
        for _ in range(rng.choice((0, 0, 1, 2, 4))):
            asked = spoil(rng, asked, WORDS)
        text = written(rng, asked)
        return scatter(rng, text, words=_BYTES, others=[text], most=2) if rng.random() < 0.15 else text

    def _drawn(self, rng: Random) -> dict[str, Any]:
        """Two capabilities that may well contain one another, and an envelope that may well match."""
        inner: dict[str, Any] = {"kind": rng.choice(_KINDS), "payload": _object(rng, 3)}
        outer = {"kind": rng.choice((inner["kind"], "*", "**", ["*", "a"])), "payload": _wider(rng, inner["payload"])}
        asked = {"outer": outer, "inner": inner, "kind": inner["kind"], "payload": _matching(rng, inner["payload"])}
        if rng.random() < 0.3:
            inner["to"], outer["to"], asked["to"] = rng.choice(("one", ["o*", "two"])), rng.choice(("*", "o*")), ["one"]
        return asked

    def one(self, data: bytes) -> None:
        asked = _heard(data)
        outer, inner = (_compiled(asked.get(name)) for name in ("outer", "inner"))
        envelope = _envelope(asked)
        if outer is None or inner is None or envelope is None:
            self.outcomes["refused"] += 1
            return
        assert contains(inner, inner), "a capability is not inside itself"
        let_through = [_lets_through(one, envelope) for one in (outer, inner)]
        for one, expected in zip((outer, inner), let_through, strict=True):
            told = explain([one.source], envelope)
            assert told.allowed is expected, "the explanation says something else than the decision"
            assert told.allowed or (told.fault is not None and told.fault.why), "a refusal without a reason"
        contained = contains(outer, inner)
        self.outcomes[f"contained: {contained}, let through: {let_through[1]}"] += 1
        assert not contained or let_through[0] or not let_through[1], "what is contained lets more through"


def _heard(data: bytes) -> dict[str, Any]:
    """As an envelope brings it: what an envelope cannot bring never gets to the patterns."""
    frame = b'{"kind":"capability/grant","payload":{"asked":%s}}' % data
    try:
        envelope, _ = receive(frame, Sealer(sender="one", new_id=lambda: "new"), now=0)
    except Rejected:
        return {}
    asked = (envelope.payload or {}).get("asked")
    return asked if isinstance(asked, dict) else {"outer": asked, "inner": asked}


def _compiled(source: Any) -> Capability | None:
    try:
        check_size("one", [source])
        capability = compile_capability(source, "asked")
    except Rejected as rejected:
        assert rejected.code in ("invalid_capability", "too_many_grants")
        assert rejected.message
        return None
    assert compile_capability(capability.source).source == source, "it is told otherwise than it was given"
    return capability


def _envelope(asked: dict[str, Any]) -> Envelope | None:
    told: dict[str, Any] = {key: asked[key] for key in ("kind", "payload", "to") if key in asked}
    body: dict[str, Any] = {"protocol": "mew/v0.4", "id": "x", "ts": "t", "from": "one", "kind": "a", **told}
    try:
        return msgspec.convert(body, Envelope)
    except msgspec.ValidationError:
        return None


def _lets_through(capability: Capability, envelope: Envelope) -> bool:
    """As the space decides: an emergency has its own rule."""
    capabilities, to = Capabilities([capability]), envelope.to or ()
    if envelope.kind != INTERRUPT:
        return capabilities.allow(envelope.kind, envelope.payload, to)
    payload = with_class(envelope.payload)
    if payload["class"] == EMERGENCY:
        return capabilities.allow_emergency(envelope.kind, payload, to)
    return capabilities.allow(envelope.kind, payload, to)


def _object(rng: Random, levels: int) -> dict[str, Any]:
    keys = rng.sample((*_KEYS, *_KEYS, *_SEARCHES), rng.randrange(4))
    return {key: rng.choice(_CLASSES) if key == "class" else _pattern(rng, levels - 1) for key in keys}


def _pattern(rng: Random, levels: int) -> Any:
    if levels and rng.random() < 0.5:
        if rng.random() < 0.3:
            return [_pattern(rng, levels - 1) for _ in range(rng.randint(1, 3))]
        return _object(rng, levels)
    return _glob(rng) if rng.random() < 0.4 else rng.choice(PATTERNS)


def _glob(rng: Random) -> str:
    """Few letters, and all that is special: what is drawn twice often meets."""
    return "".join(rng.choices(("a", "b", "/", ".", "*", "*", "**", "?"), k=rng.randint(1, 4)))


def _wider(rng: Random, pattern: Any) -> Any:
    """A pattern that may well contain this one."""
    if isinstance(pattern, dict):
        return {key: _wider(rng, wanted) for key, wanted in pattern.items() if rng.random() < 0.8}
    if isinstance(pattern, str) and rng.random() < 0.5:
        start = pattern[: rng.randrange(len(pattern) + 1)]
        return rng.choice(("*", f"{start}*", f"{start}**", [pattern, "b"], ["b", pattern], _glob(rng), _glob(rng)))
    return [pattern, *rng.choices(PATTERNS, k=1)] if rng.random() < 0.1 else pattern


def _matching(rng: Random, pattern: Any) -> Any:
    """A value that a pattern may well let through."""
    if isinstance(pattern, list):
        return _matching(rng, rng.choice(pattern))
    if isinstance(pattern, dict):
        more = {rng.choice(_KEYS): rng.choice(VALUES)}
        named = {key if key in _KEYS else rng.choice(_KEYS): _matching(rng, item) for key, item in pattern.items()}
        return rng.choice(({**more, **named}, {**named, **more}, named))
    if not isinstance(pattern, str) or rng.random() < 0.1:
        return pattern
    if pattern[:1] in ("!", "/"):
        return rng.choice(VALUES)
    return (
        pattern.replace("**", rng.choice(("", "a/b", "..")))
        .replace("*", rng.choice(("", "a", ".", "/")))
        .replace("?", "/")
    )
