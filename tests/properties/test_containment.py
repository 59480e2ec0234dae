"""Nobody grants what they lack: whatever a granted capability lets through, its granter's own lets through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from hypothesis import HealthCheck, assume, event, find, given, settings
from hypothesis import strategies as st

from mew_gateway.errors import Rejected
from mew_gateway.protocol import budget
from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability
from mew_gateway.protocol.containment import contains
from mew_gateway.protocol.reasons import EMERGENCY, INTERRUPT

settings.register_profile(
    "containment",
    derandomize=True,
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
PROFILE = settings.get_profile("containment")

Said: TypeAlias = tuple[str, dict[str, Any], list[str]]

# Few letters, and all that is special: what is drawn twice often meets.
_PIECES = ("a", "b", "/", "/", ".", "..", "*", "*", "**", "?")
_TEXTS = ("a", "b", "ab", "a/b", "a/", "/", "", ".", "..", "a/..", "a/./b", "a/.b", "b/a", "a/b/a", EMERGENCY)
_KINDS = (*(text for text in _TEXTS if text), INTERRUPT, INTERRUPT)
_KEYS = ("a", "b", "class")
_SEARCHES = ("a*", "*", "?", "**", "**", "$.a", "$..a", "$.*")

_globs = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join)
_words = st.one_of(_globs, st.sampled_from((*_TEXTS, "*", "**", "a/*", "a*", "a/**", INTERRUPT)))
_expressions = st.sampled_from(["/a/", "/^a/", "/^a.b$/", "!/b/", "/./"])
_strings = st.one_of(_words, _words, _words, _words.map(lambda word: f"!{word}"), _expressions)
_scalars = st.sampled_from([0, 1, 1.0, 1.5, True, False, None])
_objects = st.deferred(lambda: st.dictionaries(st.sampled_from(_KEYS + _SEARCHES), _patterns, max_size=3))
_patterns: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(_strings, _strings, _scalars, _objects, st.lists(_patterns, min_size=1, max_size=2))
)
_several = st.one_of(_strings, st.lists(_strings, min_size=1, max_size=2))
_sources = st.builds(
    lambda kind, payload, to: {"kind": kind, **payload, **to},
    _several,
    st.one_of(st.just({}), _objects.map(lambda pattern: {"payload": pattern})),
    st.one_of(st.just({}), st.just({}), _several.map(lambda pattern: {"to": pattern})),
)

_values: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(_TEXTS),
        _scalars,
        st.dictionaries(st.sampled_from((*_KEYS, "ab")), _values, max_size=4),
        st.lists(_values, max_size=3),
    )
)


@st.composite
def _wider(draw: st.DrawFn, pattern: Any) -> Any:
    """A pattern that may well contain this one."""
    if isinstance(pattern, str) and draw(st.booleans()):
        end = draw(st.integers(0, len(pattern)))
        start = pattern[:end]
        return draw(st.sampled_from([pattern, "*", f"{start}*", f"{start}**", [pattern, "b"], ["b", pattern]]))
    if isinstance(pattern, dict):
        kept = {key: draw(_wider(wanted)) for key, wanted in pattern.items() if draw(st.integers(0, 3))}
        return dict(reversed(kept.items())) if draw(st.booleans()) else kept
    if isinstance(pattern, list) and draw(st.booleans()):
        return [draw(_wider(option)) for option in pattern]
    return [{"**": "b"}, pattern] if draw(st.integers(0, 9)) == 0 else pattern


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two sources: unrelated, or one that may contain the other, or both parts of one another."""
    inner = draw(_sources)
    if draw(st.integers(0, 3)) == 0:
        return draw(_sources), inner
    outer = {"kind": draw(_wider(inner["kind"]))}
    for part in ("payload", "to"):
        if part in inner and draw(st.integers(0, 3)):
            wider = draw(_wider(inner[part]))
            outer[part] = wider if part == "to" or isinstance(wider, dict) else inner[part]
    return outer, inner


@st.composite
def _matching(draw: st.DrawFn, pattern: Any) -> Any:
    """A value that a pattern may well let through, with more around it than it asks for."""
    if isinstance(pattern, list):
        return draw(_matching(draw(st.sampled_from(pattern))))
    if isinstance(pattern, dict):
        return draw(_object(pattern))
    if not isinstance(pattern, str):
        return pattern
    if pattern.startswith("!") or pattern[:1] == "/":
        return draw(st.sampled_from(_TEXTS))
    text = pattern.replace("**", draw(st.sampled_from(["", "a/b", "..", "/"])))
    text = text.replace("*", draw(st.sampled_from(["", "a", "a", "/", "."])))
    return text.replace("?", draw(st.sampled_from(["a", "/", "."])))


