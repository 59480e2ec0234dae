"""Whatever the bytes: a definition, or problems with their place; never a traceback, never long."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.fluxi.definitions import canonical, check, diagram, parse, restore, shipped, version_id

VISIT = (Path(__file__).parent / "visit.yaml").read_bytes()
VALID = [VISIT, canonical(shipped()[1]).encode()]
WHERE = st.integers(0, 9_999)
FRAGMENTS = [
    *("- ", ": ", "\n", "  ", "[", "]", "{", "}", ",", "#", "!", "&a", "*a", "|", ">", "'", '"', "\\", "%", "?", "---"),
    *("\t", "<<", "~", "\\U00110000", "\\ud800", "null", "true", "5", "-1", ".inf", "1e999", "9" * 30, "5s", "P1D"),
    *("PT", "P99999W", "{{", "[[", "}}", "{day}", "[{size}]", "es", "pt", "fr", "type: money", "list: {a: b}", "USD"),
    *("(slot)", "slot: day", "key: book", "work: id", "é", "\ufeff", "a.b", "x" * 600, "(?P<a>", "a{1000}{1000}", "**"),
]
bounded = settings(max_examples=200, deadline=None)


def examine(data: bytes) -> None:
    found = check(data, tools={"calendar/book"})
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for problem in (*found.errors, *found.warnings):
        assert 0 <= problem.line <= lines
        assert problem.message.strip()
        assert "\n" not in f"{problem.key_path}{problem.message}{problem.suggestion}"
        assert len(str(problem)) < 1_000
    assert (found.definition is None) == bool(found.errors)
    unbound = check(data)
    if unbound.definition is not None:
        assert restore(canonical(unbound.definition)) == unbound.definition
        assert version_id(parse(canonical(unbound.definition).encode())) == version_id(unbound.definition)
        assert diagram(unbound.definition)


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
        data = data[:at] + fragment.encode("utf-8", "surrogatepass") + data[at + length :]
    examine(data)


@bounded
@given(st.lists(st.tuples(WHERE, st.sampled_from(FRAGMENTS) | st.text(max_size=20)), min_size=1, max_size=5))
def test_mutated_values(changes: list[tuple[int, str]]) -> None:
    lines = VISIT.decode().splitlines()
    for place, value in changes:
        at = place % len(lines)
        key, colon, _ = lines[at].partition(":")
        lines[at] = f"{key}{colon} {value}"
    examine("\n".join(lines).encode("utf-8", "surrogatepass"))


@bounded
@given(st.lists(WHERE, max_size=4), st.lists(WHERE, max_size=4))
def test_lines_lost_and_doubled(lost: list[int], doubled: list[int]) -> None:
    lines = VISIT.decode().splitlines()
    gone, twice = ([at % len(lines) for at in places] for places in (lost, doubled))
    kept = [line for at, line in enumerate(lines) for _ in range((at not in gone) + (at in twice))]
    examine("\n".join(kept).encode())


def test_bombs_are_refused_at_once() -> None:
    doubling = b"a: &a [x, x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (at, at) for at in range(5_000))
    for data in (doubling, b"{a: " * 2_000, b"- " * 5_000, b"a: 1\n" * 20_000, b"intents: {es: [" + b"x, " * 60_000):
        found = check(data)
        assert found.definition is None
        assert 1 <= len(found.errors) <= 101
