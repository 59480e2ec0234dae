"""Whatever the bytes: a configuration, or problems with their place."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mew_gateway.config import ConfigError, Problem, load
from mew_gateway.documents.composer import compose

CONFIG = Path(__file__).parents[1] / "config"
VALID = [(CONFIG / name).read_bytes() for name in ("complete.yaml", "single.yaml")]
WHERE = st.integers(0, 9_999)  # where in the file, going round
both = pytest.mark.parametrize("valid", VALID, ids=("spaces", "single"))
FRAGMENTS = [
    *("- ", ": ", "\n", "  ", "[", "]", "{", "}", ",", "#", "!", "!!", "&a", "*a", "|", ">", "'", '"', "\\", "%", "?"),
    *("---", "...", "@", "`", "\t", "\r", "<<", "~", "\\U00110000", "\\ud800", "\\0", "%YAML 1.1", "null", "true"),
    *("5", ".inf", "1e999", "9" * 30, "5s", "0s", "5/10s", "/(/", "$..a", "é", "\u2028", "\ufeff", "a.b", "x" * 600),
]
bounded = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder, "spaces.yaml")


def examine(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for problem in problems_of(file):
        assert 0 <= problem.line <= lines
        assert problem.column >= 0
        assert problem.message.strip()
        assert "\n" not in f"{problem.key_path}{problem.message}{problem.suggestion}"
        assert len(str(problem)) < 1_000


def problems_of(file: Path) -> tuple[Problem, ...]:
    """At least one, or else the warnings of a configuration with a space in it."""
    try:
        configuration = load(file)
    except ConfigError as error:
        return error.problems or pytest.fail("an error without a problem")
    assert configuration.spaces
    return configuration.warnings


@bounded
@given(st.binary(max_size=300))
def test_random_bytes(file: Path, data: bytes) -> None:
    examine(file, data)


@bounded
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40))
def test_random_yaml(file: Path, fragments: list[str]) -> None:
    examine(file, "".join(fragments).encode("utf-8", "surrogatepass"))


@both
@bounded
@given(st.lists(st.tuples(WHERE, st.integers(0, 3), st.sampled_from(FRAGMENTS)), max_size=4))
def test_mutated_bytes(file: Path, valid: bytes, changes: list[tuple[int, int, str]]) -> None:
    data = valid
    for place, length, fragment in changes:
        at = place % len(valid)
        data = data[:at] + fragment.encode() + data[at + length :]
    examine(file, data)


@both
@bounded
@given(st.lists(st.tuples(WHERE, st.sampled_from(FRAGMENTS) | st.text(max_size=20)), min_size=1, max_size=6))
def test_mutated_values(file: Path, valid: bytes, changes: list[tuple[int, str]]) -> None:
    lines = valid.decode().splitlines()
    for place, value in changes:
        at = place % len(lines)
        key, colon, _ = lines[at].partition(":")
        lines[at] = f"{key}{colon} {value}"
    examine(file, "\n".join(lines).encode("utf-8", "surrogatepass"))


@both
@bounded
@given(st.lists(WHERE, max_size=6), st.lists(WHERE, max_size=6))
def test_lines_lost_and_doubled(file: Path, valid: bytes, lost: list[int], doubled: list[int]) -> None:
    lines = valid.decode().splitlines()
    gone, twice = ([at % len(lines) for at in places] for places in (lost, doubled))
    kept = [line for at, line in enumerate(lines) for _ in range((at not in gone) + (at in twice))]
    examine(file, "\n".join(kept).encode())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="ascii"), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@bounded
@given(json_values)
def test_any_json_is_read_as_itself_or_refused(value: object) -> None:
    text = _flow(value)
    document = compose(text)
    if not document.placed:
        assert document.root == value
        assert document.values[()] == (1, 1)


def _flow(value: object) -> str:
    """The value in YAML's flow style, texts in single quotes."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case str():
            return '"' + "".join(f"\\U{ord(char):08x}" for char in value) + '"'
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case _:
            return str(value)


@pytest.mark.parametrize(
    "unit", ["[", "{a: ", "- ", "? ", "&a ", "!a ", "*a ", "'", '"\\', "a: ", "%A\n", "---\n", "|\n "]
)
def test_repetition_is_refused_in_bounded_work(file: Path, unit: str) -> None:
    examine(file, (unit * 100_000).encode()[:900_000])
