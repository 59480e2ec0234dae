"""The table of docs/protocol.md §3, row by row: what a pattern matches, what it does not, what does not compile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, compile_capability


def allows(
    pattern: Any, kind: str = "mcp/request", payload: dict[str, Any] | None = None, to: Sequence[str] = ()
) -> bool:
    capabilities = pattern if isinstance(pattern, list) else [pattern]
    return Capabilities(compile_capability(source) for source in capabilities).allow(kind, payload, to)


KINDS = [
    # A literal is equal, and nothing else is.
    ("chat", "chat", True),
    ("chat", "Chat", False),
    ("chat", "chat/cancel", False),
    ("chat", "cha", False),
    ("chat/cancel", "chat", False),
    ("mcp.request", "mcp/request", False),
    # `*` alone is any string.
    ("*", "chat", True),
    ("*", "mcp/request", True),
    ("*", "a/b/c/d", True),
    # `*` inside is any run without `/`.
    ("mcp/re*", "mcp/request", True),
    ("mcp/re*", "mcp/re", True),
    ("mcp/re*", "mcp/re/x", False),
    ("mcp/re*", "mcp/response/x", False),
    ("*/request", "mcp/request", True),
    ("*/request", "a/b/request", False),
    ("m*p/*t", "mcp/request", True),
    ("ch*t", "chat", True),
    ("ch*t", "chaat/t", False),
    # `**` is any run.
    ("mcp/**", "mcp/a/b", True),
    ("**/request", "a/b/request", True),
    ("**", "a/b/c", True),
    ("m**t", "mcp/request", True),
    ("m**t", "chat", False),
    # `?` is one character.
    ("cha?", "chat", True),
    ("cha?", "cha", False),
    ("cha?", "chats", False),
    ("???", "abc", True),
    ("?", "é", True),
    # In `kind` a trailing `/*` is everything below.
    ("mcp/*", "mcp/request", True),
    ("mcp/*", "mcp/a/b", True),
    ("mcp/*", "mcp", False),
    ("mcp/*", "mcp/", False),
    ("mcp/*", "mcpx/request", False),
    ("a/*/*", "a/b/c/d", True),
    ("a/*/*", "a/b", False),
    # Wildcards never match a `.` or `..` segment.
    ("mcp/*", "mcp/../space/kick", False),
    ("mcp/*", "mcp/./request", False),
    ("mcp/*", "mcp/..", False),
    ("mcp/*", "mcp/a/..", False),
    ("mcp/**", "mcp/../x", False),
    ("mcp/?", "mcp/.", False),
    ("mcp/??", "mcp/..", False),
    ("mcp/.*", "mcp/..", False),
    ("mcp/*", "mcp/.hidden", True),
    ("mcp/*", "mcp/a..b", True),
    ("mcp/..", "mcp/..", True),
    # What is special to regular expressions is not to globs.
    ("a.c*", "abcd", False),
    ("a.c*", "a.cd", True),
    ("(a|b)*", "a", False),
    ("[ab]*", "a", False),
    ("a+*", "aa", False),
    ("$a*", "$ab", True),
    # `!p` is what does not match p.
    ("!chat", "mcp/request", True),
    ("!chat", "chat", False),
    ("!mcp/*", "mcp/a/b", False),
    ("!mcp/*", "mcp", True),
    ("!*", "chat", False),
    # `/re/` is a search.
    ("/^mcp/", "mcp/request", True),
    ("/^mcp$/", "mcp/request", False),
    ("/que/", "mcp/request", True),
    ("/(?i)CHAT/", "chat", True),
    ("/a|b/", "xbx", True),
    ("!/^mcp/", "mcp/request", False),
    ("!/^mcp/", "chat", True),
    # A list is any of its elements.
    (["chat", "mcp/*"], "mcp/request", True),
    (["chat", "mcp/*"], "chat", True),
    (["chat", "mcp/*"], "mcp", False),
    (["!chat"], "chat", False),
]


@pytest.mark.parametrize(("pattern", "kind", "expected"), KINDS, ids=str)
def test_kind(pattern: Any, kind: str, expected: bool) -> None:
    capabilities = Capabilities([compile_capability({"kind": pattern})])
    assert capabilities.allow(kind, None, ()) is expected
    assert capabilities.allow(kind, {"text": "the second time is looked up"}, ()) is expected


PAYLOADS: list[tuple[Any, Any, bool]] = [
    # A string.
    ({"method": "tools/list"}, {"method": "tools/list"}, True),
    ({"method": "tools/list"}, {"method": "tools/lists"}, False),
    ({"method": "tools/list"}, {}, False),
    ({"method": "tools/list"}, None, False),
    ({"method": "tools/list"}, {"method": None}, False),
    ({"method": "tools/list"}, {"method": ["tools/list"]}, False),
    ({"method": "*"}, {"method": "any"}, True),
    ({"method": "*"}, {"method": 5}, False),
    ({"method": "*"}, {}, False),
    ({"method": "tools/*"}, {"method": "tools/call"}, True),
    ({"method": "tools/*"}, {"method": "tools/call/deep"}, False),
    ({"method": "tools/*"}, {"method": "tools"}, False),
    ({"method": "tools/**"}, {"method": "tools/call/deep"}, True),
    ({"path": "data/*"}, {"path": "data/.."}, False),
    ({"path": "data/**"}, {"path": "data/../etc/passwd"}, False),
    ({"path": "data/**"}, {"path": "data/a/./b"}, False),
    ({"path": "!data/**"}, {"path": "data/../data/secret"}, False),
    ({"path": "!data/*"}, {"path": "data/.."}, False),
    ({"path": "!data/**"}, {"path": "elsewhere/../x"}, True),
    ({"path": "!!data/**"}, {"path": "data/../x"}, False),
    ({"text": "a*"}, {"text": "a\nb"}, True),
    ({"text": "a?b"}, {"text": "a\nb"}, True),
    ({"n": "5"}, {"n": 5}, False),
    # `!p`: a present string that does not match.
    ({"method": "!tools/call"}, {"method": "tools/list"}, True),
    ({"method": "!tools/call"}, {"method": "tools/call"}, False),
    ({"method": "!tools/call"}, {}, False),
    ({"method": "!tools/call"}, None, False),
    ({"method": "!tools/call"}, {"method": None}, False),
    ({"method": "!tools/call"}, {"method": 5}, False),
    ({"method": "!tools/call"}, {"method": ["tools/list"]}, False),
    ({"method": "!tools/call"}, {"method": {"x": "tools/list"}}, False),
    ({"method": "!*"}, {"method": "x"}, False),
    ({"method": ["!a", "!b"]}, {"method": "a"}, True),  # any element: each excludes only one
    # `/re/`: only strings longer than two that start and end with `/`.
    ({"t": "/^[a-z]+$/"}, {"t": "abc"}, True),
    ({"t": "/^[a-z]+$/"}, {"t": "abc1"}, False),
    ({"t": "/b/"}, {"t": "abc"}, True),
    ({"t": "//"}, {"t": "//"}, True),
    ({"t": "//"}, {"t": "anything"}, False),
    ({"t": "/"}, {"t": "/"}, True),
    ({"t": "/usr"}, {"t": "/usr"}, True),
    ({"t": "/usr"}, {"t": "x/usr/y"}, False),
    ({"t": "/a/"}, {"t": 5}, False),
    # Lists.
    ({"c": ["cancel", "queue"]}, {"c": "queue"}, True),
    ({"c": ["cancel", "queue"]}, {"c": "emergency"}, False),
    ({"c": ["cancel", 5, None, {"a": 1}]}, {"c": 5}, True),
    ({"c": ["cancel", 5, None, {"a": 1}]}, {"c": None}, True),
    ({"c": ["cancel", 5, None, {"a": 1}]}, {"c": {"a": 1, "b": 2}}, True),
    ({"c": ["cancel", 5, None, {"a": 1}]}, {}, False),
    ({"c": ["cancel"]}, {"c": ["cancel"]}, False),
    # Numbers, booleans and null: equal in value and JSON type; a missing key never matches.
    ({"n": 1}, {"n": 1}, True),
    ({"n": 1}, {"n": 1.0}, True),
    ({"n": 1}, {"n": True}, False),
    ({"n": 1}, {"n": "1"}, False),
    ({"n": 0}, {"n": False}, False),
    ({"n": 0}, {"n": None}, False),
    ({"n": 0}, {}, False),
    ({"n": 1.5}, {"n": 1.5}, True),
    ({"n": True}, {"n": True}, True),
    ({"n": True}, {"n": 1}, False),
    ({"n": False}, {"n": 0}, False),
    ({"n": False}, {}, False),
    ({"n": None}, {"n": None}, True),
    ({"n": None}, {"n": False}, False),
    ({"n": None}, {"n": 0}, False),
    ({"n": None}, {}, False),
    # Objects: every key must match; more may be there.
    ({}, {}, True),
    ({}, {"any": 1}, True),
    ({}, None, True),
    ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, True),
    ({"a": 1, "b": 2}, {"a": 1}, False),
    ({"a": {"b": {"c": "x"}}}, {"a": {"b": {"c": "x", "d": 1}}}, True),
    ({"a": {"b": {"c": "x"}}}, {"a": {"b": "x"}}, False),
    ({"a": {}}, {"a": {}}, True),
    ({"a": {}}, {"a": []}, False),
    ({"a": {}}, {"a": "x"}, False),
    # Key globs: some matching key.
    ({"arg_*": "x"}, {"arg_1": "y", "arg_2": "x"}, True),
    ({"arg_*": "x"}, {"arg_1": "y"}, False),
    ({"arg_*": "x"}, {"other": "x"}, False),
    ({"arg_*": "x"}, {}, False),
    ({"arg_?": None}, {"arg_1": None}, True),
    ({"arg_?": None}, {"arg_10": None}, False),
    ({"*": "x"}, {"anything": "x"}, True),
    ({"*": "!x"}, {"a": "x", "b": "y"}, True),  # some key, not every one
    ({"*": "!x"}, {"a": "x"}, False),
    ({"*": "!x"}, {}, False),
    ({"*": {"deep": 1}}, {"a": {"deep": 1}}, True),
    ({"*": "x"}, {"a": {"b": "x"}}, False),
    # `**`: some value at any depth.
    ({"**": "x"}, {"a": [{"b": {"c": "x"}}]}, True),
    ({"**": "x"}, {"x": "y"}, False),
    ({"**": "x"}, {}, False),
    ({"**": 5}, {"a": [1, [2, [5]]]}, True),
    ({"**": {"cmd": "ls"}}, {"a": [{"cmd": "ls", "n": 1}]}, True),
    ({"**": {"cmd": "ls"}}, {"cmd": "ls"}, False),  # below, not at the top
    ({"params": {"**": "x"}}, {"params": {"a": {"b": "x"}}, "other": 1}, True),
    ({"params": {"**": "x"}}, {"params": {}, "other": "x"}, False),
    # `{"**": "!p"}`: some string exists, and none at any depth matches p.
    ({"**": "!rm*"}, {"a": "ls", "b": ["cat", {"c": "pwd"}]}, True),
    ({"**": "!rm*"}, {"a": "ls", "b": ["cat", {"c": "rm -rf"}]}, False),
    ({"**": "!rm*"}, {"a": "rm"}, False),
    ({"**": "!rm*"}, {"a": 1, "b": [None, True]}, False),
    ({"**": "!rm*"}, {}, False),
    ({"**": "!rm*"}, None, False),
    ({"**": "!/secret/"}, {"a": {"b": "top secret"}}, False),
    ({"params": {"**": "!x"}}, {"params": {"a": "y"}, "other": "x"}, True),
    ({"**": ["!rm*"]}, {"a": "ls", "b": "rm -rf"}, False),  # in a list it is the same `!p`
    ({"**": ["!rm*", "!su*"]}, {"a": "su", "b": "ls"}, True),
    ({"**": ["!rm*", "!su*"]}, {"a": "su", "b": "rm"}, False),
    ({"**": [["!rm*"]]}, {"a": "ls", "b": "rm -rf"}, False),
    ({"**": ["exactly", "!rm*"]}, {"a": "exactly", "b": "rm"}, True),
    ({"**": ["exactly", 5]}, {"a": [{"b": 5}]}, True),
    # JSONPath: some result matches.
    ({"$.params.name": "add"}, {"params": {"name": "add"}}, True),
    ({"$.params.name": "add"}, {"params": {"name": "sub"}}, False),
    ({"$.params.name": "add"}, {"params": {}}, False),
    ({"$.params.name": "!add"}, {"params": {}}, False),
    ({"$.a[*].b": 1}, {"a": [{"b": 2}, {"b": 1}]}, True),
    ({"$.a[*].b": 1}, {"a": [{"b": 2}]}, False),
    ({"$.a[0]": "x"}, {"a": ["x", "y"]}, True),
    ({"$.a[-1]": "x"}, {"a": ["x", "y"]}, False),
    ({"$.a[1:3]": "z"}, {"a": ["x", "y", "z", "w"]}, True),
    ({"$.a[::0]": "x"}, {"a": ["x"]}, False),
    ({"$['a','b']": "x"}, {"b": "x"}, True),
    ({"$..name": "add"}, {"deep": [{"er": {"name": "add"}}]}, True),
    ({"$..name": "add"}, {"deep": [{"er": {"name": "sub"}}]}, False),
    ({"$..*": "x"}, {"a": [["x"]]}, True),
    ({"$": {"a": 1}}, {"a": 1}, True),
    ({"params": {"$.a.b": 1}}, {"params": {"a": {"b": 1}}}, True),
    ({"$.n": None}, {"n": None}, True),
    ({"$.n": None}, {}, False),
]


@pytest.mark.requirement("mew/4.1:patterns")
@pytest.mark.parametrize(("pattern", "payload", "expected"), PAYLOADS, ids=str)
def test_payload(pattern: dict[str, Any], payload: dict[str, Any] | None, expected: bool) -> None:
    assert allows({"kind": "mcp/request", "payload": pattern}, "mcp/request", payload) is expected


TO = [
    ("calculator", ["calculator"], True),
    ("calculator", ["solver"], False),
    ("calculator", ["calculator", "solver"], False),
    ("calculator", [], False),
    ("calc*", ["calculator", "calc-2"], True),
    ("calc*", ["calculator", "solver"], False),
    (["calculator", "solver"], ["solver", "calculator"], True),
    (["calculator", "solver"], ["human"], False),
    ("*", ["anybody", "else"], True),
    ("*", [], False),
    ("!human", ["solver"], True),
    ("!human", ["solver", "human"], False),
    ("!human", [], False),
    ("/^agent-\\d+$/", ["agent-7"], True),
]


@pytest.mark.parametrize(("pattern", "to", "expected"), TO, ids=str)
def test_to(pattern: Any, to: list[str], expected: bool) -> None:
    """Every id in `to` must match, and a broadcast never does."""
    assert allows({"kind": "mcp/request", "to": pattern}, to=to) is expected
    assert allows({"kind": "mcp/request", "to": pattern, "payload": {}}, to=to) is expected


class TestAnEnvelope:
    def test_passes_if_one_capability_matches(self) -> None:
        several = [{"kind": "chat"}, {"kind": "mcp/request", "payload": {"method": "a"}}, {"kind": "mcp/*", "to": "x"}]
        assert allows(several, "chat", {"text": "hi"})
        assert allows(several, "mcp/request", {"method": "a"})
        assert allows(several, "mcp/request", {"method": "b"}, ["x"])
        assert not allows(several, "mcp/request", {"method": "b"}, ["y"])
        assert not allows(several, "mcp/withdraw")

    @pytest.mark.requirement("mew/4.2:blocked-without-a-match")
    def test_is_refused_without_capabilities(self) -> None:
        assert not allows([], "chat")

    def test_two_partial_matches_do_not_allow_it(self) -> None:
        assert not allows([{"kind": "chat"}, {"kind": "mcp/request", "to": "a"}], "mcp/request", None, ["b"])

    def test_any_kind_still_has_its_payload_checked(self) -> None:
        pattern = {"kind": "*", "payload": {"level": "low"}}
        assert allows(pattern, "acme/x", {"level": "low"})
        assert not allows(pattern, "acme/x", {"level": "high"})
        assert not allows(pattern, "acme/x")

    def test_many_kinds_do_not_change_the_answer(self) -> None:
        capabilities = Capabilities([compile_capability({"kind": "mcp/*"})])
        for n in range(1000):
            assert capabilities.allow(f"mcp/{n}", None, ())
            assert not capabilities.allow(f"acme/{n}", None, ())
        assert capabilities.allow("mcp/0", None, ())

    def test_patterns_are_shown_as_they_were_written(self) -> None:
        sources = [{"kind": ["chat", "mcp/*"]}, {"kind": "*", "payload": {"**": "!x"}, "to": "y"}]
        assert Capabilities(compile_capability(source) for source in sources).sources == sources


class TestEmergency:
    """Only a capability whose kind is literally `reasoning/interrupt` lets one through."""

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ({"kind": "reasoning/interrupt"}, True),
            ({"kind": "reasoning/interrupt", "payload": {"class": "emergency"}}, True),
            ({"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "emergency"]}}, True),
            ({"kind": "reasoning/interrupt", "to": "solver"}, True),
            ({"kind": "reasoning/interrupt", "payload": {"class": "cancel"}}, False),
            ({"kind": "reasoning/interrupt", "payload": {"class": "!emergency"}}, False),
            ({"kind": "reasoning/interrupt", "to": "worker"}, False),
            ({"kind": "*"}, False),
            ({"kind": "**"}, False),
            ({"kind": "reasoning/*"}, False),
            ({"kind": "reasoning/interrup?"}, False),
            ({"kind": "/^reasoning.interrupt$/"}, False),
            ({"kind": "!chat"}, False),
            ({"kind": ["reasoning/interrupt*"]}, False),
            ({"kind": "*", "payload": {"class": "emergency"}}, False),
        ],
        ids=str,
    )
    def test_is_never_covered_by_a_wildcard(self, pattern: dict[str, Any], expected: bool) -> None:
        capabilities = Capabilities([compile_capability(pattern)])
        payload = {"reason": "user_request", "class": "emergency"}
        assert capabilities.allow_emergency("reasoning/interrupt", payload, ["solver"]) is expected


class TestBudget:
    """A search that passes 1,000 visited nodes is no match, and inside a negation no permission."""

    def search(self, pattern: dict[str, Any], payload: dict[str, Any]) -> bool:
        return allows({"kind": "mcp/request", "payload": pattern}, payload=payload)

    @pytest.mark.parametrize("key", ["**", "$..*", "$.list[*]"])
    def test_nodes_beyond_the_budget_are_not_found(self, key: str) -> None:
        assert self.search({key: "x"}, {"list": ["y"] * 900 + ["x"]})
        assert not self.search({key: "x"}, {"list": ["y"] * 1_100 + ["x"]})
        assert self.search({key: "x"}, {"list": ["x"] + ["y"] * 5_000})

    def test_keys_count(self) -> None:
        many = {f"key{n}": "y" for n in range(1_100)}
        assert not self.search({"k*": "x"}, {**many, "key": "x"})
        assert self.search({"k*": "x"}, {"key": "x", **many})

    def test_truncated_search_gives_no_permission(self) -> None:
        assert self.search({"**": "!bad"}, {"list": ["good"] * 900})
        assert not self.search({"**": "!bad"}, {"list": ["good"] * 1_100})
        assert not self.search({"**": "!bad"}, {"list": ["good"] * 1_100 + ["bad"]})
        assert not self.search({"**": "!bad"}, {"list": [["good"], *([] for _ in range(1_100))]})

    def test_nested_searches_are_bounded(self) -> None:
        wide = {f"k{n}": {f"k{m}": {f"k{o}": "y" for o in range(40)} for m in range(40)} for n in range(40)}
        assert not self.search({"k*": {"k*": {"k*": "x"}}}, wide)
        assert not self.search({"**": {"**": {"**": "x"}}}, wide)
        assert not self.search({"$..*": {"$..*": "x"}}, wide)

    def test_a_regular_expression_takes_linear_time(self) -> None:
        assert not self.search({"t": "/^(a+)+$/"}, {"t": "a" * 50_000 + "b"})


REFUSED: list[tuple[Any, str]] = [
    (None, "capability"),
    ("chat", "capability"),
    ([], "capability"),
    ({}, "capability"),
    ({"payload": {}}, "capability"),
    ({"kind": None}, "capability.kind"),
    ({"kind": 5}, "capability.kind"),
    ({"kind": []}, "capability.kind"),
    ({"kind": {"a": "b"}}, "capability.kind"),
    ({"kind": ["chat", 5]}, "capability.kind[1]"),
    ({"kind": "!"}, "capability.kind"),
    ({"kind": "/(/"}, "capability.kind"),
    ({"kind": "/(?=look)ahead/"}, "capability.kind"),
    ({"kind": "/(a)\\1/"}, "capability.kind"),
    ({"kind": "/((a{100}){100}){100}/"}, "capability.kind"),
    ({"kind": ["chat", "/[/"]}, "capability.kind[1]"),
    ({"kind": "x" * 1_001}, "capability.kind"),
    ({"kind": "?" * 1_001}, "capability.kind"),
    ({"kind": "a*\ud800"}, "capability.kind"),
    ({"kind": "/\ud800/"}, "capability.kind"),
    ({"kind": "chat", "when": "always"}, "capability.when"),
    ({"kind": "chat", "payload": "text"}, "capability.payload"),
    ({"kind": "chat", "payload": []}, "capability.payload"),
    ({"kind": "chat", "payload": None}, "capability.payload"),
    ({"kind": "chat", "payload": {"a": []}}, "capability.payload.a"),
    ({"kind": "chat", "payload": {"a": "/(/"}}, "capability.payload.a"),
    ({"kind": "chat", "payload": {"a": {"b": ["x", "!"]}}}, "capability.payload.a.b[1]"),
    ({"kind": "chat", "payload": {"**": "!/(/"}}, "capability.payload.**"),
    ({"kind": "chat", "payload": {5: "a"}}, "capability.payload"),
    ({"kind": "chat", "payload": {"a": Ellipsis}}, "capability.payload.a"),
    ({"kind": "chat", "payload": {"a": b"x"}}, "capability.payload.a"),
    ({"kind": "chat", "payload": {"$.a[?@.b]": "x"}}, "capability.payload.$.a[?@.b]"),
    ({"kind": "chat", "payload": {"$..a..b": "x"}}, "capability.payload.$..a..b"),
    ({"kind": "chat", "payload": {"$.a[": "x"}}, "capability.payload.$.a["),
    ({"kind": "chat", "payload": {"$ref": "x"}}, "capability.payload.$ref"),
    ({"kind": "chat", "to": None}, "capability.to"),
    ({"kind": "chat", "to": []}, "capability.to"),
    ({"kind": "chat", "to": ["a", {"b": 1}]}, "capability.to[1]"),
    ({"kind": "chat", "to": "/*/"}, "capability.to"),
]


@pytest.mark.parametrize(("pattern", "path"), REFUSED, ids=lambda value: ascii(value)[:60])
def test_invalid_pattern_is_refused_with_its_path(pattern: Any, path: str) -> None:
    with pytest.raises(Rejected) as caught:
        compile_capability(pattern)
    assert caught.value.code == "invalid_capability"
    assert caught.value.details["path"] == path
    assert caught.value.message.startswith(path)


@pytest.mark.parametrize("wrap", [lambda inner: {"a": inner}, lambda inner: [inner]], ids=["objects", "lists"])
def test_endless_nesting_is_refused(wrap: Any) -> None:
    pattern: Any = "x"
    for _ in range(500):
        pattern = wrap(pattern)
    with pytest.raises(Rejected, match="levels"):
        compile_capability({"kind": "chat", "payload": {"p": pattern}})


@pytest.mark.parametrize("field", ["kind", "to"])
def test_endless_nesting_of_lists_is_refused(field: str) -> None:
    pattern: Any = "x"
    for _ in range(5_000):
        pattern = [pattern]
    with pytest.raises(Rejected):
        compile_capability({"kind": "chat", field: pattern})


@pytest.mark.parametrize("pattern", ["?" * 1_000, "*?" * 500, "**/" * 333, "é?" * 500, "a" * 1_000])
def test_longest_patterns_compile_in_bounded_time(pattern: str) -> None:
    assert not compile_capability({"kind": pattern}).matches_kind("b" * 100)


def test_groups_are_what_all_of_them_are_together() -> None:
    """Whatever was put and dropped before: the order of what is left decides which is asked first."""
    first = [{"kind": "chat", "payload": {"a": 1}}, {"kind": ["x/*", "mcp/request"]}, {"kind": "!chat"}]
    second = [{"kind": "chat"}, {"kind": "x/y", "to": "bob"}, {"kind": "/m.*/"}]
    third = [{"kind": "reasoning/interrupt"}, {"kind": "*"}]
    held = Capabilities(map(compile_capability, first))
    for name, sources in (("g1", second), ("g2", third), ("g1", second[1:]), ("g3", second)):
        held.put(name, map(compile_capability, sources))
        assert held.allow("chat", {"a": 1}, ())
    held.drop("g2")
    held.put("", map(compile_capability, first[1:]))
    left = Capabilities(map(compile_capability, [*first[1:], *second[1:], *second]))
    assert held.sources == left.sources
    assert (held.number, held.max_lookup_steps) == (left.number, left.max_lookup_steps)
    for kind in ("chat", "x/y", "mcp/request", "reasoning/interrupt", "nothing"):
        assert held.lookup_steps(kind) == left.lookup_steps(kind)
        for to in ((), ("bob",), ("eve",)):
            assert held.allow(kind, {}, to) == left.allow(kind, {}, to)
    for name in ("", "g1", "g3"):
        held.drop(name)
    assert not held.allow("chat", {"a": 1}, ())
    assert (held.sources, held.max_lookup_steps, held.number) == ([], 0, 0)
