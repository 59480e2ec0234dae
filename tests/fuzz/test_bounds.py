"""Patterns, paths and documents that were built to explode: they cost no more than their bound.

What is bounded is the processor's time, and with much room: it takes a tenth of that with the bounds, and more without.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from mew_gateway.documents.composer import compose
from mew_gateway.errors import Rejected
from mew_gateway.gateway.websocket.handshake import examine
from mew_gateway.protocol.budget import Budget, BudgetExceeded
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.protocol.containment import contains
from mew_gateway.space.participants.grants import check_size

SECONDS = 2.0  # of the processor
MEGABYTE = 1_000_000


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    began = time.thread_time()
    yield
    assert time.thread_time() - began < seconds


def nested(key: str, levels: int, value: Any) -> Any:
    for _ in range(levels):
        value = {key: value}
    return value


def tree(levels: int, width: int, name: str) -> Any:
    return name if levels == 0 else [tree(levels - 1, width, f"{name}{nth}") for nth in range(width)]


NASTY = (
    "/(a|b)*a(a|b){1000}c/"  # as many states as there are atoms in the world: RE2 falls back to following all threads
)
NUMBERS = {"a": list(range(300_000))}
LISTS: dict[str, Any] = {"a": [[] for _ in range(300_000)]}
KEYS = {"a": {f"k{n}": 0 for n in range(90_000)}}
TEXT = {"a": "ab" * (MEGABYTE // 2)}
FEW = {"a": ["y"] * 900}

EXPLOSIVE: dict[str, tuple[Any, Any]] = {
    "regex": ({"a": NASTY}, TEXT),
    "regex-negated": ({"a": f"!{NASTY}"}, TEXT),
    "regex-often": ({"**": NASTY}, {"a": ["ab" * 500] * 990}),
    "regex-nowhere": ({"**": f"!{NASTY}"}, {"a": ["ab" * 500] * 990}),
    "regex-optional": ({"a": "/(?:a?){1000}b/"}, {"a": "a" * MEGABYTE}),
    "glob-of-stars": ({"a": "*a" * 499 + "z"}, TEXT),
    "glob-of-stars-as-key": ({"*a" * 499 + "z": 1}, {TEXT["a"]: 1}),
    "globs-at-every-node": ({"**": [f"l{n}*" for n in range(8_000)]}, FEW),
    "texts-at-every-node": ({"**": [f"l{n}" for n in range(60_000)]}, FEW),
    "objects-at-every-node": ({"**": [{f"l{n}": 1} for n in range(20_000)]}, {"a": [{"x": 1}] * 900}),
    "globs-of-a-long-text": ({"a": [f"**x{n}" for n in range(4_000)]}, TEXT),
    "many-searches": ({"a": [{"k*": "x"} for _ in range(1_000)]}, KEYS),
    "union-of-wildcards": ({"$.a[" + ",".join("*" * 400) + "]": "x"}, NUMBERS),
    "union-of-slices": ({"$.a[" + ",".join(["0:"] * 300) + "]": "x"}, NUMBERS),
    "union-of-one-name": ({"$[" + ",".join(["'a'"] * 240) + "]": {"$..x": 1}}, LISTS),
    "union-everywhere": ({"$..[" + ",".join(f"'{n}'" for n in range(160)) + "]": "x"}, LISTS),
    "nested-anywhere": (nested("**", 30, "x"), {"a": tree(5, 8, "y")}),
    "nested-globs": (nested("*", 30, "x"), {"a": tree(3, 40, "y")}),
    "nested-paths": (nested("$..*", 15, "x"), {"a": tree(5, 8, "y")}),
    "nested-negations": ({"**": ["!a", tree(3, 8, "!b")]}, {"a": tree(5, 8, "y")}),
}


@pytest.mark.parametrize("name", EXPLOSIVE)
def test_a_pattern_that_explodes_is_no_match(name: str) -> None:
    pattern, payload = EXPLOSIVE[name]
    with bounded():
        capability = compile_capability({"kind": "a", "payload": pattern})
        assert not Capabilities([capability]).allow("a", payload, ())


EVERYBODY = [f"participant-{n}-{'ab' * 20}" for n in range(1_024)]
SLOW = [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(400, 416)]
WIDE: dict[str, tuple[Any, str, list[str]]] = {
    "globs-of-recipients": ({"kind": "a", "to": [f"**x{n}" for n in range(500)]}, "a", EVERYBODY),
    "regexes-of-recipients": ({"kind": "a", "to": SLOW}, "a", EVERYBODY),
    "negated-recipients": ({"kind": "a", "to": [f"!!{one}" for one in SLOW]}, "a", EVERYBODY),
}


@pytest.mark.parametrize("name", WIDE)
def test_whom_it_is_for_costs_work_as_well(name: str) -> None:
    source, kind, to = WIDE[name]
    capabilities, budget = Capabilities([compile_capability(source)]), Budget()
    with bounded(0.3):
        assert not capabilities.allow(kind, {}, to, budget)
    assert budget.spent >= 30_000


def test_texts_are_looked_up_at_once_however_many_they_are() -> None:
    names = [f"x{n}" for n in range(3_000)]
    few, many = Budget(), Budget()
    assert Capabilities([compile_capability({"kind": ["a", "b"], "to": names[:9]})]).allow("a", {}, names[:9], few)
    assert Capabilities([compile_capability({"kind": ["a", *names], "to": names})]).allow("a", {}, names[:9], many)
    assert many.spent == few.spent > 0


def test_comparing_a_text_with_an_expression_costs_what_matching_it_does() -> None:
    outer = compile_capability({"kind": [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(900, 910)]})
    inner = compile_capability({"kind": [f"{'ab' * 490}{n}" for n in range(30)]})
    with bounded(0.3), pytest.raises(BudgetExceeded):
        contains(outer, inner, Budget())


@pytest.mark.parametrize("ask", [Capabilities.allow, Capabilities.allow_emergency])
def test_many_capabilities_share_the_work_on_one_envelope(ask: Any) -> None:
    vain, good = (
        compile_capability({"kind": "a", "payload": {"a": pattern}}) for pattern in ("/(a|b)*a(a|b){100}c/", "/^ab/")
    )
    payload = {"a": "ab" * 4_000}
    assert ask(Capabilities([vain, good]), "a", payload, ())
    with bounded():
        assert not ask(Capabilities([vain] * 500 + [good]), "a", payload, ())


def test_what_is_spent_on_one_is_there_for_the_next_search() -> None:
    """The bound on visited nodes is each capability's own: one that is beside the point takes nothing from another."""
    vain, good = ({"kind": "a", "payload": {"**": text}} for text in ("x", "y"))
    payload = {"a": ["z"] * 998 + ["y"]}
    assert Capabilities(map(compile_capability, [vain] * 20 + [good])).allow("a", payload, ())


