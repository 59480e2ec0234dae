"""Whatever the bytes: flows, or problems with their place; never a traceback, never long."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.flows.definitions import check, diagram, restore, shipped
from mew_agents.fluxi.definitions import canonical
from mew_agents.fluxi.definitions import restore as fluxi_restore

SHOP = (Path(__file__).parent / "shop.yaml").read_bytes()
VALID = [
    SHOP,
    b"flows: {" + b", ".join(b"f%d: %s" % (at, one.document.encode()) for at, one in enumerate(shipped())) + b"}",
]
WHERE = st.integers(0, 9_999)
FRAGMENTS = [
    *("- ", ": ", "\n", "  ", "[", "]", "{", "}", ",", "#", "!", "&a", "*a", "|", ">", "'", '"', "\\", "%", "?", "---"),
    *(
        "\t",
        "<<",
        "~",
        "\\U00110000",
        "null",
        "true",
        "5",
        "-1",
        ".inf",
        "1e999",
        "9" * 30,
        "5s",
        "PT30M",
        "P1D",
        "end",
    ),
    *("{{", "[[", "}}", "{item}", "[{note}]", "es", "pt", "fr", "type: money", "list: {a: b}", "USD", "item", "price"),
    *(
        "id: x",
        "say: {es: a}",
        "collect: item",
        "set: {tries: 1}",
        "while: tries < 2",
        "branch: []",
        "else: []",
        "call: order",
    ),
    *(
        "link: order",
        "end: failed",
        "effect: true",
        "on_error: what",
        "when: 1",
        "**",
        "lambda: 0",
        "is None",
        "price.amount",
    ),
    *("(slot)", "slot: item", "expr: 1", "work: id", "é", "\ufeff", "x" * 600, "(" * 80, "a{1000}{1000}", "steps:"),
]
bounded = settings(max_examples=150, deadline=None)


def examine(data: bytes) -> None:
    found = check(data, tools={"shop/price"})
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for problem in (*found.errors, *found.warnings):
        assert 0 <= problem.line <= lines
        assert problem.message.strip()
        assert "\n" not in f"{problem.key_path}{problem.message}{problem.suggestion}"
        assert len(str(problem)) < 1_000
    assert (found.flows is None) == bool(found.errors)
    for flow in check(data).flows or ():
        assert restore(flow.document) == flow
        assert diagram(flow)
        assert diagram(flow, style="text")
        for effect in flow.effects:
            made = flow.effect_definition(effect)
            assert fluxi_restore(canonical(made)) == made


@bounded
@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    examine(data)


@bounded
@given(st.sampled_from(VALID), st.lists(st.tuples(WHERE, st.integers(0, 12), st.sampled_from(FRAGMENTS)), max_size=4))
def test_mutated_bytes(valid: bytes, changes: list[tuple[int, int, str]]) -> None:
    data = valid
    for place, length, fragment in changes:
        at = place % len(data)
        data = data[:at] + fragment.encode() + data[at + length :]
    examine(data)


@bounded
@given(st.lists(st.tuples(WHERE, st.sampled_from(FRAGMENTS) | st.text(max_size=20)), min_size=1, max_size=5))
def test_mutated_values(changes: list[tuple[int, str]]) -> None:
    lines = SHOP.decode().splitlines()
    for place, value in changes:
        at = place % len(lines)
        key, colon, _ = lines[at].rpartition(":")
        lines[at] = f"{key}{colon} {value}"
    examine("\n".join(lines).encode("utf-8", "surrogatepass"))


@bounded
@given(st.lists(WHERE, max_size=4), st.lists(WHERE, max_size=4))
def test_lines_lost_and_doubled(lost: list[int], doubled: list[int]) -> None:
    lines = SHOP.decode().splitlines()
    gone, twice = ([at % len(lines) for at in places] for places in (lost, doubled))
    kept = [line for at, line in enumerate(lines) for _ in range((at not in gone) + (at in twice))]
    examine("\n".join(kept).encode())


def test_bombs_are_refused_at_once() -> None:
    deep = b"flows: {f: {title: {en: f}, steps: " + b"[{id: a, while: 1, steps: " * 40
    many = (
        b"flows: {f: {title: {en: f}, steps: ["
        + b", ".join(b"{id: s%d, say: {en: a}}" % n for n in range(5_000))
        + b"]}}"
    )
    for data in (
        deep,
        b"{a: " * 2_000,
        b"- " * 5_000,
        b"a: 1\n" * 20_000,
        b"flows: {a: {triggers: {es: [" + b"x, " * 60_000,
    ):
        found = check(data)
        assert found.flows is None
        assert 1 <= len(found.errors) <= 101
    (flow,) = check(many).require()
    assert len(flow.program.steps) == 5_000
