"""Containment of capabilities, case by case (docs/protocol.md §3): what cannot be shown is not contained."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.protocol.containment import contains as contains_compiled


def contains(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    return contains_compiled(compile_capability(outer), compile_capability(inner))


KINDS: list[tuple[Any, Any, bool]] = [
    # Equal patterns.
    ("chat", "chat", True),
    ("mcp/*", "mcp/*", True),
    ("!mcp/*", "!mcp/*", True),
    ("/^mcp/", "/^mcp/", True),
    ("a*b?c", "a*b?c", True),
    # A literal inside whatever matches it.
    ("mcp/*", "mcp/request", True),
    ("mcp/*", "mcp/a/b", True),
    ("mcp/*", "mcp", False),
    ("mcp/*", "mcp/", False),
    ("mcp/*", "mcp/../x", False),
    ("mcp/re*", "mcp/request", True),
    ("mcp/re*", "mcp/re/x", False),
    ("/^mcp/", "mcp/request", True),
    ("/^mcp/", "chat", False),
    ("!mcp/*", "chat", True),
    ("!mcp/*", "mcp/request", False),
    ("chat", "mcp/request", False),
    ("chat", "cha?", False),
    # Any string pattern inside `*`.
    ("*", "chat", True),
    ("*", "mcp/*", True),
    ("*", "**", True),
    ("*", "!chat", True),
    ("*", "/^a/", True),
    ("*", ["chat", "!x"], True),
    # A glob inside `P**`; but `*` alone also matches `..`, which `**` does not.
    ("mcp/**", "mcp/*", True),
    ("mcp/**", "mcp/a/*", True),
    ("mcp/**", "mcp/a?c/**", True),
    ("mc**", "mcp/*", True),
    ("mcp/**", "mcp*", False),
    ("mcp/**", "*", False),
    ("mcp/**", "?cp/*", False),
    ("mcp/**", "mcp/../*", False),
    ("mcp/**", "mcp/.a*", False),
    ("**", "a*", True),
    ("**", "*", False),
    ("**", "../*", False),
    ("**", "/x*/", False),  # a regular expression
    ("**", "!x*", False),
    # A glob inside `P*`: its rest has neither `/` nor `**`, nor `?`, which matches a `/`.
    ("mcp/re*", "mcp/req*", True),
    ("mcp/re*", "mcp/re*t", True),
    ("mcp/re*", "mcp/re**", False),
    ("mcp/re*", "mcp/re*/x", False),
    ("mcp/re*", "mcp/re?", False),
    ("mcp/re*", "mcp/r*", False),
    ("a*", "a/*", False),
    # In `kind`, `P/*` is everything below, and something must be there.
    ("mcp/*", "mcp/a*", True),
    ("mcp/*", "mcp/?", True),
    ("mcp/*", "mcp/a/**", True),
    ("mcp/*", "mcp/a/*", True),
    ("mcp/*", "mcp/*/*", True),
    ("mcp/*", "mcp/**", False),  # it matches `mcp/`
    ("mcp/*", "mcp*", False),
    ("mcp/*", "mcpx/*", False),
    ("mcp/*", "mcp/.*", False),
    # Globs of any other form contain only themselves and literals.
    ("*/request", "mcp*/request", False),
    ("m*p/*", "mp/*", False),
    ("?cp/*", "mcp/*", False),
    # Neither what is excluded nor a regular expression is reasoned about.
    ("!mcp/*", "chat*", False),
    ("!mcp/request", "!mcp/*", False),
    ("/mcp/", "mcp/*", False),
    ("/mcp/", "/^mcp/", False),
    ("mcp/*", "/^mcp.a$/", False),
    # Lists, element by element.
    (["chat", "mcp/*"], "mcp/request", True),
    (["chat", "mcp/*"], ["mcp/request", "chat"], True),
    (["chat", "mcp/*"], ["mcp/request", "acme"], False),
    ("mcp/*", ["mcp/request", "mcp/a*"], True),
    ("chat", ["chat", "mcp/*"], False),
    (["chat"], "chat", True),
    ("chat", ["chat"], True),
]


@pytest.mark.requirement("mew/3.6.7:nobody-grants-what-it-lacks")
@pytest.mark.parametrize(("outer", "inner", "expected"), KINDS, ids=str)
def test_kind(outer: Any, inner: Any, expected: bool) -> None:
    assert contains({"kind": outer}, {"kind": inner}) is expected


PAYLOADS: list[tuple[Any, Any, bool]] = [
    # More keys inside fewer.
    ({}, {"a": "x"}, True),
    ({"a": "x"}, {"a": "x", "b": "y"}, True),
    ({"b": "y", "a": "x"}, {"a": "x", "b": "y"}, True),
    ({"a": "x", "b": "y"}, {"a": "x"}, False),
    ({"a": "x"}, {"b": "x"}, False),
    ({"a": {"b": "x"}}, {"a": {"b": "x", "c": 1}}, True),
    ({"a": {"b": "x"}}, {"a": {"c": 1}}, False),
    ({"a": {}}, {"a": {"c": 1}}, True),
    ({"a": {}}, {"a": "x"}, False),
    ({"a": {}}, {"a": "*"}, False),
    # Strings. Behind a key, `P/*` is one segment.
    ({"a": "*"}, {"a": "x"}, True),
    ({"a": "*"}, {"a": "!x"}, True),
    ({"a": "*"}, {"a": 5}, False),
    ({"a": "*"}, {"a": None}, False),
    ({"a": "*"}, {"a": {}}, False),
    ({"a": "*"}, {}, False),
    ({"a": "tools/*"}, {"a": "tools/call"}, True),
    ({"a": "tools/*"}, {"a": "tools/a/b"}, False),
    ({"a": "tools/*"}, {"a": "tools/c*"}, True),
    ({"a": "tools/*"}, {"a": "tools/a/*"}, False),
    ({"a": "tools/**"}, {"a": "tools/a/*"}, True),
    ({"a": "tools/**"}, {"a": "tools/*"}, True),
    ({"a": "!rm"}, {"a": "ls"}, True),
    ({"a": "!rm"}, {"a": "l*"}, False),
    ({"a": "5"}, {"a": 5}, False),
    ({"a": 5}, {"a": "5"}, False),
    # Numbers, booleans and null.
    ({"a": 1}, {"a": 1}, True),
    ({"a": 1}, {"a": 1.0}, True),
    ({"a": 1}, {"a": True}, False),
    ({"a": True}, {"a": 1}, False),
    ({"a": 0}, {"a": False}, False),
    ({"a": None}, {"a": None}, True),
    ({"a": None}, {"a": 0}, False),
    ({"a": math.nan}, {"a": None}, False),
    ({"a": 2**53 + 1}, {"a": float(2**53)}, False),
    # Lists are alternatives, on both sides.
    ({"a": ["x", "y"]}, {"a": "x"}, True),
    ({"a": ["x", "y"]}, {"a": ["y", "x"]}, True),
    ({"a": ["x", "y"]}, {"a": ["x", "z"]}, False),
    ({"a": ["x", 5, {"b": 1}]}, {"a": {"b": 1, "c": 2}}, True),
    ({"a": ["x", 5]}, {"a": 5.0}, True),
    ({"a": "x"}, {"a": ["x"]}, True),
    ({"a": "x"}, {"a": ["x", "y"]}, False),
    ({"a": {"b": 1}}, {"a": [{"b": 1}, {"b": 1, "c": 2}]}, True),
    # Searches: the same key, and what it looks for contained.
    ({"k*": "x"}, {"k*": "x"}, True),
    ({"k*": "*"}, {"k*": "x"}, True),
    ({"k*": "x"}, {"k1": "x"}, False),  # among many keys it may not be found
    ({"k*": "x"}, {"k*": "*"}, False),
    ({"**": "a*"}, {"**": "ab"}, True),
    ({"**": ["x", "y"]}, {"**": "x"}, True),
    ({"**": "x"}, {"a": {"**": "x"}}, False),
    ({"$.a": "*"}, {"$.a": "x"}, True),
    ({"$.a": "x"}, {"a": "x"}, False),
    ({"**": "!x"}, {"**": "!x"}, True),
    ({"**": "!x"}, {"**": "y"}, False),  # `!x` is about every string
    ({"**": ["!x"]}, {"**": "y"}, False),
    ({"**": "*"}, {"**": "!x"}, False),
    ({"k*": "!x"}, {"k*": "y"}, True),
    # A search within a search spends what another would need.
    ({"k*": {"**": "x"}}, {"k*": {"**": "x"}}, True),
    ({"k*": {"**": "x"}}, {"k*": {"a": 1, "**": "x"}}, False),
    ({"k*": {"**": "x", "a": 1}}, {"k*": {"a": 1, "**": "x"}}, False),
    ({"a": [{"**": "x"}, {"b": 1}]}, {"a": {"b": 1}}, False),
    ({"a": [{"b": 1}, {"**": "x"}]}, {"a": {"b": 1}}, True),
    ({"a": [{"b": 1}, {"**": "x"}]}, {"a": {"**": "x"}}, True),
]


@pytest.mark.parametrize(("outer", "inner", "expected"), PAYLOADS, ids=str)
def test_payload(outer: Any, inner: Any, expected: bool) -> None:
    assert contains({"kind": "a", "payload": outer}, {"kind": "a", "payload": inner}) is expected
    assert contains({"kind": "b", "payload": outer}, {"kind": "a", "payload": inner}) is False


WHOLE: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    # Anything inside an absent payload or `to`; never the other way round.
    ({"kind": "a"}, {"kind": "a", "payload": {"x": 1}, "to": "b"}, True),
    ({"kind": "a", "payload": {"x": 1}}, {"kind": "a"}, False),
    ({"kind": "*", "payload": {"x": 1}}, {"kind": "a"}, False),
    ({"kind": "*", "payload": {"x": 1}}, {"kind": "a", "payload": {"x": 1}}, True),
    ({"kind": "a", "payload": {}}, {"kind": "a"}, True),  # a missing payload is `{}`
    ({"kind": "a", "to": "b"}, {"kind": "a"}, False),
    ({"kind": "a", "to": "*"}, {"kind": "a"}, False),  # a broadcast
    ({"kind": "a", "to": "*"}, {"kind": "a", "to": "b"}, True),
    ({"kind": "a", "to": ["b", "c-*"]}, {"kind": "a", "to": ["c-1", "b"]}, True),
    ({"kind": "a", "to": ["b", "c-*"]}, {"kind": "a", "to": ["c-1", "d"]}, False),
    ({"kind": "a", "to": "b/*"}, {"kind": "a", "to": "b/c/*"}, False),  # only in `kind` is that everything below
    # What may be an emergency is only inside a kind that is written out.
    ({"kind": "*"}, {"kind": "reasoning/interrupt"}, False),
    ({"kind": "reasoning/*"}, {"kind": "reasoning/interrupt", "payload": {"class": "emergency"}}, False),
    ({"kind": ["reasoning/interrupt"]}, {"kind": "reasoning/interrupt"}, False),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"class": "e*"}}, False),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "emergency"]}}, False),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"class": "!cancel"}}, False),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"reason": "timeout"}}, False),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"class": "cancel"}}, True),
    ({"kind": "*"}, {"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "queue"]}}, True),
    ({"kind": "*"}, {"kind": "reasoning/*"}, True),  # through which no emergency passes either
    ({"kind": "*"}, {"kind": ["reasoning/interrupt"]}, True),
    ({"kind": "reasoning/interrupt"}, {"kind": "reasoning/interrupt", "payload": {"class": "emergency"}}, True),
    ({"kind": "reasoning/interrupt", "payload": {"class": "cancel"}}, {"kind": "reasoning/interrupt"}, False),
]


@pytest.mark.requirement("mew/3.6.7:nobody-grants-what-it-lacks")
@pytest.mark.parametrize(("outer", "inner", "expected"), WHOLE, ids=str)
def test_capability(outer: dict[str, Any], inner: dict[str, Any], expected: bool) -> None:
    assert contains(outer, inner) is expected