def test_an_ordinary_expression_reads_a_long_text() -> None:
    text = "word " * 8_000 + "token"
    for pattern in ("/token/", "**token", "/(?i)(password|token|api[_-]?key)$/", "!/secret/"):
        capability = compile_capability({"kind": "chat", "payload": {"text": pattern}})
        assert Capabilities([capability]).allow("chat", {"text": text}, ()), pattern


def test_negations_in_lists_in_searches_are_compiled_once() -> None:
    pattern: Any = "!x"
    for _ in range(10):
        pattern = {"**": ["!a", pattern, ["!b"]]}
    with bounded():
        compile_capability({"kind": "a", "payload": pattern})


CONTAINED: dict[str, tuple[Any, Any]] = {
    "lists": ([f"a{n}" for n in range(4_000)], [f"b{n}" for n in range(4_000)]),
    "globs": ([f"*a{n}*" for n in range(4_000)], [f"b{n}*" for n in range(4_000)]),
    "nested": (tree(5, 5, "a"), tree(5, 5, "b")),
    "deep": (tree(13, 2, "a"), tree(13, 2, "b")),
    "objects": ([{f"k{n}": "a"} for n in range(4_000)], [{f"k{n}": "b"} for n in range(4_000)]),
}


@pytest.mark.parametrize("name", CONTAINED)
def test_patterns_too_many_to_be_compared_are_not(name: str) -> None:
    outer, inner = (compile_capability({"kind": "a", "payload": {"a": one}}) for one in CONTAINED[name])
    with bounded(), pytest.raises(BudgetExceeded):
        contains(outer, inner, Budget())
    with bounded():
        assert contains(outer, outer, Budget()), "what is the same needs no comparing"


@pytest.mark.parametrize(
    "patterns",
    [
        [f"{n}*" for n in range(600)],
        ["/a/"] * 20,
        [{f"$.a{n}": 1} for n in range(20)],
        ["x" * 900] * 40,
    ],
    ids=("globs", "expressions", "paths", "bytes"),
)
def test_what_takes_long_to_compile_is_not_given(patterns: list[Any]) -> None:
    with bounded(), pytest.raises(Rejected, match=r"at most"):
        check_size("agent", [{"kind": "a", "payload": {"a": patterns}}])


