"""Why an envelope passes or does not: the capability that decides, and the place in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.explain import Explanation, Fault, explain
from mew_gateway.protocol.reasons import EMERGENCY, INTERRUPT, with_class


def envelope(kind: str, payload: dict[str, Any] | None = None, to: list[str] | None = None) -> Envelope:
    return Envelope("mew/v0.4", "e1", "2027-01-15T08:00:00Z", "agent", kind, to=to, payload=payload)


CALL = envelope(
    "mcp/request", {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}}, ["calculator"]
)


def fault(*capabilities: dict[str, Any], of: Envelope = CALL) -> Fault:
    explanation = explain(capabilities, of)
    assert not explanation.allowed and explanation.fault is not None
    return explanation.fault


def test_first_capability_that_allows_is_named() -> None:
    capabilities: list[dict[str, Any]] = [
        {"kind": "chat"},
        {"kind": "mcp/*", "payload": {"method": "tools/*"}},
        {"kind": "*"},
    ]
    assert explain(capabilities, CALL) == Explanation(True, 1, capabilities[1])


def test_no_capabilities_give_no_closest_one() -> None:
    assert explain([], CALL) == Explanation(False)


def test_explain_refuses_an_invalid_pattern_with_its_place() -> None:
    with pytest.raises(Rejected, match=r"capabilities\[1\].kind"):
        explain([{"kind": "chat"}, {"kind": "/(/"}], CALL)


FAULTS: list[tuple[dict[str, Any], str, Any, Any]] = [
    ({"kind": "chat"}, "kind", "chat", "mcp/request"),
    ({"kind": ["chat", "mcp/re"]}, "kind", ["chat", "mcp/re"], "mcp/request"),
    ({"kind": "mcp/*", "to": "solver"}, "to", "solver", ["calculator"]),
    ({"kind": "mcp/*", "to": "solver", "payload": {"method": "x"}}, "to", "solver", ["calculator"]),
    ({"kind": "mcp/*", "payload": {"method": "tools/list"}}, "payload.method", "tools/list", "tools/call"),
    ({"kind": "mcp/*", "payload": {"params": {"name": ["sub", "mul"]}}}, "payload.params.name", ["sub", "mul"], "add"),
    ({"kind": "mcp/*", "payload": {"params": {"arguments": {"b": 1}}}}, "payload.params.arguments.b", 1, None),
    ({"kind": "mcp/*", "payload": {"params": "add"}}, "payload.params", "add", CALL.payload and CALL.payload["params"]),
    (
        {"kind": "mcp/*", "payload": {"params": {"**": "!add"}}},
        "payload.params.**",
        "!add",
        {"name": "add", "arguments": {"a": 1}},
    ),
    ({"kind": "mcp/*", "payload": {"$.params.name": "sub"}}, "payload.$.params.name", "sub", CALL.payload),
    ({"kind": "mcp/*", "payload": {"method": "*", "params": {"name": "sub"}}}, "payload.params.name", "sub", "add"),
]


@pytest.mark.parametrize(("capability", "path", "expected", "found"), FAULTS, ids=str)
def test_the_place_where_it_refuses(capability: dict[str, Any], path: str, expected: Any, found: Any) -> None:
    one = fault(capability)
    assert (one.path, one.expected, one.found) == (path, expected, found)
    assert path.rpartition(".")[2] in one.why


def test_a_broadcast_matches_no_to() -> None:
    one = fault({"kind": "chat", "to": "*"}, of=envelope("chat", {"text": "hello"}))
    assert (one.path, one.found) == ("to", None)
    assert "broadcast" in one.why


def test_exhausted_searches_have_their_own_explanation() -> None:
    """Each alone finds what it looks for."""
    long = envelope("acme/x", {"list": ["y"] * 600 + ["x", "z"]})
    one = fault({"kind": "acme/x", "payload": {"**": "x", "$.list[*]": "z"}}, of=long)
    assert one.path == "payload"
    assert "too many" in one.why


@pytest.mark.parametrize(
    ("farther", "closer"),
    [
        ({"kind": "chat"}, {"kind": "mcp/response"}),
        ({"kind": "mcp/response"}, {"kind": "mcp/request", "to": "solver"}),
        ({"kind": "mcp/request", "to": "solver"}, {"kind": "mcp/request", "payload": {"method": "x"}}),
        (
            {"kind": "mcp/*", "payload": {"method": "tools/list", "params": {"name": "sub"}}},
            {"kind": "mcp/*", "payload": {"method": "tools/call", "params": {"name": "sub"}}},
        ),
        (
            {"kind": "mcp/*", "payload": {"params": {"name": "sub", "arguments": {"a": 2}}}},
            {"kind": "mcp/*", "payload": {"params": {"name": "add", "arguments": {"a": 2}}}},
        ),
    ],
)
def test_closest_capability_matches_the_most_members(farther: dict[str, Any], closer: dict[str, Any]) -> None:
    assert explain([farther, closer], CALL).capability == closer
    assert explain([closer, farther], CALL).index == 0


class TestInterrupts:
    def test_one_without_a_class_has_that_of_its_reason(self) -> None:
        ask = envelope(INTERRUPT, {"reason": "redirect"}, ["agent"])
        assert explain([{"kind": INTERRUPT, "payload": {"class": "override"}}], ask).allowed
        one = fault({"kind": INTERRUPT, "payload": {"class": "cancel"}}, of=ask)
        assert (one.path, one.found) == ("payload.class", "override")

    def test_no_wildcard_lets_an_emergency_through(self) -> None:
        ask = envelope(INTERRUPT, {"reason": "error", "class": EMERGENCY}, ["agent"])
        assert explain([{"kind": "*"}, {"kind": INTERRUPT}], ask).index == 1
        one = fault({"kind": "reasoning/*"}, of=ask)
        assert one.path == "kind"
        assert "literally" in one.why


_words = st.sampled_from(["a", "b", "a*", "*", "**", "!a", "/a/", "a/*", INTERRUPT, EMERGENCY, "cancel"])
_patterns: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        _words, _words, st.sampled_from([1, True, None]), _objects, st.lists(_words, min_size=1, max_size=2)
    )
)
_objects: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["a", "b", "class", "k*", "**", "$.a"]), _patterns, max_size=2
)
_capabilities = st.fixed_dictionaries({"kind": _words}, optional={"payload": _objects, "to": _words})
_values: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["a", "b", "a/b", EMERGENCY, "cancel", 1, True, None]),
        st.dictionaries(st.sampled_from(["a", "b", "class", "k1"]), _values, max_size=2),
    )
)
_envelopes = st.builds(
    envelope,
    st.sampled_from(["a", "a/b", "b", INTERRUPT, INTERRUPT]),
    st.one_of(st.none(), st.dictionaries(st.sampled_from(["a", "b", "class", "k1"]), _values, max_size=3)),
    st.sampled_from([None, ["a"], ["a", "b"]]),
)


@given(sources=st.lists(_capabilities, max_size=3), asked=_envelopes)
@settings(derandomize=True, deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_explanation_agrees_with_enforcement(sources: list[dict[str, Any]], asked: Envelope) -> None:
    own = Capabilities(map(compile_capability, sources))
    payload, to = asked.payload, asked.to or ()
    if asked.kind == INTERRUPT:
        payload = with_class(payload)
    if asked.kind == INTERRUPT and payload and payload["class"] == EMERGENCY:
        allowed = own.allow_emergency(asked.kind, payload, to)
    else:
        allowed = own.allow(asked.kind, payload, to)
    explanation = explain(sources, asked)
    assert explanation.allowed is allowed
    assert (explanation.fault is None) is (allowed or not sources)
    if explanation.index is not None:
        assert explanation.capability == sources[explanation.index]
