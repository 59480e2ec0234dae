"""docs/requirements.md lists what the specification requires; every line of it has a test, and no test has too many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LISTED = re.findall(r"^\| ((?:mew/[\d.]+|r5x):[a-z0-9-]+) \|", (ROOT / "docs/requirements.md").read_text(), re.M)
MOST = 3


def _marked(file: Path) -> Iterator[tuple[str, list[str]]]:
    """The tests of a file that name requirements, with what they name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.requirement":
                yield f"{file.relative_to(ROOT)}::{node.name}", [ast.literal_eval(one) for one in decorator.args]


@cache
def named() -> list[tuple[str, list[str]]]:
    """The tests and transcripts that name requirements, with what they name."""
    return list(_named())


def _named() -> Iterator[tuple[str, list[str]]]:
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        yield from _marked(file)
    for file in sorted((ROOT / "tests/transcripts").glob("*.txt")):
        named = [id for line in file.read_text().splitlines() if line.startswith("#! ") for id in line[3:].split()]
        if named:
            yield str(file.relative_to(ROOT)), named


def test_the_list_is_a_list() -> None:
    assert len(LISTED) > 90
    assert sorted(set(LISTED)) == sorted(LISTED)


def test_every_requirement_has_a_test() -> None:
    assert sorted(set(LISTED) - {id for _, ids in named() for id in ids}) == []


def test_every_named_requirement_is_listed() -> None:
    assert sorted({(place, id) for place, ids in named() for id in ids if id not in LISTED}) == []


def test_no_test_names_too_many() -> None:
    assert [place for place, ids in named() if not 0 < len(ids) <= MOST] == []