def envelope(payload: bytes) -> bytes:
    return b'{"protocol":"mew/v0.4","id":"x","ts":"t","from":"one","kind":"a","payload":%s}' % payload


def keys(count: int) -> bytes:
    return b",".join(b'"%d":0' % n for n in range(count))


BOMBS: dict[str, bytes] = {
    "brackets": b"[" * MEGABYTE,
    "braces": b'{"a":' * (MEGABYTE // 5),
    "digits": envelope(b'{"a":' + b"9" * MEGABYTE + b"}"),
    "decimals": envelope(b'{"a":0.' + b"9" * MEGABYTE + b"}"),
    "exponent": envelope(b'{"a":1e' + b"9" * MEGABYTE + b"}"),
    "keys": envelope(b"{" + keys(100_000) + b"}"),
    "keys-of-the-envelope": b'{"kind":"a",' + keys(100_000) + b"}",
    "last-key-twice": envelope(b"{" + keys(100_000) + b',"99999":1}'),
    "one-key-always": envelope(b'{"a":0' + b',"a":0' * 150_000 + b"}"),
    "escapes": envelope(b'{"a":"' + b"\\u0041" * (MEGABYTE // 6) + b'"}'),
    "backslashes": envelope(b'{"a":"' + b"\\\\" * (MEGABYTE // 2) + b'"}'),
    "colons": envelope(b'{"a":"' + b":" * MEGABYTE + b'"}'),
    "lists": envelope(b'{"a":[' + b"[]," * (MEGABYTE // 3) + b"0]}"),
    "objects": envelope(b'{"a":[' + b'{"a":0},' * (MEGABYTE // 8) + b"0]}"),
    "numbers": envelope(b'{"a":[' + b"1," * (MEGABYTE // 2) + b"1]}"),
    "recipients": b'{"kind":"chat","payload":{"text":"x"},"to":[' + b'"a",' * (MEGABYTE // 4) + b'"a"]}',
    "blanks": b" " * MEGABYTE,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_frame_that_explodes_is_read_or_refused(name: str) -> None:
    with bounded(6.0):
        try:
            receive(BOMBS[name], Sealer(sender="one", new_id=lambda: "new"), now=0)
        except Rejected as rejected:
            outcome = rejected.code
        else:
            outcome = "accepted"
    assert outcome in ("accepted", "too_deep", "invalid_number", "invalid_json", "duplicate_key", "invalid_envelope")
    assert (outcome == "duplicate_key") is (name in ("last-key-twice", "one-key-always"))


YAML: dict[str, str] = {
    "anchors": "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a,*a,*a,*a,*a,*a]\n" for n in range(20)),
    "brackets": "[" * MEGABYTE,
    "mappings": "{a: " * (MEGABYTE // 4),
    "tags": "!" * MEGABYTE,
    "aliases": "- *a\n" * (MEGABYTE // 5),
    "merges": "<<: *a\n" * (MEGABYTE // 7),
    "keys": "\n".join(f"a{n}: 1" for n in range(26_000)),
    "same-key": "a: 1\n" * (MEGABYTE // 5),
    "items": "[" + "1," * 60_000 + "1]",
    "digits": "9" * MEGABYTE,
    "indentation": "".join(" " * n + "a:\n" for n in range(1_300)),
}


@pytest.mark.parametrize("name", YAML)
def test_a_document_that_explodes_is_refused(name: str) -> None:
    with bounded(6.0):
        assert compose(YAML[name]).placed


@pytest.mark.parametrize("text", ['"' + "x" * MEGABYTE + '"', "|\n" + " x" * (MEGABYTE // 2)], ids=("quoted", "block"))
def test_a_text_of_a_megabyte_is_one(text: str) -> None:
    with bounded(6.0):
        assert isinstance(compose(text).root, str)


class Nobody:
    def identify(self, space: str, token: str) -> None:
        return None


@pytest.mark.parametrize(
    "query",
    ["a=1&" * 16_000, "&" * 65_000, "%" * 65_000, "after=" + "%41" * 20_000, "space=" + "x" * 65_000, ";=" * 30_000],
)
def test_an_address_that_explodes_lets_nobody_in(query: str) -> None:
    request = Request(f"/ws?{query}", Headers({"Authorization": "Bearer x"}))
    with bounded():
        ticket = examine(request, authenticator=Nobody(), is_allowed_origin=lambda *_: False, sole_space=None)
    assert getattr(ticket, "status_code", None) == 401