@st.composite
def _object(draw: st.DrawFn, pattern: dict[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = draw(st.dictionaries(st.sampled_from((*_KEYS, "ab")), _values, max_size=2))
    for key, wanted in pattern.items():
        name = key if key in _KEYS else draw(st.sampled_from((*_KEYS, "ab")))
        matching = draw(_matching(wanted))
        value[name] = {"b": matching} if key == "**" and draw(st.booleans()) else matching
    if draw(st.integers(0, 3)) == 0:
        return dict(reversed(value.items()))
    return value


@st.composite
def _said(draw: st.DrawFn, source: dict[str, Any]) -> Said:
    """An envelope's kind, payload and recipients, made for a capability as a rule."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(_KINDS)), draw(_object({})), draw(st.lists(st.sampled_from(_KEYS), max_size=2))
    kind = draw(_matching(source["kind"])) or "a"
    payload = draw(_object(source.get("payload", {})))
    to = [draw(_matching(source["to"])) for _ in range(draw(st.integers(1, 2)))] if "to" in source else []
    return kind, payload, to


def _compiled(source: dict[str, Any]) -> Capability:
    try:
        return compile_capability(source)
    except Rejected:
        assume(False)
        raise


def _lets_through(capability: Capability, said: Said) -> bool:
    """As the space decides: an emergency has its own rule."""
    kind, payload, to = said
    capabilities = Capabilities([capability])
    if kind == INTERRUPT and payload.get("class") == EMERGENCY:
        return capabilities.allow_emergency(kind, payload, to)
    return capabilities.allow(kind, payload, to)


@contextmanager
def _budget(nodes: int) -> Iterator[None]:
    """As if a search might visit only so many nodes: a container must never need more than what it contains."""
    whole = budget.MAX_VISITED
    budget.MAX_VISITED = nodes
    try:
        yield
    finally:
        budget.MAX_VISITED = whole


@given(data=st.data(), pair=_pairs(), few=st.integers(1, 12))
@settings(PROFILE)
def test_container_allows_all_that_a_contained_capability_allows(
    data: st.DataObject, pair: tuple[dict[str, Any], dict[str, Any]], few: int
) -> None:
    outer, inner = map(_compiled, pair)
    contained = contains(outer, inner)
    event(f"contained: {contained}, equal: {outer.source == inner.source}")
    assume(contained)
    for _ in range(3):
        said = data.draw(_said(inner.source), label="envelope")
        for nodes in (budget.MAX_VISITED, few):
            with _budget(nodes):
                if _lets_through(inner, said):
                    event("let through")
                    assert _lets_through(outer, said), f"{outer.source} refuses {said}: {inner.source} does not"


@given(source=_sources)
@settings(PROFILE)
def test_every_capability_contains_itself_and_is_contained_in_any(source: dict[str, Any]) -> None:
    capability = _compiled(source)
    assert contains(capability, capability)
    if capability.literal_kind != INTERRUPT:
        assert contains(compile_capability({"kind": "*"}), capability)


def test_patched_budget_takes_effect() -> None:
    capability = _compiled({"kind": "a", "payload": {"**": "needle"}})
    said: Said = ("a", {"hay": [1, 2, 3, "needle"]}, [])
    assert _lets_through(capability, said)
    with _budget(3):
        assert not _lets_through(capability, said)


def test_generated_pairs_cover_interesting_cases() -> None:
    """Among the pairs drawn are contained ones that differ, and envelopes that pass: the test above says something."""

    def differs(pair: tuple[dict[str, Any], dict[str, Any]]) -> bool:
        outer, inner = pair
        try:
            compiled = compile_capability(outer), compile_capability(inner)
        except Rejected:
            return False
        return outer.get("payload", {}) not in ({}, inner.get("payload")) and contains(*compiled)

    found = find(_pairs(), differs, settings=settings(PROFILE, max_examples=3_000))
    outer, inner = map(compile_capability, found)
    assert contains(outer, inner) and not contains(inner, outer)
    assert find(_said(inner.source), lambda one: _lets_through(inner, one), settings=PROFILE)
